"""The rules of ARCHITECTURE.md for the half of the editor in Vim."""

import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

from support.neovim import ROOT
from test_architecture import ROOMS, lua_room

VIM = ROOT / "autoload/claude_ide"
IMPORT = re.compile(r"^import autoload '(\.[^']+)\.vim'", re.MULTILINE)
START = re.compile(r"vim9script\n(scriptencoding utf-8\n)?#")
BOTH = re.compile(r'(scriptencoding utf-8\n)?" ')
FUNCTION = re.compile(r"^function!? (.*)$", re.MULTILINE)


def of_vim() -> dict[Path, str]:
    """Return the text of each script of Vim alone: all but those for both editors."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(VIM.rglob("*.vim"))}
    return {path: text for path, text in texts.items() if path not in shared()}


def shared() -> dict[Path, str]:
    """Return the text of each script for both editors: legacy Vim script, which is in no room."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(VIM.glob("*.vim"))}
    return {path: text for path, text in texts.items() if BOTH.match(text)}


def vim_module(path: Path) -> str:
    """Return the name of a module of Vim: `file.open`."""
    return path.relative_to(VIM).with_suffix("").as_posix().replace("/", ".")


def vim_imports() -> Iterator[tuple[str, str]]:
    """Yield each module of Vim with each module that it imports."""
    for path in sorted(VIM.rglob("*.vim")):
        for imported in IMPORT.findall(path.read_text(encoding="utf-8")):
            yield vim_module(path), vim_module((path.parent / f"{imported}.vim").resolve())


def test_a_module_of_vim_imports_nothing_above_its_room() -> None:
    """The rooms are those of Lua."""
    offenders = [
        f"{own} imports {imported}"
        for own, imported in vim_imports()
        if ROOMS.index(lua_room(imported)) > ROOMS.index(lua_room(own))
    ]

    assert not offenders, "\n".join(offenders)


def test_each_module_of_vim_has_a_room_and_starts_as_vim9_script() -> None:
    modules = {vim_module(path): text for path, text in of_vim().items()}

    assert not {module for module in modules if lua_room(module) not in ROOMS}
    assert not [module for module, text in modules.items() if not START.match(text)]


def test_a_script_for_both_editors_is_legacy_script_that_both_or_the_host_call() -> None:
    ports = (ROOT / "python/claude_ide/editor/port").glob("*.py")
    port = "".join(each.read_text("utf-8") for each in ports)
    lua = "".join(each.read_text("utf-8") for each in (ROOT / "lua").rglob("*.lua"))
    lua += (ROOT / "plugin/claude_ide.lua").read_text("utf-8")
    vim = "".join(of_vim().values()) + (ROOT / "plugin/claude_ide.vim").read_text("utf-8")

    assert shared()
    for path, text in shared().items():
        functions = FUNCTION.findall(text)
        assert functions
        assert text.isascii() or text.startswith("scriptencoding utf-8\n")
        for each in functions:
            assert re.match(rf"(s:|claude_ide#{path.stem}#)\w+\(.*\) abort", each), each
        others = "".join(other for name, other in shared().items() if name != path)
        for half in (lua, vim):
            assert f"claude_ide#{path.stem}#" in half + others + port, path


def test_a_script_with_text_beyond_ascii_states_its_encoding() -> None:
    """Otherwise the one that says that 'encoding' must be utf-8 would not compile in EUC-JP."""
    assert not [
        vim_module(path)
        for path, text in of_vim().items()
        if not text.startswith("vim9script\nscriptencoding utf-8\n")
        if not all(line.lstrip().startswith("#") or line.isascii() for line in text.splitlines())
    ]


def test_the_modules_of_vim_import_existing_ones_without_a_cycle() -> None:
    graph: dict[str, set[str]] = {}
    for own, imported in vim_imports():
        graph.setdefault(own, set()).add(imported)
    modules = {vim_module(path) for path in VIM.rglob("*.vim")}

    assert not {each for found in graph.values() for each in found} - modules
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_each_script_compiles_its_functions_when_it_is_sourced() -> None:
    """If a callback compiled one with a lambda block, the next command would end in a prompt."""
    scripts = of_vim()

    assert scripts
    assert not [path for path, text in scripts.items() if not text.endswith("\ndefcompile\n")]


def test_no_module_of_vim_asks_for_the_number_of_its_version() -> None:
    """Debian's 9.0.1378 calls itself 9.0.2142, but lacks features of the versions between."""
    scripts = [ROOT / "plugin/claude_ide.vim", *sorted(VIM.rglob("*.vim"))]
    offenders = [path for path in scripts if "v:version" in path.read_text("utf-8")]

    assert scripts[1:]
    assert not offenders
