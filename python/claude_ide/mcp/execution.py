"""Runs code in the Jupyter kernel of Neovim for a client."""

import asyncio

from claude_ide.base.errors import ToolError
from claude_ide.base.names import editor_name
from claude_ide.jupyter.kernel import Ending, Outcome
from claude_ide.jupyter.outputs import Output, clean
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Caller, Content

SECONDS = 120
"""The usual time limit."""

MOST_TEXT = 20_000
"""Characters of one result; the CLI saves a longer one to a file."""

MOST_IMAGES = 8
LARGEST_IMAGE = 5_000_000
"""Characters of base64; the model's API accepts no larger one."""

ANEW = "[the kernel had died; this is a new one, without the earlier variables]\n"
LEFT_OUT = "[an image is left out: it is too large, or there are too many]"
MARKS = {"stderr": "[stderr]", "value": "[value]", "error": "[error]"}


async def execute(client: Client, code: str, seconds: int, caller: Caller) -> Content:
    """Run code after the user's consent, and return what came out. Raises `ToolError`."""
    if client.kernels is None:
        raise ToolError(f"No Jupyter kernel is attached to {editor_name()}, so nothing was run")
    allowed = client.allowed_code.take(caller.tool_use, code)
    wanted = code if allowed is None else allowed
    task = asyncio.current_task()
    try:
        ran, outcome = await client.kernels().execute(
            wanted,
            seconds,
            client,
            is_allowed=allowed is not None,
            on_run=lambda: client.running_code.add(task),
        )
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
        self._room = {"error": MOST_TEXT // 4, "": MOST_TEXT - MOST_TEXT // 4}

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
