"""Remarks beside the conversation: dim lines. Long ones fold."""

from collections.abc import Sequence

from claude_ide.agents.events import Event, Notice, PromptBlocked
from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import as_printed, lines
from claude_ide.chat.page.rows import Row, all_in, row
from claude_ide.chat.page.view import Action, OpenOutput, View

GROUPS = {"notice": "ClaudeChatMeta", "warning": "ClaudeChatWarning"}
"""The highlight groups of the levels; other notices are no remarks."""

FOLDED_LINES, MOST_LINES = 3, 200
LONGEST_LINE = 300
"""Longer lines are cut while the remark is folded."""


class Remark(View):
    """The words of an agent or a hook; `Enter` shows all of long ones."""

    def __init__(self, part: Part, text: str, level: str) -> None:
        super().__init__(part)
        self._text = text
        self._group = GROUPS.get(level, GROUPS["notice"])
        self._lines = lines(as_printed(text.strip()))
        self._open = False

    def rows(self) -> list[Row]:
        """Return its lines, or the first ones."""
        if self._open:
            shown = self._lines[:MOST_LINES]
        else:
            shown = [_cut(line) for line in self._lines[:FOLDED_LINES]]
        return [*all_in(self._group, shown), *self._more(shown)]

    def press(self, offset: int) -> Action | None:
        """Open or close it; a very long one opens elsewhere."""
        if len(self._lines) > MOST_LINES:
            return OpenOutput("notice", self._text)
        self._open = not self._open and self._is_long
        return None

    def markdown(self) -> str:
        """Return the text as a quotation."""
        return "\n".join(f"> {line}".rstrip() for line in self._lines)

    @property
    def _is_long(self) -> bool:
        return len(self._lines) > FOLDED_LINES or any(map(_is_cut, self._lines))

    def _more(self, shown: Sequence[str]) -> list[Row]:
        more = len(self._lines) - len(shown)
        return [row((f"… {amounts.count(more, 'more line')}", "ClaudeChatMeta"))] if more else []


def is_remark(event: Event) -> bool:
    """Return whether an event is a remark, which neither starts a turn nor is part of it."""
    return isinstance(event, Notice) and event.level in GROUPS and not event.reason


def blocked(event: PromptBlocked) -> str:
    """Return the words below a prompt that was blocked."""
    by = f" by {event.by}" if event.by else ""
    return f"this prompt was blocked{by}" + (f": {event.reason}" if event.reason else "")


def _is_cut(line: str) -> bool:
    return len(line) > LONGEST_LINE


def _cut(line: str) -> str:
    return f"{line[: LONGEST_LINE - 1]}…" if _is_cut(line) else line
