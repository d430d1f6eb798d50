"""`options.lua`: the types of options and events, compared with `config.py` and `:help`."""

import json
import re
import shutil
import subprocess
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from claude_ide.config import (
    AgentConfig,
    Agents,
    Config,
    Contexts,
    McpServerConfig,
    McpServers,
    Prompts,
    ReviewKeys,
)
from support.neovim import ROOT

TYPES = (ROOT / "lua/claude_ide/options.lua").read_text(encoding="utf-8")
HELP = (ROOT / "doc/claude_ide.txt").read_text(encoding="utf-8")
CLASSES: dict[str, dict[str, str]] = {}
"""The types of the fields, by class, with those of the class that it extends."""
for _name, _parent, _fields in re.findall(
    r"^---@class (?:\(exact\) )?claude_ide\.([\w.]+)(?:: claude_ide\.(\w+))?.*\n"
    r"((?:---@field .+\n)+)",
    TYPES,
    re.MULTILINE,
):
    own = dict(re.findall(r"^---@field (\w+)\?? (\S+)", _fields, re.MULTILINE))
    CLASSES[_name] = CLASSES.get(_parent, {}) | own

ALIASES: dict[str, str] = {
    name: "|".join(re.findall(r"^---\| ('\w*'|fun\(.*?\))", choices, re.MULTILINE))
    for name, choices in re.findall(r"^---@alias (\S+)\n((?:---\| .+\n)+)", TYPES, re.MULTILINE)
} | dict(re.findall(r"^---@alias (\S+) (.+)$", TYPES, re.MULTILINE))
LUA = {
    **{str: "string", bool: "boolean", int: "number", float: "number"},
    Agents: "table<string,claude_ide.Options.Agent|false>",
    Prompts: "table<string,string|false>",
    Contexts: "table<string,function>",
    McpServers: "table<string,claude_ide.Options.McpServer>",
    dict[str, str]: "table<string,string>",
    dict[str, str | int | float]: "table<string,string|number>",
    ReviewKeys: "table<string,string>",
}

CHECKER = shutil.which("lua-language-server")
WRONG = """
local claude = require('claude_ide')
claude.setup({ diff = { layout = 'sideways' } })
claude.setup({ terminal = { size = 'big' } })
claude.setup({ auto_start = 1 })
local options = {} ---@type claude_ide.Options
options.autostart = true
claude.setup({ cmd = { 'claude', '--verbose' }, chat = { side = 'float', size = 80 } })
claude.setup()
"""


def lua_type(type_: Any) -> str:
    """Return the type of an option in Lua's words."""
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if origin is typing.Annotated:
        return lua_type(arguments[0])
    if origin is typing.Literal:
        return "|".join(f"'{choice}'" for choice in arguments)
    if origin in (types.UnionType, typing.Union):
        given = [argument for argument in arguments if argument is not types.NoneType]
        return "|".join(dict.fromkeys(map(lua_type, given)))
    if origin is list:
        return f"{lua_type(arguments[0])}[]"
    return LUA[type_]


def fields(type_: Any, class_: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each class of options with its fields; a field such as `diff` names its class."""
    own = {}
    for field in msgspec.structs.fields(type_):
        if isinstance(field.default, msgspec.Struct):
            own[field.name] = CLASSES[class_][field.name]
            assert own[field.name].startswith("claude_ide.")
            nested = own[field.name].removeprefix("claude_ide.").removesuffix("|false")
            yield from fields(type(field.default), nested)
        else:
            own[field.name] = lua_type(field.type)
    yield class_, own


def all_fields() -> Iterator[tuple[str, dict[str, str]]]:
    yield from fields(Config, "Options")
    yield from fields(AgentConfig, "Options.Agent")
    yield from fields(McpServerConfig, "Options.McpServer")


def without_functions(declared: list[str]) -> list[str]:
    """Neovim keeps functions to itself."""
    return [type_ for type_ in declared if not type_.startswith("fun(")]


def test_the_types_of_the_options_are_those_that_the_host_accepts() -> None:
    for class_, expected in all_fields():
        declared = {
            name: "|".join(sorted(without_functions(ALIASES.get(type_, type_).split("|"))))
            for name, type_ in CLASSES[class_].items()
        }
        assert declared == {
            name: "|".join(sorted(type_.split("|"))) for name, type_ in expected.items()
        }


def test_every_option_is_optional_and_described_with_its_default() -> None:
    declared = re.findall(
        r"^---@field (\w+)(\??) \S+ ?(.*)", TYPES.partition("-- The `data`")[0], re.M
    )

    assert len(declared) == sum(len(own) for _, own in all_fields())
    for name, optional, description in declared:
        assert optional, name
        assert description, name


def test_the_types_of_the_events_have_the_documented_fields() -> None:
    events = HELP.partition("*claude-ide-events*")[2].partition("\n====")[0]
    documented = [
        set(re.split(r",\s*", found)) for found in re.findall(r"`data` is `\{ (.*?) \}`", events)
    ]
    declared = [set(own) for name, own in CLASSES.items() if name.endswith("Event")]

    assert sorted(map(sorted, documented)) == sorted(map(sorted, declared))


@pytest.mark.skipif(CHECKER is None, reason="lua-language-server is not installed")
def test_the_language_server_reports_wrong_options(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "init.lua").write_text(WRONG)
    settings = {"type.checkTableShape": True, "workspace.library": [str(ROOT / "lua")]}
    (project / ".luarc.json").write_text(json.dumps(settings))
    log = tmp_path / "problems.json"

    subprocess.run(
        [
            str(CHECKER),
            f"--check={project}",
            "--check_format=json",
            f"--check_out_path={log}",
            f"--logpath={tmp_path}",
            f"--metapath={tmp_path}/meta",
        ],
        capture_output=True,
        check=False,
    )

    [found] = json.loads(log.read_text(encoding="utf-8")).values()
    assert {(problem["range"]["start"]["line"], problem["code"]) for problem in found} == {
        (2, "assign-type-mismatch"),
        (3, "assign-type-mismatch"),
        (4, "assign-type-mismatch"),
        (6, "inject-field"),
    }
