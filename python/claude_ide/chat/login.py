"""Logs the user in to an agent, in a terminal, and then goes on."""

import os
from typing import Any

from claude_ide.agents.agent import Login
from claude_ide.agents.session_state import State
from claude_ide.base.errors import UserError
from claude_ide.base.program import required
from claude_ide.chat.chat import Chat
from claude_ide.config import TerminalConfig
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles


class Logins:
    """The ways to log in to the agents of the chats; `terminal` says where one opens."""

    def __init__(self, editor: Editor, terminal: TerminalConfig) -> None:
        self._editor = editor
        self._terminal = terminal

    @handles(panel.LoginWanted)
    async def log_in(self, chat: Chat, _: panel.LoginWanted) -> None:
        """Log in to a chat's agent; the user chooses how if there are several ways."""
        login = await self._chosen(chat.kind.logins(), chat.kind.name)
        if login is None:
            return
        if login.problem:
            raise UserError(login.problem)
        if not login.command:
            chat.kind.choose_login(login.id)
            return await self._go_on(chat)
        request = self._request(login.command, login.environment)
        if login.stays:
            return await self._start(request)
        await chat.panel.open_login(request | {"name": chat.kind.name})

    @handles(panel.LoggedIn)
    async def logged_in(self, chat: Chat, event: panel.LoggedIn) -> None:
        """Go on after the terminal of a login has ended."""
        await self._go_on(chat, succeeded=event.succeeded)

    async def run_for_servers(self, chat: Chat) -> None:
        """Log in to MCP servers, in a terminal."""
        await self._start(self._request(chat.kind.login_to_servers(), {}))

    async def _go_on(self, chat: Chat, *, succeeded: bool = True) -> None:
        """Start an agent again that has waited for the login, or does not know about it yet.

        The program of a login may fail although the user is logged in; only an agent that runs is
        not disturbed then.
        """
        if chat.life.state.state is State.DEAD:
            await chat.life.restart()
        elif succeeded and chat.context.has("resume") and chat.life.is_relaunchable:
            await chat.life.relaunch()

    async def _chosen(self, logins: list[Login], name: str) -> Login | None:
        if len(logins) == 1:
            return logins[0]
        chosen = await self._editor.select(f"Log in to {name}:", [each.name for each in logins])
        return None if chosen is None else logins[chosen]

    async def _start(self, request: dict[str, Any]) -> None:
        """Run a command in a terminal as if it were a CLI."""
        path = required(request["cmd"][0], os.environ.get("PATH", ""))
        command = {"cmd": [path, *request["arguments"]], "env": request["environment"]}
        await self._editor.port.terminals.start(request | command)

    def _request(self, command: Any, environment: Any) -> dict[str, Any]:
        program, *arguments = command
        terminal = self._terminal
        window = {"side": terminal.side, "size": terminal.size, "keys": terminal.keys}
        return {
            "cmd": [program],
            "arguments": arguments,
            "environment": dict(environment),
            **window,
        }
