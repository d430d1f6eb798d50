"""The `:Claude…` commands: defined in Lua, run in Python, described in the help."""

import importlib.util
import re
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

import claude_ide
from claude_ide.commands import COMMANDS
from support.neovim import ROOT, Neovim

ENTRY = ROOT / "rplugin" / "python3" / "claude_ide_rplugin.py"
PLUGIN = (ROOT / "plugin" / "claude_ide.lua").read_text(encoding="utf-8")
HELP = (ROOT / "doc" / "claude_ide.txt").read_text(encoding="utf-8")
DEFINED = re.findall(r"^command\(\s*'(\w+)'", PLUGIN, re.MULTILINE)
FORWARDED = re.findall(r"^command\('(\w+)', (?:\w+\('\w+', )?host\('(\w+)'\)", PLUGIN, re.MULTILINE)
"""The name of each command, and its name in the host."""
LATER = "".join(
    (ROOT / "lua/claude_ide" / name).read_text(encoding="utf-8")
    for name in ("chat/command.lua", "comment.lua", "sending.lua", "terminal_prompt.lua")
) + (ROOT / "autoload/claude_ide/sending.vim").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rplugin() -> ModuleType:
    """The remote plugin, loaded as our host loads it."""
    assert "claude_ide" in sys.modules, claude_ide
    spec = importlib.util.spec_from_file_location("claude_ide_rplugin", ENTRY)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def specs(rplugin: ModuleType) -> dict[str, Any]:
    """Return the arguments of pynvim's decorator for each command."""
    members = [getattr(rplugin.ClaudeIde, name) for name in dir(rplugin.ClaudeIde)]
    found = [member._nvim_rpc_spec for member in members if hasattr(member, "_nvim_rpc_spec")]
    return {spec["name"]: spec for spec in found if spec["type"] == "command"}


def test_lua_forwards_exactly_the_commands_of_the_host() -> None:
    later = set(re.findall(r"(?:host\.command|s:hand)\('(\w+)'", LATER))
    assert sorted(FORWARDED) == sorted((name, name) for name in set(COMMANDS) - later)
    assert later | {name for name, _ in FORWARDED} == set(COMMANDS)
    assert set(COMMANDS) < set(DEFINED)


def test_the_remote_plugin_has_the_same_commands(rplugin: ModuleType) -> None:
    assert sorted(specs(rplugin)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_asynchronous_and_accepts_the_arguments_from_lua(
    rplugin: ModuleType, name: str
) -> None:
    spec = specs(rplugin)[name]

    assert spec["sync"] is False
    # `host/init.lua` sends arguments, range, bang and place, in the order of pynvim's decorator.
    at = "[bufnr(), line('.') - 1, b:changedtick, expand('%:p')]"
    assert spec["opts"] == {"nargs": "*", "range": "", "bang": "", "eval": at}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_docstring_of_a_command_starts_with_its_name(name: str) -> None:
    assert re.match(rf":(\[range\])?{name}\b", COMMANDS[name].__doc__ or "")


@pytest.mark.parametrize("name", DEFINED)
async def test_a_command_exists_in_neovim_with_a_description(nvim: Neovim, name: str) -> None:
    commands = await nvim.request("nvim_get_commands", {})

    # The definition of a command in Lua is its description.
    assert re.fullmatch(r"[A-Z][^\n]{10,60}", commands[name]["definition"])


@pytest.mark.parametrize("name", DEFINED)
def test_a_command_has_a_help_tag(name: str) -> None:
    assert re.search(rf"\*:{name}\*", HELP)


def test_the_help_has_tags_for_exactly_the_existing_commands() -> None:
    only_in_vim = {"ClaudeCheck"}

    assert set(re.findall(r"\*:(Claude\w*)\*", HELP)) == set(DEFINED) | only_in_vim


def test_update_remote_plugins_finds_nothing_to_register() -> None:
    """`:UpdateRemotePlugins` loads the file in a host without our package."""
    code = f"import runpy; print([n for n in runpy.run_path({str(ENTRY)!r}) if n[0] != '_'])"

    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "['sys']"
