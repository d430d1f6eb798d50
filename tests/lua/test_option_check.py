"""`option_check.lua`: `setup()` complains like the host (`config.py`), which it does not start."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from claude_ide.config import Config, decode
from support.neovim import Neovim, until

CHECK = "return require('claude_ide.option_check').complaints(...)"


def fields(
    type_: Any = Config, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the type of each option."""
    for field in msgspec.structs.fields(type_):
        inner = (*path, field.name)
        yield inner, field.type
        if isinstance(field.default, msgspec.Struct):
            yield from fields(field.type, inner)


def options(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


async def test_every_option_of_the_host_is_known(nvim: Neovim) -> None:
    for path, type_ in fields():
        for value in get_args(type_) if isinstance(get_args(type_)[:1], tuple) else ():
            if isinstance(value, str):
                assert await nvim.lua(CHECK, options(path, value)) == []
        wrong = options(path, [5])
        assert len(decode(wrong)[1]) == 1
        (complaint,) = await nvim.lua(CHECK, wrong)
        assert complaint.startswith(f"g:claude_ide.{'.'.join(path)}")


async def test_the_defaults_are_valid(nvim: Neovim) -> None:
    assert await nvim.lua(CHECK, msgspec.to_builtins(Config())) == []
    assert await nvim.lua(CHECK, {"diff": {}, "auto_start": 1, "cmd": ["claude", "--x"]}) == []
    agents = {"gemini": False, "qwen": 0, "otter": {"cmd": "o", "env": {"A": 1}}, "codex": {}}
    assert await nvim.lua(CHECK, {"agents": agents}) == []
    assert decode({"agents": agents})[1] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"autostart": 1},
        {"diff": {"lay_out": "tab"}},
        {"zzz": 1},
        {"prompts": "x"},
        {"prompts": {"x": 5}},
        {"prompts": {"a b": "x"}},
        {"auto_start": 2},
        {"auto_start": "yes"},
        {"cmd": 5},
        {"cmd": ["claude", 5]},
        {"diff": "tab"},
        {"diff": {"layout": "tabs"}},
        {"diff": {"layout": 3}},
        {"terminal": {"mode": "maual"}},
        {"terminal": {"size": -0.5}},
        {"chat": {"size": "wide"}},
        {"host": True},
        {"host": 5, "log_level": "loud"},
        {"agents": "gemini"},
        {"agents": {"an otter": {"cmd": "otter"}, "beaver": "beaver", "crab": True}},
        {"agents": {"otter": {"cmd": 5, "env": "A=1", "name": 5, "zzz": 1}}},
        {"agents": {"otter": {"cmd": ["otter", 5], "env": {"A": True}}}},
        "tab",
        ["auto_start"],
    ],
)
async def test_a_complaint_is_that_of_the_host(nvim: Neovim, wrong: Any) -> None:
    assert await nvim.lua(CHECK, wrong) == decode(wrong)[1]


async def test_setup_reports_a_wrong_option(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide').setup({ diff = 'tab' })")

    await until(lambda: "g:claude_ide.diff must be a table, not a string" in nvim.screen.text())


async def test_setup_names_several_wrong_options_and_starts_nothing(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide').setup({ terminal = { mode = 'maual' }, bogus = 1 })")

    await until(lambda: "wrong options: bogus, terminal.mode (:ClaudeLog)" in nvim.screen.text())
    assert (await nvim.mode())["blocking"] is False
    assert await nvim.lua("return require('claude_ide.channel').id == nil")
    log = await nvim.lua("return vim.fn.readfile(require('claude_ide.say.log').path())")
    assert any(
        'g:claude_ide.terminal.mode: "maual" is not one of "manual", ' in line for line in log
    )


async def test_a_right_setup_is_silent(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide').setup({ terminal = { mode = 'plan' } })")

    await nvim.idle(50)
    assert "claude-ide" not in nvim.screen.text()
