"""A diff never appears in a busy state of Vim, and appears after it."""

from pathlib import Path

import pytest

from support.claude_code import claude_code
from support.neovim import until
from support.vim import Vim

OPEN = (
    "claude_ide#diff#Open(1, {{'path': '{}', 'text': ['new', ''], 'title': '', 'layout': 'tab'}})"
)
LISTED = "claude_ide#diff#List()->filter('v:val.shown')->len()"
DIFFS = "getbufinfo()->filter('v:val.name =~# \"claude-diff:\" && !empty(v:val.windows)')->len()"

BUSY = {
    "insert": ("i", "<Esc>"),
    "insert, popup menu": ("ofo<C-x><C-n>", "<Esc>"),
    "insert, CTRL-O": ("i<C-o>", "<Esc><Esc>"),
    "replace": ("R", "<Esc>"),
    "operator": ("d", "<Esc>"),
    "operator with a count": ("d3", "<Esc>"),
    "count": ("3", "<Esc>"),
    "register": ('"', "<Esc>"),
    "g": ("g", "<Esc>"),
    "f": ("f", "<Esc>"),
    "CTRL-W": ("<C-w>", "<Esc>"),
    "half of a mapping": (",", "x"),
    "visual": ("v", "<Esc>"),
    "visual block": ("<C-v>", "<Esc>"),
    "select": ("gh", "<Esc>"),
    "insert, CTRL-V": ("i<C-v>", "a<Esc>"),
    "insert, CTRL-R": ("i<C-r>", "a<Esc>"),
    "insert, digraph": ("i<C-k>", "a:<Esc>"),
    "replace one character": ("r", "<Esc>"),
    "execute a register": ("@", "<Esc>"),
    "mark": ("m", "<Esc>"),
    "text object": ("vi", "<Esc><Esc>"),
    "Visual, register": ('v"', "<Esc><Esc>"),
    "command line": (":", "<Esc>"),
    "search": ("/fo", "<Esc>"),
    "command-line window": ("q:", ":q<CR>"),
    "getchar()": (":call getchar()<CR>", "x"),
    "input()": (":call input('')<CR>", "<CR>"),
    "confirm()": (":call confirm('really?', \"&Yes\\n&No\")<CR>", "y"),
    "hit-enter": (":echo 1 | echo 2 | echo 3<CR>", "<CR>"),
    "more prompt": (":set more | highlight<CR>", "q"),
    "expression mapping": ("Q", "x"),
    "substitute that asks": (":s/f/F/c<CR>", "n"),
    "recording": ("qa", "q"),
    "ATTENTION": (":edit swapped.txt<CR>", "q<CR>"),
    "warning of a changed file": (":edit a.c<CR>:call system('date >a.c')<CR>:checktime<CR>", "o"),
    "list of numbers": (":call inputlist(['a', 'b'])<CR>", "<CR>"),
    "completion of a command": (":set wildmenu<CR>:se<Tab>", "<Esc>"),
    "popup_menu()": (":call popup_menu(['a', 'b'], {})<CR>", "x"),
    "popup_dialog()": (":call popup_dialog('?', {'filter': 'popup_filter_yesno'})<CR>", "n"),
    "terminal, CTRL-W :": (":terminal ++curwin cat<CR><C-w>:", "<Esc>"),
    "terminal in a popup": (
        ":call popup_create(term_start('cat', {'hidden': 1, 'term_finish': 'close'}),"
        " {'minwidth': 20, 'minheight': 4})<CR>",
        "<C-d>",
    ),
    "Ex mode": ("gQ", "visual<CR>"),
    ":append": (":append<CR>", ".<CR>"),
    ":!": (":!sleep 0.5<CR>", "<CR>"),
    "terminal, CTRL-W": (":terminal ++curwin cat<CR><C-w>", "N"),
}

FREE = {
    "normal": "",
    "terminal": ":terminal ++curwin cat<CR>",
    "terminal-normal": ":terminal ++curwin cat<CR><C-w>N",
    "notification": ":call popup_notification('x', {})<CR>",
    "help": ":help<CR>",
    "quickfix": ":copen<CR>",
    "netrw": ":Explore<CR>",
}


async def prepare(vim: Vim) -> None:
    """Give Vim lines, mappings and the record of typed keys."""
    for command in (
        "set hidden notimeout shortmess+=I",
        "call writefile([''], 'a.c')",
        "set updatecount=200 swapfile directory=.",
        "split swapped.txt | preserve | call rename('.swapped.txt.swp', 'left') | bwipeout",
        "call rename('left', '.swapped.txt.swp')",
        "nnoremap ,x <Nop>",
        "nnoremap <expr> Q getchar() > 0 ? '' : ''",
        "call setline(1, ['foo far', 'foo', 'foo'])",
        "call claude_ide#timing#moment#NoticeTyping(v:true)",
    ):
        await vim.command(command)


async def opens(vim: Vim, project: Path) -> None:
    """Request a diff."""
    await vim.eval(OPEN.format(project / "a.txt"))


@pytest.mark.parametrize("state", BUSY)
async def test_a_diff_waits_for_the_end_of_a_busy_state(
    vim: Vim, project: Path, state: str
) -> None:
    if state == "terminal, CTRL-W" and not await vim.eval("exists('##KeyInputPre')"):
        pytest.skip("this Vim has no event for a key")
    enter, leave = BUSY[state]
    await prepare(vim)
    await vim.keys(enter)
    await until(lambda: vim.eval("1"))
    await opens(vim, project)
    await vim.idle(900)

    assert await vim.eval(DIFFS) == 0
    await vim.keys(leave)
    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff", seconds=5)


@pytest.mark.parametrize("state", FREE)
async def test_a_diff_appears_at_once_in_a_free_state(vim: Vim, project: Path, state: str) -> None:
    await prepare(vim)
    await vim.keys(FREE[state])
    await opens(vim, project)

    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff", seconds=5)


@pytest.mark.parametrize(
    ("enter", "keys"),
    [
        ("", [":", "w", "<CR>", "Z", "Z", "d", "d", "i", "a", "<Esc>"]),
        ("", [":", "q", "!", "<CR>", "<C-c>", "Z", "Q"]),
        (":terminal ++curwin cat<CR>", list("hello ZZ world ZQ")),
    ],
)
async def test_keys_typed_blindly_do_not_land_in_the_diff(
    vim: Vim, project: Path, enter: str, keys: list[str]
) -> None:
    await prepare(vim)
    await vim.keys(enter)
    await opens(vim, project)
    await until(lambda: vim.eval(f"{DIFFS} == 1"), "the diff")

    for key in keys:
        await vim.keys(key)
    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff accepts keys")

    assert await vim.eval("[tabpagenr('$'), mode(1), getline(1, '$')]") == [2, "n", ["new"]]


async def test_typing_into_a_terminal_holds_a_diff_back(vim: Vim, project: Path) -> None:
    await prepare(vim)
    await vim.keys(":terminal ++curwin cat<CR>")
    await vim.keys("a")
    await opens(vim, project)

    for _ in range(10):
        await vim.keys("a")
        await vim.idle(100)
        assert await vim.eval(DIFFS) == 0
    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff", seconds=5)


async def test_a_program_that_writes_all_the_time_holds_no_diff_back(
    vim: Vim, project: Path
) -> None:
    await prepare(vim)
    await vim.command("terminal ++curwin sh -c 'while true; do cat /proc/uptime; sleep 0.1; done'")
    await vim.idle(500)

    await opens(vim, project)

    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff")


async def test_a_message_says_what_a_diff_waits_for(vim: Vim, project: Path) -> None:
    await prepare(vim)
    await vim.keys("i")

    await opens(vim, project)

    await until(lambda: "edit of a.txt waits: leave Insert mode" in vim.screen.text())
    await vim.keys("mine<Esc>")
    await until(lambda: vim.eval(f"{LISTED} == 1"), "the diff")
    assert await vim.eval("getbufline(1, 1)") == ["minefoo far"]


async def test_a_client_that_connects_leaves_a_prompt_on_the_screen(
    serving_vim: Vim, config_folder: Path
) -> None:
    vim = serving_vim
    await vim.command("autocmd User ClaudeStatusChanged let g:is_changed = 1")
    await vim.keys(":echo 'one' | echo 'two' | echo 'three'<CR>")
    await until(lambda: "Press ENTER" in vim.screen.text(), "the prompt")

    async with claude_code(config_folder):
        await until(lambda: vim.eval("get(g:, 'is_changed')"), "another status line")
        await vim.idle(100)

        assert "Press ENTER" in vim.screen.text()
