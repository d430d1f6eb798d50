"""The terminals of the editor in which agents run, and what the user calls each agent."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from claude_ide.base import git, program
from claude_ide.base.errors import EditorError
from claude_ide.editor.attention import CallingSession
from claude_ide.editor.events import EditorState
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import soon

if TYPE_CHECKING:
    from claude_ide.editor.port.terminals import Terminal, TmuxPane


class _Cli(msgspec.Struct, frozen=True):
    """A CLI in a terminal of ours, or the client of one that runs elsewhere."""

    name: str
    number: str
    folder: str
    launch: str = ""
    pids: tuple[int, ...] = ()

    @property
    def root(self) -> Path:
        """The root of its worktree, or else its folder."""
        return _root(self.folder)


class Terminals:
    """The calls about terminals. A terminal is known by its process, or by the id of its launch."""

    def __init__(self, port: Port, state: EditorState) -> None:
        self._port = port
        self._state = state
        self._clients: list[int] = []
        self._has_reported = False
        self.has_attached = False
        """Whether one has been attached to a session in the background."""
        self.in_background: dict[str, str] = {}
        """The names of sessions in the background, by the ids of their launches."""

    def clients_run_as(self, clients: list[int]) -> None:
        """Report the process ids of the clients, so that the editor finds their terminals."""
        self._clients = clients
        lineages = [*map(program.lineage, clients)]
        # Most clients are no descendants of the editor, and in no pane of tmux.
        if self._has_reported or any(os.getppid() in each for each in lineages):
            self._has_reported = True
            self._port.terminals.connected(lineages)

    async def adopt(self, pane: "TmuxPane") -> None:
        """Have the editor take over a CLI in a pane of tmux."""
        self._has_reported = True
        await self._port.terminals.adopt(pane)
        self.clients_run_as(self._clients)

    def session(self, agent: str, launch: str) -> CallingSession:
        """Return the session of an agent in the terminal with this launch."""
        return CallingSession(launch, agent, partial(self.label, launch=launch))

    async def session_of_client(self, agent: str, pid: int) -> CallingSession:
        """Return the session of an agent that is connected."""
        with contextlib.suppress(EditorError, TimeoutError):
            for each in await soon(self._port.terminals.running()) if pid else ():
                if pid in each.pids and each.launch:
                    return self.session(agent, each.launch)
        return CallingSession("", agent, partial(self.label, pid=pid))

    async def label(self, *, pid: int = 0, launch: str = "") -> str:
        """Return what tells a CLI from the others: its name, worktree, branch or folder.

        It is empty if there is only one, in the editor's own worktree, or if it is unknown.
        """
        if launch in self.in_background:
            return self.in_background[launch]
        if not launch and len(self._clients) < 2 and self._is_here(program.working_folder(pid)):
            return ""
        try:
            clis = list(self._clis(await soon(self._port.terminals.running())))
        except (EditorError, TimeoutError):
            return ""
        own = next((each for each in clis if launch and each.launch == launch), None)
        own = own or next((each for each in clis if pid and pid in each.pids), None)
        if own is None or not own.folder:
            return own.name if own else ""
        is_alone = len(clis) == 1 and self._is_here(own.folder)
        return "" if is_alone else own.name or _distinct(own, clis)

    def _is_here(self, folder: str) -> bool:
        """Return whether a folder is in a worktree of the editor, or unknown."""
        return not folder or _root(folder) in map(_root, self._state.folders)

    def _clis(self, terminals: "list[Terminal]") -> Iterator[_Cli]:
        for each in terminals:
            name, number = ("", each.name) if each.name.isdecimal() else (each.name, "")
            folder = next(filter(None, map(program.working_folder, each.pids)), each.folder)
            yield _Cli(name, number, folder, each.launch, tuple(each.pids))
        found = {pid for each in terminals for pid in each.pids}
        for pid in self._clients:
            if pid not in found:
                yield _Cli("", str(pid), program.working_folder(pid), pids=(pid,))


def _root(folder: str) -> Path:
    return git.repository_of(Path(folder).resolve()).root


def _distinct(own: _Cli, clis: list[_Cli]) -> str:
    """Return the first of some descriptions that no other CLI shares."""
    described: list[Callable[[_Cli], str]] = [
        lambda each: each.root.name,
        lambda each: git.branch(each.root),
        lambda each: Path(each.folder).name,
        lambda each: "/".join(each.root.parts[-2:]),
    ]
    for describe in described:
        text = describe(own)
        if text and Counter(map(describe, clis))[text] == 1:
            return text
    return f"{own.root.name} ({own.number})"
