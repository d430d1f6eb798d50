"""The texts that files would have after an edit of a language server or a formatter.

Nothing is changed: edits are applied to copies, and the user reviews the result.
"""

import asyncio
from typing import Any

import msgspec

from claude_ide.base.display_path import display_path
from claude_ide.base.errors import EditorError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import exists, from_uri, normalized
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.files import BufferText
from claude_ide.editor.port.tools import Server
from claude_ide.editor.protocol import TextEdit, count_changed, edited, parsed

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
