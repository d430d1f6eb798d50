"""What goes with a prompt: where the user is, what they mention, pictures."""

import base64
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from claude_ide.agents.prompt import Image, OpenFile, Prompt, Selection, Words
from claude_ide.editor.editor import Editor

MENTION = re.compile(
    r'(?<!\S)@(?:"([^"]+)"|([^\s"]+?))(?:#L(\d+)(?:-(\d+))?)?(?=[\s.,;:!?)]*(?:\s|$))'
)
Where = Selection | OpenFile


def where(selection: Mapping[str, Any] | None) -> Where | None:
    """Return what `selection.lua` tells, as a prompt takes it."""
    if not selection or not selection.get("filePath"):
        return None
    path, text, span = selection["filePath"], selection["text"], selection["selection"]
    if not text:
        return OpenFile(path)
    start, end = span["start"], span["end"]
    # A selection of whole lines ends at the beginning of the next one.
    last = end["line"] + (end["character"] > 0 or end["line"] == start["line"])
    return Selection(path, start["line"] + 1, last, text)


def chip(part: Where, root: str) -> str:
    """Return what the user sees of it, such as `a.py:2-5`."""
    path = Path(part.path)
    shown = str(path.relative_to(root)) if path.is_relative_to(root) else part.path
    if isinstance(part, OpenFile):
        return shown
    return f"{shown}:{part.first}" + (f"-{part.last}" if part.last != part.first else "")


def images(sent: Iterable[Mapping[str, str]]) -> list[Image]:
    """Decode the pictures that were pasted."""
    return [Image(base64.b64decode(each["data"]), each["media_type"]) for each in sent]


async def unsaved(editor: Editor, text: str, root: str) -> list[Selection]:
    """Return what the user mentions and has not saved: the agent reads mentions from disk."""
    found = []
    for quoted, plain, first, last in MENTION.findall(text):
        path = str(Path(root, quoted or plain))
        buffer = await editor.find(path)
        if buffer is None or not buffer["modified"]:
            continue
        lines = (await editor.text(path) or "").splitlines()
        begin = int(first) if first else 1
        end = int(last or first) if first else len(lines)
        found.append(Selection(path, begin, end, "\n".join(lines[begin - 1 : end])))
    return found


async def prompt(
    editor: Editor,
    text: str,
    root: str,
    about: Where | None,
    pasted: Iterable[Mapping[str, str]] = (),
) -> Prompt:
    """Put together what is sent: the words as they were typed, and what goes with them."""
    parts = await unsaved(editor, text, root)
    return [*([about] if about else []), *parts, Words(text), *images(pasted)]
