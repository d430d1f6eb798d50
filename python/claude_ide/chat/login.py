"""Logs the user in to an agent, in a terminal, and then goes on."""

import os
from typing import Any

from claude_ide.agents.agent import Login
from claude_ide.agents.session_state import State
from claude_ide.chat.abilities import has
from claude_ide.chat.chat import Chat
from claude_ide.config import TerminalConfig
from claude_ide.editor.editor import Editor
from claude_ide.errors import UserError
from claude_ide.program import required


class Logins:
    """The ways to log in to the agents of the chats; `terminal` says where one opens."""

    def __init__(self, editor: Editor, terminal: TerminalConfig) -> None:
        self._editor = editor
        self._terminal = terminal

    async def log_in(self, chat: Chat) -> None:
        """Log in to a chat's agent; the user chooses how if there are several ways."""
        login = await self._chosen(chat.kind.logins(), chat.kind.name)
        if login is None:
            return
        if login.problem:
            raise UserError(login.problem)
        if login.command:
            return await self.run(chat, login)
        chat.kind.choose_login(login.id)
        await self.go_on(chat)

    async def run(self, chat: Chat, login: Login) -> None:
        """Run the command of a login in a terminal."""
        request = self._request(login.command, login.environment)
        if login.stays:
            return await self._start(request)
        await chat.panel.open_login(request | {"name": chat.kind.name})

    async def run_for_servers(self, chat: Chat) -> None:
        """Log in to MCP servers, in a terminal."""
        await self._start(self._request(chat.kind.login_to_servers(), {}))

    async def go_on(self, chat: Chat, *, succeeded: bool = True) -> None:
        """Start an agent again that has waited for the login, or does not know about it yet.

        The program of a login may fail although the user is logged in; only an agent that runs is
        not disturbed then.
        """
        if chat.running.state.state is State.DEAD:
            await chat.running.restart()
        elif succeeded and has(chat.agent, "resume") and chat.running.is_relaunchable:
            await chat.running.relaunch()

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
