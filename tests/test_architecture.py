"""The rules of ARCHITECTURE.md: which room may import which, and the maximum length of a file."""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from support import lua_source
from support.neovim import ROOT

PACKAGE = ROOT / "python" / "claude_ide"
RPLUGIN = ROOT / "rplugin" / "python3"

MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "editor_name": set(),
    "config": {"editor_name"},
    "paths": set(),
    "limits": set(),
    "files": {"paths"},
    "program": {"editor_name", "errors"},
    "git": {"program"},
    "pids": set(),
    "repository": {"files"},
    "trust": {"paths", "files", "repository"},
    "concealed": set(),
    "wire": set(),
    "log": {"concealed"},
    "websockets_import": set(),
    "tool_names": set(),
    "unicode": set(),
    "jsonrpc": {"errors", "unicode"},
    "transport": {"errors", "program"},
    "display_path": {"paths", "editor_name"},
    "privacy": {"paths", "editor_name"},
    "editor": {
        "config",
        "display_path",
        "errors",
        "limits",
        "paths",
        "editor_name",
        "pids",
        "program",
        "repository",
        "privacy",
        "quotation",
        "text_diff",
        "transport",
    },
    "jupyter": {"errors", "files", "program", "transport", "trust", "editor"},
    "mcp": {
        "display_path",
        *("__init__", "errors", "concealed", "config", "paths", "files", "jsonrpc", "transport"),
        *("editor", "websockets_import", "jupyter", "tool_names", "wire", "news"),
        *("text_diff", "editor_name", "unicode", "mentions", "pids", "repository"),
    },
    "startup": {"mcp"},
    "agents": {"concealed", "errors", "limits", "text_diff", "tool_names", "transport", "wire"},
    "text_diff": set(),
    "last_words": set(),
    "news": set(),
    "mentions": {"errors", "paths", "repository", "editor", "editor_name"},
    "git_changes": {"errors", "git", "editor", "editor_name"},
    "quotation": {"paths"},
    "contexts": {
        *("errors", "git", "git_changes", "paths", "quotation", "unicode", "editor", "editor_name"),
    },
    "own_mode": {"paths", "files"},
    "agents.stream_json": {
        *("errors", "paths", "files", "own_mode", "transport", "agents", "tool_names", "wire"),
        *("editor_name", "git", "limits", "pids", "program", "unicode"),
    },
    "agents.acp": {
        *("__init__", "errors", "concealed", "config", "paths", "files", "program", "jsonrpc"),
        *("transport", "agents", "tool_names"),
    },
    "user_servers": {
        *("agents", "agents.acp", "concealed", "config", "program", "tool_names", "trust"),
    },
    "agent_files": {
        *("display_path", "errors", "config", "paths", "files", "agents", "editor", "text_diff"),
    },
    "review": {
        *("errors", "config", "paths", "files", "program", "git", "text_diff", "editor"),
        *("agents", "quotation"),
    },
    "announcer": {"agents", "review"},
    "hooks": {
        *("editor_name", "unicode", "repository", "pids"),
        *("config", "program", "mcp", "agents", "editor"),
        *("errors", "paths", "trust", "agents.stream_json", "review", "announcer"),
        *("chat.page", "chat.requests", "wire", "files", "last_words"),
    },
    "chat.page": {"errors"},
    "chat.transcript": {"paths", "agents", "chat.page", "quotation"},
    "chat.chat_context": {
        *("errors", "config", "agents", "editor", "chat.page", "chat.transcript"),
    },
    "chat.requests": {
        "display_path",
        *("errors", "config", "paths", "files", "trust", "agents", "editor", "text_diff"),
        *("chat.chat_context", "chat.page", "chat.transcript", "last_words", "quotation"),
    },
    "chat": {
        "last_words",
        *("errors", "config", "paths", "trust", "agents", "editor", "review", "transport"),
        *(
            "files",
            "chat.chat_context",
            "chat.page",
            "chat.transcript",
            "chat.requests",
            "agent_files",
        ),
        *("announcer", "tool_names", "news", "mentions", "git", "program", "limits"),
        "user_servers",
    },
    "headless": {
        *("editor_name", "mentions", "pids", "text_diff", "chat.page", "contexts", "git_changes"),
        *("errors", "config", "files", "git", "trust", "agents", "editor", "paths"),
        *("agents.acp", "agents.stream_json", "chat"),
    },
    "sessions": {
        *("errors", "config", "paths", "pids", "program", "repository", "editor", "editor_name"),
        *("agents", "agents.stream_json", "chat", "chat.chat_context", "chat.page"),
        *("chat.requests", "files", "git", "hooks", "own_mode", "review", "transport", "trust"),
    },
    "terminal_opening": {"config", "editor", "editor_name", "hooks", "own_mode", "program"},
    "configured_agents": {"config", "agents", "agents.stream_json", "agents.acp", "chat"},
    "tool_list": {"errors", "editor", "mcp", "chat", "chat.chat_context", "chat.page"},
    "wire_view": {"errors", "chat.page", "concealed", "files", "editor", "wire"},
    "check": {
        *("editor_name", "errors", "git", "mcp", "program", "transport"),
        *("agents", "agents.acp"),
    },
    "prompt_events": {"chat", "contexts", "editor"},
    "app": {
        "prompt_events",
        *("errors", "concealed", "config", "log", "program", "startup", "check", "transport"),
        *("editor", "editor_name", "mcp", "configured_agents", "chat", "headless", "jupyter"),
        *("tool_list", "wire_view", "trust", "hooks", "review", "recipients"),
        *("sessions", "terminal_opening"),
    },
    "recipients": {"editor", "mcp", "review", "chat"},
    "status": {"agents.stream_json", "app", "editor", "editor_name", "limits", "mcp", "paths"},
    "sending": {"app", "contexts", "editor", "errors", "mcp", "mentions", "pids"},
    "commands": {
        *("errors", "app", "editor", "editor_name", "hooks", "mcp", "mentions", "program"),
        *("contexts", "sending", "sessions", "status", "trust"),
    },
    "vim_plugin": {"app", "commands", "editor", "startup"},
    "port_hold": set(),
    "host": {"startup", "app", "config", "websockets_import", "editor_name", "vim_plugin"},
    "install_failure": set(),
    "package_index": {"install_failure"},
    "install": {"install_failure", "package_index"},
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
    for path in sorted((PACKAGE / "chat").rglob("*.py")):
        agents = [module for module in imported(path) if part(module) == "agents"]
        assert {module.split(".")[2] for module in agents if module.count(".") > 1} <= port
        assert not re.search(r"\bClaude\b|stream.json", path.read_text("utf-8")), path


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
        "private_api",
        "channel",
        "messages",
        "status_line",
        "sessions",
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
        "prompts",
        "headless",
        "sending",
        "review",
    ),
    *("approval_buffer", "tools", "jupyter"),
    *("next_command", "log_window", "terminal", "chat", "wire_window"),
    "terminal_prompt",
    "permission",
    *(
        "addressee",
        "background",
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
