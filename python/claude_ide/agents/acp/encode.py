"""Encodes prompts as content blocks. Source: the ACP schema, `ContentBlock`."""

import base64
from pathlib import Path
from typing import Any

from claude_ide.agents.acp.decoding.capabilities import Offer
from claude_ide.agents.acp.decoding.replay import MODEL, marked
from claude_ide.agents.agent import Image, Mention, OpenFile, Prompt, Selection, ShellResult, Words

Block = dict[str, Any]
"""One block of a prompt's content."""

FOR_THE_MODEL = {"annotations": {"audience": [MODEL]}}
"""Some agents do not repeat such a block as the user's words when they load the session."""

NO_IMAGES = "(The user has pasted an image, which this agent cannot see.)"
MAY_NOT_MATTER = "It may or may not be related to the current task."


def blocks(prompt: Prompt, offer: Offer) -> list[Block]:
    """Return the blocks of a prompt for an agent that takes what it offers to take.

    The words are first: a slash command begins the first text, and some agents make it the title.
    """
    content: list[Block] = []
    context: list[Block] = []
    for part in prompt:
        match part:
            case Words(words):
                content.append(text(words))
            case Image(data, media_type) if offer.images:
                encoded = base64.b64encode(data).decode("ascii")
                content.append({"type": "image", "mimeType": media_type, "data": encoded})
            case Image():
                content.append(text(NO_IMAGES))
            case Mention(path, name, first, last):
                uri = _uri(path, first, last)
                context.append({"type": "resource_link", "name": name, "uri": uri})
            case Selection(path, first, last, words):
                context.append(_embedded(_uri(path, first, last), words, offer))
            case OpenFile(path, None):
                context.append(note(f"The user has opened the file {path}. {MAY_NOT_MATTER}"))
            case OpenFile(path, str(words)):
                context.append(_embedded(_uri(path), words, offer))
            case ShellResult(command, output, failed):
                lines = ["The user has run this command:", f"$ {command}"]
                lines += [output.removesuffix("\n"), *["(The command has failed.)"] * failed]
                context.append(_context("shell", "\n".join(lines)))
    if context:
        _separate(content)
    return content + context


def text(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def note(words: str) -> Block:
    """Return a note of the editor for the model."""
    return _context("editor", words)


def _context(source: str, words: str) -> Block:
    return {**text(marked(source, words)), **FOR_THE_MODEL}


def _separate(content: list[Block]) -> None:
    """End the last text with a line, because some agents join the blocks without a space."""
    for block in reversed(content):
        if block["type"] == "text" and not block["text"].startswith("/"):
            block["text"] += "\n"
            return


def _embedded(uri: str, words: str, offer: Offer) -> Block:
    if not offer.embeds:
        return _context(uri, words)
    return {"type": "resource", "resource": {"uri": uri, "text": words}, **FOR_THE_MODEL}


def _uri(path: str, first: int | None = None, last: int | None = None) -> str:
    lines = f"#L{first}" + (f"-{last}" if last != first else "") if first else ""
    return Path("/", path).as_uri() + lines
