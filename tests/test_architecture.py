"""The house as README.md draws it: who may import whom, and how large a module may be."""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.neovim import ROOT

PACKAGE = ROOT / "python" / "claude_ide"
RPLUGIN = ROOT / "rplugin" / "python3"

MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "config": set(),
    "paths": set(),
    "files": set(),
    "program": set(),
    "git": {"program"},
    "trust": {"paths", "files"},
    "log": set(),
    "jsonrpc": {"errors"},
    "transport": {"errors", "program"},
    "editor": {"errors", "paths"},
    "mcp": {"__init__", "errors", "config", "paths", "files", "jsonrpc", "transport", "editor"},
    "startup": {"mcp"},
    "check": {"mcp", "transport"},
    "agents": {"errors", "config", "paths", "files", "git", "jsonrpc", "transport"},
    "chat": {"errors", "config", "paths", "files", "trust", "agents", "editor"},
    "headless": {"errors", "config", "files", "git", "trust", "agents", "editor"},
    "app": {
        *("errors", "config", "log", "startup", "check", "transport", "mcp", "editor"),
        *("agents", "chat", "headless", "trust"),
    },
    "commands": {"errors", "app", "trust"},
    "host": {"startup", "app"},
    "install": set(),
    "demo": {"__init__", "errors", "paths", "jsonrpc", "mcp"},
}
"""The parts of the package, and which others each may import."""

LONGEST = 400
"""Lines of a module."""


def part(module: str) -> str:
    """The part of the package that a module of it belongs to."""
    _, _, inside = module.partition(".")
    return inside.partition(".")[0] or "__init__"


def imported(path: Path) -> Iterator[str]:
    """The full names of the modules that a file imports anywhere, functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module
            if node.module == "claude_ide":
                yield from (f"claude_ide.{alias.name}" for alias in node.names)
            else:
                yield node.module


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return ".".join(("claude_ide", *path.relative_to(PACKAGE).with_suffix("").parts))


def identifier(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", modules(), ids=identifier)
def test_a_module_imports_only_what_its_part_may(path: Path) -> None:
    own = part(name(path))
    assert own in MAY_IMPORT, "a new part has to find its place in the house"

    ours = [module for module in imported(path) if module.partition(".")[0] == "claude_ide"]
    # `from claude_ide import __version__` names no module.
    parts = {part(module.replace("claude_ide.__version__", "claude_ide")) for module in ours}

    assert parts - {own} <= MAY_IMPORT[own]


def test_dependency_runs_one_way() -> None:
    list(graphlib.TopologicalSorter(MAY_IMPORT).static_order())


def test_only_the_port_to_neovim_and_the_host_know_pynvim() -> None:
    foreign = {"greenlet", "msgpack", "pynvim"}
    knowing = {
        name(path)
        for path in modules()
        if foreign & {module.partition(".")[0] for module in imported(path)}
    }

    assert knowing == {"claude_ide.editor.neovim", "claude_ide.host"}


def test_the_panel_knows_no_agent_but_by_the_port() -> None:
    """Another protocol is a room beside `stream_json`, and nothing else."""
    port = {path.stem for path in (PACKAGE / "agents").glob("*.py")} | {"events"}
    for path in sorted((PACKAGE / "chat").rglob("*.py")):
        agents = [module for module in imported(path) if part(module) == "agents"]
        assert {module.split(".")[2] for module in agents if module.count(".") > 1} <= port
        assert not re.search(r"\bClaude\b|stream.json", path.read_text("utf-8")), path


def test_nothing_imports_the_remote_plugin() -> None:
    plugins = {path.stem for path in RPLUGIN.glob("*.py")}
    assert plugins == {"claude_ide_rplugin"}

    for path in modules():
        assert not plugins & set(imported(path))


def test_a_server_is_announced_before_anything_but_the_standard_library_is_imported() -> None:
    """What `startup` imports is what the user waits for."""
    code = f"""
import sys
sys.path.insert(0, {str(PACKAGE.parent)!r})
import claude_ide.startup
print(*{{name.partition(".")[0] for name in sys.modules}})
"""
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())

    assert "claude_ide" in loaded
    assert not loaded & {"asyncio", "logging", "msgpack", "msgspec", "pynvim", "websockets"}


@pytest.mark.parametrize("path", sorted((ROOT / "lua").rglob("*.lua")), ids=identifier)
def test_a_lua_module_replaces_nothing_of_neovims(path: Path) -> None:
    """Other plugins run in the same loop; variables and options are there to be set.

    A diagnostic handler under a name of our own is an addition.
    """
    assigned = re.findall(
        r"^\s*vim\.(?!diagnostic\.handlers\.claude_ide )(\w+)[\w.]* = ",
        path.read_text(encoding="utf-8"),
        re.MULTILINE,
    )

    assert {*assigned} <= {"b", "bo", "env", "g", "o", "opt", "t", "v", "w", "wo"}


LUA = ROOT / "lua" / "claude_ide"

ROOMS = (
    *("channel", "say", "system", "colouring", "highlights", "window", "when", "dialogue"),
    *("checking", "file"),
    *("disk", "diagnostics", "selection", "format", "host", "diff", "question", "next_command"),
    *("log_window", "terminal", "chat.state", "chat.keys", "chat.hint", "chat.offer"),
    *("chat.window", "chat.waiting", "chat.transcript", "chat.prompt", "chat.form", "chat.plan"),
    *("chat", "session", "status", "health", "init"),
)
"""The rooms of the editor's half: each may require itself and those that stand before it.

A folder is a room. A module that is in none, or that stands here by itself, is a room of its own.
"""

STILL_UPWARD: set[tuple[str, str]] = set()


def room_of(module: str) -> str:
    """The room that a module of Lua belongs to."""
    while module not in ROOMS:
        module = module.rpartition(".")[0]
    return module


def lua_modules() -> dict[str, Path]:
    """The modules of Lua by their names, without `claude_ide.`."""
    modules = {}
    for path in LUA.rglob("*.lua"):
        name = ".".join(path.relative_to(LUA).with_suffix("").parts)
        modules[name.removesuffix(".init")] = path
    return modules


def test_a_lua_module_requires_nothing_above_its_room() -> None:
    upward = set()
    for own, path in lua_modules().items():
        for name in re.findall(r"'claude_ide\.([\w.]+)'", path.read_text(encoding="utf-8")):
            if name not in lua_modules():
                continue
            above, here = room_of(name), room_of(own)
            if ROOMS.index(above) > ROOMS.index(here):
                upward.add((here, above))

    assert upward == STILL_UPWARD


SOURCES = [
    *modules(),
    *RPLUGIN.glob("*.py"),
    *(ROOT / "lua").rglob("*.lua"),
    *(ROOT / "plugin").glob("*.lua"),
]


@pytest.mark.parametrize("path", sorted(SOURCES), ids=identifier)
def test_a_module_can_be_read_in_one_go(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
