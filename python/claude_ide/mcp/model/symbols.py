"""Symbols that the user's language servers know: of a file, of the project, and who calls whom."""

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated

from msgspec import Meta

from claude_ide.editor.protocol import Position, index_of, place_in
from claude_ide.editor.servers import Question
from claude_ide.mcp.client import Client
from claude_ide.mcp.lsp import calls, symbols
from claude_ide.mcp.lsp.source import Line, column, excerpt, lines_at
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
    question = Question(
        "textDocument/documentSymbol",
        {"file": arguments.file},
        lambda view, _server: {"textDocument": {"uri": view.uri}},
        has_content=lambda result: isinstance(result, list),
        form=list[symbols.DocumentSymbol],
    )
    found = await client.editor.servers.ask(question)
    known, encoding = symbols.of_document(found.answers)
    listed = [each for each in known if each.depth < arguments.depth]
    if not listed:
        return page(nothing(found), ())
    shown = listed[arguments.offset : arguments.offset + arguments.limit]
    line_at = await lines_at(client.editor, ((arguments.file, each.start.line) for each in shown))
    lines = []
    for each in shown:
        place = _place(line_at, arguments.file, each.start, encoding)
        rows = f"[{each.range.start.line + 1}-{each.range.end.line + 1}]"
        lines.append(f"{'  ' * each.depth}{place} {each} {rows}")
    heading = count(len(listed), "symbol")
    if deeper := len(known) - len(listed):
        heading += f"; {deeper:,} below depth {arguments.depth} are not listed"
    rest = remaining(len(listed), arguments.offset, shown)
    return page(heading + still_working(found), lines, rest)


@model_tool("workspace_symbols", "Find symbols by name")
async def workspace_symbols(client: Client, arguments: WorkspaceSymbols) -> Content:
    """Find classes, functions and other symbols of the whole project by name, best match first."""
    question = Question(
        "workspace/symbol",
        {"file": arguments.file} if arguments.file else {},
        lambda _view, _server: {"query": arguments.query},
        has_content=lambda result: isinstance(result, list),
    )
    found = await client.editor.servers.ask(question)
    known = symbols.of_project(found.answers)
    if not known:
        return page(nothing(found), ())
    wanted = known[arguments.offset : arguments.offset + arguments.limit]
    shown = await client.without_private(wanted, lambda each: each.path)
    line_at = await lines_at(
        client.editor, ((each.path, each.range.start.line) for each in shown if each.range)
    )
    total = len(known) - len(wanted) + len(shown)
    heading = count(total, "symbol") + still_working(found)
    client.reading.add_named(each.path for each in shown)
    lines = (_of_project(each, line_at) for each in shown)
    return page(heading, lines, remaining(total, arguments.offset, shown))


@model_tool("incoming_calls", "Incoming calls")
async def incoming_calls(client: Client, arguments: Calls) -> Content:
    """Return the functions that call the function at a place, with the calls."""
    return await _calls(client, arguments, calls.INCOMING, "caller")


@model_tool("outgoing_calls", "Outgoing calls")
async def outgoing_calls(client: Client, arguments: Calls) -> Content:
    """Return the functions that the function at a place calls, with the calls in its own file."""
    return await _calls(client, arguments, calls.OUTGOING, "called function")


def _of_project(each: symbols.ProjectSymbol, line_at: Line) -> str:
    start = each.range.start if each.range else None
    place = f":{_place(line_at, each.path, start, each.encoding)}" if start else ""
    container = f" in {each.container}" if each.container else ""
    return f"{each.path}{place}: {each.kind} {each.name}{container}"


async def _calls(client: Client, arguments: Calls, method: str, noun: str) -> Content:
    question = Question("textDocument/prepareCallHierarchy", arguments.fields(), place_in)
    found = await client.editor.servers.ask(question)
    functions = calls.functions(found.answers)
    if not functions:
        return page(f"No function is at this place. {nothing(found)}", ())
    requests = [(each.server.id, {"item": each.item}) for each in functions]
    known = calls.gathered(functions, await client.editor.servers.send(method, requests))
    wanted = known[arguments.offset : arguments.offset + arguments.limit]
    shown = await client.without_private(wanted, lambda each: each.path)
    client.reading.add_named(each.path for each in shown)
    line_at = await lines_at(client.editor, (place for each in shown for place in each.places()))
    names = ", ".join(sorted({each.name for each in functions}))
    total = len(known) - len(wanted) + len(shown)
    heading = f"{count(total, noun)} of {names}{still_working(found)}"
    lines = _call_lines(shown, line_at)
    return page(heading, lines, remaining(total, arguments.offset, shown))


def _call_lines(shown: list[calls.Caller], line_at: Line) -> Iterator[str]:
    for path, group in groupby(shown, key=lambda each: each.path):
        yield path
        for each in group:
            yield f"  {_place(line_at, path, each.start, each.encoding)} {each.kind} {each.name}"
            for start in each.calls[: calls.MOST_CALLS]:
                line = line_at(each.calls_path, start.line)
                text = excerpt(line, index_of(line, start.character, each.encoding))
                yield f"    call {_place(line_at, each.calls_path, start, each.encoding)}: {text}"
            if (more := len(each.calls) - calls.MOST_CALLS) > 0:
                yield f"    and {count(more, 'more call')}"


def _place(line_at: Line, path: str, start: Position, encoding: str) -> str:
    at = column(line_at(path, start.line), start.character, encoding)
    return f"{start.line + 1}:{at}"
