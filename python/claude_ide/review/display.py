"""How the review looks in an editor: the hunks in buffers, and the list in the quickfix window."""

import asyncio
import os
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from claude_ide.base.errors import UserError
from claude_ide.base.paths import within
from claude_ide.base.text_diff import areas
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.files import NewText
from claude_ide.editor.port.review import Drawn, ListItem, ReviewPressed, ShownBuffer, Spans
from claude_ide.review.entry import File
from claude_ide.review.folder import Folder
from claude_ide.review.texts import USUAL, UTF_8, Hunk, Rows, Texts, encoded, lines_shown, signed

WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

LARGEST_HUNK = 100
"""Lines; of larger ones no words are marked."""

LONGEST_LINE = 500
"""Characters; of longer ones no words are marked."""

LEAST_COMMON = 0.3
"""Of the longer line: lines with less in common are different lines."""

MOST_REMOVED = 500
"""Lines of one hunk that are shown; nobody scrolls through more."""

CONTEXT = 3
"""Lines around a hunk in the preview."""

LONGEST_LABEL = 200
"""Characters of a line; a minified file has one of megabytes."""

NOTHING = "nothing waits for review"

MOST_PREVIEWED = 400
"""Lines of one hunk in the preview."""

Listed = tuple[Folder, str, Rows | None]
"""What an item of the list is: a file, and rows of it or all of it."""


def drawn(texts: Texts, encoding: str = UTF_8) -> list[Drawn]:
    """Return what is drawn of the hunks of a file in a buffer with this 'fileencoding'."""
    base, now = lines_shown(texts, encoding)
    found = []
    for hunk in texts.hunks:
        old = [_shown(line) for line in base[hunk.first : hunk.last]]
        new = [_shown(line) for line in now[hunk.start : hunk.stop]]
        removed, added = _words(old, new)
        shown = old[:MOST_REMOVED]
        rest = len(old) - len(shown)
        spans = [*removed.items()], [*added.items()]
        found.append(Drawn(hunk.start, len(new), shown, rest, *spans))
    return found


def _shown(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _words(old: Sequence[str], new: Sequence[str]) -> tuple[dict[int, Spans], dict[int, Spans]]:
    """Return the parts of the lines that their counterparts do not have, by index."""
    removed, added = dict[int, Spans](), dict[int, Spans]()
    if not old or not new or len(old) + len(new) > 2 * LARGEST_HUNK:
        return removed, added
    for before, after in _counterparts([*old], [*new]):
        spans = _differences(old[before], new[after])
        if spans is not None:
            removed[before], added[after] = spans
    return removed, added


def _counterparts(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return which lines belong together, by their indexes."""
    if len(old) == len(new):
        return [(row, row) for row in range(len(old))]
    found = []
    for first, last, start, stop in areas(old, new):
        found += [(first + row, start + row) for row in range(min(last - first, stop - start))]
    return found


def _differences(old: str, new: str) -> tuple[Spans, Spans] | None:
    """Return what differs in two lines; None if they have too little in common."""
    longest = max(len(old), len(new))
    if not old or not new or longest > LONGEST_LINE:
        return None
    before, after = WORD.findall(old), WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    common = sum(
        len("".join(before[at : at + size])) for at, _, size in matcher.get_matching_blocks()
    )
    if common < LEAST_COMMON * longest:
        return None
    removed, added = Spans(), Spans()
    for tag, first, last, start, stop in matcher.get_opcodes():
        if tag != "equal":
            _add(removed, before, first, last)
            _add(added, after, start, stop)
    return removed, added


def _add(spans: Spans, words: Sequence[str], first: int, last: int) -> None:
    if first < last:
        start = len("".join(words[:first]).encode())
        spans.append((start, start + len("".join(words[first:last]).encode())))


class ReviewList:
    """The list in the quickfix window of one editor."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._folder: Folder | None = None
        self._listed: list[Listed] = []
        self.texts: dict[str, str] = {}
        """By path, those to which the rows of the items belong; each list has its own."""
        self._number = 0
        self._only: list[str] = []
        self._filling = asyncio.Lock()

    async def show(self, folder: Folder, only: list[str]) -> None:
        """Show a new list of a folder, or only of these files and folders in it."""
        self._only = only
        # The last list may just be being shown anew.
        async with self._filling:
            self._number = 0
            await self._fill(folder)

    async def refresh(self) -> None:
        """Show the list as it is now."""
        async with self._filling:
            if self._number and self._folder:
                await self._fill(self._folder)

    async def items_in(self, bufnr: int, rows: Rows | None) -> list[Listed]:
        """Return the items in rows of a buffer, or at the cursor, if that shows the list."""
        shown = await self._editor.port.review.listed(bufnr)
        async with self._filling:
            if shown is None or shown.list != self._number:
                return []
            first, last = rows or (shown.row, shown.row + 1)
            return self._listed[first:last]

    async def chosen(self, event: ReviewPressed) -> tuple[Folder | None, list[Listed]]:
        """Return the folder and the items for which a key was pressed; none of another list."""
        # The list may be on the screen before its number is known here.
        async with self._filling:
            if event.list != self._number:
                return None, []
            return self._folder, [self._listed[at] for at in event.items if at < len(self._listed)]

    async def _fill(self, folder: Folder) -> None:
        only = self._only
        waiting = [
            file
            for file in await folder.listed()
            if not only or any(Path(folder.path(file.path)).is_relative_to(each) for each in only)
        ]
        unknown = await folder.unknown()
        if not waiting and not self._number and (only or not unknown):
            wanted = " ".join(within(each, folder.root) for each in only)
            raise UserError(f"{NOTHING} in {wanted}" if wanted else NOTHING)
        self._folder, self._listed, self.texts, shown = folder, [], {}, list[ListItem]()
        for file in waiting:
            self.texts[folder.path(file.path)] = (file.texts and file.texts.now) or ""
            for rows, item in await asyncio.to_thread(items, folder.root, file):
                self._listed.append((folder, folder.path(file.path), rows))
                shown.append(item)
        shown += [ListItem("", 0, line, [], "ClaudeChatMeta") for line in unknown]
        title, port = _title(waiting), self._editor.port.review
        self._number = await port.show_list(title, shown, self._number)


def items(root: str, file: File) -> list[tuple[Rows | None, ListItem]]:
    """Return the lines of a file in the list, each with its rows; None: the whole file."""
    path = str(Path(root, file.path))
    texts, perhaps = file.texts, "perhaps: " if file.entry.is_perhaps else ""
    if file.is_whole or texts is None:
        added, removed = file.counts
        mode = file.entry.mode
        if mode is not None and file.status == "modified":
            label = f"+0 \N{MINUS SIGN}0  {perhaps}mode {mode[0]:o} → {mode[1]:o}"
            return [(None, ListItem(path, 0, label, []))]
        words = {"created": "new file", "deleted": "deleted file"}.get(file.status, file.status)
        moved = f" from {file.entry.origin}" if file.entry.origin else ""
        obstacle = file.entry.obstacle
        note = f" ({obstacle})" if obstacle not in ("", file.status) else ""
        text = f"+{added} \N{MINUS SIGN}{removed}  {perhaps}{words}{moved}{note}"
        return [(None, ListItem(path, 0, text, _diff_of_whole(texts)))]
    base, now = lines_shown(texts)
    items = list[tuple[Rows | None, ListItem]]()
    for hunk in file.hunks:
        new, old = now[hunk.start : hunk.stop], base[hunk.first : hunk.last]
        first = next((line.strip() for line in new or old if line.strip()), "")[:LONGEST_LABEL]
        text = f"+{len(new)} \N{MINUS SIGN}{len(old)}  {perhaps}{first}"
        diff = _preview(hunk, base, now)[:MOST_PREVIEWED]
        items.append((hunk.rows, ListItem(path, hunk.start, text, diff)))
    return items


def _preview(hunk: Hunk, base: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return a hunk as a diff, with a few lines around it."""
    return [
        *signed(" ", base[max(hunk.first - CONTEXT, 0) : hunk.first]),
        *signed("-", base[hunk.first : hunk.last]),
        *signed("+", now[hunk.start : hunk.stop]),
        *signed(" ", now[hunk.stop : hunk.stop + CONTEXT]),
    ]


def _diff_of_whole(texts: Texts | None) -> list[str]:
    if texts is None:
        return []
    base, now = lines_shown(texts)
    if texts.now is None:
        return signed("-", base)[:MOST_PREVIEWED]
    lines = [line for hunk in texts.hunks for line in _preview(hunk, base, now)]
    return lines[:MOST_PREVIEWED]


def _title(waiting: Sequence[File]) -> str:
    """Return the title of the list."""
    added = sum(each.counts[0] for each in waiting)
    removed = sum(each.counts[1] for each in waiting)
    noun = "file" if len(waiting) == 1 else "files"
    return f"Claude: {len(waiting)} {noun} +{added} \N{MINUS SIGN}{removed} · g? keys"


async def file_of(folder: Folder, buffer: ShownBuffer) -> File | None:
    """Return the file of a buffer, as it waits; None also if no lines of it can be shown."""
    if not buffer.is_modified and not await asyncio.to_thread(os.path.lexists, buffer.path):
        return None
    try:
        text = of_buffer(buffer)
    except UserError:
        return None
    return await folder.file(buffer.path, text)


def of_buffer(buffer: ShownBuffer) -> str:
    """Return the text of a buffer, without loss. Raises `UserError` if it cannot be written so."""
    if buffer.encoding == UTF_8:
        return buffer.text
    try:
        return buffer.text.encode(buffer.encoding).decode(UTF_8, "surrogateescape")
    except UnicodeEncodeError:
        reason = "lacks some of its characters"
    except LookupError:
        reason = "is not known here"
    raise UserError(f"{buffer.path}: its encoding ({buffer.encoding}) {reason}")


def for_buffer(text: str, encoding: str) -> NewText:
    """Return a text without loss for a buffer with this 'fileencoding', which may get another."""
    try:
        return NewText(encoded(text).decode(encoding))
    except (UnicodeDecodeError, LookupError):
        return NewText(encoded(text).decode(USUAL), encoding=USUAL)
