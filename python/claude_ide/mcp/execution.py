"""Runs code in the Jupyter kernel of Neovim for a client."""

from claude_ide.errors import ToolError
from claude_ide.jupyter.kernel import Ending, Outcome
from claude_ide.jupyter.outputs import clean
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Caller, Content

SECONDS = 120
"""The usual time limit."""

MOST_TEXT = 20_000
"""Characters of one result; the CLI saves a longer one to a file."""

MOST_IMAGES = 8
LARGEST_IMAGE = 5_000_000
"""Characters of base64; the model's API accepts no larger one."""

MARKS = {"stderr": "[stderr]", "value": "[value]", "error": "[error]"}


async def execute(client: Client, code: str, seconds: int, caller: Caller) -> Content:
    """Run code after the user's consent, and return what came out. Raises `ToolError`."""
    if client.kernels is None:
        raise ToolError("No Jupyter kernel is attached to Neovim, so nothing was run")
    allowed = client.take_allowed(caller.tool_use)
    wanted = code if allowed is None else str(allowed.get("code", ""))
    kernels = client.kernels()
    ran, outcome = await kernels.execute(wanted, seconds, client, is_allowed=allowed is not None)
    content = _content(outcome, seconds)
    if ran != code:
        edited = f"The user edited the code before it ran. This ran:\n{ran}\n"
        content.insert(0, {"type": "text", "text": edited})
    return content


def _content(outcome: Outcome, seconds: int) -> Content:
    """Return the outputs in their order; texts that are next to each other are one block."""
    content: Content = []
    lines: list[str] = []
    room, left_out, images = MOST_TEXT, outcome.left_out, 0

    def end_text() -> None:
        if lines:
            content.append({"type": "text", "text": "\n".join(lines)})
            lines.clear()

    for output in outcome.outputs:
        if output.mime:
            images += 1
            if images > MOST_IMAGES or len(output.text) > LARGEST_IMAGE:
                lines.append("[an image is left out: too large, or too many]")
                continue
            end_text()
            content.append({"type": "image", "data": output.text, "mimeType": output.mime})
            continue
        text = _shortened(clean(output.text).rstrip("\n"), room)
        room = max(room - len(text), 0)
        lines += [*([MARKS[output.kind]] if output.kind in MARKS else []), text]
    if left_out:
        lines.append(f"[{left_out:,} characters more were printed]")
    lines += _ending(outcome, seconds)
    if not (content or any(lines)):
        lines.append("The code ran without output.")
    end_text()
    return content


def _shortened(text: str, room: int) -> str:
    """Return the beginning and the end of a text that is too long: errors are at the end."""
    if len(text) <= room:
        return text
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
