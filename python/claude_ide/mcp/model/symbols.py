"""Symbols that the user's language servers know: of a file, of the project, and who calls whom."""

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.language import nothing, still_working
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import File, Limit, Offset, Place
from claude_ide.mcp.tool import Arguments, Content, model_tool


class DocumentSymbols(File, frozen=True):
    """Arguments of `document_symbols`."""

    depth: Annotated[
        int, Meta(ge=1, le=20, description="Levels; parameters and locals are often level 3")
    ] = 2
    offset: Offset = 0
    limit: Limit = 300


class WorkspaceSymbols(Arguments, frozen=True):
    """Arguments of `workspace_symbols`."""

    query: Annotated[str, Meta(min_length=1, max_length=200, description="Name, or part of one")]
    file: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="Absolute path of any file of the project: its language servers are asked, "
            "and started if need be; default: all servers that run"
        ),
    ] = None
    offset: Offset = 0
    limit: Limit = 100


class Calls(Place, frozen=True):
    """Arguments of `incoming_calls` and `outgoing_calls`."""

    offset: Offset = 0
    limit: Limit = 100


@model_tool("document_symbols", "Symbols of a file")
async def document_symbols(client: Client, arguments: DocumentSymbols) -> Content:
    """Return the classes, functions and other symbols of a file as a tree, from a language server.

    Each line has the place of the name, the kind, the name, and the lines of the whole symbol.
    """
    found = await client.ask_servers("tools.symbols.of_document", arguments.fields())
    symbols = found["symbols"] or []
    if not found["total"]:
        return page(nothing(found), ())
    heading = count(found["total"], "symbol")
    if found["deeper"]:
        heading += f"; {found['deeper']:,} below depth {arguments.depth} are not listed"
    lines = (f"{'  ' * each['depth']}{_symbol(each)}" for each in symbols)
    rest = remaining(found["total"], arguments.offset, symbols)
    return page(heading + still_working(found), lines, rest)


@model_tool("workspace_symbols", "Find symbols by name")
async def workspace_symbols(client: Client, arguments: WorkspaceSymbols) -> Content:
    """Find classes, functions and other symbols of the whole project by name, best match first."""
    fields: dict[str, Any] = {"query": arguments.query, "offset": arguments.offset}
    fields["limit"] = arguments.limit
    fields |= {"file": arguments.file} if arguments.file else {}
    found = await client.ask_servers("tools.symbols.of_workspace", fields)
    symbols = found["symbols"] or []
    if not found["total"]:
        return page(nothing(found), ())
    heading = count(found["total"], "symbol") + still_working(found)
    rest = remaining(found["total"], arguments.offset, symbols)
    return page(heading, map(_of_project, symbols), rest)


@model_tool("incoming_calls", "Incoming calls")
async def incoming_calls(client: Client, arguments: Calls) -> Content:
    """Return the functions that call the function at a place, with the calls."""
    found = await client.ask_servers("tools.calls.incoming", arguments.fields())
    return _calls(found, "caller", arguments.offset)


@model_tool("outgoing_calls", "Outgoing calls")
async def outgoing_calls(client: Client, arguments: Calls) -> Content:
    """Return the functions that the function at a place calls, with the calls in its own file."""
    found = await client.ask_servers("tools.calls.outgoing", arguments.fields())
    return _calls(found, "called function", arguments.offset)


def _symbol(each: dict[str, Any]) -> str:
    detail = f" {each['detail']}" if each["detail"] else ""
    lines = f"{each['first']}-{each['last']}"
    return f"{each['line']}:{each['column']} {each['kind']} {each['name']}{detail} [{lines}]"


def _of_project(each: dict[str, Any]) -> str:
    place = f":{each['line']}:{each['column']}" if each.get("line") else ""
    container = f" in {each['container']}" if each["container"] else ""
    return f"{each['path']}{place}: {each['kind']} {each['name']}{container}"


def _calls(found: dict[str, Any], noun: str, offset: int) -> Content:
    entries, names = found["entries"] or [], ", ".join(found["names"] or [])
    if not names:
        return page(f"No function is at this place. {nothing(found)}", ())
    heading = f"{count(found['total'], noun)} of {names}{still_working(found)}"
    return page(heading, _call_lines(entries), remaining(found["total"], offset, entries))


def _call_lines(entries: list[dict[str, Any]]) -> Iterator[str]:
    for path, group in groupby(entries, key=lambda entry: entry["path"]):
        yield path
        for each in group:
            yield f"  {each['line']}:{each['column']} {each['kind']} {each['name']}"
            for call in each["calls"] or []:
                yield f"    call {call['line']}:{call['column']}: {call['text']}"
            if each["more_calls"]:
                yield f"    and {count(each['more_calls'], 'more call')}"
