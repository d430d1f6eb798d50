"""What the model has the editor run: 'makeprg', commands that show something, code in a kernel."""

import asyncio
import re
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.base.names import EXECUTE_CODE, EXECUTE_CODE_TITLE, editor_name
from claude_ide.editor.formatting import expanded
from claude_ide.editor.port.files import ShellFacts
from claude_ide.jupyter.outputs import Ending, Outcome, Output, clean
from claude_ide.mcp.client import Client
from claude_ide.mcp.ide_tools import Code
from claude_ide.mcp.model.common import Limit, Offset, count, page, remaining
from claude_ide.mcp.model.screen import evaluated
from claude_ide.mcp.tool import Caller, Content, model_tool
from claude_ide.transport.process import Process

RUN, REFUSE = "Run {}", "Do not run it"
SHOWN_CHARACTERS = 4000

LIMIT_SECONDS = 600.0
MOST_BYTES, MOST_LINES = 10_000_000, 100_000
"""Of the output. The editor would not react while it parses more lines."""

CODE_SECONDS = 120
"""The usual time limit of code."""

RESULT_CHARACTERS = 20_000
"""The CLI saves a longer result to a file."""

MOST_IMAGES = 8
LARGEST_IMAGE = 5_000_000
"""Characters of base64; the model's API accepts no larger one."""

ANEW = "[the kernel had died; this is a new one, without the earlier variables]\n"
LEFT_OUT = "[an image is left out: it is too large, or there are too many]"
MARKS = {"stderr": "[stderr]", "value": "[value]", "error": "[error]"}

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
    cut = output if len(output) <= SHOWN_CHARACTERS else "…" + output[-SHOWN_CHARACTERS:]
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
    ] = CODE_SECONDS,
) -> Content:
    """Run code in the user's live Jupyter kernel, which keeps its variables between calls.

    The user sees each call, and may edit or refuse it. Returns output, values, errors and images.
    """
    return await execute(client, code, seconds, caller)


async def execute(client: Client, code: str, seconds: int, caller: Caller) -> Content:
    """Run code after the user's consent, and return what came out. Raises `ToolError`."""
    if client.kernels is None:
        raise ToolError(f"No Jupyter kernel is attached to {editor_name()}, so nothing was run")
    kernels, asker, allowed = client.kernels(), client.shown_name, client.allowed_code
    ran = allowed.take(caller.tool_use, code)
    if ran is None and allowed.all:
        ran = code
    if ran is None:
        ran, is_for_all = await kernels.ask(code, asker)
        allowed.all = allowed.all or is_for_all
    task = asyncio.current_task()
    try:
        outcome = await kernels.execute(ran, seconds, asker, lambda: client.running_code.add(task))
    finally:
        client.running_code.discard(task)
    content = _content(outcome, seconds)
    if outcome.is_anew:
        content.insert(0, {"type": "text", "text": ANEW})
    if ran != code:
        edited = f"The user edited the code before it ran. This ran:\n{ran}\n"
        content.insert(0, {"type": "text", "text": edited})
    return content


def _content(outcome: Outcome, seconds: int) -> Content:
    answer = _Answer(outcome.left_out)
    for output in outcome.outputs:
        answer.add(output)
    return answer.ended(_ending(outcome, seconds))


class _Answer:
    """The outputs in their order; texts that are next to each other are one block."""

    def __init__(self, left_out: int) -> None:
        self._content: Content = []
        self._lines: list[str] = []
        self._left_out = left_out
        self._images = 0
        # Output that comes first must not take the room of an error.
        for_errors = RESULT_CHARACTERS // 4
        self._room = {"error": for_errors, "": RESULT_CHARACTERS - for_errors}

    def add(self, output: Output) -> None:
        """Add an output, as far as there is room for it."""
        if output.mime:
            return self._add_image(output)
        text = clean(output.text).rstrip("\n")
        kind = output.kind if output.kind in self._room else ""
        shown = _shortened(text, self._room[kind])
        self._room[kind] -= min(len(shown), self._room[kind])
        if shown or not text:
            self._lines += [*([MARKS[output.kind]] if output.kind in MARKS else []), shown]
        else:
            self._left_out += len(text)

    def ended(self, ending: list[str]) -> Content:
        """Return everything, with the end of the run."""
        if self._left_out:
            self._lines.append(f"[{self._left_out:,} more characters are left out]")
        self._lines += ending
        if not (self._content or any(self._lines)):
            self._lines.append("The code ran without output.")
        self._end_text()
        return self._content

    def _add_image(self, output: Output) -> None:
        self._images += 1
        if self._images > MOST_IMAGES or len(output.text) > LARGEST_IMAGE:
            self._lines += [LEFT_OUT] * (LEFT_OUT not in self._lines)
            return
        self._end_text()
        image = {"type": "image", "data": output.text, "mimeType": output.mime}
        self._content.append(image)

    def _end_text(self) -> None:
        if self._lines:
            self._content.append({"type": "text", "text": "\n".join(self._lines)})
            self._lines.clear()


def _shortened(text: str, room: int) -> str:
    """Return the beginning and the end of a text that is too long; "" if there is no room."""
    if len(text) <= room or not room:
        return text if room else ""
    half = room // 2
    note = f"\n[… {len(text) - 2 * half:,} characters left out …]\n"
    return f"{text[:half]}{note}{text[len(text) - half :]}"


def _ending(outcome: Outcome, seconds: int) -> list[str]:
    match outcome.ending:
        case Ending.DONE:
            return []
        case Ending.INTERRUPTED:
            return [f"[interrupted: the limit of {seconds} s was reached]"]
        case Ending.STOPPED:
            return ["[the user interrupted it]"]
        case Ending.STUCK:
            return [
                f"[after {seconds} s it was interrupted, but it goes on; the user can restart "
                "the kernel]"
            ]
        case Ending.QUEUED:
            return [
                f"[the kernel was busy with other code for {seconds} s; this code is still "
                "waiting to run in it]"
            ]
        case Ending.DIED:
            return [
                f"[the kernel died: {outcome.reason}. Its variables are lost; the next call "
                "starts a new kernel]"
            ]
