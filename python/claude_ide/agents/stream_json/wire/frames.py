"""Frames (JSON objects, one a line), and the frames of the host: prompts, requests, answers."""

import base64
import json
import logging
from html import escape
from typing import Any

import msgspec

from claude_ide.agents.agent import Image, OpenFile, Prompt, Selection, ShellResult, Words
from claude_ide.agents.fields import mapping
from claude_ide.unicode import readable

logger = logging.getLogger(__name__)

Frame = dict[str, Any]


def content_of(frame: Frame) -> Any:
    """Return the content of a message: a text, or blocks."""
    return mapping(frame.get("message")).get("content")


def decode_line(line: bytes) -> Frame | None:
    """Decode one line; None if it is not a JSON object."""
    try:
        frame = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        frame = _decode_leniently(line)
    if not isinstance(frame, dict):
        logger.warning("ignored a line that is no frame: %.200r", line)
        return None
    return frame


def encode_line(frame: Frame) -> bytes:
    """Encode one frame in ASCII: the CLI may also treat characters such as U+2028 as line ends."""
    return json.dumps(readable(frame), separators=(",", ":")).encode("ascii")


def _decode_leniently(line: bytes) -> Any:
    # The CLI cuts texts even within a surrogate pair, which leaves invalid Unicode.
    try:
        return readable(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


MAY_NOT_MATTER = "This may or may not be related to the current task."


def prompt(id_: str, content: Prompt, priority: str = "") -> Frame:
    """Return a prompt; `priority` is "next" to steer, "now" to redirect."""
    frame: Frame = {
        "type": "user",
        "uuid": id_,
        "session_id": "",
        "parent_tool_use_id": None,
        "origin": {"kind": "human"},
        "message": {"role": "user", "content": _blocks(content)},
    }
    return frame | {"priority": priority} if priority else frame


def words(content: Prompt) -> str:
    """Return a prompt as one text without images, for a one-off request."""
    return "\n\n".join(block["text"] for block in _blocks(content) if block["type"] == "text")


def control_request(id_: str, subtype: str, fields: dict[str, Any]) -> Frame:
    """Return a control request to the CLI."""
    return {"type": "control_request", "request_id": id_, "request": {"subtype": subtype, **fields}}


def success(request: str, response: Frame) -> Frame:
    """Return the answer to a request from the CLI."""
    answer = {"subtype": "success", "request_id": request, "response": response}
    return {"type": "control_response", "response": answer}


def failure(request: str, message: str) -> Frame:
    """Return the refusal of a request from the CLI."""
    answer = {"subtype": "error", "request_id": request, "error": message}
    return {"type": "control_response", "response": answer}


def _blocks(content: Prompt) -> list[Frame]:
    """Return the blocks of a prompt: context first, so that a slash command begins its text."""
    context: list[Frame] = []
    content_blocks: list[Frame] = []
    for part in content:
        match part:
            case Selection() | OpenFile():
                context.append(words_block(_tagged(part)))
            case ShellResult():
                context += map(words_block, _as_by_the_cli(part))
            case Image(data, media_type):
                source = {"type": "base64", "media_type": media_type}
                encoded = base64.b64encode(data).decode("ascii")
                content_blocks.append({"type": "image", "source": source | {"data": encoded}})
            case Words():
                content_blocks.append(words_block(part.text))
    return context + content_blocks


def _tagged(part: Selection | OpenFile) -> str:
    # The CLI recognizes exactly these two tags, and hides them when it shows the prompt.
    if isinstance(part, OpenFile):
        note = f"The user opened the file {part.path} in the IDE. {MAY_NOT_MATTER}"
        return f"<ide_opened_file>{note}</ide_opened_file>"
    lines = f"The user selected the lines {part.first} to {part.last} from {part.path}:"
    note = f"{lines}\n{part.text}\n\n{MAY_NOT_MATTER}"
    return f"<ide_selection>{note}</ide_selection>"


def _as_by_the_cli(result: ShellResult) -> tuple[str, str]:
    """Return a result in the form in which the CLI reports its own `!` commands to the model."""
    output = escape(result.output.removesuffix("\n"), quote=False)
    stdout, stderr = ("", output) if result.failed else (output, "")
    streams = f"<bash-stdout>{stdout}</bash-stdout><bash-stderr>{stderr}</bash-stderr>"
    return f"<bash-input>{escape(result.command, quote=False)}</bash-input>", streams


def words_block(words: str) -> Frame:
    """Return a block of text."""
    return {"type": "text", "text": words}
