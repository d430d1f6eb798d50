"""Whether a chat's agent follows the settings of its folder, and the question about it.

If the agent can do without these settings, the question blocks nothing: until the user answers, the
agent runs with their own settings only. Any other agent starts when the user has answered.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from claude_ide.chat.requests import trust_question
from claude_ide.chat.requests.trust_question import TrustAsked
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError
from claude_ide.trust import folder_settings
from claude_ide.trust.trust import Trust, shown

WAYS = {"y": "Yes, trust this folder", "n": "Not now", "d": "Show details"}


class Trusting:
    """The trust in the folder `root`; `changed` is called after the user's decision.

    `name` is that of the agent. `settled` means that the user's command line already decides which
    settings apply, `required` that the agent may only start in a trusted folder.
    """

    def __init__(
        self,
        root: str,
        trust: Trust,
        editor: Editor,
        changed: Callable[[], Awaitable[None]],
        *,
        name: str,
        settled: bool,
        required: bool = False,
    ) -> None:
        self._root = root
        self._trust = trust
        self._editor = editor
        self._port = editor.port
        self._changed = changed
        self._name = name
        self._settled = settled
        self._required = required
        self._follows = False
        self._decision = asyncio.Event()
        self._is_declined = False
        self.holds_back = False
        """Whether the agent's start waits for the user's answer."""

    async def admit(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Return when the agent may start in the folder; `ask` is called to show the question.

        Raises `AgentError` if the user declines.
        """
        self._is_declined = False
        if self._required and not self.is_trusted:
            self.holds_back = True
            try:
                await ask()
                await self._decided()
            finally:
                self.holds_back = False
                await ask()
        self._follows = self.is_trusted

    async def _decided(self) -> None:
        while not self.is_trusted:
            if self._is_declined:
                raise AgentError(f"{self._name} starts only in a trusted folder: :ClaudeTrust yes")
            self._decision.clear()
            await self._decision.wait()

    def decided(self) -> None:
        """Let a start that is held back see the user's decision."""
        self._decision.set()

    @property
    def may_start(self) -> bool:
        """Whether the user trusts the folder after they had declined to."""
        return self._is_declined and self.is_trusted

    def follows(self, _folder: Path) -> bool:
        """Return whether an agent that starts now should follow the folder's settings."""
        self._follows = self._trust.is_trusted(self._root)
        return self._follows

    @property
    def is_trusted(self) -> bool:
        """Whether the user trusts the folder now."""
        return self._trust.is_trusted(self._root)

    @property
    def is_outdated(self) -> bool:
        """Whether the user's decision has changed since the agent was started."""
        is_settled = self._settled and not self._required
        return not is_settled and self.is_trusted != self._follows

    async def asked(self) -> TrustAsked | None:
        """Return the question; None if there is none, or the user has declined it."""
        found = self._question()
        if self.holds_back:
            return found
        if found is None or await self._port.host.has_declined_trust(os.path.realpath(self._root)):
            return None
        return found

    async def key(self, key: str) -> None:
        """Answer with one of the keys that the question shows."""
        if key == "y":
            self._trust.grant(self._root)
        elif key == "n" and self._required:
            self._is_declined = True
        elif key == "n":
            await self._port.host.decline_trust(os.path.realpath(self._root))
        await self._changed()

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
            text = "\n".join(trust_question.details(found.items))
            await self._port.windows.show_text(self._name, "folder-settings", text)
        elif key:
            await self.key(key)

    def news(self, *, later: bool) -> str:
        """Return the effect of the user's decision in one line."""
        is_trusted = self.is_trusted
        state = "trusted" if is_trusted else "not trusted"
        settings = "its settings" if is_trusted else "your own settings only"
        when = " when this turn ends" if later else ""
        if self._required:
            return f"{shown(self._root)} is {state}: {self._name} stops{when}"
        return f"{shown(self._root)} is {state}: {self._name} restarts{when} with {settings}"

    def _question(self) -> TrustAsked | None:
        if self._required:
            return TrustAsked(shown(self._root), [], self._name) if self.holds_back else None
        if self._settled or self.is_trusted:
            return None
        items = folder_settings.items(self._root, self._trust.config)
        return TrustAsked(shown(self._root), items) if items else None
