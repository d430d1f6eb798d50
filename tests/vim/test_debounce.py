"""Limits in Vim on how often something runs."""

from support.neovim import until
from support.vim import Vim

SETUP = [
    "let g:times = []",
    "let g:Call = claude_ide#timing#debounce#New(100, {-> add(g:times, reltime())}).Soon",
]


async def test_a_function_runs_once_per_interval_and_after_the_last_call(vim: Vim) -> None:
    for command in SETUP:
        await vim.command(command)

    await vim.command("for i in range(50) | call g:Call() | endfor | let g:at_once = len(g:times)")
    assert await vim.eval("g:at_once") == 0
    await until(lambda: vim.eval("len(g:times) == 1"))
    await vim.command("for i in range(50) | call g:Call() | endfor")
    await until(lambda: vim.eval("len(g:times) == 2"))
    await vim.idle(300)

    assert await vim.eval("len(g:times)") == 2
    between = await vim.eval("reltimefloat(reltime(g:times[0], g:times[1]))")
    # The interval begins before the function does, which a busy machine delays.
    assert between > 0.05


async def test_an_error_is_shown_without_a_prompt_and_ends_nothing(vim: Vim) -> None:
    await vim.command(
        "let g:Call = claude_ide#timing#debounce#New(20, {-> execute('throw 1')}).Soon"
    )

    for _ in range(2):
        await vim.command("call g:Call()")
        await until(lambda: "claude-ide: 1" in vim.screen.text(), "the error")
        await vim.command("call popup_clear() | redraw")
        await vim.idle(50)

    assert await vim.mode() == {"mode": "n", "blocking": False}
