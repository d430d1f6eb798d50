"""What tree-sitter knows about a file.

The editor's parsers run in a process of their own: some texts crash them, and some queries take
hours inside one call of the library, which nothing but the end of the process can stop.
"""

import asyncio
import json
import os
import re
import shutil
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.editor.protocol import index_in, index_of
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import (
    FilePath,
    Limit,
    Line,
    Offset,
    SymbolPlace,
    count,
    page,
    remaining,
)
from claude_ide.mcp.tool import Content, model_tool

PROCESS_SECONDS = 5.0

LIMITED = ("sh", "-c", 'ulimit -t 10; ulimit -v 4000000; exec "$@"', "sh")
"""Limits the time of the processor, in case the host is killed before, and the memory in kB."""

DEFINING = (
    *("function", "method", "constructor", "class", "struct", "enum", "union", "interface"),
    *("trait", "impl", "module", "namespace", "macro", "section"),
    *("type_alias", "type_item", "type_declaration", "type_definition"),
)
"""Parts of the types of nodes that count as definitions."""

OTHERS = ("^_", "call", "parameter", "argument", "import", "reference", "invocation", "_type$")
"""Those of nodes that do not."""

MOST_LINES = 400
"""Of the definition around a line."""

Span = tuple[int, int, int, int]
"""Row and column of the start and of the end, 0-based, in bytes."""


class Node(msgspec.Struct, frozen=True):
    """A node, and what was asked about it.

    `field` is where its parent has it. One that may define something has the range of its `name`,
    and in `parts` the fields of its children, or their types.
    """

    kind: str
    range: Span
    field: str = ""
    capture: str = ""
    name: Span | None = None
    parts: str = ""

    @property
    def is_definition(self) -> bool:
        """Whether it defines what its type says."""
        parts = self.parts.split()
        if self.kind == "section":
            return bool(parts)
        if "name" in parts:
            # In C, `struct point p` names a struct and defines none.
            return not self.kind.endswith("specifier") or "body" in parts
        is_function = self.kind == "function_definition"
        return is_function and ("declarator" in parts or "function_declaration" in parts)


class Source(msgspec.Struct, frozen=True):
    """The text of a file, its parser, and a program that can run the `script`."""

    language: str
    parser: str
    lines: list[str]
    program: str
    runtime: str
    script: str

    def text(self, span: Span) -> str:
        """Return the text of a range."""
        row, col, end_row, end_col = span
        lines = [_bytes(line) for line in self.lines[row : end_row + 1]]
        if end_row < len(self.lines):
            lines[-1] = lines[-1][:end_col]
        lines[0] = lines[0][col:]
        return b"\n".join(lines).decode("utf-8", "surrogateescape")

    def first_line(self, node: Node) -> str:
        """Return the first line of a node's text."""
        return self.text(node.range).partition("\n")[0].strip()

    def name(self, node: Node) -> str:
        """Return the name of a definition."""
        if node.name is None:
            return re.sub(r"^#+\s*", "", self.first_line(node))
        return " ".join(self.text(node.name).split())

    def last_row(self, node: Node) -> int:
        """Return the row in which a node ends, perhaps with the end of the row."""
        row, _, end_row, end_col = node.range
        return end_row - 1 if end_col == 0 and end_row > row else end_row

    def places(self, node: Node) -> str:
        """Return the lines and columns of a node for the model."""
        row, col, end_row, end_col = node.range
        last = self.last_row(node)
        start, end = self._column(row, col), self._column(last, end_col if last == end_row else -1)
        return f"{row + 1}:{start}-{last + 1}:{end}"

    def _column(self, row: int, col: int) -> int:
        line = self.lines[row] if row < len(self.lines) else ""
        return (len(line) if col < 0 else index_of(line, col, "utf-8")) + 1


@model_tool("syntax_node", "Node of the syntax tree")
async def syntax_node(client: Client, place: SymbolPlace) -> Content:
    """Return the syntax node at a place and its ancestors, with their types, fields and ranges."""
    source = await _source(client, place.file)
    line = _line(source, place.line)
    before = line[: index_in(line, place.line, place.column, place.symbol)]
    at = place.line - 1, len(_bytes(before))
    nodes, _ = await _parsed(source, "node", at=at)
    lines = (f"{source.places(node)} {_kind(node)}: {source.first_line(node)}" for node in nodes)
    return page(f"{source.language}; the innermost node first", lines)


@model_tool("outline", "Outline of a file")
async def outline(
    client: Client, file: FilePath, offset: Offset = 0, limit: Limit = 500
) -> Content:
    """Return the functions, classes and other definitions of a file, or the headings of a document.

    Works without a language server, also for text that is not saved.
    """
    source = await _source(client, file)
    found = await _definitions(source)
    shown = found[offset : offset + limit]
    lines = (f"{'  ' * depth}{_definition(source, node)}" for depth, node in shown)
    heading = count(len(found), "definition")
    return page(heading, lines, remaining(len(found), offset, shown))


@model_tool("enclosing", "Function around a line")
async def enclosing(client: Client, file: FilePath, line: Line) -> Content:
    """Return the function around a line with its whole text, and the definitions around that."""
    source = await _source(client, file)
    _line(source, line)
    row = line - 1
    found = await _definitions(source, row=row)
    around = [node for _, node in reversed(found) if node.range[0] <= row <= source.last_row(node)]
    if not around:
        return page("No function or class is around this line.", ())
    first, last = around[0].range[0], source.last_row(around[0])
    shown = source.lines[first : min(last + 1, first + MOST_LINES)]
    numbered = [f"{number}\t{each}" for number, each in enumerate(shown, first + 1)]
    left_out = last - first + 1 - len(shown)
    rest = f"({left_out} more lines: read the file)" if left_out else ""
    heading = "\n".join(_definition(source, node) for node in around)
    return page(f"{heading}\n", numbered, rest)


@model_tool("tree_sitter_query", "Query of the syntax tree")
async def tree_sitter_query(
    client: Client,
    file: FilePath,
    query: Annotated[
        str,
        Meta(
            description="Query in tree-sitter's language, such as (call function: (_) @called); "
            "of the predicates, those of equality are allowed: #eq?, #any-of? and the like",
            min_length=1,
            max_length=10_000,
        ),
    ],
    offset: Offset = 0,
    limit: Limit = 200,
) -> Content:
    """Return what a tree-sitter query captures in a file.

    A query that takes longer than 5 seconds is stopped: avoid many wildcards with `*` or `+`.
    """
    source = await _source(client, file)
    part = {"offset": offset, "limit": limit}
    nodes, total = await _parsed(source, "query", query=query, **part)
    lines = (
        f"@{node.capture} {source.places(node)} {_kind(node)}: {source.first_line(node)}"
        for node in nodes
    )
    return page(count(total, "capture"), lines, remaining(total, offset, nodes))


async def _source(client: Client, file: str) -> Source:
    return msgspec.convert(await client.tools.syntax_source({"file": file}), Source)


def _line(source: Source, line: int) -> str:
    if line > len(source.lines):
        raise ToolError(f"there is no line {line}; the file has {len(source.lines)}")
    return source.lines[line - 1]


async def _definitions(source: Source, row: int | None = None) -> list[tuple[int, Node]]:
    """Return the definitions of a file, or of a row, each with the number of those around it."""
    kinds, others = r"\|".join(DEFINING), r"\|".join(OTHERS)
    nodes, _ = await _parsed(source, "definitions", kinds=kinds, others=others, row=row)
    found, around = list[tuple[int, Node]](), list[tuple[int, int]]()
    for node in sorted(filter(lambda node: node.is_definition, nodes), key=_order):
        start, end = node.range[:2], node.range[2:]
        while around and around[-1] <= start:
            around.pop()
        found.append((len(around), node))
        around.append(end)
    return found


def _order(node: Node) -> tuple[int, ...]:
    row, col, end_row, end_col = node.range
    return row, col, -end_row, -end_col


async def _parsed(source: Source, answer: str, **more: Any) -> tuple[list[Node], int]:
    """Parse a text; return the nodes that are asked for, and how many there are.

    Cancelling this ends the process. Raises `ToolError`.
    """
    request = {"answer": answer, "language": source.language, "parser": source.parser, **more}
    given = {name: value for name, value in request.items() if value is not None}
    # A NUL is a line feed within a line of a buffer.
    text = "".join(line.replace("\n", "\0") + "\n" for line in source.lines)
    command = (source.program, "--clean", "--headless", "-l", source.script)
    subject = "the query" if answer == "query" else "the parser"
    limited = LIMITED if shutil.which("sh") else ()
    try:
        process = await asyncio.create_subprocess_exec(
            *limited,
            *command,
            env={**os.environ, "VIMRUNTIME": source.runtime},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise ToolError(f"{subject} could not be run: {error.strerror or error}") from None
    try:
        async with asyncio.timeout(PROCESS_SECONDS):
            output, _ = await process.communicate(_bytes(f"{json.dumps(given)}\n{text}"))
    except TimeoutError:
        advice = "; use fewer wildcards and repetitions (* and +)" if answer == "query" else ""
        raise ToolError(f"{subject} was stopped after {PROCESS_SECONDS:g} s{advice}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answered = json.loads(output)
    except ValueError:
        raise ToolError(
            f"{subject} ended the process in which it ran ({process.returncode})"
        ) from None
    if "error" in answered:
        raise ToolError(answered["error"])
    return msgspec.convert(answered["nodes"] or [], list[Node]), answered.get("total", 0)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _definition(source: Source, node: Node) -> str:
    first, last = node.range[0] + 1, source.last_row(node) + 1
    return f"{first}-{last} {node.kind} {source.name(node)}"


def _kind(node: Node) -> str:
    return f"{node.field}: {node.kind}" if node.field else node.kind
