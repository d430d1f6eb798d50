"""One client of the server, as the tools see it: its name and process, and its open diffs."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from claude_ide.base import program
from claude_ide.config import Config
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import is_elsewhere
from claude_ide.editor.port.tools import ModelTools
from claude_ide.mcp.baseline import Baseline
from claude_ide.mcp.reading import Reading, named

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels

T = TypeVar("T")


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
    def tools(self) -> ModelTools:
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
    def may_run_code(self) -> bool:
        """Whether the user lets it run code without a question for each run."""
        return self.allowed_code.all

    @may_run_code.setter
    def may_run_code(self, may: bool) -> None:
        self.allowed_code.all = may

    @property
    def shown_name(self) -> str:
        """The name that the user sees."""
        return self.label or self.title or self.name

    @property
    def folder(self) -> str:
        """The working folder of its process; empty if the system does not tell it."""
        return program.working_folder(self.pid) if self.pid else ""
