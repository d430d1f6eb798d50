"""`jupyter/question.lua`: code in a window, which takes no keys and leaves no trace."""

import pytest

from support.answers import answer, answers
from support.diffs import everything
from support.either_editor import on_screen, type_answer
from support.neovim import ROOT, Neovim, until

MODULE = "require('claude_ide.jupyter.question')"
CODE = "x = 1\nprint(x)"

SCENES = {
    "a file": ["edit a.txt", "normal! 2G"],
    "splits": ["edit a.txt", "vsplit b.txt", "split a.txt", "resize 3"],
    "tabpages": ["edit a.txt", "tabedit b.txt", "tabprevious", "vsplit"],
    "a fixed buffer": ["edit a.txt", "setlocal winfixbuf"],
    "options": ["edit a.txt", "setlocal number list nowrap foldmethod=indent"],
}


async def ask(nvim: Neovim, text: str = CODE, token: int = 1, more: str | None = "more") -> None:
    request = {"name": "Claude", "kernel": "Python", "language": "python", "text": text}
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
    assert decided["decision"] == ("run_all" if keys == "gA" else "run")
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

    assert (await answer(plans, 1))["decision"] == "run"
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

    assert (await answer(plans, 1))["decision"] == "run"


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
