"""The parts of the host that are built on their first use, which imports what they need."""

import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import EditorsChanged, SelectionChanged
from claude_ide.hooks.links import Links
from claude_ide.mcp.client import Client
from claude_ide.mcp.doors import Door
from claude_ide.mcp.reading import Reading, Readings
from claude_ide.startup import Options

if TYPE_CHECKING:
    import asyncio

    from claude_ide.chat.chats import Chats
    from claude_ide.chat.kinds import Kinds
    from claude_ide.chat.prompt_buffers import PromptBuffers
    from claude_ide.headless.questions import Questions
    from claude_ide.hooks.endpoint import Hooks
    from claude_ide.jupyter.kernels import Kernels
    from claude_ide.mcp.own.collection import Collection
    from claude_ide.mcp.tool import Toolset
    from claude_ide.tool_list import ToolList
    from claude_ide.trust.trust import Trust
    from claude_ide.wire_view import WireView


HOOKS = "hooks"
"""Our folder with the links of the CLIs in terminals."""


class Parts(ABC):
    """What the commands work with. The server itself is in `App`."""

    def __init__(self, editor: Editor, config: Config, options: Options) -> None:
        self.editor = editor
        self.config = config
        self.options = options
        self.readings = Readings()
        """What the CLIs in terminals may read."""

    @abstractmethod
    def guard(self, work: Awaitable[Any]) -> "asyncio.Task[None]":
        """Await `work` in a new task; an error becomes one line for the user."""

    def begun(self, part: str) -> bool:
        """Whether the part of this name, such as "chats", has been used."""
        return part in self.__dict__

    @cached_property
    def hooks(self) -> "Hooks":
        """Where CLIs in terminals send their hooks; the first use imports what it needs."""
        from claude_ide.hooks.endpoint import Hooks

        links = Links(self._state_folder / HOOKS, self.options.hooks)
        given = self.editor, self.config, links, self.options.pid, self.guard, self.trust
        return Hooks(*given, self.readings)

    @property
    def has_hooked_terminals(self) -> bool:
        """Whether CLIs report to this editor, because an earlier host has let them."""
        return Links(self._state_folder / HOOKS, self.options.hooks).is_used

    @cached_property
    def chats(self) -> "Chats":
        """The chats; the first use imports what they need."""
        from claude_ide.chat.chats import Chats
        from claude_ide.mcp.in_process import InProcessServer

        def serve(agent: str, folder: str) -> InProcessServer:
            client = Client(self.editor, self.config, label=agent, reading=Reading([folder]))
            return InProcessServer(client, self.tools)

        # As in `allowed`, but a chat can ask in its own request.
        def unasked() -> tuple[str, ...]:
            return (*self.reading, *self.tools.asking_in_chat)

        chats = Chats(
            *(self.editor, self.config, self.guard, self.kinds, serve, self.trust, unasked),
            door=partial(Door, self.editor, self.config, lambda: self.tools),
        )
        for event in (SelectionChanged, EditorsChanged):
            self.editor.events.subscribe(event, lambda _: chats.selection_changed())
        return chats

    @cached_property
    def prompts(self) -> "PromptBuffers":
        """The prompts that the user writes; the first use imports what they need."""
        from claude_ide.chat.prompt_buffers import PromptBuffers

        return PromptBuffers(self.editor.port.panels)

    @property
    def tools(self) -> "Toolset":
        """The tools for models."""
        return self.collection.toolset

    @cached_property
    def collection(self) -> "Collection":
        """The tools for models, and those of the user; the first use imports them."""
        from claude_ide.mcp.own.collection import Collection

        return Collection(self.editor, lambda: self.kernels)

    @cached_property
    def tool_list(self) -> "ToolList":
        """The list of these tools."""
        from claude_ide.tool_list import ToolList

        return ToolList(self.editor, self.collection, self.guard)

    @cached_property
    def wire_view(self) -> "WireView":
        """The traffic with clients and agents, as the user sees it."""
        from claude_ide.wire_view import WireView

        return WireView(self.editor, self.guard)

    @cached_property
    def kernels(self) -> "Kernels":
        """The Jupyter kernel; the first use imports what it needs."""
        from claude_ide.jupyter.kernels import Kernels

        return Kernels(self.editor, lambda: self.trust, self._state_folder)

    @cached_property
    def kinds(self) -> "Kinds":
        """The agents that the user can chat with; a bad entry is reported."""
        kinds, complaints = self.configured
        for complaint in complaints:
            self.editor.notify(complaint, "warn")
        return kinds

    @cached_property
    def configured(self) -> "tuple[Kinds, list[str]]":
        """The same, and what is wrong with the user's entries."""
        from claude_ide.configured_agents import configured

        return configured(self.config, os.environ, self._state_folder / "logins.json")

    @cached_property
    def questions(self) -> "Questions":
        """One-off requests; the first use imports what they need."""
        from claude_ide.headless.questions import Questions

        async def resume(chat: int, folder: Path, store: Callable[[], Awaitable[str]]) -> None:
            await self.chats.resume_in(chat, "claude", folder, store)

        return Questions(self.editor, self.config, self.trust, self._state_folder, resume)

    @cached_property
    def trust(self) -> "Trust":
        """The folders that the user trusts."""
        from claude_ide.trust.trust import Trust

        def complain(what: str) -> None:
            self.editor.notify(what, "warn")

        return Trust(self._state_folder / "trust.json", os.environ, complain)

    @property
    def _state_folder(self) -> Path:
        return Path(self.options.state or Path(self.options.log).with_suffix(""))

    @property
    def allowed(self) -> tuple[str, ...]:
        """The names of the tools for which a CLI need not ask: some ask the user themselves."""
        return (*self.reading, *self.tools.asking)

    @property
    def reading(self) -> tuple[str, ...]:
        """The names of the tools that need no permission."""
        return self.tools.read_only if self.config.tools.allow_read else ()
