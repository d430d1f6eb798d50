"""What the host says: prompts, control requests, answers to the CLI's own."""

import base64
from typing import Any

from claude_ide.agents.prompt import Image, OpenFile, Prompt, Selection, Words
from claude_ide.agents.stream_json.wire.frames import Frame

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
    """Return a prompt as one text, for a CLI that is asked a single question; without images."""
    return "\n\n".join(block["text"] for block in _blocks(content) if block["type"] == "text")


def control_request(id_: str, subtype: str, fields: dict[str, Any]) -> Frame:
    """Return a request to the CLI."""
    return {"type": "control_request", "request_id": id_, "request": {"subtype": subtype, **fields}}


def success(request: str, response: Frame) -> Frame:
    """Return the answer to a request of the CLI."""
    answer = {"subtype": "success", "request_id": request, "response": response}
    return {"type": "control_response", "response": answer}


def failure(request: str, message: str) -> Frame:
    """Return the refusal of a request of the CLI."""
    answer = {"subtype": "error", "request_id": request, "error": message}
    return {"type": "control_response", "response": answer}


def _blocks(content: Prompt) -> list[Frame]:
    """The context comes first; a slash command has to be the beginning of its text."""
    context: list[Frame] = []
    said: list[Frame] = []
    for part in content:
        match part:
            case Selection() | OpenFile():
                context.append(_text(_tagged(part)))
            case Image(data, media_type):
                source = {"type": "base64", "media_type": media_type}
                encoded = base64.b64encode(data).decode("ascii")
                said.append({"type": "image", "source": source | {"data": encoded}})
            case Words():
                said.append(_text(part.text))
    return context + said


def _tagged(part: Selection | OpenFile) -> str:
    # The CLI knows exactly these two tags, and leaves them out of what it shows as the prompt.
    if isinstance(part, OpenFile):
        told = f"The user opened the file {part.path} in the IDE. {MAY_NOT_MATTER}"
        return f"<ide_opened_file>{told}</ide_opened_file>"
    lines = f"The user selected the lines {part.first} to {part.last} from {part.path}:"
    told = f"{lines}\n{part.text}\n\n{MAY_NOT_MATTER}"
    return f"<ide_selection>{told}</ide_selection>"


def _text(words: str) -> Frame:
    return {"type": "text", "text": words}
