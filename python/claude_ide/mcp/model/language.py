"""What the user's language servers know about a place in a file."""

import re
from typing import Any

import msgspec

from claude_ide.editor.port.servers import Server, View
from claude_ide.editor.protocol import index_of, listed, place_in
from claude_ide.editor.servers import Answers, Question
from claude_ide.mcp.client import Client
from claude_ide.mcp.lsp import locations
from claude_ide.mcp.lsp.locations import Location
from claude_ide.mcp.lsp.source import Line, column, excerpt, lines_at
from claude_ide.mcp.lsp.words import Signature, signatures, words
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import Limit, Offset, Place
from claude_ide.mcp.tool import Content, model_tool

LONGEST = 23_000
"""Characters of the places in one answer."""


class References(Place, frozen=True):
    """Arguments of `references`."""

    offset: Offset = 0
    limit: Limit = 200


@model_tool("definition", "Go to definition")
async def definition(client: Client, arguments: Place) -> Content:
    """Return where the symbol at a place is defined."""
    return await _places(client, arguments, "textDocument/definition")


@model_tool("type_definition", "Go to type definition")
async def type_definition(client: Client, arguments: Place) -> Content:
    """Return where the type of the symbol at a place is defined."""
    return await _places(client, arguments, "textDocument/typeDefinition")


@model_tool("implementation", "Go to implementation")
async def implementation(client: Client, arguments: Place) -> Content:
    """Return where the interface, abstract class or method at a place is implemented."""
    return await _places(client, arguments, "textDocument/implementation")


@model_tool("references", "Find references", is_always_loaded=True)
async def references(client: Client, arguments: References) -> Content:
    """Return every use of the symbol at a place in the whole project, with its line."""
    return await _places(client, arguments, "textDocument/references")


@model_tool("hover", "Type and documentation")
async def hover(client: Client, arguments: Place) -> Content:
    """Return the type or signature of the symbol at a place, and its documentation."""
    question = Question(
        "textDocument/hover", arguments.fields(), place_in, lambda result: bool(_hovered(result))
    )
    found = await client.editor.servers.ask(question)
    if not found.answers:
        return page(nothing(found), ())
    heading, *lines = _hovered(found.answers[0].result).splitlines()
    return page(heading, lines)


@model_tool("signature_help", "Signature of a call")
async def signature_help(client: Client, arguments: Place) -> Content:
    """Return the signatures that a call can have, with the parameters and their documentation.

    Name the called function as the symbol, or give a column between the parentheses of the call.
    """

    def parameters(view: View, server: Server) -> dict[str, Any]:
        return place_in(_in_call(view, arguments), server)

    question = Question("textDocument/signatureHelp", arguments.fields(), parameters, _has_any)
    found = await client.editor.servers.ask(question)
    known = signatures(found.answers[0].result) if found.answers else []
    if not known:
        return page(nothing(found), ())
    lines: list[str] = []
    for each in known:
        lines += _signature(each, is_one_of_many=len(known) > 1)
    return page(count(len(known), "signature"), lines)


def nothing(found: Answers) -> str:
    """Return the sentence that an empty answer needs: which servers have found nothing."""
    return f"Nothing was found; asked: {found.asked}{still_working(found)}."


def still_working(found: Answers) -> str:
    """Return a remark on servers that may not know the whole project yet."""
    return f" (there may be more: {found.working} is in progress)" if found.working else ""


async def _places(client: Client, arguments: Place, method: str) -> Content:
    """Describe the places that servers answer, grouped by file, as far as they fit."""

    def parameters(view: View, server: Server) -> dict[str, Any]:
        return {**place_in(view, server), **more}

    more = {"context": {"includeDeclaration": True}} if isinstance(arguments, References) else {}
    found = await client.editor.servers.ask(Question(method, arguments.fields(), parameters))
    known = await _distinct(client, found)
    if not known:
        return page(nothing(found), ())
    offset, limit = 0, len(known)
    if isinstance(arguments, References):
        offset, limit = arguments.offset, arguments.limit
    wanted = known[offset : offset + limit]
    shown = await client.without_private(wanted, lambda each: each.path)
    line_at = await lines_at(client.editor, ((each.path, each.range.start.line) for each in shown))
    rows, length = dict[str, list[str]](), 0
    for each in shown:
        if length > LONGEST:
            break
        length += 0 if each.path in rows else len(each.path)
        rows.setdefault(each.path, []).append(_row(each, line_at))
        length += len(rows[each.path][-1])
    client.reading.add_named(rows)
    total = len(known) - len(wanted) + len(shown)
    omitted = {each.path for each in wanted} - {each.path for each in shown}
    files = len({each.path for each in known}) - len(omitted)
    heading = f"{count(total, 'place')} in {count(files, 'file')}{still_working(found)}"
    lines = (line for path, each in rows.items() for line in (path, *each))
    listed_rows = [row for each in rows.values() for row in each]
    return page(heading, lines, remaining(total, offset, listed_rows))


async def _distinct(client: Client, found: Answers) -> list[Location]:
    known = locations.gathered(found.answers)
    if locations.has_mixed_encodings(found.answers):
        line_at = await lines_at(client.editor, (each for one in known for each in one.places()))
        known = locations.in_indices(known, line_at)
    return locations.without_duplicates(known)


def _row(each: Location, line_at: Line) -> str:
    start = each.range.start
    line = line_at(each.path, start.line)
    text = excerpt(line, index_of(line, start.character, each.encoding))
    return f"  {start.line + 1}:{column(line, start.character, each.encoding)}: {text}"


def _hovered(result: Any) -> str:
    return words(result.get("contents")) if isinstance(result, dict) else ""


def _has_any(result: Any) -> bool:
    return isinstance(result, dict) and bool(listed(result.get("signatures")))


def _in_call(view: View, arguments: Place) -> View:
    """Return a view whose spot is in the call: after the parenthesis that follows the symbol."""
    if view.first is None or arguments.column or not arguments.symbol:
        return view
    spot = view.first
    end = spot.index + len(arguments.symbol)
    if parenthesis := re.compile(r"\s*\(").match(spot.text, end):
        end = parenthesis.end()
    return msgspec.structs.replace(view, first=msgspec.structs.replace(spot, index=end))


def _signature(signature: Signature, *, is_one_of_many: bool) -> list[str]:
    is_chosen = is_one_of_many and signature.is_active
    lines = [f"{signature.label}{' (the one of this call)' if is_chosen else ''}"]
    lines += (f"  {line}" for line in signature.text.splitlines())
    for number, parameter in enumerate(signature.parameters):
        at_place = " (at this place)" if number == signature.active else ""
        text = f": {parameter.text}" if parameter.text else ""
        if at_place or text:
            lines.append(f"  {parameter.label}{at_place}{text}")
    return lines
