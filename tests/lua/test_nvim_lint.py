"""`diagnostics/linters.lua`: nvim-lint checks files that Claude has written."""

from pathlib import Path

import pytest

from support.linters import OLD, found, is_running, lint_runs, nvim_lint, write_and_reload
from support.neovim import Neovim, until
from support.reloading import expect


@pytest.fixture
async def bufnr(nvim: Neovim, project: Path) -> int:
    """The buffer of a file that has been checked."""
    await nvim_lint(nvim)
    (project / "a.txt").write_text(OLD)
    await nvim.command("set hidden | edit a.txt")
    await nvim.lua("require('lint').try_lint()")
    number = int(await nvim.eval("bufnr()"))
    await until(lambda: found(nvim, number, ["wrong"]))
    await nvim.lua("_G.lint_runs = nil")
    return number


@pytest.mark.parametrize("stdin", [True, False], ids=["standard input", "file"])
@pytest.mark.parametrize("elsewhere", ["", "botright new", "tabnew", "enew", "terminal cat"])
async def test_a_new_text_is_linted_whichever_window_the_user_is_in(
    nvim: Neovim, project: Path, bufnr: int, elsewhere: str, stdin: bool
) -> None:
    await nvim_lint(nvim, stdin=stdin)
    await nvim.command(elsewhere)

    await write_and_reload(nvim, project)

    assert await lint_runs(nvim) == [["words", "a.txt"]]
    await until(lambda: found(nvim, bufnr, ["wrong again"]))


async def test_a_linter_whose_program_is_missing_is_skipped_silently(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.lua("require('lint').linters.words.cmd = { 'no-such-program' }")

    assert not await write_and_reload(nvim, project)

    assert await nvim.eval("execute('messages')") == ""


async def test_an_unknown_linter_does_not_stop_the_others(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.lua("require('lint').linters_by_ft.text = { 'nosuch', 'words' }")

    await write_and_reload(nvim, project)

    assert await lint_runs(nvim) == [["words", "a.txt"]]
    assert await nvim.eval("execute('messages')") == ""
    log = Path(await nvim.lua("return require('claude_ide.messages.log').path()")).read_text()
    assert "`nosuch` not available" in log


RECIPES = {
    "FileChangedShellPost": "autocmd FileChangedShellPost * lua require('lint').try_lint()",
    "ClaudeFileWritten": "autocmd User ClaudeFileWritten lua require('lint').try_lint()",
}


@pytest.mark.parametrize("event", RECIPES)
@pytest.mark.parametrize("elsewhere", ["", "enew"])
async def test_a_linter_that_a_recipe_has_started_is_not_started_again(
    nvim: Neovim, project: Path, bufnr: int, elsewhere: str, event: str
) -> None:
    await nvim.command(RECIPES[event])
    await nvim.command(elsewhere)

    assert await write_and_reload(nvim, project)

    assert await lint_runs(nvim) == [["words", "a.txt"]]
    await until(lambda: found(nvim, bufnr, ["wrong again"]))


async def test_a_linter_that_is_still_checking_the_old_text_is_restarted(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.lua("require('lint').linters.words.cmd = { 'sleep', '60' }")
    await nvim.lua("require('lint').try_lint()")
    await nvim.lua("require('lint').linters.words.cmd = { 'grep', '-n', 'wrong' }")

    await write_and_reload(nvim, project)

    await until(lambda: found(nvim, bufnr, ["wrong again"]))


async def test_unsaved_changes_are_checked_only_by_linters_that_read_the_buffer(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.lua(
        "local lint = require('lint')"
        " lint.linters.files = { cmd = lint.linters.words.cmd }"
        " lint.linters_by_ft.text = { 'files', 'words' }"
    )
    await expect(nvim, project / "a.txt")
    await nvim.keys("ggOmine<Esc>")
    await until(lambda: nvim.eval("&modified"))

    await write_and_reload(nvim, project)

    assert await lint_runs(nvim) == [["words", "a.txt"]]


async def test_linters_for_all_filetypes_and_fallback_linters_run(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    """Distributions configure linters like this."""
    await nvim.lua(
        "local lint = require('lint')"
        " for _, name in ipairs({ 'spelling', 'other', 'unwanted' }) do"
        "  lint.linters[name] = { cmd = lint.linters.words.cmd, stdin = true }"
        " end"
        " lint.linters.unwanted.condition = function(context)"
        "  _G.context = context; return false"
        " end"
        " lint.linters_by_ft = { ['*'] = { 'spelling', 'unwanted' }, _ = { 'other' } }"
        " vim.diagnostic.reset()"
    )

    await write_and_reload(nvim, project)

    path = project / "a.txt"
    assert await lint_runs(nvim) == [["other", "a.txt"], ["spelling", "a.txt"]]
    assert await nvim.lua("return _G.context") == {"filename": str(path), "dirname": str(project)}


async def test_each_part_of_a_compound_filetype_has_its_linters(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.command("set filetype=text.note")

    await write_and_reload(nvim, project)

    assert await lint_runs(nvim) == [["words", "a.txt"]]


async def test_a_linter_that_was_run_by_name_runs_again_to_clear_its_results(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.lua("require('lint').linters_by_ft = {}")

    await write_and_reload(nvim, project, "fine\n")

    await until(lambda: found(nvim, bufnr, []))


async def test_checking_a_file_does_not_load_nvim_lint(nvim: Neovim, project: Path) -> None:
    await nvim.lua("package.preload.lint = function() error('loaded') end")
    (project / "a.txt").write_text(OLD)
    await nvim.command("edit a.txt")

    await write_and_reload(nvim, project)

    assert await nvim.lua("return package.loaded.lint") is None
    assert not await is_running(nvim, await nvim.eval("bufnr()"))
