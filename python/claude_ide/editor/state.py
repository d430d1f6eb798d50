"""The last known state of the editor, for answers while Neovim is busy."""

from typing import Any

import msgspec

from claude_ide.base.paths import to_uri
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import EditorsChanged, OpenBuffer, SelectionChanged


class Diagnostics(msgspec.Struct):
    """The known diagnostics of one file, as sent to clients.

    `omitted` is how many were left out; `note` is why the list may be incomplete or old.
    """

    items: list[dict[str, Any]] = msgspec.field(default_factory=list)
    omitted: int = 0
    note: str = ""


class State(msgspec.Struct):
    """What the editor has reported last."""

    selection: dict[str, Any] | None = None
    """The last one reported; without a path if what the user has selected stays in the editor."""
    folders: list[str] = msgspec.field(default_factory=list)
    diagnostics: dict[str, Diagnostics] = msgspec.field(default_factory=dict)
    """By path: those of the last reports."""
    _open: dict[int, OpenBuffer] = msgspec.field(default_factory=dict)
    """The open files by buffer, the most recently used first."""
    _active: int | None = None

    @handles(SelectionChanged)
    def apply_selection(self, event: SelectionChanged) -> None:
        """Remember a selection."""
        self.selection = event.table

    @handles(EditorsChanged)
    def apply_editors(self, report: EditorsChanged) -> None:
        """Replace what is known of the open files."""
        self._open = {each.bufnr: each for each in report.editors}
        self.folders, self._active = report.folders, report.active

    @property
    def current(self) -> str | None:
        """The path of the file that the user works on."""
        active = self._open.get(self._active or 0)
        return active.name or None if active else None

    @property
    def editors(self) -> list[dict[str, Any]]:
        """The open files as `getOpenEditors` describes them, the most recently used first."""
        return [*map(self._described, self._open.values())]

    @property
    def paths(self) -> list[str]:
        """The paths of the open files, in the same order; unnamed buffers have none."""
        return [each.name for each in self._open.values() if each.name]

    def editor(self, path: str) -> dict[str, Any] | None:
        """Return the open file at this path, or None."""
        found = (self._described(each) for each in self._open.values() if each.name == path)
        return next(found, None)

    def _described(self, buffer: OpenBuffer) -> dict[str, Any]:
        name = buffer.name or f"Untitled-{buffer.bufnr}"
        return {
            "uri": to_uri(name) if buffer.name else f"untitled:{name}",
            "fileName": name,
            "label": name.rpartition("/")[2],
            "languageId": buffer.filetype,
            "isActive": buffer.bufnr == self._active,
            "isPinned": False,
            "isPreview": False,
            "isDirty": buffer.is_modified,
            "isUntitled": not buffer.name,
            "isGroupActive": buffer.is_here,
            "groupIndex": buffer.group,
            "lineCount": buffer.lines,
            **({} if buffer.column is None else {"viewColumn": buffer.column}),
        }
