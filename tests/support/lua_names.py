"""Where Python names something of Lua: functions that it calls, events that it handles."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.lua_source import CALL
from support.neovim import ROOT

PACKAGE = ROOT / "python" / "claude_ide"
RPLUGIN = ROOT / "rplugin" / "python3"

NAME = re.compile(r"[a-z_]+(\.[a-z_]+)+")
FILE = re.compile(r".*\.(jsonl?|log|lua|md|py|toml|txt)")

EVENTS = "_subscribers"
"""The table of `editor/events.py` that begins with the state's own subscribers."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Call(NamedTuple):
    """A function of Lua, and how many arguments it is certainly given."""

    function: str
    given: int
    place: str


@cache
def trees() -> dict[str, ast.Module]:
    """Return the modules of Python by their paths in the repository."""
    paths = [*PACKAGE.rglob("*.py"), *RPLUGIN.glob("*.py")]
    return {str(path.relative_to(ROOT)): parsed(path) for path in sorted(paths)}


def parsed(path: Path) -> ast.Module:
    """Return the tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def definitions() -> Iterator[Definition]:
    """Yield every function and method."""
    for tree in trees().values():
        yield from (node for node in ast.walk(tree) if isinstance(node, Definition))


def calls() -> Iterator[tuple[ast.Call, str, str]]:
    """Yield every call, the name of what it calls, and its place."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield node, called(node), f"{path}:{node.lineno}"


def called(node: ast.Call) -> str:
    """Return the last part of what a call names, or what its `partial` does."""
    function = node.func
    if isinstance(function, ast.Name) and function.id == "partial" and node.args:
        function = node.args[0]
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def literal(node: ast.AST) -> str:
    """Return the text of a string, and an empty one for everything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def template(node: ast.AST, parameters: set[str]) -> tuple[str, str] | None:
    """Return an f-string as a pattern, and the parameter in it: `("{}.open", "module")`."""
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    if len(parts) != 1 or not isinstance(parts[0].value, ast.Name):
        return None
    pattern = "".join(literal(part) or "{}" for part in node.values)
    name = parts[0].value.id
    return (pattern, name) if name in parameters and NAME.fullmatch(pattern.format("x")) else None


def named() -> Iterator[Call]:
    """Yield what is named where a parameter `function` is expected."""
    takers = {
        definition.name
        for definition in definitions()
        if "function" in {argument.arg for argument in definition.args.args}
    }
    for node, name, place in calls():
        if name not in takers:
            continue
        for index, argument in enumerate(node.args):
            if NAME.fullmatch(literal(argument)):
                rest = [a for a in node.args[index + 1 :] if not isinstance(a, ast.Starred)]
                yield Call(literal(argument), len(rest), place)
                break


def composed() -> Iterator[Call]:
    """Yield what methods of the editor compose of a name that they are given."""
    patterns: dict[str, list[tuple[str, int]]] = {}
    for definition in definitions():
        names = [argument.arg for argument in definition.args.args]
        for found in (template(node, {*names}) for node in ast.walk(definition)):
            if found is not None:
                position = names.index(found[1]) - (names[0] == "self")
                patterns.setdefault(definition.name, []).append((found[0], position))
    for node, name, place in calls():
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value).endswith("editor"):
            for pattern, position in patterns.get(name, []):
                if text := "".join(map(literal, node.args[position : position + 1])):
                    yield Call(pattern.format(text), 0, place)


def mentioned(rooms: set[str], modules: set[str]) -> Iterator[Call]:
    """Yield every other string that reads as a function in one of these rooms."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            text = literal(node)
            place = f"{path}:{getattr(node, 'lineno', 0)}"
            yield from (Call(f"{module}.{name}", 0, place) for module, name in CALL.findall(text))
            is_name = NAME.fullmatch(text) and not FILE.fullmatch(text) and text not in modules
            if is_name and text.partition(".")[0] in rooms:
                yield Call(text, 0, place)


def handled() -> dict[str, str]:
    """Return the events that are handled, and where."""
    found = {
        literal(node.args[0]): place
        for node, name, place in calls()
        if name == "subscribe" and node.args and literal(node.args[0])
    }
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Dict):
                continue
            if ast.unparse(node.target).endswith(EVENTS):
                found |= {literal(key): f"{path}:{key.lineno}" for key in node.value.keys if key}
    return found
