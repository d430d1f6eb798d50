"""The last known state of the editor, for answers while Neovim is busy."""

from typing import Any

import msgspec

from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import EditorsChanged, SelectionChanged, SomeEditorsChanged


class Diagnostics(msgspec.Struct):
    """The known diagnostics of one file, as sent to clients.

    `omitted` is how many were left out; `note` is why the list may be incomplete or old.
    """

    items: list[dict[str, Any]] = msgspec.field(default_factory=list)
    omitted: int = 0
    note: str = ""


class State(msgspec.Struct):
    """The last report from Neovim, in the shapes of `lua/claude_ide/editors/open_editors.lua`."""

    selection: dict[str, Any] | None = None
    """The last one reported; without a path if what the user has selected stays in the editor."""
    folders: list[str] = msgspec.field(default_factory=list)
    current: str | None = None
    diagnostics: dict[str, Diagnostics] = msgspec.field(default_factory=dict)
    """By path: those of the last reports."""
    _editors: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """By file name, in the order of the last snapshot."""
    _used: dict[str, None] = msgspec.field(default_factory=dict)
    """The names of editors used since the snapshot, the most recent last."""

    @handles(SelectionChanged)
    def apply_selection(self, event: SelectionChanged) -> None:
        """Remember a selection."""
        self.selection = event.table

    @handles(EditorsChanged)
    def apply_snapshot(self, snapshot: EditorsChanged) -> None:
        """Replace everything by a snapshot."""
        self._editors = {editor["fileName"]: editor for editor in snapshot.editors}
        self._used = {}
        self._apply_location(snapshot)

    @handles(SomeEditorsChanged)
    def apply_change(self, change: SomeEditorsChanged) -> None:
        """Apply a change; files that it does not name stay as they are."""
        for name in change.gone:
            self._editors.pop(name, None)
            self._used.pop(name, None)
        self._editors |= {editor["fileName"]: editor for editor in change.changed}
        for name in reversed(change.front):
            self._used.pop(name, None)
            self._used[name] = None
        self._apply_location(change)

    @property
    def editors(self) -> list[dict[str, Any]]:
        """The open files, the most recently used first."""
        names = [*reversed(self._used), *(name for name in self._editors if name not in self._used)]
        return [self._editors[name] for name in names if name in self._editors]

    @property
    def paths(self) -> list[str]:
        """The paths of the open files, in the same order; unnamed buffers have none."""
        return [each["fileName"] for each in self.editors if not each["isUntitled"]]

    def editor(self, path: str) -> dict[str, Any] | None:
        """Return the open file at this path, or None."""
        return self._editors.get(path)

    def _apply_location(self, reported: EditorsChanged | SomeEditorsChanged) -> None:
        self.folders = reported.folders
        self.current = reported.current
