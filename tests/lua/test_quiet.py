"""`messages/quiet.lua`: code runs without output, and a failing autocommand does not stop it."""

import pytest

from support.neovim import Neovim, NvimError, until

RUN = "require('claude_ide.messages.quiet').run"
TOLERATE = "require('claude_ide.messages.quiet').tolerate"


async def test_the_output_of_an_autocommand_causes_no_prompt(nvim: Neovim) -> None:
    await nvim.command("autocmd TabNew * echo 1 | echo 2 | echo 3")

    await nvim.lua(f"{RUN}(vim.cmd.tabnew)")

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("tabpagenr('$')") == 2


async def test_a_failing_autocommand_does_not_stop_the_function(nvim: Neovim) -> None:
    await nvim.command("autocmd TabNew * call Nosuch() | echo 2")

    await nvim.lua(f"{RUN}(function() vim.cmd.tabnew(); vim.cmd.tabnew() end)")

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("tabpagenr('$')") == 3


async def test_an_error_in_the_function_itself_is_raised(nvim: Neovim) -> None:
    with pytest.raises(NvimError, match="no such luck"):
        await nvim.lua(f"{RUN}(function() error('no such luck', 0) end)")

    with pytest.raises(NvimError, match="Invalid buffer id"):
        await nvim.lua(f"{RUN}(function() vim.api.nvim_win_set_buf(0, 999) end)")


async def test_a_quiet_run_can_contain_another(nvim: Neovim) -> None:
    await nvim.lua(
        "_G.order = {};"
        f"{RUN}(function()"
        f"  {RUN}(function() table.insert(_G.order, 'inner') end)"
        "  table.insert(_G.order, 'outer')"
        " end)"
    )

    assert await nvim.lua("return _G.order") == ["inner", "outer"]


async def test_a_tolerated_error_is_returned_and_stops_no_other_autocommand(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.api.nvim_create_autocmd('User', { callback = function() error('no luck', 0) end })"
    )
    await nvim.command("autocmd User Test echomsg 'the other'")
    await nvim.command("let v:errmsg = 'as before'")

    failure = await nvim.lua(
        f"return {TOLERATE}(function()"
        " vim.api.nvim_exec_autocmds('User', { pattern = 'Test' }) end)"
    )

    assert "no luck" in failure
    assert (await nvim.eval("execute('messages')")).strip() == "the other"
    assert await nvim.eval("v:errmsg") == "as before"


async def test_tolerate_returns_an_empty_string_if_nothing_fails(nvim: Neovim) -> None:
    assert await nvim.lua(f"return {TOLERATE}(function() end)") == ""


@pytest.mark.parametrize("raised", ["vim.cmd('throw 42')", "error(42, 0)"])
async def test_an_error_that_the_function_raises_is_tolerated_too(
    nvim: Neovim, raised: str
) -> None:
    assert "42" in await nvim.lua(f"return {TOLERATE}(function() {raised} end)")


async def test_the_output_of_a_tolerated_function_is_shown(nvim: Neovim) -> None:
    await nvim.lua(f"{TOLERATE}(function() vim.cmd.echo('\"hello\"') end)")

    await until(lambda: "hello" in nvim.screen.text(), "the output")
