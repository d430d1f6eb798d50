"""`lua/claude_ide/quiet.lua`: nothing is shown and nothing of the user's fails along the way."""

import pytest

from support.neovim import Neovim, NvimError, until

RUN = "require('claude_ide.quiet').run"
ATTEMPT = "require('claude_ide.quiet').attempt"


async def test_what_is_printed_causes_no_prompt(nvim: Neovim) -> None:
    await nvim.command("autocmd TabNew * echo 1 | echo 2 | echo 3")

    await nvim.lua(f"{RUN}(vim.cmd.tabnew)")

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("tabpagenr('$')") == 2


async def test_an_autocommand_that_fails_does_not_stop_it(nvim: Neovim) -> None:
    await nvim.command("autocmd TabNew * call Nosuch() | echo 2")

    await nvim.lua(f"{RUN}(function() vim.cmd.tabnew(); vim.cmd.tabnew() end)")

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("tabpagenr('$')") == 3


async def test_an_error_of_ours_is_raised(nvim: Neovim) -> None:
    with pytest.raises(NvimError, match="no such luck"):
        await nvim.lua(f"{RUN}(function() error('no such luck', 0) end)")

    with pytest.raises(NvimError, match="Invalid buffer id"):
        await nvim.lua(f"{RUN}(function() vim.api.nvim_win_set_buf(0, 999) end)")


async def test_one_runs_inside_another(nvim: Neovim) -> None:
    await nvim.lua(
        "_G.order = {};"
        f"{RUN}(function()"
        f"  {RUN}(function() table.insert(_G.order, 'inner') end)"
        "  table.insert(_G.order, 'outer')"
        " end)"
    )

    assert await nvim.lua("return _G.order") == ["inner", "outer"]


async def test_an_attempt_raises_what_an_autocommand_fails_at(nvim: Neovim) -> None:
    await nvim.command("autocmd User Test call Nosuch()")

    with pytest.raises(NvimError, match="E117"):
        await nvim.lua(f"{ATTEMPT}(function() vim.cmd.doautocmd('User Test') end)")
    with pytest.raises(NvimError, match="E117"):
        await nvim.lua(
            f"{ATTEMPT}(function() vim.api.nvim_exec_autocmds('User', {{ pattern = 'Test' }}) end)"
        )

    assert not (await nvim.mode())["blocking"]


async def test_an_attempt_shows_what_is_printed(nvim: Neovim) -> None:
    await nvim.lua(f"{ATTEMPT}(function() vim.cmd.echo('\"hello\"') end)")

    await until(lambda: "hello" in nvim.screen.text(), "what was printed")
