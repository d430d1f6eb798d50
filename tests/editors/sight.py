"""A snapshot of an editor."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

OBSERVE = Path(__file__).with_name("observe.lua").read_text(encoding="utf-8")

Shape = dict[int, tuple[str, tuple[tuple[int, int, int], ...]]]
"""The layout and the sizes of the tiled windows, by tab page."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One snapshot of a Neovim; `fields` is what `observe.lua` returns."""

    fields: dict[str, Any]

    @property
    def mode(self) -> str:
        """The mode, as `mode(1)` names it."""
        return str(self.fields["mode"])

    @property
    def is_at_rest(self) -> bool:
        """Whether the user is in a tiled window, in Normal mode, and not recording."""
        is_busy = self.fields["is_recording"] or self.fields["in_command_window"]
        return self.mode == "n" and not self.fields["in_float"] and not is_busy

    @property
    def diffs(self) -> list[dict[str, Any]]:
        """The diffs that wait for a decision."""
        return list(self.fields["diffs"])

    @property
    def proposals(self) -> list[str]:
        """The names of the buffers with proposals."""
        own = [b["name"] for b in self.buffers if b["is_own"]]
        return [name for name in own if "/claude-diff/" in name]

    @property
    def buffers(self) -> list[dict[str, Any]]:
        """The loaded buffers."""
        return list(self.fields["buffers"])

    @property
    def windows(self) -> list[dict[str, Any]]:
        """The windows of all tab pages."""
        return [window for tabpage in self.fields["tabpages"] for window in tabpage["windows"]]

    @property
    def tiled(self) -> list[dict[str, Any]]:
        """The windows that are not floats."""
        return [window for window in self.windows if not window["is_float"]]

    @property
    def is_clear(self) -> bool:
        """Whether no window or diff of the plugin, and no command-line window, is open."""
        if self.fields["in_command_window"]:
            return False
        return not self.diffs and not self.proposals and not any(w["is_own"] for w in self.windows)

    @property
    def shape(self) -> Shape:
        """The layout and the sizes of the tiled windows."""
        return {
            tabpage["tabpage"]: (
                tabpage["layout"],
                tuple(
                    (window["win"], window["width"], window["height"])
                    for window in tabpage["windows"]
                    if not window["is_float"]
                ),
            )
            for tabpage in self.fields["tabpages"]
        }

    @property
    def summary(self) -> str:
        """The most important fields, for a report."""
        names = ("mode", "win", "tabpage", "name", "in_float", "in_command_window", "is_recording")
        lines = [f"{name}: {self.fields[name]}" for name in names]
        lines += [f"diff: {diff}" for diff in self.diffs]
        lines += [f"proposal: {name}" for name in self.proposals]
        return "\n".join(
            [*lines, *(f"{t['tabpage']}: {t['windows']}" for t in self.fields["tabpages"])]
        )

    def words(self, marker: str) -> bool:
        """Whether a buffer contains the marker."""
        return any(marker in buffer["text"] for buffer in self.buffers)
