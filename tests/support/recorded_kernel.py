"""A stand-in for the Jupyter kernel that records what runs."""

from collections.abc import Callable
from typing import Any

from claude_ide.jupyter.outputs import Ending, Outcome


class Kernel:
    """Records what runs, and whether the user had allowed it."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, bool]] = []
        self.outcome = Outcome([], Ending.DONE)

    async def execute(
        self,
        code: str,
        _seconds: float,
        asker: Any,
        *,
        is_allowed: bool,
        on_run: Callable[[], object],
    ) -> tuple[str, Outcome]:
        on_run()
        self.runs.append((code, is_allowed or asker.may_run_code))
        return code, self.outcome
