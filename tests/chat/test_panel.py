"""`chat/panel.py`: the only module of the chat that names functions of Lua."""

import ast
from collections.abc import Iterator

from claude_ide.chat.panel import Panel, Panels
from support.neovim import ROOT

CHAT = ROOT / "python" / "claude_ide" / "chat"
CALLS = {"run", "ask", "_run", "lua", "json", "call"}


def named(source: str) -> Iterator[str]:
    """Yield the functions of Lua that a module calls by a string."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(ast.Attribute(attr=attr), [ast.Constant(str(name)), *_]) if attr in CALLS:
                yield name
            case ast.Call(ast.Attribute(attr=attr), [ast.JoinedStr(), *_]) if attr in CALLS:
                yield ast.unparse(node)


def test_only_the_panel_names_functions_of_lua() -> None:
    naming = {
        path.relative_to(CHAT).as_posix(): names
        for path in CHAT.rglob("*.py")
        if (names := sorted(named(path.read_text(encoding="utf-8"))))
    }

    assert set(naming) == {"panel.py"}
    assert len(naming["panel.py"]) == len(set(naming["panel.py"]))


def test_each_function_that_the_panel_names_has_its_own_method() -> None:
    names = sorted(named((CHAT / "panel.py").read_text(encoding="utf-8")))
    methods = [
        name
        for each in (Panel, Panels)
        for name, value in vars(each).items()
        if callable(value) and not name.startswith("_") and name != "of"
    ]

    assert len(names) == len(methods)
