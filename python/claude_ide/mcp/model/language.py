"""What the user's language servers know about a place in a file."""

from typing import Any

from claude_ide.editor.servers import Answers
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
    return _places(await client.ask_servers("tools.language.definition", arguments.fields()), 0)


@model_tool("type_definition", "Go to type definition")
async def type_definition(client: Client, arguments: Place) -> Content:
    """Return where the type of the symbol at a place is defined."""
    return _places(
        await client.ask_servers("tools.language.type_definition", arguments.fields()), 0
    )


@model_tool("implementation", "Go to implementation")
async def implementation(client: Client, arguments: Place) -> Content:
    """Return where the interface, abstract class or method at a place is implemented."""
    return _places(await client.ask_servers("tools.language.implementation", arguments.fields()), 0)


@model_tool("references", "Find references", is_always_loaded=True)
async def references(client: Client, arguments: References) -> Content:
    """Return every use of the symbol at a place in the whole project, with its line."""
    found = await client.ask_servers("tools.language.references", arguments.fields())
    return _places(found, arguments.offset)


@model_tool("hover", "Type and documentation")
async def hover(client: Client, arguments: Place) -> Content:
    """Return the type or signature of the symbol at a place, and its documentation."""
    found = await client.ask_servers("tools.language.hover", arguments.fields())
    if not found["text"]:
        return page(nothing(found), ())
    heading, *lines = found["text"].splitlines()
    return page(heading, lines)


@model_tool("signature_help", "Signature of a call")
async def signature_help(client: Client, arguments: Place) -> Content:
    """Return the signatures that a call can have, with the parameters and their documentation.

    Name the called function as the symbol, or give a column between the parentheses of the call.
    """
    found = await client.ask_servers("tools.language.signature_help", arguments.fields())
    signatures = found["signatures"] or []
    if not signatures:
        return page(nothing(found), ())
    lines: list[str] = []
    for signature in signatures:
        lines += _signature(signature, is_one_of_many=len(signatures) > 1)
    return page(count(len(signatures), "signature"), lines)


def nothing(found: dict[str, Any]) -> str:
    """Return the sentence that an empty answer needs: which servers have found nothing."""
    asked = f"; asked: {found['asked']}" if found.get("asked") else ""
    return f"Nothing was found{asked}{still_working(found)}."


def still_working(found: dict[str, Any]) -> str:
    """Return a remark on servers that may not know the whole project yet."""
    working = found.get("working")
    return f" (there may be more: {working} is in progress)" if working else ""


def found_nothing(found: Answers) -> str:
    """Return the sentence that an empty answer needs: which servers have found nothing."""
    return f"Nothing was found; asked: {found.asked}{still_at_work(found)}."


def still_at_work(found: Answers) -> str:
    """Return a remark on servers that may not know the whole project yet."""
    is_partial = f" (there may be more: {found.working} is in progress)"
    return is_partial if found.working else ""


def _places(found: dict[str, Any], offset: int) -> Content:
    """Describe places as `tools/locations.lua` answers them, grouped by file."""
    groups = found["groups"] or []
    if not found["total"]:
        return page(nothing(found), ())
    lines: list[str] = []
    for group in groups:
        lines.append(group["path"])
        lines += (f"  {row}" for row in group["rows"])
    total, files = count(found["total"], "place"), count(found["files"], "file")
    heading = f"{total} in {files}{still_working(found)}"
    rows = [row for group in groups for row in group["rows"]]
    return page(heading, lines, remaining(found["total"], offset, rows))


def _signature(signature: dict[str, Any], *, is_one_of_many: bool) -> list[str]:
    is_chosen = is_one_of_many and signature["is_active"]
    lines = [f"{signature['label']}{' (the one of this call)' if is_chosen else ''}"]
    lines += (f"  {line}" for line in signature["text"].splitlines())
    for number, parameter in enumerate(signature["parameters"] or [], 1):
        at_place = " (at this place)" if number == signature.get("active") else ""
        text = f": {parameter['text']}" if parameter["text"] else ""
        if at_place or text:
            lines.append(f"  {parameter['label']}{at_place}{text}")
    return lines
