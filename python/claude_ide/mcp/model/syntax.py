"""What tree-sitter knows about a file."""

from typing import Annotated, Any

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import File, Limit, Line, Offset, Place
from claude_ide.mcp.tool import Content, model_tool


class Outline(File, frozen=True):
    """Arguments of `outline`."""

    offset: Offset = 0
    limit: Limit = 500


class InFile(File, frozen=True):
    """Arguments of `enclosing`."""

    line: Line


class Query(File, frozen=True):
    """Arguments of `tree_sitter_query`."""

    query: Annotated[
        str,
        Meta(
            description="Query in tree-sitter's language, such as (call function: (_) @called); "
            "of the predicates, those of equality are allowed: #eq?, #any-of? and the like",
            min_length=1,
            max_length=10_000,
        ),
    ]
    offset: Offset = 0
    limit: Limit = 200


@model_tool("syntax_node", "Node of the syntax tree")
async def syntax_node(client: Client, arguments: Place) -> Content:
    """Return the syntax node at a place and its ancestors, with their types, fields and ranges."""
    found = await client.tools.syntax_node(arguments.fields())
    lines = (f"{_range(node)} {_kind(node)}: {node['text']}" for node in found["nodes"] or [])
    return page(f"{found['language']}; the innermost node first", lines)


@model_tool("outline", "Outline of a file")
async def outline(client: Client, arguments: Outline) -> Content:
    """Return the functions, classes and other definitions of a file, or the headings of a document.

    Works without a language server, also for text that is not saved.
    """
    found = await client.tools.syntax_outline(arguments.fields())
    definitions = found["definitions"] or []
    lines = (f"{'  ' * each['depth']}{_definition(each)}" for each in definitions)
    heading = count(found["total"], "definition")
    return page(heading, lines, remaining(found["total"], arguments.offset, definitions))


@model_tool("enclosing", "Function around a line")
async def enclosing(client: Client, arguments: InFile) -> Content:
    """Return the function around a line with its whole text, and the definitions around that."""
    found = await client.tools.syntax_enclosing(arguments.fields())
    around = found["definitions"] or []
    if not around:
        return page("No function or class is around this line.", ())
    inner, lines = around[0], found["lines"] or []
    numbered = [f"{number}\t{line}" for number, line in enumerate(lines, inner["line"])]
    left_out = inner["end_line"] - inner["line"] + 1 - len(lines)
    rest = f"({left_out} more lines: read the file)" if left_out else ""
    return page("\n".join(map(_definition, around)) + "\n", numbered, rest)


@model_tool("tree_sitter_query", "Query of the syntax tree")
async def tree_sitter_query(client: Client, arguments: Query) -> Content:
    """Return what a tree-sitter query captures in a file.

    A query that takes longer than 5 seconds is stopped: avoid many wildcards with `*` or `+`.
    """
    found = await client.tools.syntax_query(arguments.fields())
    captures = found["captures"] or []
    lines = (f"@{each['name']} {_range(each)} {_kind(each)}: {each['text']}" for each in captures)
    rest = remaining(found["total"], arguments.offset, captures)
    return page(count(found["total"], "capture"), lines, rest)


def _definition(each: dict[str, Any]) -> str:
    return f"{each['line']}-{each['end_line']} {each['kind']} {each['name']}"


def _range(node: dict[str, Any]) -> str:
    return f"{node['line']}:{node['column']}-{node['end_line']}:{node['end_column']}"


def _kind(node: dict[str, Any]) -> str:
    return f"{node['field']}: {node['kind']}" if node.get("field") else str(node["kind"])
