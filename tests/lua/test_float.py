"""`window/float.lua`: lines in the middle of the screen."""

from support.neovim import Neovim

SHOW = "return require('claude_ide.window.float').show(...)"


async def test_control_characters_are_shown_in_caret_notation(nvim: Neovim) -> None:
    await nvim.lua(SHOW, ["a\nb\x1b", "c\r"], {"title": "d\n%{e}\x07"})

    assert await nvim.eval("getline(1, '$')") == ["a^Jb^[", "c"]
    assert await nvim.eval("nvim_win_get_config(0).title") == [[" d %{e}^G "]]
