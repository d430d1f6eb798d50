"""The line that asks whether the user trusts the chat's folder, with the folder's settings.

An agent that may only start in a trusted folder has a question of its own, without details: we do
not know which settings it reads.
"""

from collections.abc import Sequence
from typing import NamedTuple

from claude_ide.chat.page.part import Part
from claude_ide.chat.page.plain import harmless
from claude_ide.chat.page.rows import Row, row
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.page.view import Action, View
from claude_ide.trust import folder_settings
from claude_ide.trust.folder_settings import Item

KIND = "trust"
KEY, MEANING, HEAD = "ClaudeChatKey", "ClaudeChatDetail", "ClaudeChatRequest"
LONGEST_NAME = 300
LONGEST_TEXT = 2000
"""The longest text of an item, in characters."""
MOST_ITEMS = 200

KEYS = (("y", "trust this folder"), ("n", "not now"), ("d", "details"))


class TrustAsked(NamedTuple):
    """The question: the displayed path of the folder, and its settings.

    `agent` is the name of an agent that waits for the answer, or empty.
    """

    folder: str
    items: Sequence[Item]
    agent: str = ""

    @property
    def question(self) -> str:
        """The text of the question."""
        if self.agent:
            return f"Trust {self.folder}? {self.agent} uses the folder's settings"
        return question(self.folder, self.items)

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys that answer it, with their meanings."""
        return KEYS[:2] if self.agent else KEYS


class TrustQuestion(View):
    """A question in the tail."""

    def __init__(self, part: Part, asked: TrustAsked) -> None:
        super().__init__(part)
        self.open = False
        self._asked = asked

    def rows(self) -> list[Row]:
        """Return the question in one line, and the details if they are open."""
        asked = self._asked
        head = [row((f"? {asked.question} ", HEAD), *_keys(asked.keys))]
        return head + ([row((f"  {line}", MEANING)) for line in details(asked.items)] * self.open)

    def press(self, offset: int) -> Action | None:
        """Show or hide the details."""
        self.open = not self.open
        return None


class TrustLine:
    """The question on a page, if there is one."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._view: TrustQuestion | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the question is on the page."""
        return self._view is not None

    def is_at(self, part: int) -> bool:
        """Return whether the question is in this part of the transcript."""
        return self._view is not None and self._view.part.id == part

    def show(self, asked: TrustAsked | None) -> None:
        """Replace the question; None removes it."""
        if self._view is not None:
            self._sheet.remove(self._view)
            self._view = None
        if asked is not None:
            self._view = self._sheet.add(KIND, lambda part: TrustQuestion(part, asked), tail=True)


def question(folder: str, items: Sequence[Item]) -> str:
    """Return the text of the question."""
    return f"Use the settings in {folder}: {_cut(folder_settings.summary(items), LONGEST_NAME)}?"


def details(items: Sequence[Item]) -> list[str]:
    """Return a line for each item of the folder's settings."""
    lines = [_cut(_detail(item), LONGEST_TEXT) for item in items[:MOST_ITEMS]]
    more = len(items) - MOST_ITEMS
    return [*lines, f"and {more} more"] if more > 0 else lines


def _detail(item: Item) -> str:
    text = item.text.replace("\n", "⏎")
    return f"{item.kind} {item.name}: {text}" if text else f"{item.kind} {item.name}"


def _keys(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    chunks = []
    for number, (key, meaning) in enumerate(keys):
        chunks += [(" · " if number else "", MEANING), (key, KEY), (f" {meaning}", MEANING)]
    return chunks


def _cut(text: str, most: int) -> str:
    shown = harmless(text)
    more = len(shown) - most
    return f"{shown[:most]}… ({more} more letters)" if more > 0 else shown
