"""The map of the house in ARCHITECTURE.md: it names every room, and nothing that does not exist."""

import re

from support.neovim import ROOT

ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAP = ARCHITECTURE.partition("## A map of the house")[2].partition("\n## ")[0]
EDITORS, PYTHON = (
    MAP.partition(f"\n{folder}/claude_ide/")[2].partition("\n\n")[0]
    for folder in ("autoload", "python")
)
PACKAGE = ROOT / "python/claude_ide"
ROOM = re.compile(r"^  (\S.*?)(?:  +(.*))?$", re.MULTILINE)
"""A line of the map: what it is about, and what is said about that."""


def test_the_rooms_of_both_editors_are_on_the_map_and_nothing_else() -> None:
    listed = dict(ROOM.findall(EDITORS))
    lua, vim = (
        {
            path.relative_to(ROOT / folder).parts[0].removesuffix(f".{kind}")
            for path in (ROOT / folder).rglob(f"*.{kind}")
        }
        for folder, kind in (("lua/claude_ide", "lua"), ("autoload/claude_ide", "vim"))
    )

    assert listed.keys() == lua | vim
    assert {name for name, said in listed.items() if said.endswith("(Lua)")} == lua - vim
    assert {name for name, said in listed.items() if said.endswith("(Vim)")} == vim - lua


def test_the_rooms_of_python_are_on_the_map_and_nothing_else() -> None:
    listed = {name for names, _ in ROOM.findall(PYTHON) for name in names.split()}
    folders = {f"{path.parent.relative_to(PACKAGE)}/" for path in PACKAGE.rglob("*/*.py")}
    modules = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py"}

    assert listed == folders | modules


def test_every_file_that_a_room_names_is_there() -> None:
    room, absent = PACKAGE, []
    for line in PYTHON.splitlines():
        if found := re.match(r"  (\S+)/ ", line):
            room = PACKAGE / found[1]
        elif re.match(r"  \S", line):
            room = PACKAGE
        named = re.findall(r"\w+\.py\b", line)
        absent += [f"{room.name}: {name}" for name in named if not (room / name).is_file()]

    assert not absent
