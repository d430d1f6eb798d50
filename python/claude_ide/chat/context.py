"""The context of a prompt: the user's file or selection, mentions, images."""

import base64
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from claude_ide.agents.prompt import Image, OpenFile, Prompt, Selection, Words
from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError

LINES = r"(?:#L(\d+)(?:-(\d+))?)?"
MENTION = re.compile(rf'(?<!\S)@(?:"([^"]+?){LINES}"|([^\s"]+?)){LINES}(?=[\s.,;:!?)]*(?:\s|$))')
Where = Selection | OpenFile


def where(selection: Mapping[str, Any] | None) -> Where | None:
    """Return the prompt part for a selection as `selection/init.lua` reports it, or None."""
    if not selection or not selection.get("filePath"):
        return None
    path, text, span = selection["filePath"], selection["text"], selection["selection"]
    if not text:
        return OpenFile(path)
    start, end = span["start"], span["end"]
    # A linewise selection ends at the start of the next line.
    last = end["line"] + (end["character"] > 0 or end["line"] == start["line"])
    return Selection(path, start["line"] + 1, last, text)


def chip(part: Where, root: str) -> str:
    """Return a part's label in the prompt's bar, such as `a.py:2-5`."""
    shown = _within(root, part.path)
    if isinstance(part, OpenFile):
        return shown
    return f"{shown}:{part.first}" + (f"-{part.last}" if part.last != part.first else "")


def mention(params: Mapping[str, Any], root: str) -> str:
    """Return the parameters of `at_mentioned` as the user would type them, like `@a.py#L3-9`."""
    path = params["filePath"]
    if path.startswith('"'):
        # A path with blanks is quoted; its line numbers are within the quotes.
        return f'@"{_within(root, path[1:-1])}"'
    words = f"@{_within(root, path)}"
    if "lineStart" not in params:
        return words
    first, last = params["lineStart"] + 1, params["lineEnd"] + 1
    return f"{words}#L{first}" + (f"-{last}" if last != first else "")


def images(sent: Iterable[Mapping[str, str]]) -> list[Image]:
    """Decode the pasted images."""
    return [Image(base64.b64decode(each["data"]), each["media_type"]) for each in sent]


def encoded(images: Iterable[Image]) -> list[dict[str, str]]:
    """Encode images as they were pasted: the reverse of `images`."""
    return [
        {"data": base64.b64encode(image.data).decode("ascii"), "media_type": image.media_type}
        for image in images
    ]


def mentions(text: str) -> list[tuple[str, int | None, int | None]]:
    """Return the mentions in a prompt: each a path as typed, and its first and last line."""
    found = []
    for match in MENTION.finditer(text):
        quoted, first_within, last_within, plain, first_behind, last_behind = match.groups()
        first = first_within or first_behind
        last = last_within or last_behind or first
        lines = (int(first), int(last)) if first else (None, None)
        found.append((quoted or plain, *lines))
    return found


async def unsaved(editor: Editor, text: str, root: str) -> list[Selection]:
    """Return the mentioned texts with unsaved changes, since the agent reads mentions from disk."""
    found = []
    for name, first, last in mentions(text):
        path = str(Path(root, name))
        if not await _is_unsaved(editor, path):
            continue
        lines = _lines(await editor.text(path) or "")
        begin, end = first or 1, last or len(lines)
        found.append(Selection(path, begin, end, "\n".join(lines[begin - 1 : end])))
    return found


async def _is_unsaved(editor: Editor, path: str) -> bool:
    try:
        buffer = await editor.find(path)
    except EditorError:  # the text after the `@` is not a path
        return False
    return buffer is not None and bool(buffer["modified"])


def _within(root: str, path: str) -> str:
    return str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path


def _lines(text: str) -> list[str]:
    """Return lines as the editor counts them; `str.splitlines` also splits at form feeds."""
    ended = text.replace("\r\n", "\n").removesuffix("\n")
    return ended.split("\n") if ended else []


async def prompt(
    editor: Editor,
    text: str,
    root: str,
    about: Where | None,
    pasted: Iterable[Mapping[str, str]] = (),
) -> Prompt:
    """Return the prompt to send: the typed text and its context."""
    parts = await unsaved(editor, text, root)
    return [*([about] if about else []), *parts, Words(text), *images(pasted)]
