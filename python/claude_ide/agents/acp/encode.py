"""Encodes prompts as content blocks. Source: the ACP schema, `ContentBlock`."""

import base64
from typing import Any

from claude_ide.agents.prompt import Image, OpenFile, Prompt, Selection, ShellResult, Words

Block = dict[str, Any]
"""One block of a prompt's content."""


def blocks(prompt: Prompt) -> list[Block]:
    """Return the blocks of a prompt: context first, so that a slash command begins its text."""
    context: list[Block] = []
    content: list[Block] = []
    for part in prompt:
        match part:
            case Selection(path, first, last, words):
                context.append(text(f"Selected in {path}, lines {first} to {last}:\n{words}"))
            case OpenFile(path):
                context.append(text(f"Open in the editor: {path}"))
            case ShellResult(command, output):
                context.append(text(f"$ {command}\n{output}"))
            case Image(data, media_type):
                encoded = base64.b64encode(data).decode("ascii")
                content.append({"type": "image", "mimeType": media_type, "data": encoded})
            case Words():
                content.append(text(part.text))
    return context + content


def text(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}
