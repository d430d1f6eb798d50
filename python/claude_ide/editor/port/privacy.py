"""Private files: the editor gets the rules, and lets nothing out before."""

from typing import Protocol

from claude_ide.editor.port.binding import notification, request
from claude_ide.editor.port.events import PrivacyFacts
from claude_ide.privacy.rules import Pushed


class Privacy(Protocol):
    """The rules in the editor, and what they depend on there."""

    @notification("privacy.apply")
    def apply(self, rules: Pushed) -> None:
        """Judge by these rules from now on."""
        ...

    @notification("privacy.deny")
    def deny(self, path: str, reason: str) -> None:
        """Keep a file in the editor that the rules there cannot tell from others."""
        ...

    @request("privacy.look")
    async def look(self) -> None:
        """Report the facts as an event if they have changed."""
        ...

    @request("privacy.facts", large=True)
    async def facts(self) -> PrivacyFacts:
        """Return what the rules depend on, and what they have found."""
        ...

    @request("privacy.why")
    async def why(self, bufnr: int) -> str | None:
        """Return a sentence that says why a buffer is private; None, or empty, if it is not."""
        ...

    @request("privacy.of_buffer")
    async def of_buffer(self, bufnr: int) -> str | None:
        """Return why the text of a buffer is private; None, or empty, if it is not."""
        ...
