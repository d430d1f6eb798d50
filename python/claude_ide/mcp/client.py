"""One client of the server, as the tools see it: its name and process, what it may read and run."""

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from claude_ide.base import program
from claude_ide.base.errors import ToolError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import below_home, home, named_by, normalized, real
from claude_ide.config import Config
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import is_elsewhere
from claude_ide.editor.port.tools import ModelToolsPort
from claude_ide.mcp.baseline import Baseline

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels


T = TypeVar("T")

ANSWER_SECONDS = 600.0
"""How long the user may take to answer."""

MOST_FILES = 20_000
"""Those that were named or read first are forgotten."""

MOST_LAUNCHES = 50
"""A client can invent some."""

READ, READ_FOLDER, REFUSE = "Read {}", "Read everything in {} until it ends", "Do not read it"


class Named(msgspec.Struct, frozen=True):
    """What the arguments of a tool name: paths as the model writes them, numbers of buffers."""

    paths: tuple[str, ...]
    buffers: tuple[int, ...]


def named(arguments: Any) -> Named:
    """Return the files and the buffers that the arguments of a tool name, at any depth.

    Tools name them by `file`, `uri` and `buffer` (`tests/mcp/test_reading.py`).
    """
    found = [*_fields(msgspec.to_builtins(arguments))]
    paths = [value for key, value in found if key == "file"]
    paths += [named_by(value) for key, value in found if key == "uri"]
    buffers = (value for key, value in found if key == "buffer")
    return Named(tuple(dict.fromkeys(paths)), tuple(buffers))


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from _fields(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, dict | list):
                yield from _fields(each)
            elif each is not None:
                yield key, each


class Reading:
    """What one agent may read through the editor without a question; these are its own folders.

    An agent's program asks its user before it reads a file outside its folders. The editor's tools,
    which need no permission, must not lead around that. Four things are open to an agent: the files
    of the working folders, the files that the user has opened, those that an answer of a language
    server has named, and those that the agent has read by its own tools. The user is asked for all
    others.
    """

    def __init__(self, folders: Iterable[str] = ()) -> None:
        self._folders = set(map(real, folders))
        self._files: dict[str, None] = {}
        self._turn = asyncio.Lock()
        """Held while the user is asked: one question at a time."""
        self._refused: dict[str, float] = {}
        """When the user has refused a file, for the tasks that waited then."""
        self._asking: set[object] = set()
        """The tasks that wait for the user."""

    def add(self, *paths: str) -> None:
        """Open files to the agent, such as those that it has read by its own tools.

        Links are followed now: one that leads elsewhere later opens nothing else.
        """
        for target in map(real, paths):
            self._files.pop(target, None)
            self._files[target] = None
        while len(self._files) > MOST_FILES:
            del self._files[next(iter(self._files))]

    def add_named(self, names: Iterable[str]) -> None:
        """Open the files that an answer of language servers names; a uri may name none."""
        self.add(*(name for name in names if name.startswith("/")))

    def is_asking(self, task: object) -> bool:
        """Return whether a task waits for the user."""
        return task in self._asking

    async def admit(self, editor: Editor, reader: str, wanted: Named) -> None:
        """Return when the agent, whose name is `reader`, may read these files and buffers.

        Raises `ToolError` if the user refuses one, or `EditorError` if no file has such a path.
        """
        # The editor may read `link/..` otherwise than the system, so it says what others mean.
        folders = {real(folder) for folder in editor.state.folders}
        paths = [
            path
            for path in wanted.paths
            if path != normalized(path) or not self.covers(path, folders)
        ]
        if not paths and not wanted.buffers:
            return
        known = await editor.port.model_tools.named(
            {
                "files": [{"file": path} for path in paths],
                "buffers": [{"bufnr": number} for number in wanted.buffers],
            }
        )
        folders = {real(folder) for folder in known["folders"]}
        for file in known["files"] or []:
            path = file["path"]
            if file["is_open"] or self.covers(path, folders):
                continue
            if file["refusal"]:
                raise ToolError(file["refusal"])
            await self._ask(editor, reader, path)

    def covers(self, path: str, folders: Iterable[str] = ()) -> bool:
        """Return whether the agent may read a file, also in these folders; links are followed."""
        if not path.startswith("/"):
            return False
        target = real(path)
        return target in self._files or any(
            Path(target).is_relative_to(folder) for folder in (*self._folders, *folders)
        )

    async def _ask(self, editor: Editor, reader: str, path: str) -> None:
        """Have the user decide about a file. Raises `ToolError` if the agent must not read it."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        since, target = loop.time(), real(path)
        self._asking.add(task)
        try:
            async with self._turn:
                # The answer to an earlier question may have decided.
                if self.covers(path):
                    return
                if self._refused.get(target, 0.0) < since:
                    await self._decide(editor, reader, path)
                    if self.covers(path):
                        return
                    self._refused[target] = loop.time()
        finally:
            self._asking.discard(task)
            if not self._asking:
                self._refused.clear()
        raise ToolError(
            f"{path} is outside the working folders, and the user has not allowed you to read it"
        )

    async def _decide(self, editor: Editor, reader: str, path: str) -> None:
        target = real(path)
        shown = below_home(target, os.environ)
        read, refuse = READ.format(shown), REFUSE
        folder = str(Path(target).parent)
        # A yes for the whole home directory would be one for almost everything.
        is_narrow = not Path(home(os.environ)).resolve().is_relative_to(folder)
        all_of_it = READ_FOLDER.format(below_home(folder, os.environ)) if is_narrow else ""
        question = f"{reader} wants to read {shown}, which is outside the working folders"
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answers = [answer for answer in (read, all_of_it, refuse) if answer]
                choice = await editor.decide(question, answers)
        except TimeoutError:
            minutes = ANSWER_SECONDS / 60
            raise ToolError(
                f"{path} is outside the working folders, and the user has not answered within "
                f"{minutes:g} minutes whether you may read it; {editor_name()} may be unattended"
            ) from None
        if choice == read:
            self.add(target)
        elif choice and choice == all_of_it:
            self._folders.add(folder)


class Readings:
    """What the CLIs in terminals may read, by the ids of their launches."""

    def __init__(self) -> None:
        self._known: dict[str, Reading] = {}

    def of(self, launch: str, *folders: str) -> Reading:
        """Return that of a launch, which runs in these folders; "" has a new one each time."""
        known = self._known.pop(launch, None) or Reading(folders)
        if launch:
            self._known[launch] = known
        while len(self._known) > MOST_LAUNCHES:
            del self._known[next(iter(self._known))]
        return known


class AllowedCode(msgspec.Struct, eq=False):
    """Code that the user has allowed an agent to run, before the agent calls the tool that runs it.

    `all` of its code, or each of these once.
    """

    all: bool = False
    by_use: dict[str, str] = {}
    """By the ids of the tool's uses."""
    by_text: dict[str, str] = {}
    """By the code for which an agent has asked; the user may have changed it."""

    def allow_use(self, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        """Allow one use with these arguments, or `for_good` all further ones."""
        self.by_use[use] = str(arguments.get("code", ""))
        self.all = self.all or for_good

    def allow_text(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Allow the next use with this code, and run `allowed` then."""
        self.by_text[asked] = allowed
        self.all = self.all or for_good

    def take(self, use: str | None, code: str) -> str | None:
        """Return the code that this use may run; None if the user has not allowed it yet."""
        allowed = self.by_use.pop(use or "", None)
        return self.by_text.pop(code, None) if allowed is None else allowed

    def forget_texts(self) -> None:
        """Forget what was not run by the end of a turn."""
        self.by_text.clear()


class Client(msgspec.Struct, eq=False):
    """A connected agent.

    `pid` is from `ide_connected`; `since` is a `time.time()`, `last_active` a `time.monotonic()`.
    `informed` is whether changes are sent to it; `listening` is whether it is known to handle them,
    see `Ide._welcome`. `label` is the name of a client that we know; others name themselves.
    """

    editor: Editor
    config: Config
    name: str = "unknown"
    version: str = ""
    title: str = ""
    label: str = ""
    pid: int | None = None
    since: float = msgspec.field(default_factory=time.time)
    last_active: float = msgspec.field(default_factory=time.monotonic)
    initialized: bool = False
    listed_tools: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    informed: bool = False
    listening: bool = False
    responsive: bool = True
    diffs: list[Diff] = msgspec.field(default_factory=list)
    baseline: Baseline = msgspec.field(default_factory=Baseline)
    kernels: "Callable[[], Kernels] | None" = None
    running_code: set[Any] = set()
    """The tasks whose code the kernel runs now."""
    late: list[str] = []
    """What calls have done that were cancelled; the next answer says so."""
    allowed_code: AllowedCode = msgspec.field(default_factory=AllowedCode)
    reading: Reading = msgspec.field(default_factory=Reading)

    async def admit(self, arguments: Any) -> None:
        """Return when a model may read what the arguments of its tool name.

        Raises `ToolError` if the user refuses.
        """
        wanted = named(arguments)
        if wanted.paths or wanted.buffers:
            await self.reading.admit(self.editor, self.shown_name, wanted)

    @property
    def tools(self) -> ModelToolsPort:
        """The model's tools that the editor runs."""
        return self.editor.port.model_tools

    async def without_private(self, entries: list[T], path_of: Callable[[T], str]) -> list[T]:
        """Return the entries about files that need not stay in the editor."""
        paths = {path_of(entry) for entry in entries}
        private = await self.editor.private(path for path in paths if path.startswith("/"))
        return [entry for entry in entries if path_of(entry) not in private]

    def may_learn(self, path: str) -> bool:
        """Return whether it may learn what the user does in a file: not in another worktree."""
        folder = self.folder
        return not (folder and is_elsewhere(path, folder))

    def mark_active(self) -> None:
        """Record that it has sent a message of its own; the answer to a ping does not count."""
        self.last_active = time.monotonic()

    @property
    def shown_name(self) -> str:
        """The name that the user sees."""
        return self.label or self.title or self.name

    @property
    def folder(self) -> str:
        """The working folder of its process; empty if the system does not tell it."""
        return program.working_folder(self.pid) if self.pid else ""
