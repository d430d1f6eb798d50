"""Collects the sessions: of chats, of terminals, from the CLIs' records, and the stored ones."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from claude_ide.agents.kinds import Stored, StoredSessions, latest_first
from claude_ide.agents.requests import PermissionAsked
from claude_ide.agents.stream_json.running import BUSY, RunningSession
from claude_ide.agents.stream_json.stored import folder as stored_folder
from claude_ide.base import git, program
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.terminals import Terminal
from claude_ide.hooks.registration import link_in
from claude_ide.sessions.entry import ENDED, FAILED, IDLE, WAITS, WORKS, Place, SessionEntry, when

if TYPE_CHECKING:
    from claude_ide.chat.chat import Chat
    from claude_ide.editor.port.events import Activity
    from claude_ide.hooks.endpoint import Hooks
    from claude_ide.ui.request import RequestView

CLAUDE = "Claude"
STATES = {"waiting": WAITS, BUSY: WORKS}

OPEN, ALLOW, REJECT, STOP, DELETE, RENAME, REVIEW, MERGE = (
    *("open", "allow", "reject", "stop", "delete", "rename", "review", "merge"),
)
"""The names of the list's keys."""


class SessionCollection:
    """All sessions of a moment; `running` is what the CLIs' records tell."""

    def __init__(
        self,
        editor: Editor,
        stored: Callable[[], StoredSessions],
        chats: "Callable[[], Mapping[int, Chat]]",
        hooks: "Callable[[], Hooks | None]",
    ) -> None:
        self._editor = editor
        self._source = stored
        self._chats = chats
        self._hooks = hooks
        self.running: list[RunningSession] = []
        self.stored: dict[str, tuple[Path, Stored]] = {}
        """The stored sessions with their folders, by their keys, the latest first."""
        self.asked: list[Stored] = []
        """Those of agents that had to be started, as they were when the list opened."""
        self.paths: list[Path] = []
        """The files and folders that tell of changes of stored sessions, worktrees and branches."""
        self.folder = Path()
        self.terminals: list[Terminal] = []
        self._lineages: dict[int, list[int]] = {}

    async def read(self) -> None:
        """Read the stored sessions of the working folder and of the worktrees of its project."""
        self.folder = Path(await self._editor.port.buffers.folder())
        folders, self.paths = await asyncio.to_thread(_with_worktrees, self.folder)
        found: dict[str, tuple[Path, Stored]] = {}
        for folder in folders:
            asked = self.asked if folder == self.folder else []
            kept = await self._source().kept(folder)
            found |= {each.key: (folder, each) for each in (*kept, *asked)}
        latest = latest_first(each for _, each in found.values())
        self.stored = {each.key: found[each.key] for each in latest}

    async def collect(self) -> list[SessionEntry]:
        """Return all sessions, in no order."""
        self.terminals = terminals = await self._editor.port.terminals.running()
        found = [*self._of_chats(), *self._of_terminals(terminals), *self._others(terminals)]
        known = {each.id for each in found}
        found += [
            _past(key, folder, each)
            for key, (folder, each) in self.stored.items()
            if key not in known
        ]
        return await asyncio.to_thread(_placed, found)

    def _of_chats(self) -> list[SessionEntry]:
        return [_of_chat(chat, self.stored) for chat in self._chats().values()]

    def _of_terminals(self, terminals: list[Terminal]) -> list[SessionEntry]:
        known = {name for each in self.running if each.id for name in (each.id, each.name)}
        return [self.of_terminal(each) for each in terminals if each.attached not in known]

    def of_terminal(self, terminal: Terminal) -> SessionEntry:
        """Return the session of a terminal."""
        record = next(
            filter(lambda each: self._is_in(each, terminal), self.running), RunningSession("")
        )
        waiting, activity = self._known(terminal.launch)
        is_busy = activity is not None and activity.is_working
        waits = waiting or record.waits
        state = WAITS if waits else WORKS if is_busy else STATES.get(record.status, IDLE)
        stored = self._stored_as(record.session)
        name = terminal.name if not terminal.name.isdecimal() else record.name
        return SessionEntry(
            _id("claude", record.session) or f"terminal {terminal.name}",
            "terminal",
            state,
            terminal,
            Place(record.folder or terminal.folder),
            record.session,
            f"approve {waiting.label}" if waiting else record.needs,
            name or (stored.summary.title if stored else "") or CLAUDE,
            stored.summary.first_prompt if stored else "",
            when(record.changed),
            cost=(activity.cost or 0.0) if activity else 0.0,
            context=activity.context if activity else None,
            agent=CLAUDE,
            pid=record.pid or terminal.pid,
            terminal=terminal.name,
            asks=waiting,
            lacks=(
                *(DELETE, RENAME),
                *((STOP,) if state == IDLE else ()),
                *(() if waiting else (ALLOW, REJECT)),
            ),
        )

    def _known(self, launch: str) -> "tuple[RequestView | None, Activity | None]":
        """Return for what the CLI of a launch asks, and what it does, as far as it reports it."""
        hooks = self._hooks()
        if hooks is None or not launch:
            return None, None
        return hooks.permission(launch), hooks.activity(launch)

    def _others(self, terminals: list[Terminal]) -> list[SessionEntry]:
        """Return the sessions in the background, and those of other editors and terminals."""
        chats = {chat.agent.session for chat in self._chats().values()}
        # The user may have typed a name in place of the id.
        attached = {each.attached: each.name for each in terminals if each.attached}
        pids_now = {each.pid for each in self.running}
        self._lineages = {pid: own for pid, own in self._lineages.items() if pid in pids_now}
        found = []
        for record in self.running:
            if record.session in chats or any(self._is_in(record, each) for each in terminals):
                continue
            if record.id:
                terminal = attached.get(record.id) or attached.get(record.name, "")
                found.append(self._in_background(record, terminal))
            elif not (record.is_printing and os.getpid() in self._lineage(record.pid)):
                found.append(self._elsewhere(record))
        return found

    def _in_background(self, record: RunningSession, terminal: str) -> SessionEntry:
        is_there = record.pid or record.is_starting
        state = STATES.get(record.status, IDLE) if is_there else ENDED
        link = link_in(record.settings) if record.pid else None
        waiting, activity = self._known(link.name if link else "")
        return SessionEntry(
            _id("claude", record.session) or f"background {record.id}",
            "background",
            FAILED if record.failure else WAITS if waiting else state,
            record,
            Place(record.folder),
            record.session,
            record.failure or record.needs,
            record.name,
            changed=when(record.changed),
            cost=(activity.cost or 0.0) if activity else 0.0,
            context=activity.context if activity else None,
            agent=CLAUDE,
            pid=record.pid,
            terminal=terminal,
            asks=waiting,
            lacks=(RENAME, *(() if record.pid else (STOP,)), *(() if waiting else (ALLOW, REJECT))),
        )

    def _elsewhere(self, record: RunningSession) -> SessionEntry:
        stored = self._stored_as(record.session)
        return SessionEntry(
            _id("claude", record.session) or f"elsewhere {record.pid}",
            "elsewhere",
            STATES.get(record.status, IDLE),
            record,
            Place(record.folder),
            record.session,
            record.needs,
            (stored.summary.title if stored else "") or record.name,
            stored.summary.first_prompt if stored else "",
            when(record.changed),
            agent=CLAUDE,
            pid=record.pid,
            lacks=(ALLOW, REJECT, STOP, DELETE, RENAME),
        )

    def _stored_as(self, session: str) -> Stored | None:
        found = self.stored.get(_id("claude", session))
        return found[1] if found else None

    def _is_in(self, record: RunningSession, terminal: Terminal) -> bool:
        """Return whether a CLI runs in a terminal of this editor."""
        if record.id or not (record.pid and terminal.pid):
            return False
        return terminal.pid in self._lineage(record.pid)

    def _lineage(self, pid: int) -> list[int]:
        if pid not in self._lineages:
            self._lineages[pid] = program.lineage(pid)
        return self._lineages[pid]


def _of_chat(chat: "Chat", stored: Mapping[str, tuple[Path, Stored]]) -> SessionEntry:
    status, key = chat.status, _id(chat.kind.id, chat.agent.session)
    summary = stored[key][1].summary if key in stored else None
    prompts = [*chat.transcript.prompts.values()]
    first = next(iter(chat.requests), None)
    is_answered = first is not None and isinstance(first.asked, PermissionAsked)
    asks = first.view if first is not None and is_answered else None
    needs = first.view.label if first is not None else ""
    return SessionEntry(
        key or f"chat {chat.id}",
        "chat",
        {"open": IDLE}.get(status.word[0], status.word[0]),
        chat,
        Place(chat.root),
        chat.agent.session,
        f"approve {needs}" if asks else needs,
        status.title or (summary.title if summary else ""),
        summary.first_prompt if summary else next(iter(prompts), ""),
        summary.changed if summary else None,
        len(prompts),
        status.cost,
        status.context,
        chat.kind.name,
        asks=asks,
        lacks=(
            DELETE,
            *(() if chat.context.has("titles") else (RENAME,)),
            *(() if asks else (ALLOW, REJECT)),
        ),
    )


def _past(key: str, folder: Path, stored: Stored) -> SessionEntry:
    kind, summary = stored
    lacks = {RENAME: not kind.keeps_sessions, DELETE: not kind.deletes_sessions}
    return SessionEntry(
        key,
        "stored",
        ENDED,
        stored,
        Place(str(folder)),
        summary.id,
        "",
        summary.title,
        summary.first_prompt,
        summary.changed,
        agent=kind.name,
        lacks=(ALLOW, REJECT, STOP, *(name for name, is_lacking in lacks.items() if is_lacking)),
    )


def _id(agent: str, session: str) -> str:
    """Return the key of a stored session (`Stored.key`); empty if there is none."""
    return f"{agent} {session}" if session else ""


def _placed(found: Iterable[SessionEntry]) -> list[SessionEntry]:
    """Return entries with their worktrees, which are on the disk."""
    listed = [*found]
    places = {folder: Place.of(folder) for folder in {each.place.folder for each in listed}}
    return [_at(each, places[each.place.folder]) for each in listed]


def _at(entry: SessionEntry, place: Place) -> SessionEntry:
    """Return an entry with its place: only a linked worktree is merged."""
    is_linked = place.worktree != place.project
    return replace(entry, place=place, lacks=entry.lacks + (() if is_linked else (MERGE,)))


def _with_worktrees(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return a folder and the worktrees of its project, and what tells of changes there."""
    project = git.repository_of(folder.resolve()).main
    roots = [project, *git.worktrees(project)]
    folders = [folder, *(each for each in roots if each != folder.resolve())]
    stored = [stored_folder(os.environ, each) for each in folders]
    heads = [head for head in map(git.head, roots) if head.is_file()]
    return folders, [*stored, project / ".git/worktrees", *heads]
