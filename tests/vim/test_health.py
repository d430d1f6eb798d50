"""`:ClaudeCheck` in a real Vim."""

from support.neovim import until
from support.vim import Vim


async def test_the_check_reports_a_server_that_answers(serving_vim: Vim) -> None:
    await serving_vim.keys(":ClaudeCheck<CR>")

    await until(
        lambda: "Terminals of this Vim get CLAUDE_CODE_SSE_PORT=" in serving_vim.screen.text()
    )
    report = await serving_vim.eval("getline(1, '$')")
    assert not [line for line in report if line.startswith("- ERROR")], report
    assert await serving_vim.eval("&modified") == 0
    await serving_vim.keys("q")
    assert await serving_vim.eval("winnr('$')") == 1


async def test_the_check_names_a_python_that_is_missing(vim: Vim) -> None:
    await vim.command("let g:claude_ide.python = '/nowhere/python'")

    await vim.keys(":ClaudeCheck<CR>")

    await until(lambda: "ERROR g:claude_ide.python is not executable" in vim.screen.text())
