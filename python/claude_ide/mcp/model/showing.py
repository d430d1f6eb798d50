"""What the model shows the user, without taking them away from what they do."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.lists import List
from claude_ide.mcp.model.pages import count
from claude_ide.mcp.model.place import File, Line
from claude_ide.mcp.tool import Arguments, Content, NoArguments, model_tool, text

MOST = 1000

Column = Annotated[int | None, Meta(description="Column, from 1, in characters")]
EndLine = Annotated[int | None, Meta(description="Last line; default: the first one")]


class OpenFile(File, frozen=True):
    """Arguments of `open_file`."""

    line: Annotated[int | None, Meta(description="Line to go to, from 1")] = None
    end_line: Annotated[int | None, Meta(description="Select from line to this one")] = None


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place in a list."""

    file: Annotated[str, Meta(min_length=1, description="Absolute path of the file")]
    line: Line
    column: Column = None
    end_line: EndLine = None
    text: Annotated[str, Meta(description="What the user reads about the place")] = ""
    kind: Annotated[
        Literal["E", "W", "I", "N", ""], Meta(description="Error, warning, information or note")
    ] = ""


Entries = Annotated[
    list[Entry], Meta(min_length=1, max_length=MOST, description="The places, in the order to show")
]
Title = Annotated[str, Meta(min_length=1, max_length=200, description="What the list is about")]


class ShowPlaces(Arguments, frozen=True):
    """Arguments of `show_places`."""

    title: Title
    entries: Entries


class SetList(ShowPlaces, frozen=True):
    """Arguments of `set_list`."""

    list: List = "quickfix"
    append: Annotated[
        bool, Meta(description="Append to the current list, which keeps its title")
    ] = False


class Range(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines to highlight."""

    file: Annotated[str, Meta(min_length=1, description="Absolute path of the file")]
    line: Line
    end_line: EndLine = None
    note: Annotated[str, Meta(description="A few words, shown behind the first line")] = ""


class Highlight(Arguments, frozen=True):
    """Arguments of `highlight`."""

    ranges: Annotated[
        list[Range], Meta(min_length=1, max_length=100, description="The lines, with notes")
    ]


@model_tool("open_file", "Show a file")
async def open_file(client: Client, arguments: OpenFile) -> Content:
    """Show the user a file, at a line or with lines selected."""
    opened = await client.tools.show_file(_fields(arguments))
    if "error" in opened:
        return text(opened["error"])
    shown = "" if opened["isShown"] else " in the background"
    note = f" {opened['note']}" if opened.get("note") else ""
    return text(f"Opened {opened['path']}{shown}.{note}")


@model_tool("show_places", "Show a list of places")
async def show_places(client: Client, arguments: ShowPlaces) -> Content:
    """Show the user a list of places as a new quickfix list; earlier lists are kept."""
    fields = _fields(arguments) | {"list": "quickfix", "how": "new", "open": True}
    shown = await client.tools.show_list(fields)
    return text(f"The user sees {count(shown['count'], 'place')} in the quickfix window.")


@model_tool("set_list", "Set the quickfix or location list", is_read_only=False)
async def set_list(client: Client, arguments: SetList) -> Content:
    """Set a new quickfix or location list, or append to the current one, without showing it.

    The user's own lists are kept; a list that was set before by this tool is replaced.
    """
    how = "append" if arguments.append else "set"
    fields = _fields(arguments) | {"how": how, "open": False}
    shown = await client.tools.show_list(fields)
    done = "Appended" if arguments.append else "Set"
    return text(f"{done} {count(shown['count'], 'place')}.")


@model_tool("highlight", "Highlight lines")
async def highlight(client: Client, arguments: Highlight) -> Content:
    """Highlight lines in the user's windows, each with a note, until the user dismisses them.

    Call `open_file` as well to have the user look at them.
    """
    shown = await client.tools.highlight(_fields(arguments))
    return text(f"Highlighted {count(shown['count'], 'range')}.")


@model_tool("clear_highlights", "Remove the highlights")
async def clear_highlights(client: Client, _arguments: NoArguments) -> Content:
    """Remove all lines that were highlighted."""
    await client.tools.clear_highlights()
    return text("There are no highlights any more.")


def _fields(arguments: Arguments) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(arguments)
    return {name: value for name, value in fields.items() if value is not None}
