"""Terminals whose sessions go on in the background: on request, or when the editor exits."""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from claude_ide.agents.stream_json.running import Running
from claude_ide.editor.port.terminals import Terminal
from claude_ide.editor_name import for_this_editor
from claude_ide.errors import UserError
from claude_ide.hooks.registration import link_in
from claude_ide.sessions.collection import Collection
from claude_ide.sessions.entry import WAITS, WORKS
from claude_ide.sessions.watch import Watch

if TYPE_CHECKING:
    from claude_ide.sessions.here import App

SEND_AWAY = "/background"
NONE_RUNS = "no terminal of this Neovim runs Claude (:Claude opens one)"
SENT_SECONDS, SENT_PAUSE_SECONDS = 30.0, 0.2
"""How long the CLI may take to go on in the background, and how often that is looked at."""


class Leaving:
    """Sends the sessions of terminals to the background."""

    def __init__(self, app: "App", found: Collection, watch: Watch) -> None:
        self._editor = app.editor
        self._found = found
        self._watch = watch

    async def send_away(self) -> None:
        """Send the session of the current terminal to the background; say where it goes on."""
        terminals = await self._editor.port.terminals.running()
        current = next((each for each in terminals if each.is_current), None)
        if current is None:
            raise UserError(for_this_editor(NONE_RUNS))
        if current.attached:
            raise UserError("this terminal shows a session that is in the background")
        sent = await self._sent(current)
        if sent is None:
            return self._editor.notify(f"{SEND_AWAY} is typed; :ClaudeSessions shows what runs")
        name = f" · {sent.name}" if sent.name else ""
        self._editor.notify(f"goes on in the background · {sent.id}{name}")

    async def _sent(self, terminal: Terminal) -> Running | None:
        """Return the session in the background with which that of a terminal goes on."""
        await self._editor.typing.say(SEND_AWAY, 0, terminal.name)
        deadline = time.monotonic() + SENT_SECONDS
        while time.monotonic() < deadline:
            for each in self._found.running:
                link = link_in(each.settings) if each.id and each.pid else None
                if link is not None and link.name == terminal.launch:
                    return each
            self._watch.look()
            await asyncio.sleep(SENT_PAUSE_SECONDS)
        return None

    async def before_exit(self, how: str, *, is_certain: bool) -> str:
        """Do what the option `terminal.quit` says of CLIs that work; return why not to exit yet.

        If the exit `is_certain`, it does what is possible.
        """
        working = await self._working()
        if how == "ask" or not working:
            return _words("works", working) if working else ""
        ready = [each for each in working if await self._editor.typing.takes_text(each.name)]
        if len(ready) < len(working) and not is_certain:
            # A dialog would take the words as its answer, and a prompt of the user's would be lost.
            return _words("waits for you", [each for each in working if each not in ready])
        if ready:
            self._editor.notify(f"{_words('goes on in the background', ready)} …")
        sent = await asyncio.gather(*map(self._sent, ready))
        left = [each for each, session in zip(ready, sent, strict=True) if session is None]
        return _words("has not gone to the background", left) if left else ""

    async def _working(self) -> list[Terminal]:
        """Return the terminals that end with the editor, and whose CLIs work, or wait for a yes."""
        terminals = await self._editor.port.terminals.running()
        ending = [each for each in terminals if not (each.pane or each.attached)]
        return [each for each in ending if self._found.of_terminal(each).state in (WAITS, WORKS)]


def _words(what: str, terminals: Sequence[Terminal]) -> str:
    names = ", ".join(each.name for each in terminals)
    return f"Claude {what} in terminal {names}"
