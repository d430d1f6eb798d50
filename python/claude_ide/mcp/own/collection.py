"""All tools of one Neovim: the built-in ones, those of packages, and those added in Neovim.

Neovim keeps the latter, and which tools are off (`lua/claude_ide/tools/own.lua`): they outlive a
host. It reports everything with each change, and when a host starts.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base.errors import ToolError
from claude_ide.base.unicode import readable
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import OwnToolsChanged
from claude_ide.mcp import model
from claude_ide.mcp.own import WrongError, packages
from claude_ide.mcp.own.tool import Definition, OwnTool
from claude_ide.mcp.tool import describe_problem

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

ANOTHER = "another tool has this name"


class Collection:
    """The toolset, and the tools that are not in it because something is wrong with them."""

    def __init__(self, editor: Editor, kernels: "Callable[[], Kernels]") -> None:
        self._editor = editor
        self.toolset = model.toolset(kernels)
        self.refused: dict[str, str] = {}
        """By name, what is wrong."""
        self._reported: dict[str, dict[str, Any]] = {}
        """The tools that Neovim has reported last, by name."""
        self._built_in = self._fixed = frozenset(self.toolset)
        self.toolset.subscribe(self._report)
        self._report()
        if points := packages.found():
            self.toolset.importing = asyncio.ensure_future(self._import(points))

    async def _import(self, points: Sequence[EntryPoint]) -> None:
        """Add the tools of packages, which win over those of Neovim with their names."""
        async for tool in packages.tools(points, self._refuse, self._complain):
            if tool.name in self._fixed:
                self._refuse(tool.name, ANOTHER)
                continue
            self._fixed |= {tool.name}
            if tool.name in self._reported:
                self._refuse(tool.name, ANOTHER)
            self.toolset[tool.name] = tool
        self._report()

    def source(self, name: str) -> str:
        """Return where a tool is from, for the user; empty for a built-in one."""
        if name in self._built_in:
            return ""
        return "package" if name in self._fixed else "yours"

    def update(self, changed: OwnToolsChanged) -> None:
        """Take over the tools that Neovim has, and the names of those that are off."""
        reported = readable(json.loads(changed.json))
        tools = {each["name"]: each for each in reported["tools"]}
        for name in self._reported.keys() - tools.keys():
            self._remove(name)
        for name, definition in tools.items():
            if definition != self._reported.get(name):
                self._remove(name)
                self._add(name, definition)
        self._reported = tools
        self.toolset.turn_off(frozenset(reported["off"]))

    def _report(self) -> None:
        self._editor.tools_are([*self.toolset], [*self._fixed])

    def _remove(self, name: str) -> None:
        self.refused.pop(name, None)
        if name not in self._fixed:
            self.toolset.pop(name, None)

    def _add(self, name: str, definition: dict[str, Any]) -> None:
        if name in self._fixed:
            return self._refuse(name, ANOTHER)
        try:
            self.toolset[name] = _tool(definition)
        except msgspec.DecodeError as error:
            self._refuse(name, describe_problem(error))
        except WrongError as error:
            self._refuse(name, str(error))

    def _refuse(self, name: str, reason: str) -> None:
        self.refused[name] = reason
        self._complain(f"the tool {name} was not added: {reason}")

    def _complain(self, what: str) -> None:
        self._editor.notify(what, "warn")


def _tool(definition: dict[str, Any]) -> OwnTool:
    """Return the tool that a function in Neovim executes."""
    name = definition["name"]

    async def call(client: "Client", arguments: Any) -> Any:
        answer = await client.tools.call_own({"name": name, "arguments": arguments})
        if "failure" in answer:
            # Whole, with the traceback; the model needs only the beginning.
            logger.error("the tool %s failed: %s", name, answer["whole"])
            raise ToolError(f"{name} failed: {answer['failure']}")
        return answer.get("result")

    from claude_ide.mcp.own.schema import repaired

    schema = repaired(definition.get("schema", {}))
    return msgspec.convert({**definition, "schema": schema}, Definition).tool(call)
