"""The texts that files would have after an edit of a language server or a formatter.

Nothing is changed: edits are applied to copies, and the user reviews the result.
"""

import asyncio
import difflib
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import msgspec

from claude_ide.display_path import display_path
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.servers import Server
from claude_ide.editor_name import editor_name
from claude_ide.errors import EditorError
from claude_ide.mcp.lsp.protocol import Position, Range, character_of, index_of, parsed
from claude_ide.paths import exists, from_uri, normalized
from claude_ide.text_diff import MOST_PAIRS, ends, hunks

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}

BOM = "\ufeff"

UNKNOWN = "the language server answered an edit of an unknown form"


class EditedFile(msgspec.Struct, frozen=True):
    """A file and its proposed text."""

    path: str
    text: str
    digest: str
    """Of the present text, with which the edit can be applied."""
    lines: int
    """How many lines change."""
    warning: str = ""
    target: str = ""
    """The path without links, for which the warning is."""
    unsaved: int | None = None
    """The buffer, if it has unsaved changes."""
    is_new: bool = False
    is_made: bool = False
    """Whether the language server has just created it, empty."""


class BufferText(msgspec.Struct, frozen=True):
    """The text of a file in the editor, and what a write would add to its lines.

    `version` is that of the text which a server knows, if it serves the buffer. A file that does
    not exist has no lines.
    """

    path: str
    bufnr: int = 0
    tick: int = 0
    version: int | None = None
    lines: list[str] = []
    fileformat: str = "unix"
    has_bom: bool = False
    is_ended: bool = True
    is_modified: bool = False
    is_writable: bool = True
    digest: str = ""

    def with_lines(self, lines: list[str]) -> str:
        """Return what a write would put on disk if the buffer had these lines.

        Raises `EditorError` if that is no text.
        """
        end = LINE_ENDS[self.fileformat]
        text = f"{BOM * self.has_bom}{end.join(lines)}{end * self.is_ended}"
        # A NUL is a line feed within a line of a buffer.
        if any("\n" in line for line in lines):
            raise EditorError(f"{self.path}: contains NUL characters")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise EditorError(f"{self.path}: not valid UTF-8") from None
        return text


class TextEdit(msgspec.Struct, frozen=True, rename="camel"):
    """An edit of one range."""

    range: Range
    new_text: str


class FileEdits(msgspec.Struct):
    """The edits of one file; each group applies to the result of the previous one."""

    path: str
    groups: list[list[TextEdit]] = []
    version: int = 0
    """Of the document, if the server has named one; many servers always name 0."""
    is_new: bool = False


async def composed(
    editor: Editor, edit: Any, server: Server, ticks: dict[int, int]
) -> list[EditedFile]:
    """Return the files that an edit changes, with their new texts.

    `ticks` are the changedticks of all buffers when the server was asked. Raises `EditorError` if a
    part of the edit is not possible.
    """
    files = by_file(edit)
    await editor.check_change([{"path": file.path} for file in files])
    found: list[BufferText] = []
    while len(found) < len(files):
        wanted = [{"path": file.path, "is_new": file.is_new} for file in files[len(found) :]]
        given = {"files": wanted, "client": server.id}
        answer = await editor.port.model_tools.edited_texts(given)
        found += msgspec.convert(answer["texts"], list[BufferText])
    changed_files = await asyncio.to_thread(_changed_files, files, found, server, ticks)
    return [located(file, editor) for file in changed_files]


def _changed_files(
    files: list[FileEdits], texts: list[BufferText], server: Server, ticks: dict[int, int]
) -> list[EditedFile]:
    pairs = zip(files, texts, strict=True)
    found = (_changed_file(file, text, server, ticks) for file, text in pairs)
    return [file for file in found if file is not None]


def _changed_file(
    file: FileEdits, text: BufferText, server: Server, ticks: dict[int, int]
) -> EditedFile | None:
    if file.is_new:
        lines = edited([""], file.groups, server.encoding)
        is_empty = lines == [""]
        whole = "" if is_empty else text.with_lines(lines)
        count = 0 if is_empty else len(lines)
        return EditedFile(file.path, whole, "", count, is_new=True)
    is_old = text.version is not None and 0 < file.version < text.version
    if is_old or ticks.get(text.bufnr, text.tick) != text.tick:
        raise EditorError(
            f"{file.path} was changed while the language server was asked; nothing was changed, "
            "call the tool again"
        )
    return changed(text, edited(text.lines, file.groups, server.encoding))


def changed(text: BufferText, lines: list[str]) -> EditedFile | None:
    """Return a file with other lines; None if nothing changes."""
    if lines == text.lines:
        return None
    if not text.is_writable:
        raise EditorError(f"{text.path} is read-only in {editor_name()}; nothing was changed")
    return EditedFile(
        text.path,
        text.with_lines(lines),
        text.digest,
        count_changed(text.lines, lines),
        unsaved=text.bufnr if text.is_modified else None,
    )


def located(file: EditedFile, editor: Editor) -> EditedFile:
    """Return a file with the warning about it; a buffer that is not saved needs none."""
    where = display_path(file.path, editor.state.folders)
    warning = "" if file.unsaved is not None else where.warning
    return msgspec.structs.replace(file, warning=warning, target=where.target)


def by_file(edit: Any) -> list[FileEdits]:
    """Return the edits of each file, in the order in which the server names the files."""
    files: dict[str, FileEdits] = {}

    def file_of(uri: Any) -> FileEdits:
        path = _path_of(uri)
        return files.setdefault(path, FileEdits(path))

    if not isinstance(edit, dict):
        raise EditorError(UNKNOWN)
    if isinstance(changes := edit.get("documentChanges"), list):
        for change in changes:
            if not isinstance(change, dict):
                raise EditorError(UNKNOWN)
            if "kind" in change:
                if _is_creation(change):
                    file_of(change.get("uri")).is_new = True
                continue
            document = change.get("textDocument")
            if not isinstance(document, dict):
                raise EditorError(UNKNOWN)
            file = file_of(document.get("uri"))
            version = document.get("version")
            file.version = version if isinstance(version, int) else 0
            file.groups.append(_edits(change.get("edits")))
    elif isinstance(changes := edit.get("changes"), dict):
        for uri in sorted(changes):
            file_of(uri).groups.append(_edits(changes[uri]))
    return [*files.values()]


def _edits(edits: Any) -> list[TextEdit]:
    found = parsed(edits, list[TextEdit])
    if found is None:
        raise EditorError(UNKNOWN)
    return found


def _path_of(uri: Any) -> str:
    if not isinstance(uri, str) or not uri.startswith("file:"):
        raise EditorError(f"the edit changes {uri}, which is no file; nothing was changed")
    return normalized(from_uri(uri))


def _is_creation(operation: dict[str, Any]) -> bool:
    """Return whether a file operation is a new file. Others cannot be reviewed as a text."""
    kind, options = operation["kind"], operation.get("options") or {}
    shown = from_uri(str(operation.get("uri") or operation.get("oldUri")))
    if kind in ("rename", "delete"):
        raise EditorError(
            f"the edit would {kind} {shown}, which is not supported; nothing was changed"
        )
    if kind != "create":
        raise EditorError(f'the edit has an unknown operation, "{kind}"')
    is_there = exists(_path_of(operation.get("uri")))
    if is_there and not options.get("ignoreIfExists"):
        raise EditorError(f"the edit would create {shown}, which exists; nothing was changed")
    return not is_there


def edited(lines: list[str], groups: list[list[TextEdit]], encoding: str) -> list[str]:
    """Return the lines of a text after edits.

    An empty file has one line in its buffer, which is no part of the text after an edit that ends
    with a line feed.
    """
    was_empty = lines == [""]
    for edits in groups:
        lines = _applied(lines, edits, encoding)
    return lines[:-1] if was_empty and len(lines) > 1 and lines[-1] == "" else lines


def _applied(lines: list[str], edits: list[TextEdit], encoding: str) -> list[str]:
    text = "\n".join(lines) + "\n"
    starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def offset(place: Position) -> int:
        if place.line >= len(lines):
            return len(text)
        line = lines[max(place.line, 0)]
        return starts[max(place.line, 0)] + index_of(line, place.character, encoding)

    def is_beyond(place: Position) -> bool:
        """Return whether a place is behind the end of its line: a server may count its end."""
        line = lines[place.line] if 0 <= place.line < len(lines) else None
        return line is not None and place.character > character_of(line, len(line), encoding)

    ordered = []
    for edit in edits:
        start, end = sorted((edit.range.start, edit.range.end))
        new = edit.new_text.replace("\r\n", "\n").replace("\r", "\n")
        if is_beyond(end):
            new = new.removesuffix("\n")
        ordered.append((offset(start), offset(end), new))
    parts, at = [], 0
    # Sorting keeps the order of insertions at one place; these come before what is replaced there.
    for first, last, new in sorted(ordered, key=lambda each: each[:2]):
        if first < at:
            raise EditorError("the language server answered edits that overlap")
        parts += [text[at:first], new]
        at = last
    return "".join([*parts, text[at:]]).removesuffix("\n").split("\n")


def count_changed(before: list[str], after: list[str]) -> int:
    """Return how many lines change: those removed or those added, whichever are more."""
    removed = added = 0
    for first, last, start, stop in hunks(before, after):
        removed, added = removed + last - first, added + stop - start
    return max(removed, added)


def within(before: list[str], after: list[str], first: int, last: int) -> list[str]:
    """Return the lines with only those changes that touch some lines, 1-based.

    An insertion touches the line after it.
    """
    lines = [*before]
    for start, stop, begin, end in reversed([*_areas(before, after)]):
        if start < last and max(stop, start + 1) >= first:
            lines[start:stop] = after[begin:end]
    return lines


def _areas(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Return which rows are replaced by which: single ones where as many lines stay.

    Lines that differ only in blanks belong together, as formatters change little else.
    """
    head, tail = ends(before, after)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) > MOST_PAIRS:
        yield head, head + len(old), head, head + len(new)
        return
    alike = ["".join(line.split()) for line in old], ["".join(line.split()) for line in new]
    for _, start, stop, begin, end in _compared(*alike):
        if stop - start == end - begin:
            for row in range(stop - start):
                if old[start + row] != new[begin + row]:
                    yield (
                        head + start + row,
                        head + start + row + 1,
                        head + begin + row,
                        head + begin + row + 1,
                    )
        else:
            yield head + start, head + stop, head + begin, head + end


def _compared(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
