"""`headless/answer_window.lua`: a text that grows in a float or a split."""

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

OPEN = chunk("answer_window/open")


async def open_window(nvim: Neovim, title: str = "Why?", kind: str = "float") -> None:
    await nvim.lua(OPEN, title, kind)


async def draw(nvim: Neovim, text: str, keep: int = 0) -> list[str]:
    """Draw the text, and return the buffer's lines."""
    await nvim.lua("require('claude_ide.headless.answer_window').draw(_G.view, ...)", text, keep)
    lines: list[str] = await nvim.eval("getline(1, '$')")
    return lines


@pytest.mark.parametrize("kind", ["float", "split"])
async def test_only_new_text_is_drawn(nvim: Neovim, kind: str) -> None:
    await open_window(nvim, kind=kind)

    assert await draw(nvim, "ä\nb") == ["ä", "b"]
    await nvim.lua("vim.bo.modifiable = true; vim.fn.setline(1, 'mark')")
    assert await draw(nvim, "ä\nbc\n\nd", len("ä\nb".encode())) == ["mark", "bc", "", "d"]
    assert await draw(nvim, "x", 0) == ["x"]
    assert await nvim.eval("&modifiable") == 0


@pytest.mark.parametrize("columns, rows", [(100, 30), (20, 6), (300, 80)])
async def test_the_window_fits_every_screen(nvim: Neovim, columns: int, rows: int) -> None:
    await open_window(nvim, "日本 " * 100)

    await nvim.request("nvim_ui_try_resize", columns, rows)

    await until(lambda: nvim.eval(f"&columns == {columns} && &lines == {rows}"))
    config = await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0)"))
    await until(lambda: nvim.eval(f"winwidth(0) <= {columns - 2} && winheight(0) <= {rows - 3}"))
    assert config["relative"] == "editor"


async def test_the_status_is_shown_below_the_text(nvim: Neovim) -> None:
    await open_window(nvim)
    set_status = "require('claude_ide.headless.answer_window').set_status(_G.view, ...)"

    await nvim.lua(set_status, "waiting")
    await until(lambda: "waiting" in nvim.screen.text())
    await draw(nvim, "one\ntwo")

    def rows() -> list[int]:
        text = nvim.screen.lines()
        return [n for n, line in enumerate(text) if "two" in line or "waiting" in line]

    await until(lambda: len(rows()) == 2 and rows()[1] - rows()[0] == 2)
    await nvim.lua(set_status, "")
    await until(lambda: "waiting" not in nvim.screen.text())


async def test_keys_and_closing_are_reported(nvim: Neovim) -> None:
    await open_window(nvim)

    await nvim.keys("<C-c>")
    await until(lambda: nvim.lua("return #_G.events == 1"))
    await nvim.keys("q")

    await until(lambda: nvim.lua("return vim.deep_equal(_G.events, { 'stop', 'closed' })"))
    assert await nvim.eval("winnr('$')") == 1
    await nvim.lua("require('claude_ide.headless.answer_window').draw(_G.view, 'late', 0)")
    await nvim.lua("require('claude_ide.headless.answer_window').finish(_G.view, 'late')")


async def test_no_filetype_autocommand_runs_in_a_buffer_that_is_closing(nvim: Neovim) -> None:
    await nvim.lua(chunk("answer_window/finish_when_closed"))
    await nvim.command("let g:seen = [] | autocmd FileType * let g:seen += [expand('<amatch>')]")

    await nvim.keys("q")

    await until(lambda: nvim.eval("winnr('$') == 1"))
    assert await nvim.eval("g:seen") == []


async def test_a_complete_answer_is_highlighted(nvim: Neovim) -> None:
    await nvim.command("autocmd FileType markdown throw 'mine'")
    await open_window(nvim)
    await draw(nvim, "# x")
    active = "return vim.treesitter.highlighter.active[vim.fn.bufnr()] ~= nil"
    assert not await nvim.lua(active)

    await nvim.lua("require('claude_ide.headless.answer_window').finish(_G.view)")

    assert await nvim.lua(active)
    assert await nvim.eval("[&filetype, &modifiable, &bufhidden]") == ["markdown", 0, "wipe"]
    assert (await nvim.mode())["blocking"] is False


async def test_the_text_can_be_yanked(nvim: Neovim) -> None:
    await open_window(nvim)
    await draw(nvim, "one\ntwo")

    await nvim.keys("yG")

    await until(lambda: nvim.eval('getreg(\'"\') == "one\\ntwo\\n"'))


async def test_a_long_error_wraps_and_can_be_yanked(nvim: Neovim) -> None:
    await open_window(nvim)
    error = "the reason is " + "long " * 40 + "indeed"

    await nvim.lua("require('claude_ide.headless.answer_window').finish(_G.view, ...)", error)
    await until(lambda: "indeed" in nvim.screen.text())
    await nvim.keys("gy")

    await until(lambda: nvim.eval("getreg('\"')"))
    assert await nvim.eval("getreg('\"')") == f"{error}\n"


async def test_an_error_is_added_to_the_text(nvim: Neovim) -> None:
    await open_window(nvim)
    await draw(nvim, "half an answer")

    await nvim.lua("require('claude_ide.headless.answer_window').finish(_G.view, 'no more')")

    assert await nvim.eval("getline(1, '$')") == ["half an answer", "", "no more"]
    assert await nvim.eval("&modifiable") == 0


async def test_the_whole_text_is_yanked_into_the_named_register(nvim: Neovim) -> None:
    await open_window(nvim)
    await draw(nvim, "one\ntwo\n\nthree")

    await nvim.keys('j"agy')

    await until(lambda: nvim.eval("getreg('a') == \"one\\ntwo\\n\\nthree\\n\""))


async def size(nvim: Neovim) -> list[int]:
    measured: list[int] = await nvim.eval("[winwidth(0), winheight(0)]")
    return measured


async def test_a_float_grows_with_its_text_up_to_a_limit(nvim: Neovim) -> None:
    await open_window(nvim)
    await draw(nvim, "yes")
    assert await size(nvim) == [40, 3]

    await draw(nvim, "x" * 55)
    assert await size(nvim) == [55, 3]
    await draw(nvim, "x" * 500)
    assert await size(nvim) == [70, 8]
    await draw(nvim, "line\n" * 100)
    assert await size(nvim) == [70, 17]
    await draw(nvim, "yes")
    assert await size(nvim) == [70, 17]


@pytest.mark.parametrize(
    ("first", "last", "covered"), [(1, 2, False), (25, 27, False), (14, 14, False), (1, 28, True)]
)
async def test_a_float_does_not_cover_the_lines_that_it_is_about(
    nvim: Neovim, first: int, last: int, covered: bool
) -> None:
    lines = [f"{'':45}code {number:02}" for number in range(1, 29)]
    await nvim.command(f"call setline(1, {lines})")
    await nvim.lua(chunk("answer_window/open_about"), first, last)
    await draw(nvim, "a\nb\nc\nd")

    await until(lambda: " Why? " in nvim.screen.text())
    shown = nvim.screen.text()
    about = lines[first - 1 : last]
    assert all(line in shown for line in about) is not covered
