"""`wire_window.vim`: the messages on the wire, a line each, that unfold."""

from typing import Any

import pytest

from support.neovim import Neovim, until

WINDOW = "vim.fn['claude_ide#wire_window#%s'](...)"


def item(number: int, *lines: str) -> list[str]:
    rows = lines or ("{", "}")
    return [f"12:00:00.000  8 B → Claude  ping #{number}", *(f"  {row}" for row in rows)]


async def append(nvim: Neovim, *items: list[str], dropped: int = 0) -> str:
    is_empty = await nvim.eval("get(getbufline(winbufnr(winnr('$')), 1), 0, '') =~ '^No message'")
    heads = [[sum(map(len, items[:index])), 18, 22, 30] for index in range(len(items))]
    appended = "return " + WINDOW % "Append"
    return str(
        await nvim.lua(
            appended, [row for rows in items for row in rows], heads, dropped or is_empty
        )
    )


async def enter(nvim: Neovim) -> None:
    await nvim.lua(WINDOW % "Open", True)


async def rows(nvim: Neovim) -> list[str]:
    """The rows of the window on the screen."""
    await nvim.command("redraw")
    info = (await nvim.eval("getwininfo()"))[-1]
    top, height = info["winrow"], info["height"]
    return [row for row in nvim.screen.lines()[top : top + height - 1] if row != "~"]


@pytest.fixture
async def wire(nvim: Neovim) -> Neovim:
    """A Neovim with the window, which the user has not entered."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua(WINDOW % "Open", False)
    return nvim


async def test_the_user_stays_where_they_are(wire: Neovim) -> None:
    await append(wire, item(1))

    assert await wire.eval("[winnr(), winnr('$'), mode()]") == [1, 2, "n"]
    await enter(wire)
    assert await wire.eval("[winnr(), bufname(), &modifiable, &buftype]") == [
        2,
        await wire.eval("bufname()"),
        0,
        "nofile",
    ]
    assert str(await wire.eval("bufname()")).endswith("Claude wire")


async def test_a_message_is_a_line_that_unfolds(wire: Neovim) -> None:
    assert await append(wire, item(1, '{"a": 1}'), item(2)) == "done"
    await enter(wire)
    assert [row.split("→")[1] for row in await rows(wire)] == [
        " Claude  ping #1",
        " Claude  ping #2",
    ]

    await wire.keys("gg<CR>")

    await until(lambda: wire.eval("foldclosed(1) == -1"), "unfolded")
    assert (await rows(wire))[1] == '  {"a": 1}'
    await wire.keys("<CR>")
    await until(lambda: wire.eval("foldclosed(1) == 1"), "folded")


async def test_the_window_follows_unless_the_user_reads_something_else(wire: Neovim) -> None:
    await append(wire, item(1), item(2))
    assert await wire.eval("line('.', win_getid(2))") == 6
    await append(wire, item(3))
    assert await wire.eval("line('.', win_getid(2))") == 9

    await enter(wire)
    await wire.keys("gg")
    await until(lambda: wire.eval("line('.') == 1"), "at the top")
    await append(wire, item(4))
    assert await wire.eval("line('.')") == 1


async def test_old_messages_go_and_the_cursor_stays_on_its_own(wire: Neovim) -> None:
    await append(wire, item(1), item(2), item(3))
    await enter(wire)
    await wire.keys("4G")
    await until(lambda: wire.eval("line('.') == 4"), "on the second message")

    await append(wire, item(4), dropped=3)

    assert await wire.eval("getline(1)") == "12:00:00.000  8 B → Claude  ping #2"
    assert await wire.eval("[line('.'), line('$')]") == [1, 9]


async def test_the_parts_of_a_line_have_their_colours(wire: Neovim) -> None:
    await append(wire, item(1), item(2))

    marks = await wire.lua(
        "return vim.tbl_map(function(mark) return { mark[2], mark[3], mark[4].end_col } end,"
        " vim.api.nvim_buf_get_extmarks(vim.fn.winbufnr(2),"
        " vim.api.nvim_get_namespaces().claude_ide_wire, 0, -1, { details = true }))"
    )
    assert marks == [[row, *columns] for row in (0, 3) for columns in ((0, 18), (18, 22), (22, 30))]


async def test_closing_the_window_is_reported(wire: Neovim) -> None:
    await append(wire, item(1))
    await enter(wire)
    await wire.keys("q")

    await until(lambda: wire.events("wire_closed"), "reported")
    assert await wire.eval("winnr('$')") == 1
    assert await append(wire, item(2)) == "closed"


async def test_the_text_is_not_lost_while_neovim_waits_for_a_key(wire: Neovim) -> None:
    """An `<expr>` map locks all texts."""
    await wire.command("nnoremap <expr> Q getcharstr()")
    await wire.keys("Q")
    await until(lambda: blocked(wire), "it waits")

    assert await append(wire, item(1)) == "busy"
    await wire.keys("j")
    await until(lambda: free(wire), "it goes on")
    assert await append(wire, item(1)) == "done"
    assert await wire.eval("len(getbufline(winbufnr(2), 1, '$'))") == 3


async def blocked(nvim: Neovim) -> bool:
    return bool(await nvim.lua("return not pcall(vim.api.nvim_buf_set_lines, 0, 0, 0, true, {})"))


async def free(nvim: Neovim) -> bool:
    return not await blocked(nvim)


async def test_a_window_of_an_earlier_recording_is_used_again(wire: Neovim) -> None:
    """Its host has ended."""
    await append(wire, item(1))

    await wire.lua(WINDOW % "Open", False)

    assert await wire.eval("[winnr(), winnr('$')]") == [1, 2]
    assert await append(wire, item(7)) == "done"
    assert await wire.eval("getbufline(winbufnr(2), 1, '$')[0]") == (
        "12:00:00.000  8 B → Claude  ping #7"
    )


async def test_g_question_mark_shows_the_keys(wire: Neovim) -> None:
    await enter(wire)
    await wire.keys("g?")

    await until(lambda: "end the recording" in wire.screen.text(), "the keys")


@pytest.mark.parametrize(
    ("typed", "found"),
    [("ClaudeWire ", ["save"]), ("ClaudeWire save a", ["a\\ b.txt"]), ("ClaudeWire x", [])],
)
async def test_the_arguments_are_completed(
    nvim: Neovim, project: Any, typed: str, found: list[str]
) -> None:
    (project / "a b.txt").touch()

    assert await nvim.eval(f"getcompletion('{typed}', 'cmdline')") == found
