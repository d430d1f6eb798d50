"""`timing/moment.lua`: some floats must not be interrupted; others count as windows."""

import pytest

from support.chunks import chunk
from support.moments import FLOAT, ask, called, entered, is_held
from support.neovim import Neovim, until


async def _is_completing(nvim: Neovim) -> bool:
    return bool((await nvim.mode())["mode"] == "ic")


OVER_THE_WINDOW = {"relative": "win", "row": 0, "col": 0, "width": 9, "height": 3}


async def test_nothing_appears_while_a_plugins_float_has_the_focus(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile")

    await ask(typing)

    assert await is_held(typing)
    await typing.command("close")
    await called(typing)


async def test_a_chats_float_counts_as_a_window(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile")
    await typing.command("setlocal filetype=claude-chat")

    await ask(typing)

    await called(typing)


async def test_something_can_appear_while_the_user_is_in_an_empty_prompt(typing: Neovim) -> None:
    await typing.command("enew | setlocal filetype=claude-prompt")
    await entered(typing, "i")

    await ask(typing)

    await called(typing)
    assert (await typing.mode())["mode"] == "n"


async def test_what_follows_at_once_is_in_normal_mode_and_not_in_that_of_the_prompt(
    typing: Neovim,
) -> None:
    await typing.command("enew | setlocal filetype=claude-prompt")
    await entered(typing, "i")

    await typing.lua(chunk("moments/there_and_back"))

    await called(typing)
    await typing.idle(50)
    assert (await typing.mode())["mode"] == "n"
    assert await typing.eval("winnr('$')") == 2


async def test_a_completion_without_matches_in_an_empty_prompt_delays_nothing(
    typing: Neovim,
) -> None:
    await typing.command("enew | setlocal filetype=claude-prompt")
    await typing.keys("i<C-x><C-n>")
    await until(lambda: _is_completing(typing), "the completion has begun")

    await ask(typing)

    await called(typing)
    assert (await typing.mode())["mode"] == "n"


async def test_nothing_appears_while_an_empty_prompt_has_a_completion_menu(typing: Neovim) -> None:
    await typing.command("enew | setlocal filetype=claude-prompt completeopt=menuone,noselect")
    await typing.keys("i<Cmd>call complete(1, ['word'])<CR>")
    await until(lambda: _is_completing(typing), "the completion has begun")

    await ask(typing)

    assert await is_held(typing)
    await typing.keys("<C-e>")
    await called(typing)


async def test_nothing_appears_while_the_user_writes_a_prompt(typing: Neovim) -> None:
    await typing.command("enew | setlocal filetype=claude-prompt")
    await typing.keys("iwhat about")

    await ask(typing)

    assert await is_held(typing)
    await typing.keys("<Esc>")
    await called(typing)


async def test_a_float_with_a_file_counts_as_a_window(typing: Neovim) -> None:
    await typing.lua(FLOAT, "")

    await ask(typing)

    await called(typing)


@pytest.mark.parametrize("keys", ["", "i"])
async def test_nothing_appears_while_a_terminal_float_has_the_focus(
    typing: Neovim, keys: str
) -> None:
    await typing.lua(FLOAT, "terminal")
    await typing.keys(keys)
    await until(lambda: typing.lua("return vim.fn.mode() == ...", "t" if keys else "n"))

    await ask(typing)

    assert await is_held(typing)
    await typing.command("close")
    await called(typing)


async def test_something_can_appear_while_claudes_terminal_float_has_the_focus(
    typing: Neovim,
) -> None:
    await typing.lua(FLOAT, "terminal")
    await typing.lua("vim.b.claude_ide_terminal = true")
    await typing.keys("i")
    await until(lambda: typing.eval("mode() == 't'"))

    await ask(typing)

    await called(typing)


async def test_a_sidebar_made_of_floats_counts_as_a_window(typing: Neovim) -> None:
    """The floats cover a window that was split off for them; the list covers the frame."""
    await typing.command("topleft 20vnew | setlocal buftype=nofile")
    for _ in ("frame", "list"):
        await typing.lua(FLOAT, "nofile", OVER_THE_WINDOW)

    await ask(typing)

    await called(typing)


async def test_nothing_appears_during_a_dialog_over_the_window_of_a_file(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile", OVER_THE_WINDOW)

    await ask(typing)

    assert await is_held(typing)
    await typing.command("close")
    await called(typing)


async def test_nothing_appears_during_a_dialog_over_a_float(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile")
    await typing.lua(FLOAT, "nofile", OVER_THE_WINDOW)

    await ask(typing)

    assert await is_held(typing)
    await typing.command("close | close")
    await called(typing)


async def test_floats_anchored_to_each_other_do_not_hang_neovim(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile")
    first = await typing.eval("win_getid()")
    await typing.lua(FLOAT, "nofile", OVER_THE_WINDOW | {"win": first})
    second = await typing.eval("win_getid()")
    await typing.lua(
        "local win, config = ...; pcall(vim.api.nvim_win_set_config, win, config)",
        first,
        OVER_THE_WINDOW | {"win": second},
    )

    await ask(typing)

    assert await is_held(typing)
    await typing.command("close | close")
    await called(typing)


@pytest.fixture
async def messages(typing: Neovim) -> Neovim:
    """A Neovim that shows messages in their own windows."""
    if not await typing.eval("has('nvim-0.12')"):
        pytest.skip("needs Neovim 0.12")
    await typing.lua("require('vim._core.ui2').enable({})")
    return typing


async def test_nothing_appears_during_a_long_message_in_a_window(messages: Neovim) -> None:
    await messages.keys(":echo range(900)<CR>")
    await until(
        lambda: messages.lua("return require('claude_ide.timing.moment').obstacle() ~= nil")
    )

    await ask(messages)

    assert await is_held(messages)
    await messages.keys("<Esc>")
    await called(messages)


async def test_nothing_appears_while_the_user_reads_messages_in_a_pager(messages: Neovim) -> None:
    await messages.command("for n in range(9) | echomsg n | endfor")
    await messages.keys(":messages<CR>")
    await until(lambda: messages.eval("&filetype == 'pager'"))

    await ask(messages)

    assert await is_held(messages)
    await messages.keys("q")
    await called(messages)


async def test_a_short_message_in_a_window_delays_nothing(messages: Neovim) -> None:
    await messages.keys(":echo 'one'<CR>")
    await until(lambda: "one" in messages.screen.lines()[-1])

    await ask(messages)

    await called(messages)
