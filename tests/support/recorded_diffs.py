"""An editor that shows no diff, and records which ones were opened and closed."""

from claude_ide.editor.attention import CallingSession
from claude_ide.editor.diffs import Diff


class Diffs:
    """The diffs; `titles` are the names of those that asked for them."""

    def __init__(self) -> None:
        self.shown: list[Diff] = []
        self.closed: list[Diff] = []
        self.titles: list[str] = []

    async def show(
        self, name: str, path: str, _text: str, title: str, _layout: str, _caller: CallingSession
    ) -> Diff:
        self.shown.append(Diff(len(self.shown), name, path, path))
        self.titles.append(title)
        return self.shown[-1]

    def close(self, diff: Diff) -> None:
        self.closed.append(diff)


class Terminals:
    """No terminal."""

    async def session_of_client(self, agent: str, _pid: int) -> CallingSession:
        return CallingSession("", agent)


class Editor:
    """The part of an editor that the tools of these tests use."""

    def __init__(self) -> None:
        self.diffs = Diffs()
        self.terminals = Terminals()

    async def folders(self) -> list[str]:
        return ["/project"]
