"""The commands and maps of Vim are those of Neovim, and each Vim that lacks something says so."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.either_editor import on_screen
from support.neovim import ROOT, Neovim, until
from support.terminal import Terminal
from support.vim import Vim

ONLY_VIM = {"ClaudeCheck"}
"""Neovim has `:checkhealth`."""

ROW = re.compile(r"^(?P<flags>....)(?P<name>Claude\w*) +(?P<args>[01*?+]) +(?P<range>\S+)")


def commands(listed: str) -> dict[str, tuple[str, str, str]]:
    """Return what `:command Claude` lists: flags, number of arguments and range, by name."""
    rows = filter(None, map(ROW.match, listed.splitlines()))
    return {row["name"]: (row["flags"].strip(), row["args"], row["range"]) for row in rows}


async def maps(editor: Neovim | Vim, names: list[str]) -> set[tuple[str, str]]:
    """Return the `<Plug>` maps, each with its mode."""
    return {
        (mode, name)
        for name in names
        for mode in "nxoit"
        if await editor.eval(f"!empty(maparg('<Plug>(claude-{name})', '{mode}', 0, 1))")
    }


async def test_vim_has_the_commands_of_neovim_with_the_same_attributes(
    vim: Vim, nvim: Neovim
) -> None:
    expected = commands(await nvim.eval("execute('command Claude')"))
    found = commands(await vim.eval("execute('command Claude')"))

    assert len(expected) > 30
    assert {name: row for name, row in found.items() if name not in ONLY_VIM} == expected
    assert set(found) - set(expected) == ONLY_VIM


async def test_every_script_compiles(vim: Vim) -> None:
    """Versions of Vim differ in what they accept."""
    refused = []
    for path in sorted((ROOT / "autoload/claude_ide").rglob("*.vim")):
        try:
            await vim.command(f"source {path}")
        except Exception as error:
            refused.append(f"{path.name}: {error}")

    assert refused == []


async def test_vim_has_the_maps_of_neovim(vim: Vim, nvim: Neovim) -> None:
    plugin = (ROOT / "plugin/claude_ide.lua").read_text(encoding="utf-8")
    names = re.findall(r"'<Plug>\(claude-([\w-]+)\)'", plugin)

    assert await maps(vim, names) >= await maps(nvim, names)


async def test_each_command_and_map_that_needs_neovim_says_so_in_one_line(vim: Vim) -> None:
    rows = (await vim.eval("execute('command Claude')")).splitlines()
    lacking = [row["name"] for row in map(ROW.match, rows) if row and "NeedNeovim" in row.string]

    assert len(lacking) > 5
    for name in [*lacking, "ClaudeInstall"]:
        argument = " x" if name[6:] in TAKING else ""
        await vim.keys(f":{name}{argument} | let g:next = '{name}'<CR>")
        await on_screen(vim, f"claude-ide: :{name} ")
        assert await vim.eval("[mode(), g:next]") == ["n", name]
    for name in ("chat", "hunk-take", "prompt"):
        await vim.command(f'call feedkeys("\\<Plug>(claude-{name})")')
        await on_screen(vim, f"<Plug>(claude-{name}) needs Neovim")
        assert (await vim.mode())["mode"] == "n"


TAKING = ("Uninstall", "Install")
"""Commands with an argument for Neovim."""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ClaudeAdd ", "a.py"),
        ("ClaudeShare ", "off"),
        ("ClaudeTrust ", "revoke"),
        ("ClaudeMcpConfig ", "stdio"),
        ("ClaudeWire ", "save"),
        ("Claude --cont", "--continue"),
    ],
)
async def test_arguments_complete_as_in_neovim(
    vim: Vim, nvim: Neovim, project: Path, command: str, expected: str
) -> None:
    (project / "a.py").touch()

    found = await vim.call("getcompletion", command, "cmdline")

    assert expected in found
    assert found == await nvim.eval(f"getcompletion('{command}', 'cmdline')")


async def screen_of(*arguments: str, program: str, tmp_path: Path) -> Terminal:
    """Start a Vim that has only this plugin."""
    return await Terminal.start(
        *[program, *arguments, "-u", "NONE", "-i", "NONE", "-n"],
        *["--cmd", f"set runtimepath^={ROOT}"],
        *["-c", f"source {ROOT}/plugin/claude_ide.vim"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        columns=80,
        rows=24,
    )


@pytest.mark.parametrize(
    "keys",
    [
        ":ClaudeStart",
        ":'<,'>ClaudeChat | echo",
        ':execute "normal \\<Plug>(claude-send)"',
        ':execute "normal \\<Plug>(claude-chat)"',
    ],
)
async def test_a_compatible_vim_is_refused_in_one_line(
    vim_program: str, tmp_path: Path, keys: str
) -> None:
    screen = await screen_of("-C", program=vim_program, tmp_path=tmp_path)
    try:
        await until(lambda: "~" in screen.text(), "Vim is up")
        await screen.type_and_wait(b"Vy" + keys.encode() + b"\r")

        await until(lambda: "claude-ide needs 'nocompatible'" in screen.text(), "the refusal")
        assert "Press ENTER" not in screen.text()
    finally:
        await screen.stop()


def test_a_vim_without_script_reads_nothing() -> None:
    tiny = shutil.which("vim.tiny")
    if tiny is None:
        pytest.skip("no vim.tiny; Debian: apt-get install vim-tiny")
    source = subprocess.run(
        [
            # -N, because there is no line continuation with 'compatible', in which tiny ones start.
            *[tiny, "-N", "-V1", "-e", "-s", "-u", "NONE", "-i", "NONE"],
            *["-c", f"source {ROOT}/plugin/claude_ide.vim", "-c", "qa!"],
        ],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert (source.stdout, source.stderr, source.returncode) == ("", "", 0)


async def test_neovim_reads_nothing_of_the_half_for_vim(nvim: Neovim) -> None:
    await nvim.command(f"unlet! g:loaded_claude_ide | source {ROOT}/plugin/claude_ide.vim")

    assert await nvim.eval("exists('g:loaded_claude_ide')") == 0
    assert await nvim.eval("exists(':ClaudeCheck')") == 0
    assert await nvim.eval("execute('messages')") == ""
