"""Whether a chat's agent follows the settings of its folder, and the question about it.

If the agent can do without these settings, the question blocks nothing: until the user answers, the
agent runs with their own settings only. Any other agent starts when the user has answered; its
question has no details, because we do not know which settings it reads.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from claude_ide.agents.agent import Opening
from claude_ide.base import folder_settings
from claude_ide.base.errors import AgentError
from claude_ide.base.folder_settings import Item
from claude_ide.base.trust import Trust, shown
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.life import Life
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.ui.page import DETAIL, KEY, REQUEST, Part, Row, row
from claude_ide.ui.sheet import Action, View
from claude_ide.ui.text import harmless

KIND = "trust"
LONGEST_NAME = 300
LONGEST_TEXT = 2000
"""The longest text of an item, in characters."""
MOST_ITEMS = 200

WAYS = {"y": "Yes, trust this folder", "n": "Not now", "d": "Show details"}
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
        summary = _cut(folder_settings.summary(self.items), LONGEST_NAME)
        return f"Use the settings in {self.folder}: {summary}?"

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
        asked = self._asked
        head = [row((f"? {asked.question} ", REQUEST), *_keys(asked.keys))]
        return head + ([row((f"  {line}", DETAIL)) for line in details(asked.items)] * self.open)

    def press(self, offset: int) -> Action | None:
        self.open = not self.open
        return None


class FolderTrust:
    """The trust in the folder of one agent, now and when the agent was started."""

    def __init__(self, trust: Trust, root: str) -> None:
        self._trust = trust
        self._root = root
        self._real = os.path.realpath(root)
        self.was_followed = False

    def follows(self, _folder: Path) -> bool:
        """Return whether an agent that starts now should follow the folder's settings."""
        self.was_followed = self.is_trusted
        return self.was_followed

    @property
    def is_trusted(self) -> bool:
        """Whether the user trusts the folder now."""
        return self._trust.is_trusted(self._root)

    @property
    def is_declined(self) -> bool:
        """Whether the user does not want to decide about the folder now."""
        return self._real in self._trust.declined

    def decline(self) -> None:
        """Note that."""
        self._trust.declined.add(self._real)

    def grant(self) -> None:
        """Trust the folder from now on."""
        self._trust.grant(self._root)

    @property
    def items(self) -> Sequence[Item]:
        """The settings of the folder."""
        return folder_settings.items(self._root, self._trust.config)


class Consent(ChatPart):
    """Shows the question, and holds back the agent's start until the user agrees."""

    def __init__(self, chat: ChatContext, life: Life, trust: FolderTrust) -> None:
        super().__init__(chat)
        self._life = life
        self.trust = trust
        self._view: TrustQuestion | None = None
        self._decision = asyncio.Event()
        self._is_declined = False
        self._must_trust = chat.kind.needs_trust

    @property
    def is_asked(self) -> bool:
        """Whether the question is on the page."""
        return self._view is not None

    async def admit(self) -> None:
        """Return when the agent may start; raises `AgentError` if it may not, or is missing."""
        if reason := self._chat.kind.missing():
            raise AgentError(reason)
        self._is_declined = False
        if self._must_trust and not self.trust.is_trusted:
            self._chat.is_held_back = True
            what = f"to trust {shown(self._chat.root)} · :ClaudeChat answer"
            call = self._editor.attention.asked(self._chat.session, what)
            try:
                await self.show()
                await self._decision_for_yes()
            finally:
                self._chat.is_held_back = False
                call.end()
                await self.show()
        self.trust.was_followed = self.trust.is_trusted

    async def _decision_for_yes(self) -> None:
        while not self.trust.is_trusted:
            if self._is_declined:
                name = self._chat.kind.name
                raise AgentError(f"{name} starts only in a trusted folder: :ClaudeTrust yes")
            self._decision.clear()
            await self._decision.wait()

    async def show(self) -> None:
        """Show the question as it is now; none if the user has declined it."""
        asked = self._question()
        if asked is not None and not self._chat.is_held_back:
            asked = None if self.trust.is_declined else asked
        if self._view is not None:
            self._chat.sheet.remove(self._view)
            self._view = None
        if asked is not None:
            question = asked
            self._view = self._chat.sheet.add(
                KIND, lambda part: TrustQuestion(part, question), tail=True
            )
        self._chat.count()
        self._chat.painter.now()

    async def prepare(self, opening: Opening) -> None:
        await self.show()

    @handles(panel.TrustAnswered)
    async def answered(self, answered: panel.TrustAnswered) -> None:
        """Handle a key of the question, if it is still in this part."""
        view = self._view
        if view is None or view.part.id != answered.part:
            return
        if answered.key == "d":
            view.press(0)
            self._chat.sheet.changed(view)
            self._chat.painter.now()
        else:
            await self._answer(answered.key)

    async def _answer(self, key: str) -> None:
        if key == "y":
            self.trust.grant()
        elif key == "n" and self._must_trust:
            self._is_declined = True
        elif key == "n":
            self.trust.decline()
        await self._chat.trust_changed()

    async def choose(self) -> None:
        """Have the user choose an answer from a list."""
        found = self._question()
        if found is None:
            return
        ways = {key: WAYS[key] for key, _ in found.keys}
        chosen = await self._editor.select(found.question, list(ways.values()))
        key = "" if chosen is None else list(ways)[chosen]
        if key == "d":
            # In a float, long lines would be cut.
            text = "\n".join(details(found.items))
            name = self._chat.kind.name
            await self._editor.port.windows.show_text(name, "folder-settings", text)
        elif key:
            await self._answer(key)

    async def follow(self) -> None:
        """Follow the user's decision about the folder: now, or when the turn ends."""
        if self._is_declined and self.trust.is_trusted:
            return await self._life.restart()
        self._decision.set()
        await self.show()
        is_settled = self._chat.kind.chooses_settings and not self._must_trust
        is_outdated = not is_settled and self.trust.is_trusted != self.trust.was_followed
        if self._life.is_relaunchable and is_outdated:
            self._chat.note(KIND, self._effect(later=self._agent.state.busy))
            await self._life.relaunch()

    def _effect(self, *, later: bool) -> str:
        """Return the effect of the user's decision in one line."""
        is_trusted, name = self.trust.is_trusted, self._chat.kind.name
        state = f"{shown(self._chat.root)} is {'trusted' if is_trusted else 'not trusted'}: {name}"
        when = " when this turn ends" if later else ""
        if self._must_trust:
            return f"{state} stops{when}"
        settings = "its settings" if is_trusted else "your own settings only"
        return f"{state} restarts{when} with {settings}"

    def _question(self) -> TrustAsked | None:
        folder = shown(self._chat.root)
        if self._must_trust:
            return TrustAsked(folder, [], self._chat.kind.name) if self._chat.is_held_back else None
        if self._chat.kind.chooses_settings or self.trust.is_trusted:
            return None
        items = self.trust.items
        return TrustAsked(folder, items) if items else None


def details(items: Sequence[Item]) -> list[str]:
    """Return a line for each item of the folder's settings."""
    lines = []
    for item in items[:MOST_ITEMS]:
        text = item.text.replace("\n", "⏎")
        named = f"{item.kind} {item.name}"
        lines.append(_cut(f"{named}: {text}" if text else named, LONGEST_TEXT))
    more = len(items) - MOST_ITEMS
    return [*lines, f"and {more} more"] if more > 0 else lines


def _keys(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    chunks = []
    for number, (key, meaning) in enumerate(keys):
        chunks += [(" · " if number else "", DETAIL), (key, KEY), (f" {meaning}", DETAIL)]
    return chunks


def _cut(text: str, most: int) -> str:
    shown = harmless(text)
    more = len(shown) - most
    return f"{shown[:most]}… ({more} more letters)" if more > 0 else shown
