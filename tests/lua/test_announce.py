"""`messages/announce.lua`: the `User` autocommands that other plugins can listen to."""

from support.neovim import Neovim, until

EVENT = "require('claude_ide.messages.announce').event('ClaudeTest', { number = 1 })"


async def test_an_event_carries_its_data(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeTest', callback = function(event)"
        " _G.got = event.data end })"
    )

    await nvim.lua(EVENT)

    assert await nvim.lua("return _G.got") == {"number": 1}


async def test_a_failing_autocommand_is_reported_and_does_not_stop_others(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.api.nvim_create_autocmd('User', { callback = function() error('no luck', 0) end })"
    )
    await nvim.command("autocmd User ClaudeTest let g:other = 1")

    await nvim.lua(EVENT)

    assert await nvim.eval("g:other") == 1
    await until(lambda: "ClaudeTest: " in nvim.screen.text(), "the failure is reported")
    assert "no luck" in await nvim.eval("execute('messages')")
    assert not (await nvim.mode())["blocking"]
