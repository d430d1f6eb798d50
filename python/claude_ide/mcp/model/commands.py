"""Commands of the editor: the user's 'makeprg', and those that only show something."""

from typing import Annotated, Literal

from msgspec import Meta

from claude_ide.editor.shell import expanded
from claude_ide.errors import ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.model import making
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import Limit, Offset
from claude_ide.mcp.tool import Arguments, Content, NoArguments, model_tool

RUN, REFUSE = "Run {}", "Do not run it"
SHOWN = 4000
"""Characters of the output for the model."""

Command = Literal[
    "abbreviations",
    "arguments",
    "autocommands",
    "changed_options",
    "commands",
    "diff_options",
    "filetype",
    "highlights",
    "insert_maps",
    "normal_maps",
    "scripts",
    "signs",
    "spelling",
    "syntax",
    "tabs",
    "terminal_maps",
    "version",
    "visual_maps",
]

COMMANDS = {
    "abbreviations": "abbreviate",
    "arguments": "args",
    "autocommands": "autocmd",
    "changed_options": "set",
    "commands": "command",
    "diff_options": "set diffopt?",
    "filetype": "filetype",
    "highlights": "highlight",
    "insert_maps": "verbose imap",
    "normal_maps": "verbose nmap",
    "scripts": "scriptnames",
    "signs": "sign list",
    "spelling": "spellinfo",
    "syntax": "syntax",
    "tabs": "tabs",
    "terminal_maps": "verbose tmap",
    "version": "version",
    "visual_maps": "verbose xmap",
}
"""By the names that the model gives. None takes an argument, and none shows registers, variables
or the history, in which secrets may be."""


class ExOutput(Arguments, frozen=True):
    """Arguments of `ex_output`."""

    command: Annotated[Command, Meta(description="What to show")]
    containing: Annotated[
        str, Meta(description="Only lines that contain this text, in any case; default: all")
    ] = ""
    offset: Offset = 0
    limit: Limit = 200


@model_tool("make", "Run the user's makeprg", is_read_only=False, asks_user=True)
async def make(client: Client, _arguments: NoArguments) -> Content:
    """Run the user's own 'makeprg' after asking them, and fill the quickfix list with its output.

    `quickfix` returns the entries.
    """
    made_by = await client.tools.make_command()
    command, by = await expanded(client.editor.port, made_by["bufnr"], made_by["command"])
    if not command:
        raise ToolError("'makeprg' is empty")
    question = f"{client.shown_name} wants to run: {command}"
    # A picker may cut the question off, but no answer.
    run = RUN.format(command)
    if await client.editor.decide(question, [run, REFUSE]) != run:
        raise ToolError("the user does not want to run it")
    made = await making.make(command, by)
    listed = {"command": command, "efm": made_by["efm"], "lines": made.lines}
    found = await client.tools.list_made(listed)
    ended = "was stopped after its time limit" if made.is_stopped else f"exit code {made.code}"
    places = count(found["entries"], "place")
    heading = f"{command}: {ended}; {places} in the quickfix list. The end of its output:"
    output = "\n".join(made.lines)
    cut = output if len(output) <= SHOWN else "…" + output[-SHOWN:]
    return page(heading, cut.splitlines())


@model_tool("ex_output", "Output of a command of Neovim")
async def ex_output(client: Client, arguments: ExOutput) -> Content:
    """Return what a command of Neovim shows, such as the user's maps, options or autocommands."""
    found = await client.tools.output({"command": COMMANDS[arguments.command]})
    wanted = arguments.containing.casefold()
    lines = [line for line in found["lines"] or [] if wanted in line.casefold()]
    part = lines[arguments.offset : arguments.offset + arguments.limit]
    rest = remaining(len(lines), arguments.offset, part)
    return page(count(len(lines), "line"), part, rest)
