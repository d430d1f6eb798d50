"""The last known state of the editor, for answers while Neovim answers nobody."""

from dataclasses import dataclass, field
from typing import Any

import msgspec


@dataclass(slots=True)
class Diagnostics:
    """What is known of one file, in the shape of the wire; `omitted` counts what was cut.

    `note` says why it may not be all.
    """

    items: list[dict[str, Any]] = field(default_factory=list)
    omitted: int = 0
    note: str = ""


class Loaded(msgspec.Struct, frozen=True):
    """A file that was to be loaded; `is_cold` if it had not been, `obstacle` is why it is not."""

    bufnr: int = 0
    is_cold: bool = False
    obstacle: str = ""


@dataclass(slots=True)
class State:
    """What Neovim last told; the shapes are those of `lua/claude_ide/buffers.lua`."""

    selection: dict[str, Any] | None = None
    editors: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    current: str | None = None
    diagnostics: dict[str, Diagnostics] = field(default_factory=dict)

    def take_snapshot(self, snapshot: dict[str, Any]) -> None:
        """Remember what `buffers.snapshot()` gave."""
        self.editors = snapshot["editors"]
        self.paths = snapshot["paths"]
        self.folders = snapshot["folders"]
        self.current = snapshot.get("current")

    def take_diagnostics(self, uri: str, known: Diagnostics) -> None:
        """Remember one file's diagnostics; a file without any is forgotten."""
        if known.items:
            self.diagnostics[uri] = known
        else:
            self.diagnostics.pop(uri, None)
