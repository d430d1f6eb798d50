"""Starts CLIs in terminals of the editor, or in panes of tmux."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from claude_ide.agents.stream_json.own_mode import given_words, terminal_options
from claude_ide.base import program
from claude_ide.base.names import VIM, editor_name
from claude_ide.config import Config
from claude_ide.editor.editor import Editor

if TYPE_CHECKING:
    from claude_ide.hooks.endpoint import Hooks

Tools = Callable[[str], Awaitable[tuple[list[str], dict[str, str]]]]
"""Returns the options and the environment with which the CLI of a launch gets the model's tools."""

ATTACH = "attach"


async def open_terminal(
    editor: Editor,
    config: Config,
    hooks: "Hooks",
    tools: Tools,
    given: Sequence[str],
    more: Mapping[str, Any],
) -> None:
    """Start a CLI with the user's arguments; `more` are fields of the editor's request."""
    terminal, environment = config.terminal, await editor.port.terminals.environment()
    first, *words = program.words(config.cmd)
    path = program.required(first, environment.get("PATH", ""))
    arguments = list(given_words(given))
    request = {"side": terminal.side, "size": terminal.size, "keys": terminal.keys, **more}
    problem = _not_there(hooks, terminal.side, environment)
    if problem:
        request["note"] = f"{problem}, so Claude opens in a split"
    if arguments[:1] == [ATTACH]:
        # The options of a session in the background are those with which it was begun.
        attached = " ".join(arguments[1:])
        if not editor.terminals.has_attached:
            editor.terminals.has_attached = True
            request.setdefault("note", f"/ide connects it to {editor_name()}")
        command = [path, *words, ATTACH, *filter(None, [attached])]
        await editor.port.terminals.start(
            {"cmd": command, "env": {}, "attached": attached, **request}
        )
        return
    named = (*words, *arguments)
    options = await asyncio.to_thread(terminal_options, os.environ, named, terminal.mode)
    name = str(more.get("name", ""))
    options += await asyncio.to_thread(hooks.naming, name, (first, *named))
    launch = await hooks.for_a_terminal((first, *named))
    for_tools, variables = await tools(launch.id)
    variables |= launch.environment
    command = [path, *words, *options, *for_tools, *launch.options, *arguments]
    if terminal.side == "tmux" and not problem:
        await hooks.open_pane(launch, command, environment | variables, name)
        return
    await editor.port.terminals.start(
        {"cmd": command, "env": variables, "launch": launch.id, **request}
    )


def _not_there(hooks: "Hooks", side: str, environment: Mapping[str, str]) -> str:
    """Return why a CLI cannot open at a side; an empty string if it can."""
    if side == "float" and editor_name() == VIM:
        return "a terminal in a popup cannot be left"
    return hooks.obstacle_to_panes(environment) if side == "tmux" else ""
