"""What language servers know: about a place in a file, and the symbols of the project."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.editor.port.tools import LanguageServer, ServersView
from claude_ide.editor.protocol import listed, place_in
from claude_ide.editor.servers import ServerAnswers, ServerQuestion
from claude_ide.mcp.client import Client
from claude_ide.mcp.model import answers
from claude_ide.mcp.model.common import (
    FileLines,
    FilePath,
    Limit,
    Offset,
    SymbolPlace,
    Words,
    count,
    lines_at,
    page,
    remaining,
)
from claude_ide.mcp.tool import Content, model_tool

PLACES_CHARACTERS = 23_000

INCOMING, OUTGOING = "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"


@model_tool("definition", "Go to definition")
async def definition(client: Client, place: SymbolPlace) -> Content:
    """Return where the symbol at a place is defined."""
    return await _places(client, place, "textDocument/definition")


@model_tool("type_definition", "Go to type definition")
async def type_definition(client: Client, place: SymbolPlace) -> Content:
    """Return where the type of the symbol at a place is defined."""
    return await _places(client, place, "textDocument/typeDefinition")


@model_tool("implementation", "Go to implementation")
async def implementation(client: Client, place: SymbolPlace) -> Content:
    """Return where the interface, abstract class or method at a place is implemented."""
    return await _places(client, place, "textDocument/implementation")


@model_tool("references", "Find references", is_always_loaded=True)
async def references(
    client: Client, place: SymbolPlace, offset: Offset = 0, limit: Limit = 200
) -> Content:
    """Return every use of the symbol at a place in the whole project, with its line."""
    return await _places(client, place, "textDocument/references", offset, limit)


async def _places(
    client: Client, place: SymbolPlace, method: str, offset: int = 0, limit: int | None = None
) -> Content:
    """Describe the places that servers answer, grouped by file, as far as they fit."""

    def parameters(view: ServersView, server: LanguageServer) -> dict[str, Any]:
        return {**place_in(view, server), "context": {"includeDeclaration": True}}

    asked = place_in if limit is None else parameters
    found = await client.editor.servers.ask(ServerQuestion(method, place.fields(), asked))
    known = answers.locations(found.answers)
    if not known:
        return page(nothing(found), ())
    wanted = known[offset : offset + (limit or len(known))]
    shown = await client.without_private(wanted, lambda each: each.path)
    lines = await lines_at(client.editor, ((each.path, each.range.start.line) for each in shown))
    rows, length = dict[str, list[str]](), 0
    for each in shown:
        if length > PLACES_CHARACTERS:
            break
        at = each.path, each.range.start, each.encoding
        row = f"  {lines.place(*at)}: {lines.excerpt(*at)}"
        length += len(row) + (0 if each.path in rows else len(each.path))
        rows.setdefault(each.path, []).append(row)
    client.reading.add_named(rows)
    total = len(known) - len(wanted) + len(shown)
    omitted = {each.path for each in wanted} - {each.path for each in shown}
    files = len({each.path for each in known}) - len(omitted)
    heading = f"{count(total, 'place')} in {count(files, 'file')}{still_working(found)}"
    listed_rows = [row for each in rows.values() for row in each]
    grouped = (line for path, each in rows.items() for line in (path, *each))
    return page(heading, grouped, remaining(total, offset, listed_rows))


@model_tool("hover", "Type and documentation")
async def hover(client: Client, place: SymbolPlace) -> Content:
    """Return the type or signature of the symbol at a place, and its documentation."""

    def hovered(result: Any) -> str:
        return answers.words(result.get("contents")) if isinstance(result, dict) else ""

    found = await client.editor.servers.ask(
        ServerQuestion(
            "textDocument/hover", place.fields(), place_in, lambda each: bool(hovered(each))
        )
    )
    if not found.answers:
        return page(nothing(found), ())
    heading, *lines = hovered(found.answers[0].result).splitlines()
    return page(heading, lines)


@model_tool("signature_help", "Signature of a call")
async def signature_help(client: Client, place: SymbolPlace) -> Content:
    """Return the signatures that a call can have, with the parameters and their documentation.

    Name the called function as the symbol, or give a column between the parentheses of the call.
    """

    def parameters(view: ServersView, server: LanguageServer) -> dict[str, Any]:
        return place_in(_in_call(view, place), server)

    def has_any(result: Any) -> bool:
        return isinstance(result, dict) and bool(listed(result.get("signatures")))

    question = ServerQuestion("textDocument/signatureHelp", place.fields(), parameters, has_any)
    found = await client.editor.servers.ask(question)
    known = answers.signatures(found.answers[0].result) if found.answers else []
    if not known:
        return page(nothing(found), ())
    lines = [line for each in known for line in _signature(each, is_one_of_many=len(known) > 1)]
    return page(count(len(known), "signature"), lines)


def _in_call(view: ServersView, place: SymbolPlace) -> ServersView:
    """Return a view whose spot is in the call: after the parenthesis that follows the symbol."""
    if view.first is None or place.column or not place.symbol:
        return view
    spot = view.first
    end = spot.index + len(place.symbol)
    if parenthesis := re.compile(r"\s*\(").match(spot.text, end):
        end = parenthesis.end()
    return msgspec.structs.replace(view, first=msgspec.structs.replace(spot, index=end))


def _signature(signature: answers.Signature, *, is_one_of_many: bool) -> Iterator[str]:
    is_chosen = is_one_of_many and signature.is_active
    yield f"{signature.label}{' (the one of this call)' if is_chosen else ''}"
    yield from (f"  {line}" for line in signature.text.splitlines())
    for number, parameter in enumerate(signature.parameters):
        at_place = " (at this place)" if number == signature.active else ""
        text = f": {parameter.text}" if parameter.text else ""
        if at_place or text:
            yield f"  {parameter.label}{at_place}{text}"


@model_tool("document_symbols", "Symbols of a file")
async def document_symbols(
    client: Client,
    file: FilePath,
    depth: Annotated[
        int, Meta(ge=1, le=20, description="Levels; parameters and locals are often level 3")
    ] = 2,
    offset: Offset = 0,
    limit: Limit = 300,
) -> Content:
    """Return the classes, functions and other symbols of a file as a tree, from a language server.

    Each line has the place of the name, the kind, the name, and the lines of the whole symbol.
    """
    question = ServerQuestion(
        "textDocument/documentSymbol",
        {"file": file},
        lambda view, _server: {"textDocument": {"uri": view.uri}},
        has_content=lambda result: isinstance(result, list),
        form=list[answers.DocumentSymbol],
    )
    found = await client.editor.servers.ask(question)
    known, encoding = answers.document_symbols(found.answers)
    listed = [each for each in known if each.depth < depth]
    if not listed:
        return page(nothing(found), ())
    shown = listed[offset : offset + limit]
    lines = await lines_at(client.editor, ((file, each.start.line) for each in shown))
    described = (
        f"{'  ' * each.depth}{lines.place(file, each.start, encoding)} {each} "
        f"[{each.range.start.line + 1}-{each.range.end.line + 1}]"
        for each in shown
    )
    heading = count(len(listed), "symbol")
    if deeper := len(known) - len(listed):
        heading += f"; {deeper:,} below depth {depth} are not listed"
    return page(heading + still_working(found), described, remaining(len(listed), offset, shown))


@model_tool("workspace_symbols", "Find symbols by name")
async def workspace_symbols(
    client: Client,
    query: Annotated[str, Meta(min_length=1, max_length=200, description="Name, or part of one")],
    file: Annotated[
        Words | None,
        Meta(
            description="Absolute path of any file of the project: its language servers are asked, "
            "and started if need be; default: all servers that run"
        ),
    ] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Content:
    """Find classes, functions and other symbols of the whole project by name, best match first."""
    question = ServerQuestion(
        "workspace/symbol",
        {"file": file} if file else {},
        lambda _view, _server: {"query": query},
        has_content=lambda result: isinstance(result, list),
    )
    found = await client.editor.servers.ask(question)
    known = answers.project_symbols(found.answers)
    if not known:
        return page(nothing(found), ())
    wanted = known[offset : offset + limit]
    shown = await client.without_private(wanted, lambda each: each.path)
    places = ((each.path, each.range.start.line) for each in shown if each.range)
    lines = await lines_at(client.editor, places)
    total = len(known) - len(wanted) + len(shown)
    client.reading.add_named(each.path for each in shown)

    def described(each: answers.ProjectSymbol) -> str:
        start = each.range and each.range.start
        place = f":{lines.place(each.path, start, each.encoding)}" if start else ""
        container = f" in {each.container}" if each.container else ""
        return f"{each.path}{place}: {each.kind} {each.name}{container}"

    heading = count(total, "symbol") + still_working(found)
    return page(heading, map(described, shown), remaining(total, offset, shown))


@model_tool("incoming_calls", "Incoming calls")
async def incoming_calls(
    client: Client, place: SymbolPlace, offset: Offset = 0, limit: Limit = 100
) -> Content:
    """Return the functions that call the function at a place, with the calls."""
    return await _calls(client, place, INCOMING, "caller", offset, limit)


@model_tool("outgoing_calls", "Outgoing calls")
async def outgoing_calls(
    client: Client, place: SymbolPlace, offset: Offset = 0, limit: Limit = 100
) -> Content:
    """Return the functions that the function at a place calls, with the calls in its own file."""
    return await _calls(client, place, OUTGOING, "called function", offset, limit)


async def _calls(
    client: Client, place: SymbolPlace, method: str, noun: str, offset: int, limit: int
) -> Content:
    servers = client.editor.servers
    question = ServerQuestion("textDocument/prepareCallHierarchy", place.fields(), place_in)
    found = await servers.ask(question)
    functions = answers.functions(found.answers)
    if not functions:
        return page(f"No function is at this place. {nothing(found)}", ())
    requests = [(each.server.id, {"item": each.item}) for each in functions]
    known = answers.callers(functions, await servers.send(method, requests))
    wanted = known[offset : offset + limit]
    shown = await client.without_private(wanted, lambda each: each.path)
    client.reading.add_named(each.path for each in shown)
    lines = await lines_at(client.editor, (place for each in shown for place in each.places()))
    names = ", ".join(sorted({each.name for each in functions}))
    total = len(known) - len(wanted) + len(shown)
    heading = f"{count(total, noun)} of {names}{still_working(found)}"
    return page(heading, _call_lines(shown, lines), remaining(total, offset, shown))


def _call_lines(shown: list[answers.HierarchyCall], lines: FileLines) -> Iterator[str]:
    for path, group in groupby(shown, key=lambda each: each.path):
        yield path
        for each in group:
            yield f"  {lines.place(path, each.start, each.encoding)} {each.kind} {each.name}"
            for start in each.calls[: answers.MOST_CALLS]:
                at = each.calls_path, start, each.encoding
                yield f"    call {lines.place(*at)}: {lines.excerpt(*at)}"
            if (more := len(each.calls) - answers.MOST_CALLS) > 0:
                yield f"    and {count(more, 'more call')}"


def nothing(found: ServerAnswers) -> str:
    """Return the sentence that an empty answer needs: which servers have found nothing."""
    return f"Nothing was found; asked: {found.asked}{still_working(found)}."


def still_working(found: ServerAnswers) -> str:
    """Return a remark on servers that may not know the whole project yet."""
    return f" (there may be more: {found.working} is in progress)" if found.working else ""
