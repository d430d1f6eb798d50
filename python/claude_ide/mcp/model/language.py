"""What the user's language servers know."""

from itertools import groupby
from typing import Any

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import Limit, Offset, Place
from claude_ide.mcp.tool import Content, model_tool


class References(Place, frozen=True):
    """Arguments of `references`."""

    offset: Offset = 0
    limit: Limit = 200


@model_tool("definition", "Go to definition")
async def definition(client: Client, arguments: Place) -> Content:
    """Return where the symbol at a place is defined."""
    return _places(await client.editor.use("tools.language.definition", arguments.fields()), 0)


@model_tool("references", "Find references", is_always_loaded=True)
async def references(client: Client, arguments: References) -> Content:
    """Return every use of the symbol at a place in the whole project, with its line."""
    found = await client.editor.use("tools.language.references", arguments.fields())
    return _places(found, arguments.offset)


def _places(found: dict[str, Any], offset: int) -> Content:
    """Describe places as `tools/locations.lua` answers them, grouped by file."""
    places = found["places"] or []
    if not places:
        return page("Nothing was found.", ())
    lines: list[str] = []
    for path, group in groupby(places, key=lambda place: place["path"]):
        lines.append(path)
        lines += (f"  {each['line']}:{each['column']}: {each['text']}" for each in group)
    heading = f"{count(found['total'], 'place')} in {count(found['files'], 'file')}"
    return page(heading, lines, remaining(found["total"], offset, places))
