"""What the editor asks while the user writes a prompt: files, commands, mentions, images."""

import asyncio
import base64
import contextlib
import mimetypes
import os
import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from claude_ide.base import files, git
from claude_ide.base.paths import config_folder, exists, within
from claude_ide.base.program import locate, output
from claude_ide.chat import context
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import (
    CommandsAsked,
    FilesAsked,
    FilesDropped,
    ImageAsked,
    MentionsAsked,
)

LARGEST_IMAGE_BYTES = 5 * 1024 * 1024
CLIPBOARD_SECONDS = 10.0
TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")

FILE = re.compile("file://(localhost)?/")

WAYLAND = "WAYLAND_DISPLAY"
NO_TOOL = "no tool to read images from the clipboard (wl-paste, xclip or pngpaste)"
NO_IMAGE = "no image on the clipboard"
TOO_LARGE = "the image is larger than 5 MB"


class ClipboardTool(NamedTuple):
    """A program that prints the clipboard; `{}` stands for the type of the image."""

    program: str
    lists: tuple[str, ...]
    """The arguments that list the types; without any, there are only PNG images."""
    reads: tuple[str, ...]


TOOLS = (
    ClipboardTool("wl-paste", ("--list-types",), ("--no-newline", "--type", "{}")),
    ClipboardTool(
        "xclip",
        ("-selection", "clipboard", "-t", "TARGETS", "-o"),
        ("-selection", "clipboard", "-t", "{}", "-o"),
    ),
    ClipboardTool("pngpaste", (), ("-",)),
)


class PromptBuffers:
    """The answers, for the prompts of chats and of `:ClaudePrompt`."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._panels = editor.port.panels
        self._files = PromptFiles()
        self._latest = 0

    async def complete(self, asked: FilesAsked) -> None:
        """Answer with the files that may match, unless the user has typed on since."""
        self._latest = asked.number
        paths = await self._files.of(asked.root)
        found = await paths.match(asked.pattern, lambda: self._latest == asked.number)
        if self._latest == asked.number:
            await self._panels.show_completion(asked.number, "\0".join(found))

    async def check(self, asked: MentionsAsked) -> None:
        """Answer with the mentions of files that do not exist."""
        found = await asyncio.to_thread(context.unknown, asked.lines, asked.root)
        await self._panels.mark_mentions(asked.bufnr, asked.tick, found)

    async def list_commands(self, asked: CommandsAsked) -> None:
        """Answer with the commands of the CLI in a terminal that is in a folder."""
        found = await asyncio.to_thread(commands, Path(asked.root), os.environ)
        await self._panels.offer_commands(asked.bufnr, found)

    async def paste(self, asked: ImageAsked) -> None:
        """Answer with the image on the clipboard, for the place that the editor has marked."""
        image = await _clipboard_image(os.environ)
        await self._panels.paste_image(asked.bufnr, asked.mark, image)

    async def drop(self, dropped: FilesDropped) -> None:
        """Answer with the mentions of the files that were dropped, and with the images."""
        paths = await asyncio.to_thread(dropped_files, dropped.paths)
        private = await self._editor.private(paths)
        words, images = list[str](), list[dict[str, str]]()
        for path in paths:
            takes = dropped.takes_images and path not in private
            image = await asyncio.to_thread(_image_file, path) if takes else {}
            words.append("" if image else _mention(path, dropped.root))
            images += [image] if image else []
        await self._panels.put_dropped(dropped.bufnr, dropped.mark, words, images)


def dropped_files(text: str) -> list[str]:
    """Return the files that a terminal has pasted: paths as a shell reads them, or addresses.

    The list is empty if the text is anything else.
    """
    # A path with blanks or quotes may be pasted as it is.
    words = [text.strip()]
    if not exists(words[0]):
        try:
            words = shlex.split(text)
        except ValueError:
            return []
    paths = [unquote(FILE.sub("/", word)) if FILE.match(word) else word for word in words]
    return paths if all(path.startswith("/") and exists(path) for path in paths) else []


def _mention(path: str, root: str) -> str:
    spelled = within(path, root)
    return f'@"{spelled}"' if re.search(r"\s", spelled) else f"@{spelled}"


def _image_file(path: str) -> dict[str, str]:
    """Return an image as `_clipboard_image` does; nothing if it is none, or too large."""
    type_ = mimetypes.guess_type(path)[0]
    if type_ not in TYPES:
        return {}
    data = files.read_if_sound(Path(path), LARGEST_IMAGE_BYTES)
    return {"data": base64.b64encode(data).decode(), "media_type": type_} if data else {}


async def _clipboard_image(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the image (`data` in base64, `media_type`), or why there is none (`problem`)."""
    tools = [each for each in TOOLS if _path(each, environment)]
    # Without Wayland it might answer for another session.
    tools.sort(key=lambda each: each.program == "wl-paste" and not environment.get(WAYLAND))
    for tool in tools:
        listed = await _output(tool, tool.lists, environment) if tool.lists else TYPES[0].encode()
        found = next((each for each in TYPES if each.encode() in (listed or b"")), None)
        arguments = tuple(word.format(found) for word in tool.reads)
        data = await _output(tool, arguments, environment) if found else None
        if data and len(data) > LARGEST_IMAGE_BYTES:
            return {"problem": TOO_LARGE}
        if data and found:
            return {"data": base64.b64encode(data).decode(), "media_type": found}
    return {"problem": NO_IMAGE if tools else NO_TOOL}


def _path(tool: ClipboardTool, environment: Mapping[str, str]) -> str:
    try:
        return locate(tool.program, environment.get("PATH", os.defpath))
    except OSError:
        return ""


async def _output(
    tool: ClipboardTool, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> bytes | None:
    """Return what a tool prints, cut off after the largest image; None if it fails."""
    words = (_path(tool, environment), *arguments)
    try:
        async with asyncio.timeout(CLIPBOARD_SECONDS):
            return await output(words, LARGEST_IMAGE_BYTES + 1, environment)
    except TimeoutError:
        return None


FRESH_SECONDS = 5.0
COST = 20
"""A list is fresh for this many times the time that the search took."""

LARGEST_LIST_BYTES = 64 * 1024 * 1024
"""All paths of a folder: about a million."""

MOST_WALKED = 50_000
"""Entries of a folder that is no repository."""
WALKED_FOLDERS = 8
CACHED = 3
"""Folders."""

CHUNK = 1000
"""Paths that are searched before the search may end."""
MOST_MATCHES = 2000
"""The editor ranks them while the user types."""

FIRST_PATHS = 200
"""Paths that are offered before anything is typed."""

LIST_FILES = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


class Paths:
    """The paths of a folder."""

    def __init__(self, paths: Iterable[bytes]) -> None:
        self._all = [*_with_folders(paths)]

    async def match(self, pattern: str, is_wanted: Callable[[], bool]) -> list[str]:
        """Return paths that contain a pattern, and others with its letters in this order.

        Case does not count. The search ends without a result when it is no longer wanted.
        """
        found = self._all[:FIRST_PATHS]
        if pattern:
            wanted = os.fsencode(pattern).lower()
            found = await asyncio.to_thread(self._matching, wanted, is_wanted)
        return list(map(os.fsdecode, found))

    def _matching(self, wanted: bytes, is_wanted: Callable[[], bool]) -> list[bytes]:
        letters = (re.escape(wanted[at : at + 1]) for at in range(len(wanted)))
        follow = re.compile(b".*?".join(letters), re.DOTALL)
        whole: list[bytes] = []
        others: list[bytes] = []
        for number, path in enumerate(self._all):
            if number % CHUNK == 0 and not is_wanted():
                return []
            text = path.lower()
            if wanted in text:
                whole.append(path)
            elif len(others) < MOST_MATCHES and follow.search(text):
                others.append(path)
            if len(whole) >= MOST_MATCHES:
                break
        return [*whole, *others][:MOST_MATCHES]


def _with_folders(paths: Iterable[bytes]) -> Iterator[bytes]:
    """Yield paths, and each folder before the first path in it.

    A path that follows itself comes once: git lists each version of a file with a conflict.
    """
    folders: set[bytes] = set()
    last = last_folder = b""
    for path in paths:
        if path in (b"", last):
            continue
        last, folder = path, path.rpartition(b"/")[0]
        if folder != last_folder:
            last_folder = folder
            while folder and folder not in folders:
                folders.add(folder)
                yield folder + b"/"
                folder = folder.rpartition(b"/")[0]
        yield path


@dataclass(slots=True)
class _Folder:
    paths: Paths | None = None
    """Possibly outdated."""
    search: "asyncio.Task[None] | None" = None
    outdated: float = 0.0
    """When another search is due, in monotonic seconds."""


class PromptFiles:
    """The files of the last folders."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}

    async def of(self, folder: str) -> Paths:
        """Return the files of a folder, as known from a search of the last seconds."""
        known = self._folders.pop(folder, None) or _Folder()
        self._folders[folder] = known
        for oldest in [*self._folders][:-CACHED]:
            del self._folders[oldest]
        if time.monotonic() > known.outdated and (known.search is None or known.search.done()):
            known.search = asyncio.create_task(_search_again(known, folder))
        if known.paths is None and known.search is not None:
            await asyncio.shield(known.search)
        return known.paths or Paths(())


async def _search_again(known: _Folder, folder: str) -> None:
    begun = time.monotonic()
    listed = await _listed(folder)
    if listed is None:
        known.paths = await asyncio.to_thread(
            lambda: Paths(_walked(folder, WALKED_FOLDERS, MOST_WALKED))
        )
    else:
        known.paths = await asyncio.to_thread(lambda: Paths(listed.split(b"\0")))
    now = time.monotonic()
    known.outdated = begun + max(FRESH_SECONDS, COST * (now - begun))


async def _listed(folder: str) -> bytes | None:
    """Return the paths that git lists, with a NUL between them; None without a repository."""
    listed = await output(
        git.command(*LIST_FILES), LARGEST_LIST_BYTES, git.environment(os.environ), folder
    )
    # The last path may be cut.
    return None if listed is None else listed.rpartition(b"\0")[0]


def _walked(folder: str, depth: int, most: int, *, follows_links: bool = False) -> Iterator[bytes]:
    """Yield the files in a folder except hidden ones, of the first `most` entries.

    `depth` says in how many folders in each other they may be.
    """
    waiting, count = deque([("", 1)]), 0
    while waiting:
        above, level = waiting.popleft()
        with contextlib.suppress(OSError), os.scandir(Path(folder, above)) as entries:
            for entry in entries:
                count += 1
                if count > most:
                    return
                path = above + entry.name
                if entry.name.startswith("."):
                    continue
                if not entry.is_dir(follow_symlinks=follows_links):
                    yield os.fsencode(path)
                elif level < depth:
                    waiting.append((f"{path}/", level + 1))


DESCRIBED_BYTES = 4000
"""Of a file in which its description is sought."""
COMMAND_FOLDERS = 4
"""Folders in each other."""
MOST_COMMAND_FILES = 5_000
"""Entries of a folder with commands or skills, which a project may link to any other one."""

BUILT_IN = {
    "clear": ("Start a new session with empty context", ""),
    "compact": ("Summarize the conversation to free up context", "<what to keep>"),
    "config": ("Change settings", ""),
    "context": ("Show the used context", ""),
    "cost": ("Show the cost of the session", ""),
    "init": ("Write a CLAUDE.md for this project", ""),
    "mcp": ("Manage MCP servers", ""),
    "memory": ("Edit the memory files", ""),
    "model": ("Set the model", "<model>"),
    "permissions": ("Manage the permission rules", ""),
    "resume": ("Resume a conversation", ""),
    "review": ("Review a pull request", "[number]"),
    "rewind": ("Restore an earlier point", ""),
    "security-review": ("Review the security of the pending changes", ""),
}
"""Those that most users need, each with a description and its arguments; the CLI has more."""

MOST_DESCRIBED = 60
"""Characters of a description, beside the name of a command."""

MenuItem = dict[str, str]
"""An entry of a completion menu (`:help complete-items`)."""


def command_item(name: str, description: str, hint: str) -> MenuItem:
    """Return how a command is offered, with a hint at its arguments."""
    return {
        "word": f"/{name}",
        "abbr": f"/{name} {hint}".rstrip(),
        "menu": " ".join(description.split())[:MOST_DESCRIBED],
        "info": description,
    }


def commands(root: Path, environment: Mapping[str, str]) -> list[MenuItem]:
    """Return how the commands in a project are offered, in the order of their names."""
    found = dict(BUILT_IN)
    for folder in (config_folder(environment), root / ".claude"):
        for name, path in _command_files(folder):
            text = _beginning(path)
            found[name] = (_field(text, "description"), _field(text, "argument-hint"))
    return [command_item(name, *words) for name, words in sorted(found.items())]


def _command_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield commands and skills.

    `commands/front/build.md` is `/front:build`; `skills/mend/SKILL.md` is `/mend`.
    """
    for kind, depth in (("commands", COMMAND_FOLDERS), ("skills", 2)):
        inside = folder / kind
        for name in _walked(str(inside), depth, MOST_COMMAND_FILES, follows_links=True):
            path = Path(os.fsdecode(name))
            if kind == "commands" and path.suffix == ".md":
                yield ":".join(path.with_suffix("").parts), inside / path
            elif kind == "skills" and path.parts[1:] == ("SKILL.md",):
                yield path.parts[0], inside / path


def _beginning(path: Path) -> str:
    try:
        with files.open_regular(path) as file:
            beginning = file.read(DESCRIBED_BYTES).decode(errors="replace")
            return beginning.replace("\r\n", "\n")
    except OSError:
        return ""


def _field(text: str, name: str) -> str:
    """Return a field of the YAML at the beginning of a file; empty if there is none."""
    front = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    value = re.search(rf"^{name}:[ \t]*(.*)$", front[1], re.MULTILINE) if front else None
    return re.sub(r"^([\"'])(.*)\1$", r"\2", value[1].strip()) if value else ""
