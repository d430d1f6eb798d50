"""What the model has the editor run: the user's 'makeprg', commands that show something, code."""

import asyncio
import re
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.base.names import EXECUTE_CODE, EXECUTE_CODE_TITLE
from claude_ide.editor.formatting import expanded
from claude_ide.editor.port.files import ShellFacts
from claude_ide.mcp.client import Client
from claude_ide.mcp.execution import SECONDS, execute
from claude_ide.mcp.ide_tools import Code
from claude_ide.mcp.model.common import Limit, Offset, count, page, remaining
from claude_ide.mcp.model.screen import evaluated
from claude_ide.mcp.tool import Caller, Content, model_tool
from claude_ide.transport.process import Process

RUN, REFUSE = "Run {}", "Do not run it"
SHOWN = 4000
"""Characters of the output for the model."""

LIMIT_SECONDS = 600.0
MOST_BYTES, MOST_LINES = 10_000_000, 100_000
"""Of the output. The editor would not react while it parses more lines."""

COLOUR = re.compile(r"\x1b\[[\d;:?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07")

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


@model_tool("make", "Run the user's makeprg", is_read_only=False, asks_user=True)
async def make(client: Client) -> Content:
    """Run the user's own 'makeprg' after asking them, and fill the quickfix list with its output.

    `quickfix` returns the entries.
    """
    made_by = await evaluated(client, "[&makeprg, &errorformat]")
    makeprg, formats = made_by["value"]
    words = makeprg.replace("$*", "").strip()
    command, by = await expanded(client.editor.port, made_by["bufnr"], words)
    if not command:
        raise ToolError("'makeprg' is empty")
    question = f"{client.shown_name} wants to run: {command}"
    # A picker may cut the question off, but no answer.
    run = RUN.format(command)
    if await client.editor.decide(question, [run, REFUSE]) != run:
        raise ToolError("the user does not want to run it")
    ended, lines = await _made(command, by)
    found = await client.tools.list_made({"command": command, "efm": formats, "lines": lines})
    places = count(found["entries"], "place")
    heading = f"{command}: {ended}; {places} in the quickfix list. The end of its output:"
    output = "\n".join(lines)
    cut = output if len(output) <= SHOWN else "…" + output[-SHOWN:]
    return page(heading, cut.splitlines())


async def _made(command: str, by: ShellFacts) -> tuple[str, list[str]]:
    """Run a command; return how it has ended, and the lines it has shown.

    Cancelling this ends it. Raises `ToolError` if it cannot be started.
    """
    output = bytearray()

    def add(piece: bytes) -> None:
        if len(output) < MOST_BYTES:
            output.extend(piece)

    try:
        process = await Process.start((*by.shell, command), Path(by.folder), by.environment, add)
    except OSError as error:
        why = error.strerror or str(error)
        raise ToolError(f"{command} could not be started: {why}") from None
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            code = await process.wait()
        # A shell says so, too, of a command that a signal has ended.
        ended = f"exit code {128 - code if code < 0 else code}"
    except TimeoutError:
        ended = "was stopped after its time limit"
    return ended, _shown(bytes(output))


def _shown(output: bytes) -> list[str]:
    """Return what a terminal would show of the lines: no colours, and the end of a progress bar.

    'errorformat' would not recognize anything else.
    """
    lines = output.decode(errors="replace").split("\n", MOST_LINES)[:MOST_LINES]
    shown = [COLOUR.sub("", line).rstrip("\r").rpartition("\r")[2] for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown


@model_tool("ex_output", "Output of a command of Neovim")
async def ex_output(
    client: Client,
    command: Annotated[Literal[*COMMANDS], Meta(description="What to show")],  # type: ignore[valid-type]
    containing: Annotated[
        str, Meta(description="Only lines that contain this text, in any case; default: all")
    ] = "",
    offset: Offset = 0,
    limit: Limit = 200,
) -> Content:
    """Return what a command of Neovim shows, such as the user's maps, options or autocommands."""
    found = await evaluated(client, f"execute('{COMMANDS[command]}', 'silent!')")
    wanted, is_private = containing.casefold(), client.editor.private_files.is_named
    printed = found["value"].strip().split("\n")
    lines = [each for each in printed if wanted in each.casefold() and not is_private(each)]
    part = lines[offset : offset + limit]
    return page(count(len(lines), "line"), part, remaining(len(lines), offset, part))


@model_tool(
    EXECUTE_CODE, EXECUTE_CODE_TITLE, is_read_only=False, asks_user=True, asks_in_request=True
)
async def execute_code(
    client: Client,
    code: Code,
    caller: Caller,
    seconds: Annotated[
        int, Meta(ge=1, le=3600, description="Time limit, after which the code is interrupted")
    ] = SECONDS,
) -> Content:
    """Run code in the user's live Jupyter kernel, which keeps its variables between calls.

    The user sees each call, and may edit or refuse it. Returns output, values, errors and images.
    """
    return await execute(client, code, seconds, caller)
