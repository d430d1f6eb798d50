"""Whether a chat's agent follows the settings of its folder, and the question about it.

The question blocks nothing: until the user answers, the agent runs with their own settings only.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from claude_ide.chat.panel import Panels
from claude_ide.chat.requests import trust_question
from claude_ide.chat.requests.trust_question import TrustAsked
from claude_ide.editor.editor import Editor
from claude_ide.trust import folder_settings
from claude_ide.trust.trust import Trust, shown

WAYS = {"y": "Yes, trust this folder", "n": "Not now", "d": "Show details"}


class Trusting:
    """The trust in the folder `root`; `changed` is called after the user's decision.

    `name` is that of the agent. `settled` means that the user's command line already decides which
    settings apply.
    """

    def __init__(
        self,
        root: str,
        trust: Trust,
        editor: Editor,
        panels: Panels,
        changed: Callable[[], Awaitable[None]],
        *,
        name: str,
        settled: bool,
    ) -> None:
        self._root = root
        self._trust = trust
        self._editor = editor
        self._panels = panels
        self._changed = changed
        self._name = name
        self._settled = settled
        self._follows = False

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
        return not self._settled and self._trust.is_trusted(self._root) != self._follows

    async def asked(self) -> TrustAsked | None:
        """Return the question; None if there is none, or the user has declined it."""
        found = self._question()
        if found is None or await self._panels.has_declined_trust(self._root):
            return None
        return found

    async def key(self, key: str) -> None:
        """Answer with one of the keys that the question shows."""
        if key == "y":
            self._trust.grant(self._root)
        elif key == "n":
            await self._panels.decline_trust(self._root)
        await self._changed()

    async def choose(self) -> None:
        """Have the user choose an answer from a list."""
        found = self._question()
        if found is None:
            return
        title = trust_question.question(found.folder, found.items)
        chosen = await self._editor.select(title, list(WAYS.values()))
        key = "" if chosen is None else list(WAYS)[chosen]
        if key == "d":
            # In a float, long lines would be cut.
            text = "\n".join(trust_question.details(found.items))
            await self._panels.show_text("folder-settings", text)
        elif key:
            await self.key(key)

    def news(self, *, later: bool) -> str:
        """Return the effect of the user's decision in one line."""
        is_trusted = self._trust.is_trusted(self._root)
        state = "trusted" if is_trusted else "not trusted"
        settings = "its settings" if is_trusted else "your own settings only"
        when = " when this turn ends" if later else ""
        return f"{shown(self._root)} is {state}: {self._name} restarts{when} with {settings}"

    def _question(self) -> TrustAsked | None:
        if self._settled or self._trust.is_trusted(self._root):
            return None
        items = folder_settings.items(self._root, self._trust.config)
        return TrustAsked(shown(self._root), items) if items else None
