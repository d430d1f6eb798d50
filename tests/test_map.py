"""The map of the house in ARCHITECTURE.md: it names every module, and nothing else."""

import re

from support.neovim import ROOT

ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAP = ARCHITECTURE.partition("## A map of the house")[2].partition("\n## ")[0]
PYTHON = ROOT / "python/claude_ide"
LUA = ROOT / "lua/claude_ide"
VIM = ROOT / "autoload/claude_ide"

WHOLE_FOLDERS = ("agents", "chat", "mcp/model")
"""The Python folders that the map names without their modules."""


def test_every_python_module_or_its_folder_is_on_the_map() -> None:
    folders = [PYTHON / folder for folder in WHOLE_FOLDERS]
    modules = [path for path in PYTHON.glob("**/*.py") if path.name != "__init__.py"]
    outside = [m.name for m in modules if not any(m.is_relative_to(f) for f in folders)]
    names = [*(f"{folder.name}/" for folder in folders), *outside]

    absent = [
        name for name in names if not re.search(rf"^ +(\S+ )?{re.escape(name)}", MAP, re.MULTILINE)
    ]
    assert not absent


def vim_on_the_map() -> set[str]:
    """Return the names of the modules of Vim on the map, with their folders."""
    return _modules(MAP.partition("autoload/claude_ide/")[2].partition("lua/lualine/")[0])


def lua_on_the_map() -> set[str]:
    """Return the names of the Lua modules on the map, with their folders; `x/` is `x.init`."""
    return _modules(MAP.partition("\nlua/claude_ide/")[2].partition("rplugin/")[0])


def _modules(text: str) -> set[str]:
    found, folder = set(), ""
    for line in text.splitlines()[1:]:
        indent, names = len(line) - len(line.lstrip()), re.split(" {2,}", line.strip())[0].split()
        if indent == 2:
            folder = names[0] if names[0].endswith("/") else ""
        found |= {name if indent == 2 else folder + name for name in names}
    return found


def test_every_lua_module_is_on_the_map_and_nothing_else() -> None:
    files = [path.relative_to(LUA).with_suffix("").as_posix() for path in LUA.rglob("*.lua")]
    folders = {path.rpartition("/")[0] + "/" for path in files if "/" in path}

    here = {path for path in files if not path.endswith("/init")} | folders
    assert here ^ lua_on_the_map() == set()


def test_every_module_of_vim_is_on_the_map_and_nothing_else() -> None:
    files = [path.relative_to(VIM).with_suffix("").as_posix() for path in VIM.rglob("*.vim")]
    folders = {path.rpartition("/")[0] + "/" for path in files if "/" in path}

    assert ({*files} | folders) ^ vim_on_the_map() == set()
