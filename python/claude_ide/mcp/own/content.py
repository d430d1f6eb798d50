"""What a user's tool returns, as content of MCP."""

import base64
from typing import Any

from claude_ide.errors import ToolError
from claude_ide.mcp.model.common import LARGEST
from claude_ide.mcp.tool import Content, text
from claude_ide.unicode import readable

NOTHING = "(done; the tool returned no text)"
NEEDED = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
"""The types of content in MCP, and the texts that each needs."""


def content_of(result: Any) -> Content:
    """Return a result as content; texts are cut to the length that a model can read.

    Raises `ToolError` if a model could not read it.
    """
    result = readable(result)
    room = LARGEST
    content: Content = []
    for block in _blocks(result):
        if block["type"] != "text":
            content.append(block)
        elif room > 0:
            whole = str(block["text"])
            short = whole if len(whole) <= room else _cut(whole, room)
            room -= len(whole)
            content.append({**block, "text": short})
    return content or text(NOTHING)


def _blocks(result: Any) -> Content:
    match result:
        case None | []:
            return []
        case str():
            return text(result)
        case bool():
            return text("true" if result else "false")
        case int() | float():
            return text(str(result))
        case list():
            return [block for each in result for block in _blocks(each)]
        case {"type": str(kind)} if kind in NEEDED and _has_texts(result, NEEDED[kind]):
            return [result]
        case {"type": "resource", "resource": {"uri": str(), "text": str()}}:
            return [result]
        case {"type": "resource", "resource": {"uri": str(), "blob": str()}}:
            return [result]
        case {"text": str(said)} if "type" not in result:
            return text(said)
    raise ToolError("the tool returned neither a text nor a list of content")


def _has_texts(block: dict[str, Any], fields: tuple[str, ...]) -> bool:
    if not all(isinstance(block.get(field), str) for field in fields):
        return False
    if "data" in fields and not _is_base64(block["data"]):
        # A conversation with such an image could not go on: the model's API refuses it.
        raise ToolError(f"the {block['type']} that the tool returned is not in base64")
    return True


def _is_base64(data: str) -> bool:
    try:
        return bool(base64.b64decode(data, validate=True))
    except ValueError:
        return False


def _cut(whole: str, room: int) -> str:
    return f"{whole[:room]}\n[cut here: {len(whole) - room:,} more characters]"
