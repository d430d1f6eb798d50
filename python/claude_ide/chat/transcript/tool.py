"""The use of a tool: one line, which opens on what it got, changed and put out."""

import os.path
from typing import Any

from claude_ide.agents.events import (
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
)
from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk, Row, row
from claude_ide.chat.page.view import Action, Place, View, place_in
from claude_ide.chat.transcript import detail
from claude_ide.chat.transcript.detail import Detail

ICONS = {
    "read": "→",
    "edit": "±",
    "search": "?",
    "execute": "$",
    "fetch": "↓",
    "think": "◇",
    "switch_mode": "⇄",
}
OTHER_ICON = "•"
MINUS = "\N{MINUS SIGN}"
ENDS = {
    ToolStatus.COMPLETED: ("", "ClaudeChatTool", ""),
    ToolStatus.FAILED: ("✗", "ClaudeChatToolFailed", "failed"),
    ToolStatus.REJECTED: ("⊘", "ClaudeChatToolRejected", "rejected"),
}
LONGEST_TITLE = 120


class ToolUse(View):
    """One use of a tool, from its name to its result. `root` shortens the paths in it."""

    def __init__(self, part: Part, event: ToolStarted, root: str) -> None:
        super().__init__(part)
        self.tool = event.tool
        self.name, self.kind, self.title = event.name, event.kind, event.title
        self.open = False
        self.ended: ToolEnded | None = None
        self._root = root
        self._arguments: dict[str, Any] | None = None
        self._size = 0
        self._path = ""
        self._line: int | None = None
        self._output: list[str] = []
        self._began: float | None = None
        self._seconds: float | None = None
        self._settled = False
        self._details: list[Detail] = []

    def named(self, event: ToolStarted) -> None:
        """Take its name and title again: some agents tell them twice."""
        self.name, self.kind = event.name or self.name, event.kind or self.kind
        self.title = event.title or self.title

    def input(self, event: ToolInput, now: float | None) -> None:
        """Take more of its input, or all of it: then it runs."""
        self._size = event.size
        self.title = event.title or self.title
        if event.arguments is not None:
            self._arguments = event.arguments
            self._path = event.path or self._path
            self._line = event.line
            self.runs(now)

    def runs(self, now: float | None) -> None:
        """Measure its time from now on: what the user took to allow it does not count."""
        self._began = now

    def output(self, event: ToolOutput) -> None:
        """Take a piece of what it puts out."""
        self._output.append(event.text)

    def end(self, event: ToolEnded, now: float | None) -> None:
        """Take its result."""
        self.ended = event
        if event.output:
            self._output = [event.output]
        if event.change is not None:
            self._path = event.change.path
        was_used = event.status is not ToolStatus.REJECTED
        if was_used and now is not None and self._began is not None:
            self._seconds = now - self._began

    def settle(self) -> None:
        """Take note that no result comes any more."""
        self._settled = True

    def rows(self) -> list[Row]:
        """Return its line, and where it is open, the details."""
        self._details = detail.below(self._inside()) if self.open else []
        return [row(*self._head()), *(each.row for each in self._details)]

    def press(self, offset: int) -> Action | None:
        """Open or close it; on the line that says how much more there is, ask for all of it."""
        pressed = self._detail(offset)
        if pressed is not None and pressed.action is not None:
            return pressed.action
        self.open = not self.open
        return None

    def place(self, offset: int, column: int) -> Place | None:
        """Return the file it works on, and the line that the cursor is on."""
        shown = self._detail(offset)
        if shown is None:
            return (self._path, self._line or self._first_changed()) if self._path else None
        if shown.line is not None and self._path:
            return self._path, shown.line
        named = place_in(self.part.line(offset), column)
        return named or ((self._path, self._line) if self._path else None)

    def markdown(self) -> str:
        """Return its line, and the change that it made."""
        line = f"- {one_line(''.join(text for text, _ in self._head()))}"
        change = self.ended.change if self.ended else None
        if change is None or not change.hunks:
            return line
        changed = [f"  {text}" for hunk in change.hunks for text in hunk.lines]
        return "\n".join([line, "", "  ```diff", *changed, "  ```"])

    @property
    def label(self) -> str:
        """Its name and what it is used on, in one line."""
        return f"{self.name} {self._short_title()}".strip()

    def _head(self) -> list[Chunk]:
        icon, group, said = self._end()
        title = self._short_title()
        head: list[Chunk] = [(f"{icon} {self.name}", group)]
        if title:
            head += [(" ", ""), (title, "ClaudeChatDetail")]
        if self.ended is None and not self._settled:
            if self._arguments is None and self._size:
                head.append((f"  {amounts.count(self._size, 'character')}", "ClaudeChatMeta"))
            return [*head, (" …", "ClaudeChatToolRunning")]
        if self.ended is not None and (change := self.ended.change):
            head += [("  ", ""), (f"+{change.added}", "ClaudeChatAdded")]
            head += [(" ", ""), (f"{MINUS}{change.removed}", "ClaudeChatRemoved")]
        if said:
            head += [("  ", ""), (said, group)]
        if self._seconds is not None:
            head += [("  ", ""), (amounts.duration(self._seconds), "ClaudeChatMeta")]
        return head

    def _end(self) -> tuple[str, str, str]:
        """Its icon, its highlight, and what went wrong."""
        icon = ICONS.get(self.kind, OTHER_ICON)
        if self.ended is None:
            if self._settled:
                return "⊘", "ClaudeChatToolRejected", "interrupted"
            return icon, "ClaudeChatToolRunning", ""
        sign, group, said = ENDS[self.ended.status]
        if self.ended.status is ToolStatus.FAILED and (why := _reason(self.ended.output)):
            said = f"{said}: {why}"
        return sign or icon, group, said

    def _inside(self) -> list[Detail]:
        change = self.ended.change if self.ended else None
        if change is not None and change.hunks:
            return detail.of_change(change, self.label)
        found = detail.of_input(self.kind, self._arguments or {}, self.label)
        if change is None:
            self._output = ["".join(self._output)]
            found += detail.of_output(self._output[0], self.label)
        return found or [Detail(row(("nothing to show", "ClaudeChatMeta")))]

    def _detail(self, offset: int) -> Detail | None:
        return self._details[offset - 1] if 0 < offset <= len(self._details) else None

    def _first_changed(self) -> int | None:
        change = self.ended.change if self.ended else None
        if change is None or not change.hunks:
            return None
        hunk = change.hunks[0]
        same = next((n for n, text in enumerate(hunk.lines) if text[:1] in "+-"), 0)
        return hunk.new_start + same

    def _short_title(self) -> str:
        return one_line(shortened(self.title, self._root), LONGEST_TITLE)


def shortened(path: str, root: str) -> str:
    """Return a path as it is seen from the project's root; other texts as they are."""
    if root and path.startswith(root.rstrip(os.path.sep) + os.path.sep):
        return path[len(root.rstrip(os.path.sep)) + 1 :]
    return path


def _reason(output: str) -> str:
    plain = output.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    return one_line(plain.strip().removeprefix("Error: "), 100)
