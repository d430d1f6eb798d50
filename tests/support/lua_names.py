"""Finds the names of Lua functions and events in the Python code."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from support.lua_source import CALL
from support.neovim import ROOT

PACKAGE = ROOT / "python" / "claude_ide"
RPLUGIN = ROOT / "rplugin" / "python3"

NAME = re.compile(r"[a-z_]+(\.[a-z_]+)+")
FILE = re.compile(r".*\.(jsonl?|log|lua|md|py|toml|txt)")

Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Call(NamedTuple):
    """A call of a Lua function with at least `given` arguments, at `path:line`."""

    function: str
    given: int
    location: str


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Return every node of the Python modules, with the path of its module in the repository."""
    paths = [*PACKAGE.rglob("*.py"), *RPLUGIN.glob("*.py")]
    return [
        (str(path.relative_to(ROOT)), node)
        for path in sorted(paths)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]


def definitions() -> Iterator[Definition]:
    """Yield every function and method."""
    yield from (node for _, node in nodes() if isinstance(node, Definition))


def calls() -> Iterator[tuple[ast.Call, str, str]]:
    """Yield every call, the name of the called function, and the location."""
    for path, node in nodes():
        if isinstance(node, ast.Call):
            yield node, called(node), f"{path}:{node.lineno}"


def called(node: ast.Call) -> str:
    """Return the last part of the called name; for `partial`, that of its function."""
    function = node.func
    if isinstance(function, ast.Name) and function.id == "partial" and node.args:
        function = node.args[0]
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def literal(node: ast.AST) -> str:
    """Return the text of a string literal; the empty string for any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def mentioned(rooms: set[str], modules: set[str]) -> Iterator[Call]:
    """Yield every other string that looks like a function in one of these rooms."""
    for path, node in nodes():
        if not (text := literal(node)):
            continue
        location = f"{path}:{getattr(node, 'lineno', 0)}"
        yield from (Call(f"{module}.{name}", 0, location) for module, name in CALL.findall(text))
        is_name = NAME.fullmatch(text) and not FILE.fullmatch(text) and text not in modules
        if is_name and text.partition(".")[0] in rooms:
            yield Call(text, 0, location)


def handled() -> dict[str, str]:
    """Return the types of the handled events, each with a location."""
    return {
        last_name(event): location
        for node, name, location in calls()
        if name in ("handles", "subscribe", "delegate")
        for event in (node.args if name == "handles" else node.args[:1])
        if last_name(event)
    }


def handlers() -> Iterator[tuple[Definition, list[str]]]:
    """Yield each method that is marked as a handler, with the types of its events."""
    for node in definitions():
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and called(mark) == "handles":
                yield node, [last_name(event) for event in mark.args]


def last_name(node: ast.AST) -> str:
    """Return the name of a class; the empty string for what has none."""
    has_name = isinstance(node, ast.Name | ast.Attribute)
    return ast.unparse(node).rpartition(".")[2] if has_name else ""
