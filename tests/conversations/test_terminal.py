"""`:Claude` and its terminal, with a program of the test's own in the CLI's place."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.neovim import Neovim, until


@pytest.fixture
async def program(nvim: Neovim, tmp_path: Path) -> Path:
    """A program that says what it was given and stays until it is told to `quit`."""
    script = tmp_path / "claude-stand-in"
    script.write_text(
        '#!/bin/sh\necho "given: $*" "port: $CLAUDE_CODE_SSE_PORT"\n'
        'while read -r line; do [ "$line" = quit ] && exit 0; echo "read: $line"; done\n'
    )
    script.chmod(0o755)
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {cmd = ...})", str(script)
    )
    return script


async def test_claude_starts_server_and_program_at_the_right(
    nvim: Neovim, program: Path, config_folder: Path
) -> None:
    await nvim.keys(":Claude --resume 'a b'<CR>")

    port, _ = await the_lock(config_folder)
    await until(lambda: "given: --resume" in nvim.screen.text())
    assert f"port: {port}" in nvim.screen.text().replace("\n", "").replace("│", "")
    await until(lambda: nvim.eval("[winnr('$'), winnr(), mode()] == [2, 2, 't']"))
    assert await nvim.eval("winwidth(2)") == 40


async def test_claude_again_hides_it_and_again_shows_the_same_one(
    nvim: Neovim, program: Path
) -> None:
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())
    terminal = await nvim.eval("bufnr()")

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))
    assert await nvim.eval("bufnr()") == terminal
    await nvim.keys("hello<CR>")
    await until(lambda: "read: hello" in nvim.screen.text())


async def test_a_program_that_ends_well_takes_its_window_along(nvim: Neovim, program: Path) -> None:
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())

    await nvim.keys("quit<CR>")

    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))


async def test_a_program_that_is_not_there_is_named(nvim: Neovim) -> None:
    await nvim.lua("vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {cmd = 'nope'})")

    await nvim.keys(":Claude<CR>")

    await until(lambda: "claude-ide: nope is not on PATH" in nvim.screen.text())
    assert await nvim.eval("winnr('$')") == 1


@pytest.mark.parametrize(
    ("side", "size", "expected"),
    [("left", 30, [1, 30]), ("below", 8, [2, 8]), ("above", 0.5, [1, 15])],
)
async def test_side_and_size_are_the_users(
    nvim: Neovim, program: Path, side: str, size: float, expected: list[int]
) -> None:
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {terminal = ...})",
        {"side": side, "size": size},
    )

    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))
    measure = "winwidth(0)" if side == "left" else "winheight(0)"
    assert await nvim.eval(f"[winnr(), {measure}]") == expected


async def test_the_selection_stays_when_claude_is_opened_from_visual_mode(
    nvim: Neovim, program: Path, project: Path, config_folder: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit {path}")
    await nvim.command("ClaudeStart!")
    await the_lock(config_folder)
    async with claude_code(config_folder) as claude:
        await nvim.keys("Vj")

        def is_told() -> bool:
            told = claude.told_of("selection_changed")
            return bool(told) and told[-1]["text"].rstrip("\n") == "one\ntwo"

        await until(is_told)

        await nvim.keys(":Claude<CR>")
        await until(lambda: nvim.eval("mode() == 't'"))

        latest = await claude.json("getLatestSelection")
        assert latest["text"].rstrip("\n") == "one\ntwo"
        assert is_told()


async def test_a_mention_waits_for_a_client(
    serving: Neovim, project: Path, config_folder: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await serving.command(f"edit {path}")

    await serving.keys(":2,3ClaudeSend<CR>")
    await until(lambda: "as soon as a Claude is connected" in serving.screen.text())
    await serving.keys(":ClaudeStatus<CR>")
    await until(lambda: "Mentions that wait for a client: 1" in serving.screen.text())

    async with claude_code(config_folder) as claude:
        await until(lambda: claude.told_of("at_mentioned"))
        assert claude.told_of("at_mentioned") == [
            {"filePath": str(path), "lineStart": 1, "lineEnd": 2}
        ]


async def test_a_mention_goes_to_the_client_that_was_active_last(
    serving: Neovim, claude: ClaudeCode, project: Path, config_folder: Path
) -> None:
    (project / "a.py").write_text("one\n")
    async with claude_code(config_folder) as other:
        await claude.request("tools/list")
        await other.request("tools/list")
        is_heard = "luaeval(\"require('claude_ide.host').server().clients == 2\")"
        await until(lambda: serving.eval(is_heard))
        await until(lambda: len(claude.told_of("ping")) >= 3 and len(other.told_of("ping")) >= 3)
        await claude.texts("closeAllDiffTabs")

        await serving.command("ClaudeAdd a.py")

        await until(lambda: claude.told_of("at_mentioned"))
        assert other.told_of("at_mentioned") == []


async def test_the_operator_mentions_and_repeats(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\n\nthree\nfour\n")
    await serving.command(f"edit {path} | nmap gs <Plug>(claude-send)| xmap gs <Plug>(claude-send)")
    await until(lambda: claude.told_of("selection_changed"))

    await serving.keys("gsipG.")
    await until(lambda: len(claude.told_of("at_mentioned")) == 2)
    await serving.keys("ggVjgs")
    await until(lambda: len(claude.told_of("at_mentioned")) == 3)

    lines = [(m["lineStart"], m["lineEnd"]) for m in claude.told_of("at_mentioned")]
    assert lines == [(0, 1), (3, 4), (0, 1)]


async def test_clients_are_counted_and_announced(serving: Neovim, config_folder: Path) -> None:
    await serving.lua(
        "vim.api.nvim_create_autocmd('User', {pattern = 'Claude*', callback = function(e)"
        " vim.g.seen = (vim.g.seen or '') .. e.match .. e.data.clients .. ' ' end})"
    )

    async with claude_code(config_folder):
        await until(lambda: serving.lua("return vim.g.seen == 'ClaudeConnected1 '"))
        assert await serving.lua("return require('claude_ide').statusline()") == "claude:1"

    await until(lambda: serving.lua("return vim.g.seen:find('ClaudeDisconnected0') ~= nil"))
