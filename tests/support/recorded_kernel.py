"""A stand-in for the Jupyter kernel that records what runs."""

from collections.abc import Callable

from claude_ide.jupyter.outputs import Ending, Outcome


class Kernel:
    """Records what runs, and whether the user had allowed it before it was asked for."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, bool]] = []
        self.outcome = Outcome([], Ending.DONE)
        self._has_asked = False

    async def ask(self, code: str, _asker: str) -> tuple[str, bool]:
        self._has_asked = True
        return code, False

    async def execute(
        self, code: str, _seconds: float, _asker: str, on_run: Callable[[], object]
    ) -> Outcome:
        on_run()
        self.runs.append((code, not self._has_asked))
        self._has_asked = False
        return self.outcome
