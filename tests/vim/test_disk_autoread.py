"""Files are followed in Vim, whose 'autoread' is off by default, unless it is switched off."""

from pathlib import Path

import pytest

from support.claude_code import the_lock
from support.neovim import until
from support.vim import Vim
from support.vim_disk import asks_nothing, edit, follows, lines


@pytest.mark.parametrize(
    "switch", [":setlocal noautoread<CR>", ":set noautoread<CR>", ":source vimrc<CR>"]
)
async def test_with_autoread_switched_off_only_announced_writes_are_followed(
    serving_vim: Vim, project: Path, switch: str
) -> None:
    vim = serving_vim
    (project / "vimrc").write_text("set noautoread\n")
    await edit(vim, project / "auto.txt", b"old\n")
    await vim.keys(f"{switch}:let g:is_switched = 1<CR>")
    await until(lambda: vim.eval("exists('g:is_switched')"), "switched")
    values = "[&l:autoread, &autoread, &g:autoread]"
    before = await vim.eval(values)
    (project / "auto.txt").write_text("theirs\n")
    await vim.idle(800)
    assert await lines(vim) == ["old"]

    await vim.call("claude_ide#agent_writes#Announce", str(project / "auto.txt"))
    (project / "auto.txt").write_text("Claude's\n")
    await follows(vim, ["Claude's"])
    await until(lambda: "Claude changed auto.txt (+1 −1); u undoes" in vim.screen.text(), "told")  # noqa: RUF001
    assert await vim.eval(values) == before
    await asks_nothing(vim)

    # Still off after an update of ours.
    (project / "auto.txt").write_text("theirs\n")
    await vim.idle(800)
    assert await lines(vim) == ["Claude's"]


async def test_autoread_is_switched_off_before_the_server_starts(
    vim: Vim, config_folder: Path, project: Path
) -> None:
    await edit(vim, project / "auto.txt", b"old\n")
    await vim.keys(":set noautoread<CR>:ClaudeStart<CR>")
    await the_lock(config_folder)
    await until(lambda: vim.eval("claude_ide#host#Server()"), "listening")

    (project / "auto.txt").write_text("theirs\n")

    await vim.idle(800)
    assert await lines(vim) == ["old"]
    assert await vim.eval("claude_ide#file#disk#IsAutoread(bufnr())") == 0


@pytest.mark.parametrize("setting", ["", "setlocal autoread", "set autoread"])
async def test_the_value_of_autoread_stays(serving_vim: Vim, project: Path, setting: str) -> None:
    vim = serving_vim
    await edit(vim, project / "auto.txt", b"old\n")
    await vim.command(setting)
    values = "[&l:autoread, &autoread, &g:autoread]"
    before = await vim.eval(values)

    for word in ("new", "newer"):
        (project / "auto.txt").write_text(f"{word}\n")
        await follows(vim, [word])

    assert await vim.eval(values) == before


async def test_vim_does_not_warn_of_a_change_that_it_finds_first(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "first.txt"
    await edit(vim, path, b"old\n")

    # As after `:!` or with the focus: nothing of ours runs between the write and Vim's check.
    await vim.keys(":silent !echo new > first.txt<CR><C-l>")

    await follows(vim, ["new"])
    assert "W11" not in vim.screen.text() + await vim.eval("execute('messages')")
    await asks_nothing(vim)


async def test_vim_does_not_warn_of_a_conflict_that_it_finds_first(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "first.txt"
    await edit(vim, path, b"old\n")
    await vim.keys("ccmine<Esc>")

    await vim.keys(":silent !echo theirs > first.txt<CR><C-l>")

    await until(
        lambda: "first.txt changed on disk; unsaved changes kept" in vim.screen.text(), "told"
    )
    assert await lines(vim) == ["mine"]
    assert await vim.mode() == {"mode": "n", "blocking": False}
    assert "W12" not in await vim.eval("execute('messages')")
    # `:w` asks before it overwrites the file.
    await vim.keys(":w<CR>")
    await until(lambda: "really want to write" in vim.screen.text(), "the question")
    await vim.keys("n")
    assert path.read_text() == "theirs\n"
