"""`:ClaudeTools`: the model's tools, which the user turns on and off."""

import json

from claude_ide.base.errors import UserError
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.port.windows import FloatLook
from claude_ide.mcp.tool import Tool, ToolUsage
from claude_ide.mcp.user_tools import UserTools
from claude_ide.ui.listing import Item, Listing, item
from claude_ide.ui.page import Row, row
from claude_ide.ui.text import counted, one_line

NAME, TITLE = "tools", "The model's tools"
KEYS = (
    ("x", "on/off", "Turn the tool on or off"),
    ("<CR>", "details", "Show the description and the arguments"),
)
META, ERROR = "ClaudeChatMeta", "ClaudeChatError"
ON, OFF, WRONG = ("on", "ClaudeFormPicked"), ("off", META), ("wrong", ERROR)
STATE_WIDTH = 7


class ToolList:
    """The list, and the subcommands of `:ClaudeTools`."""

    def __init__(self, editor: Editor, collection: UserTools, run: Run) -> None:
        self._editor = editor
        self._collection = collection
        self._port = editor.port
        self._listing = Listing(NAME, KEYS, self._port, run)

    async def open(self) -> None:
        """Open the list."""
        await self._listing.open(TITLE, self._draw)

    async def turn(self, name: str, *, on: bool) -> None:
        """Turn a tool on or off. Raises `UserError` if there is none with this name."""
        if name not in self._collection.toolset:
            raise UserError(f"there is no tool {name} (:ClaudeTools lists them)")
        await self._editor.port.own_tools.turn(name, on)
        self._editor.notify(f"{name} is {'on' if on else 'off'}")

    async def press(self, key: str, name: str) -> None:
        """Handle a key of the list on a tool."""
        if key == "closed":
            self._listing.end()
        elif name in self._collection.toolset:
            if key == "x":
                off = name in self._collection.toolset.off
                await self._editor.port.own_tools.turn(name, off)
                await self._draw()
            else:
                await self._show(self._collection.toolset[name])

    async def _show(self, tool: Tool) -> None:
        schema = json.dumps(tool.input_schema, indent=2, ensure_ascii=False)
        lines = [*tool.description.splitlines(), "", *schema.splitlines()]
        await self._port.windows.show_lines(lines, FloatLook(tool.name))

    async def _draw(self) -> None:
        await self._listing.show(TITLE, [*self._items()])

    def _items(self) -> list[Item]:
        """Return the user's own tools, and then the built-in ones."""
        toolset, refused = self._collection.toolset, self._collection.refused
        width = max(map(len, (*toolset, *refused)))
        own = [each for each in toolset if self._collection.source(each)]
        built_in = [each for each in toolset if each not in own]
        wrong = [
            item("", _wrong(name, reason, width), [name for _, name, _ in KEYS])
            for name, reason in refused.items()
        ]
        return wrong + [item(each, [self._row(each, width)]) for each in (*own, *built_in)]

    def _row(self, name: str, width: int) -> Row:
        toolset = self._collection.toolset
        word, group = OFF if name in toolset.off else ON
        about = (self._collection.source(name), *_usage(toolset.usage[name]))
        return row(
            (f"{word:<{STATE_WIDTH}}", group),
            (f"{name:<{width}}", ""),
            (f"  {_summary(toolset[name])}", META),
            *((f" · {each}", META) for each in about if each),
        )


def _summary(tool: Tool) -> str:
    """Return the name of a tool for people; of one without it the beginning of its description."""
    return one_line(tool.title if tool.title != tool.name else tool.description.splitlines()[0])


def _wrong(name: str, reason: str, width: int) -> list[Row]:
    word, group = WRONG
    return [
        row(
            (f"{word:<{STATE_WIDTH}}", group),
            (f"{one_line(name):<{width}}", ""),
            (f"  {one_line(reason)}", ERROR),
        )
    ]


def _usage(usage: ToolUsage) -> list[str]:
    """Return how often a tool was called, and how long a call took on average."""
    if not usage.calls and not usage.refused:
        return []
    seconds = usage.seconds / max(1, usage.calls)
    took = f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    calls = counted(usage.calls, "call")
    return [
        f"{calls}, {took} each" if usage.calls > 1 else f"{calls}, {took}" if usage.calls else "",
        f"{usage.failed} failed" if usage.failed else "",
        f"{usage.refused} with wrong arguments" if usage.refused else "",
    ]
