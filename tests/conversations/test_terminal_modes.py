"""`:ClaudeFocus` and `<Plug>(claude-focus)` from each mode, and the mode to which they return."""

from pathlib import Path

import pytest

from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, configure, type_into
from support.neovim import until
from support.vim import Vim

MAP = "|".join(f"{kind} <F2> <Plug>(claude-focus)" for kind in ("map", "map!", "tmap"))


async def begin(nvim: Editor, side: str = "right") -> int:
    """Open Claude's terminal beside a file, and go to the file; `<F2>` goes there and back."""
    await configure(nvim, terminal={"side": side})
    await nvim.command(f"set hidden | edit a.txt | {MAP}")
    await nvim.command("call setline(1, ['one two', 'three'])")
    terminal = await open_claude(nvim)
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    return terminal


@pytest.fixture
async def terminal(nvim: Editor, program: Path) -> int:
    """Claude's terminal, which the user has left for a file beside it."""
    return await begin(nvim)


async def is_typing(nvim: Editor, terminal: int) -> bool:
    return bool(await nvim.eval(f"bufnr() == {terminal} && mode() == 't'"))


async def is_reading(nvim: Editor, terminal: int) -> bool:
    return bool(await nvim.eval(f"bufnr() == {terminal} && mode(1) != 't'"))


async def is_in_file(nvim: Editor, mode: str = "n") -> bool:
    return bool(await nvim.eval(f"[bufname(), mode()] == ['a.txt', '{mode}']"))


async def write(nvim: Editor, terminal: int, count: int = 100) -> None:
    """Let the CLI write more lines than fit on the screen."""
    await type_into(nvim, terminal, "x\n" * count)


async def scroll(nvim: Editor, terminal: int) -> None:
    """Go to the terminal, and read the first line of its output."""
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))
    await read_above(nvim, terminal)


async def read_above(nvim: Editor, terminal: int) -> None:
    """Leave Terminal mode for the first line of the output."""
    await write(nvim, terminal)
    await until(lambda: nvim.eval(f"getbufline({terminal}, 150)->len()"))
    await nvim.keys("<C-\\><C-n>gg")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && [mode(1), line('.')] == ['nt', 1]"))


async def assert_is_reading(nvim: Editor, terminal: int) -> None:
    """The user is in Normal mode on the first line of the terminal, and stays there."""
    await until(lambda: nvim.eval(f"bufnr() == {terminal}"))
    await nvim.idle(100)
    assert await nvim.eval("[bufnr(), mode(1), line('.')]") == [terminal, "nt", 1]


@BOTH
@pytest.mark.parametrize("keys", ["", "i", "R", "v", "V", "<C-v>"])
async def test_from_each_mode_the_next_keys_are_for_claude(
    nvim: Editor, terminal: int, keys: str
) -> None:
    await nvim.keys(f"gg{keys}<F2>")
    await until(lambda: is_typing(nvim, terminal))
    await nvim.keys("hello<CR>")

    await until(lambda: "read: hello" in nvim.screen.text())
    await nvim.keys("<F2>")
    # Neovim continues Replace mode as Insert mode.
    resumed = {"i": "i", "R": "R" if isinstance(nvim, Vim) else "i"}.get(keys, "n")
    await until(lambda: is_in_file(nvim, resumed))
    assert await nvim.eval("getline(1, '$')") == ["one two", "three"]


@BOTH
@pytest.mark.parametrize("keys", [":ClaudeFocus<CR>", "i<F2>"])
async def test_the_command_line_window_stays_and_one_line_says_why(
    nvim: Editor, terminal: int, keys: str
) -> None:
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() == ':'"))

    await nvim.keys(keys)

    await until(lambda: "close the command-line window first" in nvim.screen.text())
    assert await nvim.eval("getcmdwintype()") == ":"


@BOTH
async def test_output_leaves_the_user_in_the_line_that_they_read(
    nvim: Editor, terminal: int
) -> None:
    await scroll(nvim, terminal)

    await write(nvim, terminal, 200)

    if not isinstance(nvim, Vim):
        # Vim shows it only when the user types again.
        await until(lambda: nvim.eval("line('$') > 350"))
    await assert_is_reading(nvim, terminal)
    await nvim.keys("i")
    await until(lambda: nvim.eval("line('$') > 350"))


@BOTH
async def test_a_click_continues_the_mode(nvim: Editor, terminal: int) -> None:
    row, column = await nvim.eval(f"win_screenpos(bufwinid({terminal}))")

    async def click(row: int, column: int) -> None:
        if isinstance(nvim, Vim):
            for end in "Mm":
                await nvim.screen.type_and_wait(f"\x1b[<0;{column};{row}{end}".encode())
            return
        for action in ("press", "release"):
            await nvim.request("nvim_input_mouse", "left", action, "", 0, row - 1, column - 1)

    await nvim.command("set mouse=a" + (" ttymouse=sgr" if isinstance(nvim, Vim) else ""))
    await click(row, column)
    await until(lambda: is_typing(nvim, terminal))
    await read_above(nvim, terminal)
    await click(1, 1)
    await until(lambda: is_in_file(nvim))

    await click(row, column)

    await assert_is_reading(nvim, terminal)


@BOTH
async def test_who_closes_the_window_types_when_it_is_shown_again(
    nvim: Editor, terminal: int
) -> None:
    await scroll(nvim, terminal)
    await nvim.keys(":q<CR>")
    await until(lambda: is_in_file(nvim))

    await nvim.keys("<F2>")

    await until(lambda: is_typing(nvim, terminal))


@BOTH
@pytest.mark.parametrize("side", ["left", "above", "below", "float", "tab"])
async def test_on_each_side_the_mode_continues(nvim: Editor, program: Path, side: str) -> None:
    terminal = await begin(nvim, side)
    await nvim.keys("<F2>hello<CR>")
    await until(lambda: "read: hello" in nvim.screen.text())
    assert await is_typing(nvim, terminal)
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))

    await scroll(nvim, terminal)
    await nvim.keys("<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.keys("<F2>")

    await assert_is_reading(nvim, terminal)
    await nvim.keys("i<F2>")
    await until(lambda: is_in_file(nvim))
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))


@BOTH
@pytest.mark.parametrize(
    "closing", ["copen | cclose", "new | close", "tabnew | tabclose", "bdelete"]
)
async def test_the_keys_after_a_closed_window_are_not_for_claude(
    nvim: Editor, terminal: int, closing: str
) -> None:
    await nvim.command("wincmd p")
    await until(lambda: is_typing(nvim, terminal))
    await nvim.keys("<C-w>p")
    await until(lambda: is_in_file(nvim))
    # The terminal is the previous window, to which closing another one returns.
    opening, _, close = closing.rpartition(" | ")
    if opening:
        await nvim.command(f"wincmd p | {opening}")
    await nvim.keys(f":{close}!<CR>:let g:arrived = 1<CR>")

    await until(lambda: nvim.eval("exists('g:arrived')"), "the keys are a command")
    assert "arrived" not in nvim.screen.text().replace(":let g:arrived = 1", "")
    assert not await is_typing(nvim, terminal)


@BOTH
async def test_after_such_a_return_the_user_types_again_when_they_come_by_themselves(
    nvim: Editor, terminal: int
) -> None:
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))
    await nvim.command("new")
    await until(lambda: nvim.eval("mode() == 'n' && &buftype == ''"))
    await nvim.keys(":close<CR>")
    await until(lambda: is_reading(nvim, terminal))
    await nvim.keys("<C-w>h")
    await until(lambda: is_in_file(nvim))

    await nvim.keys("<C-w>l")

    await until(lambda: is_typing(nvim, terminal))


MAPPED = ["<C-w>", "<C-w><C-", ":wincmd ", "<Cmd>wincmd ", ":<C-u>TmuxNavigate"]


def mapped(way: str, direction: str) -> str:
    """Return a mapping of CTRL-`direction` that goes to the window in this direction."""
    end = {"<C-w>": "", "<C-w><C-": ">"}.get(way, "<CR>")
    to = {"h": "Left", "l": "Right"}[direction] if way.endswith("Navigate") else direction
    return f"nnoremap <C-{direction}> {way}{to}{end}"


@BOTH
@pytest.mark.parametrize("way", MAPPED)
async def test_the_users_own_keys_from_window_to_window_lead_out_of_the_terminal(
    nvim: Editor, program: Path, way: str
) -> None:
    await nvim.command(mapped(way, "h"))
    await nvim.command(mapped(way, "l"))
    terminal = await begin(nvim)
    await nvim.keys("<F2>")
    await until(lambda: is_typing(nvim, terminal))

    # There is no window on the right, so the CLI gets this one.
    await nvim.keys("one<C-l>two<CR>")
    await until(lambda: "read: one" in nvim.screen.text())
    await nvim.keys("<C-h>")

    await until(lambda: is_in_file(nvim))


@BOTH
@pytest.mark.parametrize("own", ["", "nnoremap <C-h> x", "tnoremap <C-h> x| nnoremap <C-h> <C-w>h"])
async def test_keys_that_the_user_maps_otherwise_go_to_the_cli(
    nvim: Editor, program: Path, own: str
) -> None:
    await nvim.command(own)
    terminal = await begin(nvim)

    assert await nvim.eval(f"getbufvar({terminal}, '&filetype')") == "claude-terminal"
    await nvim.keys("<F2>a<C-h>bc<CR>")

    await until(lambda: "read: " in nvim.screen.text())
    assert await is_typing(nvim, terminal)
