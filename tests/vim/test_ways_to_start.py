"""Vim started in an unusual way: `vim -R`, `vim -M`, `vim -es`, or with unusual options."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_code import claude_code, the_lock
from support.neovim import ROOT, clean_environment, until
from support.vim import Vim, runtime
from support.vim_diffs import answer, is_closed, propose


@pytest.fixture
async def vim(
    request: pytest.FixtureRequest, vim_program: str, project: Path, tmp_path: Path
) -> AsyncIterator[Vim]:
    """A Vim with the arguments that the parameter gives."""
    arguments = getattr(request, "param", [])
    vim = await Vim.start(*arguments, cwd=project, home=tmp_path / "home")
    yield vim
    await vim.stop()


@pytest.mark.parametrize(
    ("vim", "accept", "option"),
    [(["-R"], "w", "readonly"), (["-M"], "ClaudeAccept", "modifiable == 0")],
    indirect=["vim"],
)
async def test_a_viewer_of_files_can_accept_an_edit(
    serving_vim: Vim, config_folder: Path, project: Path, accept: str, option: str
) -> None:
    (project / "a.txt").write_text("old\n")
    await serving_vim.command("edit a.txt")
    async with claude_code(config_folder) as client:
        asked = await propose(serving_vim, client, project / "a.txt", "new\n")

        await serving_vim.keys(f"Amine<Esc>:{accept}<CR>")

        assert await answer(asked) == ["FILE_SAVED", "newmine\n"]
        await is_closed(serving_vim)
    assert await serving_vim.eval(f"&{option}")


@pytest.mark.parametrize(
    "vim", [["--cmd", f"set encoding={name}"] for name in ("euc-jp", "latin1")], indirect=True
)
@pytest.mark.parametrize("command", ["ClaudeStart", "ClaudeCheck", "Claude", "ClaudeAsk why"])
async def test_another_encoding_is_refused_in_one_line(vim: Vim, command: str) -> None:
    await vim.keys(f":{command}<CR>")

    await until(lambda: "but claude-ide needs utf-8" in vim.screen.text(), "the reason")
    assert await vim.eval("mode()") == "n"
    assert "E115" not in vim.screen.text()


@pytest.mark.parametrize("vim", [["--cmd", "set wildignore=*"]], indirect=True)
async def test_names_that_completion_leaves_out_do_not_matter(
    vim: Vim, config_folder: Path
) -> None:
    await vim.command("ClaudeStart!")

    await the_lock(config_folder)
    await until(lambda: vim.eval("claude_ide#host#Server()"), "listening")


async def test_a_script_of_vim_can_use_the_commands(
    vim_program: str, project: Path, tmp_path: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    commands = ["ClaudeStart", "ClaudeStatus", "ClaudeAccept", "ClaudeSend", "s/one/two/", "wq"]
    process = await asyncio.create_subprocess_exec(
        *(vim_program, "-N", "-u", "NORC", "-i", "NONE", "-es"),
        *("--cmd", f"set runtimepath^={ROOT}"),
        *("--cmd", f"let g:claude_ide = {{'python': '{sys.executable}'}}"),
        *(word for command in commands for word in ("-c", command)),
        "a.txt",
        cwd=project,
        env=clean_environment(tmp_path / "home") | runtime(vim_program),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )

    said, _ = await asyncio.wait_for(process.communicate(), 20)

    assert said == b""
    assert process.returncode == 0
    assert (project / "a.txt").read_text() == "two\n"
