"""The context of a prompt: the user's file or selection, mentions, images."""

import asyncio
import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.agents.agent import Image, Mention, OpenFile, Prompt, Selection, Words
from claude_ide.base.paths import exists, within
from claude_ide.chat.chat_context import ChatContext
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import MENTION, check_private, is_elsewhere, mentions, path_of
from claude_ide.ui.page import size
from claude_ide.ui.text import counted

NOT_IN_A_PATH = re.compile(r"[\[\]{}()<>='`:]")
EXTENSION = re.compile(r"\.\w{1,4}$")
MOST_MENTIONS = 50
"""The number of mentions whose files are checked."""

LARGEST_OPEN_FILE = 64_000
"""The most bytes of an open file that a prompt includes; the user need not mean that file."""

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
    shown = within(part.path, root)
    return shown if isinstance(part, OpenFile) else f"{shown}:{_span(part.first, part.last)}"


def _span(first: int, last: int | None) -> str:
    return f"{first}-{last}" if last != first else str(first)


def label(part: Where, root: str, editor: Editor, *, sends_text: bool = False) -> str:
    """Return a part's label; it says if the agent gets unsaved text, or reads an older one."""
    known = editor.state.editor(part.path)
    is_old = isinstance(part, OpenFile) and known is not None and known["isDirty"]
    warning = ", unsaved text" if sends_text else ", not saved"
    return chip(part, root) + (warning if is_old else "")


def mention(params: Mapping[str, Any], root: str) -> str:
    """Return the parameters of `at_mentioned` as the user would type them, like `@a.py#L3-9`."""
    path = params["filePath"]
    if path.startswith('"'):
        # A path with blanks is quoted; its line numbers are within the quotes.
        return f'@"{within(path[1:-1], root)}"'
    words = f"@{within(path, root)}"
    if "lineStart" not in params:
        return words
    return f"{words}#L{_span(params['lineStart'] + 1, params['lineEnd'] + 1)}"


def images(sent: Iterable[Mapping[str, str]]) -> list[Image]:
    """Decode the pasted images."""
    return [Image(base64.b64decode(each["data"]), each["media_type"]) for each in sent]


def encoded(images: Iterable[Image]) -> list[dict[str, str]]:
    """Encode images as they were pasted: the reverse of `images`."""
    return [
        {"data": base64.b64encode(image.data).decode("ascii"), "media_type": image.media_type}
        for image in images
    ]


class Unknown(NamedTuple):
    """A mention without a file: its row and columns in the prompt, in bytes, and the path."""

    row: int
    first: int
    last: int
    path: str


async def unsaved(editor: Editor, text: str, root: str) -> list[Selection]:
    """Return the mentioned texts with unsaved changes, since the agent reads mentions from disk."""
    found = []
    mentioned = mentions(text)[:MOST_MENTIONS]
    paths = [path_of(root, name) for name, _, _ in mentioned]
    modified = await editor.port.buffers.modified([*paths]) if paths else ()
    for path, (_, first, last) in zip(paths, mentioned, strict=True):
        if path not in modified:
            continue
        lines = _lines(await editor.text(path) or "")
        begin, end = first or 1, last or len(lines)
        found.append(Selection(path, begin, end, "\n".join(lines[begin - 1 : end])))
    return found


async def _with_text(editor: Editor, file: OpenFile) -> OpenFile:
    if await asyncio.to_thread(_is_large, file.path):
        return file
    text = await editor.text(file.path)
    return file if text is None or len(text) > LARGEST_OPEN_FILE else OpenFile(file.path, text)


def _is_large(path: str) -> bool:
    try:
        return Path(path).stat().st_size > LARGEST_OPEN_FILE
    except OSError:  # it was never saved
        return False


def _lines(text: str) -> list[str]:
    """Return lines as the editor counts them; `str.splitlines` also splits at form feeds."""
    ended = text.replace("\r\n", "\n").removesuffix("\n")
    return ended.split("\n") if ended else []


def _missing(text: str, root: str) -> list[str]:
    """Return the paths of mentions whose files do not exist, as typed."""
    typed = dict.fromkeys(name for name, _, _ in mentions(text) if _is_like_a_file(name))
    return [name for name in [*typed][:MOST_MENTIONS] if not exists(path_of(root, name))]


def unknown(lines: Sequence[str], root: str) -> list[Unknown]:
    """Return the mentions in the lines of a prompt whose files do not exist."""
    found = [
        Unknown(row, size(line[: each.start()]), size(line[: each.end()]), path_of(root, name))
        for row, line in enumerate(lines)
        for each in MENTION.finditer(line)
        if _is_like_a_file(name := each[1] or each[4])
    ]
    return [each for each in found[:MOST_MENTIONS] if not exists(each.path)]


def _mentioned(text: str, root: str) -> list[Mention]:
    """Return the mentions of files that exist, without those of folders."""
    return [
        Mention(path, f"{name}#L{_span(first, last)}" if first else name, first, last)
        for name, first, last in mentions(text)[:MOST_MENTIONS]
        if (path := _file(root, name))
    ]


def _file(root: str, name: str) -> str:
    path = path_of(root, name)
    try:
        return path if Path(path).is_file() else ""
    except (OSError, ValueError):  # as in `exists`
        return ""


def _is_like_a_file(name: str) -> bool:
    # Agents, resources of servers and decorators of pasted code are written in the same way.
    if NOT_IN_A_PATH.search(name) or name.startswith("agent-"):
        return False
    return "/" in name or bool(EXTENSION.search(name))


class Gathered(NamedTuple):
    """A prompt to send, with the labels of its context, and its mentions without a file."""

    prompt: Prompt
    labels: list[str]
    missing: list[str]


async def gather(
    editor: Editor,
    text: str,
    root: str,
    attached: Where | None,
    pasted: Sequence[Mapping[str, str]] = (),
    *,
    sends_text: bool = False,
) -> Gathered:
    """Gather the context of a typed text: what is attached, mentioned and pasted.

    With `sends_text` the agent gets the text of the open file. Raises `UserError` if a mentioned
    file stays in the editor.
    """
    await check_private(editor, text, [root])
    if attached is not None and await editor.private([attached.path]):
        attached = None
    parts = await unsaved(editor, text, root)
    labels = [label(attached, root, editor, sends_text=sends_text)] if attached else []
    if sends_text and isinstance(attached, OpenFile):
        attached = await _with_text(editor, attached)
    labels += [f"{chip(part, root)}, unsaved text" for part in parts]
    labels += [counted(len(pasted), "image")] if pasted else []
    open_here = {part.path for part in parts}
    missing = [
        name
        for name in await asyncio.to_thread(_missing, text, root)
        if path_of(root, name) not in open_here
    ]
    links = [
        found
        for found in await asyncio.to_thread(_mentioned, text, root)
        if found.path not in open_here
    ]
    context: list[Where] = [*([attached] if attached else []), *parts]
    prompt = [*context, Words(text), *links, *images(pasted)]
    return Gathered(prompt, labels, missing)


class Attachment:
    """The user's file or selection, which a prompt includes once, unless the user removes them."""

    def __init__(self, chat: ChatContext) -> None:
        self._chat = chat
        self._editor = chat.editor
        self._sent: Where | None = None
        self._dropped: Where | None = None

    @property
    def sends_text(self) -> bool:
        """Whether the agent gets the text of the open file with a prompt."""
        return self._chat.agent.capabilities.open_file

    @property
    def is_known(self) -> bool:
        """Whether the user's file or selection is known; not before the editor has reported it."""
        return self._editor.state.selection is not None

    @property
    def now(self) -> Where | None:
        """The file or selection; None if the agent knows it, or the user has removed it."""
        attached = where(self._editor.state.selection)
        if attached is None or is_elsewhere(attached.path, self._chat.root):
            return None
        return None if attached in (self._sent, self._dropped) else attached

    def chips(self, attached: Where | None) -> list[str]:
        """Return its labels in the prompt's bar."""
        if attached is None:
            return []
        root, sends_text = self._chat.root, self.sends_text
        return [label(attached, root, self._editor, sends_text=sends_text)]

    def sent(self, attached: Where | None) -> None:
        """Remember that the agent now knows this file or selection."""
        self._sent = attached or self._sent

    def forget(self) -> None:
        """Include the file or selection again: the agent does not know it."""
        self._sent = None

    def not_sent(self, attached: Where | None) -> None:
        """Offer this file or selection again: its prompt did not reach the agent."""
        if attached == self._sent:
            self._sent = None

    def drop(self) -> None:
        """Exclude the current file or selection from prompts."""
        self._dropped = self.now
