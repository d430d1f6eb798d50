"""The bars of a diff in Vim, which are status lines, stay visible beside plugins for these."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import are_shown, ask, is_closed, propose
from support.vim_plugins import folder_of

WARNING = "git runs it"
KEYS = ":w"


@pytest.fixture(params=["vim-airline", "lightline.vim"])
async def plugin(request: pytest.FixtureRequest, vim: Vim) -> str:
    """A plugin that sets the status lines of all windows, and what it does so with."""
    await vim.command(f"set runtimepath+={folder_of(request.param)} | runtime! plugin/**/*.vim")
    await vim.command("set noshowmode laststatus=2")
    await vim.command("if exists('*lightline#enable') | call lightline#enable() | endif")
    await vim.command("doautocmd VimEnter | doautocmd WinEnter")
    await until(lambda: "NORMAL" in vim.screen.text(), "the plugin's status line")
    return str(request.param)


async def shows_bars(vim: Vim) -> None:
    """Wait until both bars are on the screen, and no other status line."""

    def are_there() -> bool:
        text = vim.screen.text()
        return text.count(WARNING) == 2 and KEYS in vim.screen.lines()[-2] and "NORMAL" not in text

    await vim.screen.until(are_there, "the bars")


@pytest.mark.parametrize("layout", ["tab", "horizontal"])
async def test_the_warning_stays_wherever_the_user_goes(
    vim: Vim, vim_client: ClaudeCode, project: Path, plugin: str, layout: str
) -> None:
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{layout}'}}")
    path = project / ".git/hooks/pre-commit"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    await vim.command("edit .git/hooks/pre-commit")
    before = await vim.eval("winnr('$')")

    ask(vim_client, path, "#!/bin/sh\ntrue\n")
    await are_shown(vim)
    await shows_bars(vim)

    for keys in ("<C-w>p", "<C-w>p", "ix<Esc>", "gg", ":doautocmd WinEnter<CR>"):
        await vim.keys(keys)
        await shows_bars(vim)
    await vim.keys(":q<CR>")

    await is_closed(vim)
    await until(lambda: "NORMAL" in vim.screen.text(), "the plugin's status line is back")
    assert await vim.eval("winnr('$')") == before
    assert "winbar" not in await vim.eval("&l:statusline")


@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
async def test_the_bars_are_visible_without_status_lines(
    vim: Vim, vim_client: ClaudeCode, project: Path, layout: str
) -> None:
    await vim.command("set laststatus=0")
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{layout}'}}")
    before = await vim.eval("[winheight(1), winrestcmd()]")

    await propose(vim, vim_client, project / ".git/hooks/pre-commit", "#!/bin/sh\n")
    await until(lambda: vim.screen.text().count(WARNING) >= 1 and KEYS in vim.screen.text())
    await vim.keys(":q<CR>")

    await is_closed(vim)
    assert await vim.eval("[winheight(1), winrestcmd()]") == before
    assert await vim.eval("&laststatus") == 0


async def test_nothing_in_a_name_or_a_title_is_evaluated(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    name = "%{writefile([],'canary')}%#Error#.txt"
    _, asked = vim_client.start_call(
        "openDiff",
        {
            "old_file_path": str(project / name),
            "new_file_path": str(project / name),
            "new_file_contents": "text\n",
            "tab_name": "%{%writefile([],'canary')%}",
        },
    )
    await are_shown(vim)

    await until(lambda: name in vim.screen.text(), "the name")
    await vim.keys(":q<CR>")
    await is_closed(vim)
    await asked
    assert not (project / "canary").exists()
