"""Code that the user has allowed an agent to run, before the agent calls the tool that runs it."""

from typing import Any

import msgspec


class AllowedCode(msgspec.Struct, eq=False):
    """What one agent may run without another question: `all` of its code, or each of these once."""

    all: bool = False
    by_use: dict[str, str] = {}
    """By the ids of the tool's uses."""
    by_text: dict[str, str] = {}
    """By the code for which an agent has asked; the user may have changed it."""

    def allow_use(self, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        """Allow one use with these arguments, or `for_good` all further ones."""
        self.by_use[use] = str(arguments.get("code", ""))
        self.all = self.all or for_good

    def allow_text(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Allow the next use with this code, and run `allowed` then."""
        self.by_text[asked] = allowed
        self.all = self.all or for_good

    def take(self, use: str | None, code: str) -> str | None:
        """Return the code that this use may run; None if the user has not allowed it yet."""
        allowed = self.by_use.pop(use or "", None)
        return self.by_text.pop(code, None) if allowed is None else allowed

    def forget_texts(self) -> None:
        """Forget what was not run by the end of a turn."""
        self.by_text.clear()
