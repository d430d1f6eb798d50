"""`:ClaudeChat list`: the running chats and the stored sessions of a folder."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from claude_ide.agents.agent import Kind, SessionSummary
from claude_ide.chat.chat import Chat
from claude_ide.chat.listing import Listing, item
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import row
from claude_ide.chat.panel import Panels
from claude_ide.chat.running import Run
from claude_ide.chat.sessions.entry import ELSEWHERE, META, STORED, Entry
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, UserError

NAME = "sessions"
KEYS = (
    ("<CR>", "open", "Go to the chat, or resume the session"),
    ("r", "rename", "Rename the session"),
    ("d", "delete", "Delete the session"),
)
SECONDS = 1.0
"""How often an open list is updated."""

MOST_COUNTED = 300
"""The number of sessions, the latest first, whose turns are counted."""


class Sessions:
    """The list; `show` shows a running chat, `resume` resumes a stored session."""

    def __init__(
        self,
        kind: Kind,
        editor: Editor,
        run: Run,
        chats: Mapping[int, Chat],
        show: Callable[[Chat], Awaitable[None]],
        resume: Callable[[str], Awaitable[None]],
    ) -> None:
        self._kind = kind
        self._editor = editor
        self._panels = Panels(editor)
        self._listing = Listing(NAME, KEYS, self._panels, run)
        self._chats = chats
        self._show = show
        self._resume = resume
        self._folder = Path()
        self._words: list[str] = []
        self._stored: dict[str, SessionSummary] = {}
        self._turns: dict[str, tuple[datetime, int]] = {}
        self._passages: dict[str, str] = {}

    async def open(self, words: str) -> None:
        """Open the list; with words, only of the sessions that contain all of them."""
        self._listing.end()
        self._folder = Path(await self._panels.folder())
        self._words, self._passages = words.split(), {}
        await self._read()
        if not (self._stored or self._chats):
            raise UserError("there is no session in this folder")
        await self._listing.open(self._title(), self._draw, self._follow)

    async def press(self, key: str, id_: str) -> None:
        """Handle a key of the list on an entry."""
        if key == "closed":
            self._listing.end()
        elif id_:
            act = {"<CR>": self._go, "r": self._rename, "d": self._delete}[key]
            await act(id_)
            if self._listing.is_open:
                await self._read()
                await self._draw()

    # Keys.

    async def _go(self, id_: str) -> None:
        chat = self._chat(id_)
        summary = self._stored.get(id_)
        if chat is None and summary is not None and summary.process:
            # Both would write to the session.
            raise UserError(
                f"the session is running in process {summary.process}"
                f" (:ClaudeChat resume {id_} opens it nevertheless)"
            )
        await self._listing.close()
        await (self._show(chat) if chat else self._resume(id_))

    async def _rename(self, id_: str) -> None:
        chat = self._chat(id_)
        if chat is not None:
            return await chat.rename("")
        if not self._kind.keeps_sessions:
            raise UserError(f"{self._kind.name} cannot rename a stored session")
        title = await self._editor.input("Title: ", self._stored[id_].title)
        if title:
            await self._kind.rename_session(self._folder, id_, one_line(title))

    async def _delete(self, id_: str) -> None:
        if self._chat(id_) is not None:
            raise UserError("this chat is running (:ClaudeChat end ends it)")
        if not self._kind.keeps_sessions:
            raise UserError(f"{self._kind.name} cannot delete a stored session")
        title = one_line(self._stored[id_].title, 60)
        chosen = await self._editor.select(f"Delete “{title}” for good?", ["Delete it", "Keep it"])
        if chosen == 0:
            await self._kind.delete_session(self._folder, id_)

    def _chat(self, id_: str) -> Chat | None:
        return next((chat for chat in self._chats.values() if _id(chat) == id_), None)

    # Content.

    async def _follow(self) -> None:
        """Update the list until it is closed."""
        while True:
            if not await self._advance():
                await asyncio.sleep(SECONDS)
                await self._read()
            await self._draw()

    async def _advance(self) -> bool:
        """Search or count one more session; False if there is none."""
        if not self._kind.keeps_sessions:
            return False
        for summary in [*self._stored.values()][:MOST_COUNTED]:
            if self._words and summary.id not in self._passages:
                found = await self._kind.find_passage(self._folder, summary.id, self._words)
                self._passages[summary.id] = found
                return True
            known = self._turns.get(summary.id)
            if self._is_listed(summary) and (known is None or known[0] != summary.changed):
                turns = await self._kind.count_turns(self._folder, summary.id)
                self._turns[summary.id] = (summary.changed, turns)
                return True
        return False

    async def _read(self) -> None:
        """Read the summaries of the stored sessions."""
        with contextlib.suppress(AgentError):
            summaries = await self._kind.sessions(self._folder)
            self._stored = {summary.id: summary for summary in summaries}

    async def _draw(self) -> None:
        now = datetime.now(UTC)
        items = [entry.item(now) for entry in self._entries()]
        nothing = item("", [row(("nothing found", META))])
        await self._listing.show(self._title(), items or [nothing])

    def _title(self) -> str:
        if not self._words:
            return "Sessions"
        rest = len(self._stored) - len(self._passages)
        progress = f" · {rest} to search" if self._kind.keeps_sessions and rest > 0 else ""
        return f"Sessions with {' '.join(self._words)}{progress}"

    def _entries(self) -> list[Entry]:
        chats = sorted(self._chats.values(), key=lambda chat: -chat.status.waiting)
        running = [self._running(chat) for chat in chats]
        ids = {entry.id for entry in running}
        stored = [self._past(each) for each in self._stored.values() if each.id not in ids]
        return [entry for entry in (*running, *stored) if self._matches(entry)]

    def _running(self, chat: Chat) -> Entry:
        status, id_ = chat.status, _id(chat)
        stored = self._stored.get(chat.agent.session)
        prompts = [*chat.transcript.prompts.values()]
        return Entry(
            id_,
            status.word,
            status.title or (stored.title if stored else ""),
            stored.first_prompt if stored else next(iter(prompts), ""),
            stored.changed if stored else None,
            self._turns[id_][1] if id_ in self._turns else len(prompts),
            status.cost,
            "" if Path(chat.root) == self._folder else chat.root,
            self._passages.get(id_, ""),
        )

    def _past(self, stored: SessionSummary) -> Entry:
        turns = self._turns.get(stored.id)
        return Entry(
            stored.id,
            ELSEWHERE if stored.process else STORED,
            stored.title,
            stored.first_prompt,
            stored.changed,
            turns[1] if turns else None,
            passage=self._passages.get(stored.id, ""),
        )

    def _matches(self, entry: Entry) -> bool:
        return bool(entry.passage) or self._is_named(entry.title, entry.first_prompt)

    def _is_listed(self, stored: SessionSummary) -> bool:
        is_found = bool(self._passages.get(stored.id))
        return is_found or self._is_named(stored.title, stored.first_prompt)

    def _is_named(self, *texts: str) -> bool:
        named = " ".join(texts).casefold()
        return all(word.casefold() in named for word in self._words)


def _id(chat: Chat) -> str:
    """Return the id of a chat's entry: that of its session, if it is known."""
    return chat.agent.session or f"chat {chat.id}"
