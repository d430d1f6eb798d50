"""The remarks that the user makes in one editor, and the reviews that are sent to agents."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from claude_ide.base.errors import EditorError, UserError
from claude_ide.base.paths import real, within
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import without_mentions
from claude_ide.editor.port.review import CalledAt, ShownBuffer
from claude_ide.editor.port.windows import Typed
from claude_ide.review import telling
from claude_ide.review.display import of_buffer
from claude_ide.review.entry import Remark, Told
from claude_ide.review.folder import Folder
from claude_ide.review.snapshot import LARGEST
from claude_ide.review.texts import Rows, readable

if TYPE_CHECKING:
    from claude_ide.review.service import ReviewService

NOBODY = "no agent runs here (:Claude opens one; :ClaudeReview yank yanks the review)"


@dataclass(frozen=True, slots=True)
class Recipient:
    """A chat, or a CLI in a terminal, which can get a review. `send` raises `UserError`."""

    name: str
    """By which the user knows it."""
    session: str
    """Its session; empty if that is not known."""
    send: Callable[[str], Awaitable[None]]


class Recipients:
    """Who can get a review: nobody (`sessions/here.py` knows the others)."""

    async def all(self) -> list[Recipient]:
        """Return all that run."""
        return []

    async def usual(self) -> Recipient | None:
        """Return the one to which mentions go here."""
        return None


class _Place(NamedTuple):
    """Rows of a file, whose text is this one."""

    folder: Folder
    path: str
    rows: Rows
    text: str


class _Draft(NamedTuple):
    """A review that is not sent: its text, and what it tells."""

    text: str
    remarks: list[tuple[str, Folder, Remark]]
    """With the line above each in the text."""
    told: list[tuple[Folder, Told]]

    @property
    def sessions(self) -> set[str]:
        """The sessions that have written what it is about."""
        files = {(folder, each.path) for _, folder, each in self.remarks}
        told = {each.session for _, each in self.told}
        return told | {
            session
            for folder, path in files
            for session in folder.review.sessions(folder.path(path))
        }


class Remarks:
    """The remarks, added and removed in the order of the user's commands."""

    def __init__(self, editor: Editor, service: "ReviewService", recipients: Recipients) -> None:
        self._editor = editor
        self._service = service
        self._recipients = recipients
        self._open: asyncio.Task[Typed] | None = None
        """Of the review that is open."""

    # Remarks

    async def add(self, at: CalledAt, rows: Rows | None, words: str) -> None:
        """Add a remark on rows of a buffer, or at the cursor; without words the user writes it."""
        async with self._service.order:
            places = await self._places(at, rows)
            if words:
                return await self._store(places, words)
            title, there = await self._title(places), await self._there(places[0])
        typed = await self._editor.port.review.write_remark(title, there, False)
        if typed.text is None:
            return
        if not typed.text.strip():
            raise UserError("a remark needs words (:ClaudeComment! removes one)")
        async with self._service.order:
            await self._store(places, typed.text.strip())

    async def store(self, chosen: Sequence[tuple[Folder, str, Rows | None]], words: str) -> None:
        """Add a remark on items of the list."""
        await self._store([await self._of_item(*each) for each in chosen], words)

    async def remove(self, at: CalledAt, rows: Rows | None) -> None:
        """Remove the remarks on rows of a buffer, or at the cursor."""
        async with self._service.order:
            places = await self._places(at, rows)
            removed = 0
            for folder, path, where, text in places:
                removed += await folder.run(folder.review.remove_remarks, path, where, text)
            if not removed:
                raise UserError("no remark is here")
            await self._changed(place.folder for place in places)

    async def clear(self) -> None:
        """Remove all remarks."""
        folders = self._service.known()
        removed = [await folder.run(folder.review.remove_remarks) for folder in folders]
        if not any(removed):
            raise UserError("there is no remark")
        await self._changed(folders)

    async def _places(self, at: CalledAt, rows: Rows | None) -> list[_Place]:
        buffer, here = await self._service.called_at(at, rows)
        if buffer is None:
            chosen = await self._service.list.items_in(at.bufnr, here)
            if not chosen:
                raise UserError("this buffer has no file")
            return [await self._of_item(*each) for each in chosen]
        if refusal := await self._editor.refusal(buffer.path):
            raise UserError(refusal)
        folder = await self._service.of_file(buffer.path)
        if len(buffer.text) > LARGEST:
            raise UserError(f"{within(buffer.path, folder.root)} is too large for remarks")
        place = here if rows else await _hunk_at(folder, buffer, here)
        return [_Place(folder, buffer.path, place, buffer.text)]

    async def _of_item(self, folder: Folder, path: str, rows: Rows | None) -> _Place:
        file = await folder.file(path)
        now = file.texts.now if file and file.texts and rows else None
        return _Place(folder, path, rows or (0, 1), readable(now or ""))

    async def _title(self, places: Sequence[_Place]) -> str:
        folder, path, (first, _), text = places[0]
        where = within(path, folder.root) + (f":{first + 1}" if text else "")
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        return f"Remark on {where}{more} · :w adds it"

    async def _there(self, place: _Place) -> str:
        folder, path, rows, text = place
        for (first, last), each in await folder.run(folder.review.placed, path, text):
            if first < rows[1] and rows[0] < last:
                return each.words
        return ""

    async def _store(self, places: Sequence[_Place], words: str) -> None:
        for folder, path, rows, text in places:
            await folder.run(folder.review.remark, path, rows, text, words)
        await self._changed(place.folder for place in places)

    async def _changed(self, folders: Iterable[Folder]) -> None:
        for folder in dict.fromkeys(folders):
            await self._service.changed(folder)

    # Reviews

    async def text(self, here: str) -> str:
        """Return the review that is not sent yet, as Markdown."""
        return (await self._draft(here)).text

    async def send(self, name: str = "") -> None:
        """Let the user edit the review, and send it to whom they name, who wrote, or they choose.

        What was not sent is shown again.
        """
        port = self._editor.port
        async with self._service.order:
            draft = await self._draft(await port.buffers.folder())
            found = await self._found(name, draft)
        text, is_changed = draft.text, False
        while True:
            to = f" for {found[0].name}" if len(found) == 1 else ""
            title = f"Review{to} · :w sends it"
            typed = await self._edited(title, text, is_changed=is_changed)
            if typed is None or typed.text is None:
                return
            text, is_changed = typed.text, True
            try:
                if await self._send(name, draft, text):
                    return
            except (UserError, EditorError) as error:
                self._editor.notify(f"the review was not sent: {error}", "warn")

    async def _edited(self, title: str, text: str, *, is_changed: bool) -> Typed | None:
        """Let the user edit a review in place of the one that is open; None if another follows."""
        if self._open is not None:
            self._open.cancel()
        write = self._editor.port.review.write_remark(title, text, is_changed)
        self._open = task = asyncio.ensure_future(write)
        try:
            return await task
        except asyncio.CancelledError:
            if not task.cancelled():
                task.cancel()
                raise
            return None
        finally:
            if self._open is task:
                self._open = None

    async def _send(self, name: str, draft: _Draft, text: str) -> bool:
        if not text.strip():
            raise UserError("it is empty")
        # Who runs may have changed meanwhile.
        found = await self._found(name, draft)
        names = [each.name for each in found]
        chosen = names[0] if len(names) == 1 else await self._editor.choose("Send to:", names)
        if not chosen:
            return False
        recipient = found[names.index(chosen)]
        running = {each.session for each in await self._recipients.all()}
        told = [
            (folder, each)
            for folder, each in draft.told
            if each.kind == telling.KEPT
            or each.session == recipient.session
            or each.session not in running
        ]
        # The prompt begins a turn, whose note must not tell the same.
        await self._tell(told)
        try:
            await recipient.send(text)
        except BaseException:
            await self._tell(told, is_untold=True)
            raise
        await self._mark(draft, text)
        self._editor.notify(f"the review was sent to {recipient.name}")
        return True

    async def _found(self, name: str, draft: _Draft) -> list[Recipient]:
        """Return who may get a review: the one with this name, or who wrote, or the usual one."""
        running = await self._recipients.all()
        if name:
            found = [each for each in running if each.name == name]
            if not found:
                names = ", ".join(each.name for each in running)
                raise UserError(
                    f'no agent is named "{name}" here' + (f" ({names})" if names else "")
                )
            return found
        for sessions in (draft.sessions, await self._service.sessions()):
            if found := [each for each in running if each.session in sessions]:
                return found
        usual = await self._recipients.usual()
        if usual is None and not running:
            raise UserError(NOBODY)
        return [usual] if usual else running

    async def _mark(self, draft: _Draft, text: str) -> None:
        """Know that the remarks that are left in a text were sent."""
        lines = set(text.split("\n"))
        for folder in self._service.known():
            sent = [each for line, of, each in draft.remarks if of is folder and line in lines]
            await folder.run(folder.review.sent, sent)
            await self._service.changed(folder)

    async def _tell(self, told: Sequence[tuple[Folder, Told]], *, is_untold: bool = False) -> None:
        for folder in self._service.known():
            own = [each for of, each in told if of is folder]
            await folder.run(folder.review.tell, own, is_untold=is_untold)

    async def _draft(self, here: str) -> _Draft:
        await self._service.folder(here, is_folder=True)
        remarks, told = list[tuple[str, Folder, Remark]](), list[tuple[Folder, Told]]()

        def path(folder: Folder, name: str) -> str:
            return within(folder.path(name), real(here))

        for folder in self._service.known():
            waiting = [each for each in await folder.remarks() if each[1].state == "open"]
            for rows, each in sorted(waiting, key=lambda each: (each[1].path, each[0])):
                place = telling.place(path(folder, each.path), each.at(rows))
                remarks.append((place, folder, each))
            told += [(folder, each) for each in await folder.run(folder.review.untold)]
        parts = telling.remarks(
            [
                (place, replace(each, quoted=await without_mentions(each.quoted, here)))
                for place, _, each in remarks
            ]
        )
        decisions = telling.decisions((path(folder, each.path), each) for folder, each in told)
        parts += [await without_mentions(each, here) for each in decisions]
        if not parts:
            raise UserError("there is no remark to send (:ClaudeComment adds one)")
        return _Draft("\n\n".join(parts), remarks, told)


async def _hunk_at(folder: Folder, buffer: ShownBuffer, here: Rows) -> Rows:
    """Return the rows of the hunk at the cursor, or its own row, where it is `here`."""
    file = await folder.file(buffer.path, of_buffer(buffer))
    for hunk in file.hunks if file and not file.is_whole else ():
        if hunk.rows[0] <= here[0] < hunk.rows[1]:
            return hunk.rows
    return here
