"""The rules of ARCHITECTURE.md: which room may import which, and the maximum length of a file."""

import ast
import graphlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from support import lua_source
from support.neovim import ROOT

PACKAGE = ROOT / "python" / "claude_ide"
RPLUGIN = ROOT / "rplugin" / "python3"

MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "base": set(),
    "config": {"base"},
    "privacy": {"base"},
    "transport": {"base"},
    "editor": {"base", "config", "privacy", "transport"},
    "jupyter": {"base", "transport", "editor"},
    "mcp": {"__init__", "base", "config", "transport", "editor", "jupyter"},
    "startup": {"mcp"},
    "agents": {"base", "transport"},
    "agents.stream_json": {"base", "transport", "agents"},
    "agents.acp": {"__init__", "base", "config", "transport", "agents"},
    "agents.user_servers": {"base", "config", "agents", "agents.acp"},
    "agents.configured": {"config", "agents", "agents.stream_json", "agents.acp"},
    "review": {"base", "config", "editor", "agents"},
    "ui": {"base", "editor", "agents"},
    "hooks": {
        *("base", "config", "transport", "editor", "mcp", "agents"),
        *("agents.stream_json", "review", "ui"),
    },
    "chat.transcript": {"base", "agents", "ui"},
    "chat": {
        *("base", "config", "transport", "editor", "mcp", "agents", "agents.user_servers"),
        *("review", "ui", "chat.transcript"),
    },
    "headless": {*("base", "config", "editor", "agents", "agents.stream_json", "agents.acp", "ui")},
    "sessions": {
        *("base", "config", "transport", "editor", "mcp", "agents"),
        *("agents.stream_json", "review", "ui", "hooks", "chat", "headless"),
    },
    "tool_list": {"base", "editor", "mcp", "ui"},
    "wire_view": {"base", "transport", "editor", "ui"},
    "check": {
        *("base", "config", "transport", "editor", "mcp", "startup", "agents", "agents.acp"),
        "hooks",
    },
    "app": {
        *("base", "config", "transport", "editor", "jupyter", "mcp", "startup"),
        *(
            "agents",
            "agents.configured",
            "review",
            "hooks",
            "chat",
            "headless",
            "sessions",
            "tool_list",
        ),
        *("wire_view", "check"),
    },
    "status": {"base", "editor", "mcp", "agents.stream_json", "app"},
    "sending": {"base", "editor", "mcp", "app"},
    "commands": {"base", "editor", "mcp", "hooks", "sessions", "app", "status", "sending"},
    "vim_plugin": {"editor", "startup", "app", "commands"},
    "host": {"base", "config", "transport", "startup", "app", "vim_plugin"},
    "package_index": set(),
    "install": {"base", "package_index"},
}
"""The rooms of the package, and the other rooms that each may import.

A room is a folder that is listed here, or a module in none of these folders.
"""

LONGEST = 600
"""The maximum number of lines in a file."""


def part(module: str) -> str:
    """Return the room of a module, or the module's own name if it has none."""
    _, _, inside = module.partition(".")
    room = inside
    while room and room not in MAY_IMPORT:
        room = room.rpartition(".")[0]
    return room or inside or "__init__"


def is_module(name: str) -> bool:
    """Return whether this is a module of the package, or a folder of modules."""
    path = PACKAGE.parent / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def imported(path: Path) -> Iterator[str]:
    """Yield the full names of the modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (each if is_module(each) else node.module for each in full)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return ".".join(("claude_ide", *path.relative_to(PACKAGE).with_suffix("").parts))


def test_a_python_module_imports_only_what_its_room_may() -> None:
    offenders = []
    for path in modules():
        here = part(name(path))
        ours = [module for module in imported(path) if module.partition(".")[0] == "claude_ide"]
        for module in ours:
            there = part(module)
            if here not in MAY_IMPORT or there not in {here} | MAY_IMPORT[here]:
                offenders.append(f"{path.relative_to(ROOT)} imports {module}: {here} → {there}")

    assert not offenders, "\n".join(offenders)


def test_imports_between_rooms_have_no_cycle() -> None:
    list(graphlib.TopologicalSorter(MAY_IMPORT).static_order())


def test_only_the_port_to_neovim_and_the_host_import_pynvim() -> None:
    foreign = {"greenlet", "msgpack", "pynvim"}
    knowing = {
        name(path)
        for path in modules()
        if foreign & {module.partition(".")[0] for module in imported(path)}
    }

    assert knowing == {"claude_ide.editor.neovim", "claude_ide.host"}


def test_the_chat_uses_agents_only_through_the_port() -> None:
    """Another protocol needs a room next to `stream_json`, and no other change."""
    port = {path.stem for path in (PACKAGE / "agents").glob("*.py")}
    for path in sorted([*(PACKAGE / "ui").glob("*.py"), *(PACKAGE / "chat").rglob("*.py")]):
        agents = [module for module in imported(path) if part(module) == "agents"]
        assert {module.split(".")[2] for module in agents if module.count(".") > 1} <= port
        assert not re.search(r"\bClaude\b|stream.json", path.read_text("utf-8")), path


def test_each_class_has_a_name_of_its_own() -> None:
    classes = Counter(
        node.name
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )

    assert [name for name, count in classes.items() if count > 1] == []


def test_no_module_imports_the_remote_plugin() -> None:
    plugins = {path.stem for path in RPLUGIN.glob("*.py")}
    assert plugins == {"claude_ide_rplugin"}

    for path in modules():
        assert not plugins & set(imported(path))


def test_startup_imports_neither_other_packages_nor_slow_modules() -> None:
    """The user waits for everything that `startup` imports."""
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


def test_lua_replaces_no_function_of_neovim() -> None:
    """Other plugins use the same functions. Variables and options may be set."""
    settable = {"b", "bo", "env", "g", "o", "opt", "t", "v", "w", "wo"}
    # A diagnostic handler under our own name replaces nothing.
    added = "vim.diagnostic.handlers.claude_ide"
    offenders = [
        f"{path.relative_to(ROOT)}:{target.line} assigns {target.text}"
        for path, source in lua_source.plugin().items()
        for target in source.replaced
        if re.split(r"\W", target.text)[1] not in settable and not target.text.startswith(added)
    ]

    assert not offenders, "\n".join(offenders)


ROOMS = (
    *(
        "requirement",
        "own_options",
        "channel",
        "messages",
        "private_api",
        "system",
        "colouring",
        "highlights",
    ),
    *("window", "timing", "ui"),
    *("file", "privacy", "editors"),
    *(
        "diagnostics",
        "disk_changes",
        "batch",
        "selection",
        "format",
        "host",
        "arguments",
        "option_check",
        "diff",
        "contexts",
        "headless",
        "sending",
        "review",
    ),
    *("approval_buffer", "tools", "jupyter"),
    *("next_command", "log_window", "terminal", "chat"),
    "terminal_prompt",
    "permission",
    *(
        "addressee",
        "comment",
        "decide",
        "attention",
        "session",
        "health",
        "options",
        "init",
    ),
)
"""The rooms of the Lua half; each may require itself and those listed before it.

A room is a folder with all that is in it, or a module that is in no folder.
"""


def lua_room(module: str) -> str:
    """Return the room of a Lua module."""
    return module.partition(".")[0]


def test_a_lua_module_requires_nothing_above_its_room() -> None:
    """Lazy requires count, too, and those in a string that Neovim evaluates."""
    offenders = []
    for own, source in lua_source.modules().items():
        here = lua_room(own)
        for required in sorted(source.required() & lua_source.modules().keys()):
            there = lua_room(required)
            if ROOMS.index(there) > ROOMS.index(here):
                offenders.append(f"{own} requires {required}: {here} → {there}")

    assert not offenders, "\n".join(offenders)


def test_lua_modules_require_each_other_without_a_cycle() -> None:
    """Lazy requires count, too."""
    sources = lua_source.modules()
    graph = {own: (each.required() & sources.keys()) - {own} for own, each in sources.items()}
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_each_lua_module_has_a_room() -> None:
    homeless = {module for module in lua_source.modules() if lua_room(module) not in ROOMS}

    assert not homeless


CODE = ("autoload", "lua", "plugin", "python", "rplugin", "tests", "build.lua", "lazy.lua")


def test_no_file_is_longer_than_the_limit() -> None:
    roots = [ROOT / name for name in CODE]
    files = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root])]
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
        if path.suffix in (".lua", ".py", ".vim")
    }

    too_long = {name: length for name, length in lengths.items() if length > LONGEST}
    assert not too_long


AUTOCOMMAND = re.compile(r"nvim_create_autocmd(\(.*?\n\s*\}\s*\)|\([^\n]*\))", re.DOTALL)


def test_every_autocommand_has_a_group() -> None:
    """A configuration that is sourced again ends those without a group by `autocmd!`."""
    offenders = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, call.start()) + 1}"
        for path in sorted((ROOT / "lua").rglob("*.lua"))
        for text in [path.read_text("utf-8")]
        for call in AUTOCOMMAND.finditer(text)
        if "group = " not in call[0]
    ]

    assert not offenders, "\n".join(offenders)
