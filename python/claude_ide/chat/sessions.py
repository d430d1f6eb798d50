"""`:ClaudeChat list`: the running chats and the stored sessions of a folder."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from claude_ide.agents.agent import Kind, SessionSummary
from claude_ide.chat.chat import Chat
from claude_ide.chat.chat_context import Run, subcommand
from claude_ide.chat.listing import SECONDS, Item, Listing, item
from claude_ide.chat.page import amounts
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk, Row, row
from claude_ide.chat.stored import Stored, StoredSessions, age_of, latest_first
from claude_ide.editor.editor import Editor
from claude_ide.errors import UserError

NAME = "sessions"
RENAME, DELETE = "rename", "delete"
KEYS = (
    ("<CR>", "open", "Go to the chat, or resume the session"),
    ("r", RENAME, "Rename the session"),
    ("d", DELETE, "Delete the session"),
)
MOST_COUNTED = 300
"""The number of sessions, the latest first, whose turns are counted."""

META = "ClaudeChatMeta"
ELSEWHERE = ("elsewhere", "ClaudeChatWarning")
STORED = ("", "")
STATE_WIDTH = 10
AGE_WIDTH = 11
TURNS_WIDTH = 10
COST_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """A session in the list; `id` names it in the editor."""

    id: str
    state: Chunk
    title: str
    first_prompt: str = ""
    changed: datetime | None = None
    turns: int | None = None
    cost: float = 0.0
    place: str = ""
    """The folder, if it is another one than the list's."""
    passage: str = ""
    """The line that a search has found."""
    agent: str = ""
    """The agent's name, if the list has sessions of several."""
    lacks: tuple[str, ...] = ()
    """The keys of the list that do nothing with it."""

    def item(self, now: datetime) -> Item:
        """Return its item in the list."""
        rows = [self._row(now)]
        if self.passage:
            rows.append(row((" " * STATE_WIDTH, ""), (one_line(self.passage), "ClaudeChatDetail")))
        return item(self.id, rows, self.lacks)

    def _row(self, now: datetime) -> Row:
        age = age_of(self.changed, now) if self.changed else ""
        turns = "" if self.turns is None else amounts.count(self.turns, "turn")
        cost = amounts.money(self.cost) if self.cost else ""
        figures = f"{age:>{AGE_WIDTH}} {turns:>{TURNS_WIDTH}} {cost:>{COST_WIDTH}}  "
        title = one_line(self.title or self.first_prompt) or "(empty)"
        first = one_line(self.first_prompt)
        chunks = [(f"{self.state[0]:<{STATE_WIDTH}}", self.state[1]), (figures, META)]
        chunks += [(f"{self.agent}  ", "ClaudeChatMode")] if self.agent else []
        chunks += [(title, "")]
        chunks += [(f" · {first}", META)] if first and first != title else []
        chunks += [(f" · {self.place}", "ClaudeChatLink")] if self.place else []
        return row(*chunks)


class Sessions:
    """The list; `show` shows a running chat, `resume` resumes a stored session."""

    def __init__(
        self,
        source: StoredSessions,
        editor: Editor,
        run: Run,
        chats: Mapping[int, Chat],
        show: Callable[[Chat], Awaitable[None]],
        resume: Callable[[Kind, str], Awaitable[None]],
    ) -> None:
        self._source = source
        self._run = run
        self._editor = editor
        self._port = editor.port
        self._listing = Listing(NAME, KEYS, self._port, run)
        self._chats = chats
        self._show = show
        self._resume = resume
        self._folder = Path()
        self._words: list[str] = []
        self._asked: list[Stored] = []
        """The sessions of agents that had to be started, as they were when the list opened."""
        self._stored: dict[str, Stored] = {}
        self._turns: dict[str, tuple[datetime, int]] = {}
        self._passages: dict[str, str] = {}

    @subcommand("list")
    async def open(self, words: str) -> None:
        """Open the list; with words, only of the sessions that contain all of them."""
        self._listing.end()
        self._folder = Path(await self._port.buffers.folder())
        self._words, self._passages, self._asked = words.split(), {}, []
        await self._read()
        if not (self._stored or self._chats):
            await self._ask(self._folder)
        if not (self._stored or self._chats):
            raise UserError("there is no session in this folder")
        await self._listing.open(self._title(), self._draw, self._follow)
        if not self._asked:
            self._run(self._ask(self._folder))

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
        chat, stored = self._chat(id_), self._stored.get(id_)
        if chat is None and stored is not None and stored.summary.process:
            # Both would write to the session.
            raise UserError(
                f"the session is running in process {stored.summary.process}"
                f" (:ClaudeChat resume {stored.summary.id} opens it nevertheless)"
            )
        await self._listing.close()
        if chat is not None:
            await self._show(chat)
        elif stored is not None:
            await self._resume(stored.kind, stored.summary.id)

    async def _rename(self, id_: str) -> None:
        chat = self._chat(id_)
        if chat is not None:
            return await chat.settings.rename("")
        kind, summary = self._stored[id_]
        if not kind.keeps_sessions:
            raise UserError(f"{kind.name} cannot rename a stored session")
        title = await self._editor.input("Title: ", summary.title)
        if title:
            await kind.rename_session(self._folder, summary.id, one_line(title))

    async def _delete(self, id_: str) -> None:
        if self._chat(id_) is not None:
            raise UserError("this chat is running (:ClaudeChat end ends it)")
        kind, summary = self._stored[id_]
        if not kind.deletes_sessions:
            raise UserError(f"{kind.name} cannot delete a stored session")
        title = one_line(summary.title, 60)
        chosen = await self._editor.select(f"Delete “{title}” for good?", ["Delete it", "Keep it"])
        if chosen == 0:
            await kind.delete_session(self._folder, summary.id)
            await self._source.forget(self._folder, summary.id)
            self._asked = [each for each in self._asked if each.key != id_]

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
        for key, (kind, summary) in [*self._stored.items()][:MOST_COUNTED]:
            if not kind.keeps_sessions:
                continue
            if self._words and key not in self._passages:
                found = await kind.find_passage(self._folder, summary.id, self._words)
                self._passages[key] = found
                return True
            known = self._turns.get(key)
            if self._is_listed(key, summary) and (known is None or known[0] != summary.changed):
                turns = await kind.count_turns(self._folder, summary.id)
                self._turns[key] = (summary.changed, turns)
                return True
        return False

    async def _read(self) -> None:
        """Read the summaries of the stored sessions."""
        kept = await self._source.kept(self._folder)
        self._stored = {each.key: each for each in latest_first((*kept, *self._asked))}

    async def _ask(self, folder: Path) -> None:
        """Ask the agents that must be started."""
        asked = await self._source.asked(folder)
        if folder == self._folder:
            self._asked = asked
            await self._read()

    async def _draw(self) -> None:
        now = datetime.now(UTC)
        items = [entry.item(now) for entry in self._entries()]
        nothing = item("", [row(("nothing found", META))])
        await self._listing.show(self._title(), items or [nothing])

    def _title(self) -> str:
        if not self._words:
            return "Sessions"
        searched = sum(each.kind.keeps_sessions for each in self._stored.values())
        rest = searched - len(self._passages)
        progress = f" · {rest} to search" if rest > 0 else ""
        return f"Sessions with {' '.join(self._words)}{progress}"

    def _entries(self) -> list[Entry]:
        chats = sorted(self._chats.values(), key=lambda chat: -chat.status.waiting)
        running = [self._running(chat) for chat in chats]
        ids = {entry.id for entry in running}
        stored = [self._past(key, each) for key, each in self._stored.items() if key not in ids]
        return [entry for entry in (*running, *stored) if self._matches(entry)]

    def _running(self, chat: Chat) -> Entry:
        status, id_ = chat.status, _id(chat)
        stored = self._stored[id_].summary if id_ in self._stored else None
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
            self._agent(chat.kind),
            (DELETE,) if chat.context.has("titles") else (RENAME, DELETE),
        )

    def _past(self, key: str, stored: Stored) -> Entry:
        turns, summary = self._turns.get(key), stored.summary
        return Entry(
            key,
            ELSEWHERE if summary.process else STORED,
            summary.title,
            summary.first_prompt,
            summary.changed,
            turns[1] if turns else None,
            passage=self._passages.get(key, ""),
            agent=self._agent(stored.kind),
            lacks=_lacks(stored.kind),
        )

    def _agent(self, kind: Kind) -> str:
        """Return the name of an agent; "" if the list has sessions of this one only."""
        stored = {each.kind.id for each in self._stored.values()}
        running = {chat.kind.id for chat in self._chats.values()}
        return kind.name if len(stored | running) > 1 else ""

    def _matches(self, entry: Entry) -> bool:
        return bool(entry.passage) or self._is_named(entry.title, entry.first_prompt, entry.agent)

    def _is_listed(self, key: str, stored: SessionSummary) -> bool:
        is_found = bool(self._passages.get(key))
        return is_found or self._is_named(stored.title, stored.first_prompt)

    def _is_named(self, *texts: str) -> bool:
        named = " ".join(texts).casefold()
        return all(word.casefold() in named for word in self._words)


def _lacks(kind: Kind) -> tuple[str, ...]:
    """Return the keys that do nothing with a stored session of an agent."""
    lacks = {RENAME: not kind.keeps_sessions, DELETE: not kind.deletes_sessions}
    return tuple(key for key, is_lacking in lacks.items() if is_lacking)


def _id(chat: Chat) -> str:
    """Return the id of a chat's entry: that of its session, if it is known."""
    session = chat.agent.session
    return f"{chat.kind.id} {session}" if session else f"chat {chat.id}"
