"""The last known state of the editor, for answers while Neovim answers nobody."""

from typing import Any

import msgspec


class Diagnostics(msgspec.Struct):
    """What is known of one file, in the shape of the wire; `omitted` counts what was cut.

    `note` says why it may not be all.
    """

    items: list[dict[str, Any]] = msgspec.field(default_factory=list)
    omitted: int = 0
    note: str = ""


class Loaded(msgspec.Struct, frozen=True):
    """A file that was to be loaded; `is_cold` if it had not been, `obstacle` is why it is not."""

    bufnr: int = 0
    is_cold: bool = False
    obstacle: str = ""


class State(msgspec.Struct):
    """What Neovim last reported; the shapes are those of `lua/claude_ide/file/open_editors.lua`."""

    selection: dict[str, Any] | None = None
    folders: list[str] = msgspec.field(default_factory=list)
    current: str | None = None
    diagnostics: dict[str, Diagnostics] = msgspec.field(default_factory=dict)
    _editors: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """By file name, in the order of the last snapshot."""
    _used: dict[str, None] = msgspec.field(default_factory=dict)
    """Which of them were used since, the one used last at the end."""

    def apply_selection(self, selection: dict[str, Any]) -> None:
        """Remember a `claude_ide.Selection`."""
        self.selection = selection

    def apply_snapshot(self, snapshot: dict[str, Any]) -> None:
        """Remember what `open_editors.snapshot()` gave; empty lists may have come as dicts."""
        self._editors = {editor["fileName"]: editor for editor in snapshot["editors"]}
        self._used = {}
        self._apply_place(snapshot)

    def apply_change(self, change: dict[str, Any]) -> None:
        """Remember a `claude_ide.EditorsChange`; only the files that it names are looked at."""
        for name in change["gone"]:
            self._editors.pop(name, None)
            self._used.pop(name, None)
        self._editors |= {editor["fileName"]: editor for editor in change["changed"]}
        for name in reversed(change["front"]):
            self._used.pop(name, None)
            self._used[name] = None
        self._apply_place(change)

    @property
    def editors(self) -> list[dict[str, Any]]:
        """The open files, the one used last first."""
        names = [*reversed(self._used), *(name for name in self._editors if name not in self._used)]
        return [self._editors[name] for name in names if name in self._editors]

    @property
    def paths(self) -> list[str]:
        """Those of them that have a path."""
        return [each["fileName"] for each in self.editors if not each["isUntitled"]]

    def editor(self, path: str) -> dict[str, Any] | None:
        """Return what is known of one file."""
        return self._editors.get(path)

    def apply_diagnostics(self, changed: dict[str, Any]) -> None:
        """Remember one file's diagnostics; a file without any is forgotten."""
        uri, items = changed["uri"], changed["items"]
        if items:
            self.diagnostics[uri] = Diagnostics(items, changed.get("omitted", 0))
        else:
            self.diagnostics.pop(uri, None)

    def _apply_place(self, reported: dict[str, Any]) -> None:
        self.folders = reported["folders"]
        self.current = reported.get("current")
