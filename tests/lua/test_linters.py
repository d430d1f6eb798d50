"""`diagnostics/linters.lua`: linters check files that Claude has written, as after a save."""

from pathlib import Path
from typing import Any

import pytest

from support.linters import OLD, ale, found, is_running, lint_runs, nvim_lint, write_and_reload
from support.neovim import Neovim, until
from support.reloading import expect


@pytest.fixture
async def bufnr(nvim: Neovim, project: Path) -> int:
    """The buffer of a file that ALE has checked."""
    await ale(nvim)
    (project / "a.txt").write_text(OLD)
    await nvim.command("set hidden | edit a.txt | ALELint")
    number = int(await nvim.eval("bufnr()"))
    await until(lambda: found(nvim, number, ["wrong"]))
    await nvim.command("let g:ale_runs = []")
    return number


async def runs(nvim: Neovim) -> Any:
    """Return the files that ALE's stand-in had to check, and whether to read them from disk."""
    return await nvim.eval("g:ale_runs")


@pytest.mark.parametrize("on_enter", [True, False])
@pytest.mark.parametrize("elsewhere", ["", "botright new", "tabnew", "enew", "terminal cat"])
async def test_ale_lints_a_new_text_once_whichever_window_the_user_is_in(
    nvim: Neovim, project: Path, bufnr: int, elsewhere: str, on_enter: bool
) -> None:
    await nvim.request("nvim_set_var", "ale_lint_on_enter", on_enter)
    await nvim.command(elsewhere)

    assert await write_and_reload(nvim, project)

    assert await runs(nvim) == [["a.txt", "lint_file"]]
    await until(lambda: found(nvim, bufnr, ["wrong again"]))
    assert not await is_running(nvim, bufnr)


@pytest.mark.parametrize(
    "switch", ["let g:ale_enabled = 0", "let b:ale_enabled = 0", "let g:ale_lint_on_save = 0"]
)
async def test_ale_does_not_lint_where_saving_would_not_make_it_lint(
    nvim: Neovim, project: Path, bufnr: int, switch: str
) -> None:
    await nvim.command(f"let g:ale_lint_on_enter = 0 | {switch}")

    await write_and_reload(nvim, project)

    assert await runs(nvim) == []
    assert not await is_running(nvim, bufnr)


async def test_ale_does_not_read_the_file_of_a_buffer_with_unsaved_changes(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.command("let g:ale_lint_on_enter = 0")
    await expect(nvim, project / "a.txt")
    await nvim.keys("ggOmine<Esc>")
    await until(lambda: nvim.eval("&modified"))

    await write_and_reload(nvim, project)

    assert await runs(nvim) == [["a.txt", ""]]


async def test_ale_results_outside_neovims_diagnostics_are_not_awaited(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim.command("let g:ale_use_neovim_diagnostics_api = v:false")

    assert not await write_and_reload(nvim, project)


async def test_an_error_in_one_plugin_does_not_stop_the_other(
    nvim: Neovim, project: Path, bufnr: int
) -> None:
    await nvim_lint(nvim)
    await nvim.lua("require('lint').try_lint = function() error('no luck', 0) end")

    await write_and_reload(nvim, project)

    assert await runs(nvim) == [["a.txt", "lint_file"]]
    await nvim.lua("package.loaded.lint = nil")
    await nvim_lint(nvim)
    await nvim.command("let g:ale_command = [] | let g:ale_lint_on_enter = 0")
    await write_and_reload(nvim, project, OLD)
    assert await lint_runs(nvim) == [["words", "a.txt"]]
    assert await nvim.eval("execute('messages')") == ""


async def test_nothing_is_awaited_without_a_linter(nvim: Neovim, project: Path) -> None:
    (project / "a.txt").write_text(OLD)
    await nvim.command("edit a.txt")

    assert not await write_and_reload(nvim, project)
