"""`:ClaudeInstall` in a real Vim, from a folder of packages instead of an index."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.checkout import program
from support.installs import only_from, tools
from support.neovim import until
from support.vim import Vim
from support.wheels import wheels

MINUTE = 60.0


@pytest.fixture
async def vim(vim_program: str, project: Path, tmp_path: Path) -> AsyncIterator[Vim]:
    """A Vim whose PATH has only Python, uv and a fitting index, without the option `python`."""
    environment = {"PATH": tools(tmp_path / "bin"), "SHELL": "/bin/sh"}
    environment |= only_from(wheels(), tmp_path)
    vim = await Vim.start(
        "--cmd", "unlet g:claude_ide", cwd=project, home=tmp_path / "home", env=environment
    )
    yield vim
    await vim.stop()


async def test_installs_what_vim_needs_and_without_neovims_client(vim: Vim, tmp_path: Path) -> None:
    await vim.command("call claude_ide#host#install#Run()")

    await until(
        lambda: "Python is ready; :Claude opens Claude Code" in vim.screen.text(), "", MINUTE
    )

    packages = {path.name for path in (tmp_path / "home/data").rglob("site-packages/*")}
    assert {"msgspec", "websockets", "h11", "fastjsonschema"} <= packages
    assert not packages & {"pynvim", "msgpack", "greenlet"}
    await until(lambda: "installing the packages" not in vim.screen.text(), "the popup is closed")


@pytest.mark.parametrize("path", [".:", ":"])
async def test_programs_in_the_folder_are_not_run_even_if_path_contains_it(
    vim: Vim, project: Path, tmp_path: Path, path: str
) -> None:
    for name in ("python3", "python3.11", "uv", "claude", "git", "readlink", "ps"):
        program(project / name, f"touch '{tmp_path}/canary'; exit 1")
    await vim.command(f"let $PATH = '{path}' .. $PATH")

    await vim.keys(":ClaudeInstall<CR>")
    await until(lambda: "Python is ready" in vim.screen.text(), "the environment", MINUTE)
    await vim.keys(":ClaudeCheck<CR>")
    report = "join(getbufline('claude-ide://check', 1, '$'))"
    await until(lambda: vim.eval(f"{report} =~# 'claude is not on PATH'"), "the report")
    await vim.keys(":Claude<CR>")
    await until(lambda: "claude is not on PATH (:ClaudeCheck" in vim.screen.text(), "the reason")

    assert not (tmp_path / "canary").exists()


async def test_a_failure_is_one_line_with_its_reason(vim: Vim, tmp_path: Path) -> None:
    program(tmp_path / "bin/uv", "echo 'error: no network here' >&2; exit 1")

    await vim.keys(":ClaudeInstall<CR>")

    await until(lambda: "; see :ClaudeLog" in vim.screen.text(), "the reason", MINUTE)
    assert (await vim.mode())["mode"] == "n"


async def test_suggested_keys_spare_those_of_the_user(vim: Vim) -> None:
    await vim.command(r"nnoremap \ab :mine<CR>")
    await vim.command("call claude_ide#suggested_keys#Define()")

    assert await vim.eval(r"maparg('\ac', 'n')") == "<Plug>(claude-toggle)"
    assert await vim.eval(r"maparg('\as', 'x')") == "<Plug>(claude-send)"
    assert await vim.eval(r"maparg('\ab', 'n')") == ":mine<CR>"


async def test_tools_of_the_user_need_neovim(vim: Vim) -> None:
    await vim.command(
        "try | call claude_ide#add_tool({}) | catch | let g:why = v:exception | endtry"
    )

    assert await vim.eval("g:why") == "claude-ide: add_tool needs Neovim"


async def test_the_statusline_is_a_text(vim: Vim) -> None:
    assert isinstance(await vim.eval("claude_ide#statusline()"), str)
