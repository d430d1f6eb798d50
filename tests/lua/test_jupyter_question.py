"""`approval_buffer.lua`: code in a window, which takes no keys and leaves no trace."""

import pytest

from support.answers import answer, answers
from support.diffs import everything
from support.either_editor import on_screen, type_answer
from support.neovim import ROOT, Neovim, until

MODULE = "require('claude_ide.approval_buffer')"
CODE = "x = 1\nprint(x)"

SCENES = {
    "a file": ["edit a.txt", "normal! 2G"],
    "splits": ["edit a.txt", "vsplit b.txt", "split a.txt", "resize 3"],
    "tabpages": ["edit a.txt", "tabedit b.txt", "tabprevious", "vsplit"],
    "a fixed buffer": ["edit a.txt", "setlocal winfixbuf"],
    "options": ["edit a.txt", "setlocal number list nowrap foldmethod=indent"],
}


async def ask(nvim: Neovim, text: str = CODE, token: int = 1, more: str | None = "more") -> None:
    request = {"what": "code", "label": "Code (Claude)", "title": "Claude asks", "text": text}
    request["filetype"] = "python"
    await nvim.lua(f"{MODULE}.open(...)", token, request | ({"more": more} if more else {}))


async def ready(nvim: Neovim) -> None:
    await until(lambda: nvim.eval("bufname() =~# '^Code (' && &modifiable"), "it is shown")


@pytest.mark.parametrize("keys", [":w<CR>", "ZZ", "gA", ":x<CR>"])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
async def test_code_that_runs_leaves_no_window(plans: Neovim, scene: list[str], keys: str) -> None:
    for command in scene:
        await plans.command(command)
    before = await _looks(plans)
    await ask(plans)
    await ready(plans)
    assert await plans.eval("getline(1, '$')") == CODE.splitlines()

    await plans.keys(keys)

    decided = await answer(plans, 1)
    assert decided["decision"] == ("approve_more" if keys == "gA" else "approve")
    assert decided["text"] == CODE

    async def same() -> bool:
        return await _looks(plans) == before

    await until(same, "everything is as before")


async def _looks(nvim: Neovim) -> dict[str, object]:
    await nvim.command("redraw")
    state = await everything(nvim)
    return {name: state[name] for name in ("tabpages", "tabpage", "win", "previous_win", "mode")}


async def test_without_room_the_code_gets_a_tabpage(plans: Neovim) -> None:
    for _ in range(40):
        await plans.command("set winminheight=1 | silent! split")
    await ask(plans)
    await ready(plans)
    assert await plans.eval("tabpagenr('$')") == 2

    await plans.keys(":w<CR>")

    assert (await answer(plans, 1))["decision"] == "approve"
    await until(lambda: plans.eval("tabpagenr('$') == 1"), "the tabpage is closed")


async def test_code_does_not_appear_while_the_user_types(plans: Neovim) -> None:
    await plans.command("edit a.txt")
    await plans.keys("ionly mine")
    await ask(plans)
    await plans.idle(800)
    await plans.keys(" text<Esc>")
    await ready(plans)

    assert await plans.eval("getbufline('a.txt', 1)") == ["only mine textone"]
    assert await plans.eval("getline(1, '$')") == CODE.splitlines()
    assert answers(plans, 1) == []


async def test_a_key_that_allows_more_is_offered_only_if_that_is_possible(plans: Neovim) -> None:
    await ask(plans, more=None)
    await ready(plans)
    await on_screen(plans, ":w run \u00b7 :q refuse")

    await plans.keys(":w!<CR>")

    assert (await answer(plans, 1))["decision"] == "approve"


async def test_withdrawn_code_closes_and_keeps_what_the_user_has_written(plans: Neovim) -> None:
    await ask(plans)
    await ready(plans)
    await plans.keys("ggOmine = 1<Esc>")

    await plans.lua(f"{MODULE}.close(1)")

    await until(lambda: plans.eval("bufname() !~# '^Code ('"), "it is closed")
    kept = await plans.lua(
        "return vim.iter(vim.api.nvim_list_bufs()):map(function(b)"
        " return vim.api.nvim_buf_get_lines(b, 0, 1, false)[1] end):totable()"
    )
    assert "mine = 1" in kept


async def test_text_that_could_stall_a_parser_is_shown_without_colours(plans: Neovim) -> None:
    await plans.command("syntax enable | filetype plugin on")
    await ask(plans, "(" * 20_000)
    await ready(plans)

    assert await plans.lua("return vim.treesitter.highlighter.active[vim.fn.bufnr()] == nil")


async def test_the_host_ends_and_takes_the_code_along(plans: Neovim) -> None:
    await ask(plans)
    await ready(plans)

    await plans.lua(f"{MODULE}.close_all()")

    await until(lambda: plans.eval("bufname() !~# '^Code ('"), "it is closed")
    assert answers(plans, 1) == []


async def test_from_a_terminal_the_first_keys_of_a_reason_are_text(plans: Neovim) -> None:
    await plans.command(f"luafile {ROOT / 'tests/editors/plugins/prompts.lua'}")
    await plans.command("terminal cat")
    await plans.command("startinsert")
    await until(lambda: plans.eval("mode() == 't'"), "Terminal mode")
    await ask(plans)
    await ready(plans)
    await plans.keys(":q<CR>")
    await until(lambda: plans.eval("&filetype == 'prompts' && mode() == 'i'"), "the question")

    await type_answer(plans, "too early<CR>")

    assert (await answer(plans, 1))["comments"] == "too early"
    await until(lambda: plans.eval("mode() == 't'"), "Terminal mode again")


HIDDEN = {
    "below": ("print('hello')" + "\n" * 300 + "open('made', 'w')", "there is more below"),
    "to the right": ("print('hello')" + " " * 9000 + "; open('made', 'w')", "more below"),
}


@pytest.mark.parametrize("keys", [":w<CR>", "ZZ", "gA", ":x<CR>", ":wq<CR>", ":w!<CR>"])
@pytest.mark.parametrize("hidden", HIDDEN)
async def test_code_that_was_not_on_the_screen_does_not_run(
    plans: Neovim, hidden: str, keys: str
) -> None:
    code, reason = HIDDEN[hidden]
    await ask(plans, code)
    await ready(plans)
    assert "made" not in plans.screen.text()

    await plans.keys(keys)
    await on_screen(plans, f"not approved: {reason}" if hidden == "below" else reason)
    assert answers(plans, 1) == []
    for _ in range(400):
        if "open('made', 'w')" in plans.screen.text():
            break
        await plans.keys("5<C-e>")
        await plans.idle(1)
    await plans.keys(keys)

    assert (await answer(plans, 1))["text"] == code


async def test_keys_that_go_to_the_end_at_once_show_nothing_of_the_code(plans: Neovim) -> None:
    await ask(plans, "\n".join(f"x = {number}" for number in range(300)))
    await ready(plans)

    await plans.keys("G:w<CR>")

    await on_screen(plans, "has not been shown: scroll back to it")
    assert answers(plans, 1) == []


WAYS_TO_HIDE = {
    "setlocal nowrap": "some of it is to the right",
    "setlocal conceallevel=2": "some of it may be concealed",
    "setlocal foldenable foldmethod=manual | 33,34fold": "some of it is folded",
}


@pytest.mark.parametrize("command", WAYS_TO_HIDE)
async def test_code_that_an_option_hides_does_not_run(plans: Neovim, command: str) -> None:
    await plans.command("set lines=12")
    await ask(plans, "x = 1\n" + "\n" * 30 + "y" * 300 + " = 2\nz = 3\nz = 4")
    await ready(plans)
    await plans.command(command)
    for _ in range(10):
        await plans.keys("3<C-e>")
        await plans.idle(1)

    await plans.keys(":w<CR>")

    await on_screen(plans, WAYS_TO_HIDE[command])
    assert answers(plans, 1) == []


async def test_a_window_for_code_has_the_rows_that_long_lines_need(plans: Neovim) -> None:
    await ask(plans, "x = 1" + " " * 700 + "# end")
    await ready(plans)

    assert "# end" in plans.screen.text()
    await plans.keys(":w<CR>")

    assert (await answer(plans, 1))["decision"] == "approve"
