"""`diagnostics/unopened.lua`: files that are not open are loaded temporarily."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.language_client import attach_to_every_text_file
from support.linters import findings, lint_runs, nvim_lint
from support.neovim import Neovim, until
from support.reloading import expect

OLD = "a wrong one\n"

RECORD_EVENTS = chunk("unopened/record_events")
CLOCK = chunk("unopened/clock")
SHOWN = "[winlayout(), bufnr(), bufnr('#'), execute('ls'), v:oldfiles, mode(1), winsaveview()]"


async def load(nvim: Neovim, path: Path) -> Any:
    return await nvim.lua("return require('claude_ide.diagnostics.unopened').load(...)", str(path))


async def release(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.diagnostics.unopened').release()")


async def is_loaded(nvim: Neovim, path: Path) -> bool:
    return bool(await nvim.eval(f"bufloaded('{path}')"))


async def test_an_unopened_file_is_checked_without_any_visible_change(
    nvim: Neovim, path: Path, project: Path
) -> None:
    (project / "b.txt").write_text("b\n")
    await attach_to_every_text_file(nvim)
    await nvim.command("edit b.txt")
    shown = await nvim.eval(SHOWN)
    await nvim.lua(RECORD_EVENTS)

    loaded = await load(nvim, path)

    assert loaded["is_cold"]
    await until(
        lambda: nvim.lua("return #vim.diagnostic.get(...) == 1", loaded["bufnr"]), "it is checked"
    )
    assert await nvim.eval(SHOWN) == shown
    assert await nvim.lua("return _G.seen") == []
    assert await nvim.eval(f"getbufvar({loaded['bufnr']}, '&buflisted')") == 0


@pytest.mark.parametrize("keys", ["i", "v", "R", ":echo", ":terminal<CR>i"])
async def test_loading_a_file_does_not_disturb_the_user_in_any_mode(
    nvim: Neovim, path: Path, keys: str
) -> None:
    await nvim.command("set nomore")
    await nvim.keys(keys)
    await until(lambda: nvim.eval("mode() != 'n'"), "another mode")
    state = "[mode(1), bufnr(), winlayout(), getcmdline(), mode() == 'v' ? getpos('v') : 0]"
    before = await nvim.eval(state)

    loaded = await load(nvim, path)

    assert loaded["is_cold"]
    assert await nvim.eval(state) == before


async def test_a_loaded_file_is_released_after_some_minutes(nvim: Neovim, path: Path) -> None:
    buffers = await nvim.lua("return vim.api.nvim_list_bufs()")
    await nvim.lua(CLOCK)
    await load(nvim, path)
    await nvim.lua("_G.passed = 120000")
    await load(nvim, path)
    await nvim.lua("_G.passed = 240000; vim.wait(50)")
    assert await is_loaded(nvim, path)

    await nvim.lua("_G.passed = 360000")

    async def is_gone() -> bool:
        return bool(await nvim.lua("return vim.api.nvim_list_bufs()") == buffers)

    await until(is_gone, "the buffer is gone")


async def test_a_buffer_that_existed_before_is_only_unloaded(nvim: Neovim, path: Path) -> None:
    await nvim.command("set updatecount=200 directory=. swapfile")
    bufnr = await nvim.eval(f"bufadd('{path}')")
    await load(nvim, path)

    await release(nvim)

    await until(lambda: nvim.eval(f"getbufvar({bufnr}, '&swapfile')"), "its options are back")
    assert await nvim.eval(f"[bufexists({bufnr}), bufloaded({bufnr})]") == [1, 0]


async def test_a_file_that_a_quickfix_list_names_is_only_unloaded(nvim: Neovim, path: Path) -> None:
    await load(nvim, path)
    await nvim.command("call setqflist([{'filename': 'a.txt', 'lnum': 1, 'text': 'here'}])")

    await release(nvim)
    await nvim.command("cfirst")

    assert await nvim.eval("getline(1)") == "a wrong one"


@pytest.mark.parametrize("how", ["edit {}", "buffer {}", "split {}", "tabedit {}", "badd {}"])
async def test_a_loaded_file_that_the_user_opens_becomes_an_ordinary_buffer(
    nvim: Neovim, path: Path, how: str
) -> None:
    await nvim.command("set updatecount=200 directory=. swapfile hidden")
    await attach_to_every_text_file(nvim)
    bufnr = (await load(nvim, path))["bufnr"]

    await nvim.command(how.format("a.txt"))
    await until(lambda: nvim.eval(f"buflisted({bufnr})"), "it is listed")
    await until(
        lambda: nvim.lua("return #vim.lsp.get_clients({ bufnr = ... }) == 1", bufnr), "one client"
    )
    await nvim.command("enew")
    await release(nvim)

    assert await nvim.eval(f"[bufloaded({bufnr}), buflisted({bufnr})]") == [1, 1]
    assert await nvim.eval(f"getbufvar({bufnr}, '&swapfile')") == 1
    assert (path.parent / ".a.txt.swp").exists()
    assert await nvim.eval(f"getbufvar({bufnr}, '&filetype')") == "text"


async def test_a_loaded_file_that_was_changed_is_kept_and_listed(nvim: Neovim, path: Path) -> None:
    bufnr = (await load(nvim, path))["bufnr"]
    await nvim.request("nvim_buf_set_lines", bufnr, 0, 1, True, ["mine"])

    await release(nvim)

    assert await nvim.eval(f"[bufloaded({bufnr}), buflisted({bufnr})]") == [1, 1]


async def test_a_loaded_file_stays_while_a_float_shows_it(nvim: Neovim, path: Path) -> None:
    bufnr = (await load(nvim, path))["bufnr"]
    config = {"relative": "editor", "row": 1, "col": 1, "width": 9, "height": 2}
    win = await nvim.request("nvim_open_win", bufnr, False, config)
    await release(nvim)
    assert await nvim.eval(f"[bufloaded({bufnr}), buflisted({bufnr})]") == [1, 0]

    await nvim.request("nvim_win_close", win, True)
    await release(nvim)

    assert await nvim.eval(f"bufexists({bufnr})") == 0


async def test_at_most_twenty_files_stay_loaded(nvim: Neovim, project: Path) -> None:
    for number in range(30):
        (project / f"{number}.txt").write_text("x\n")
        await load(nvim, project / f"{number}.txt")

    loaded = await nvim.eval("len(filter(range(1, bufnr('$')), 'bufname(v:val) =~ \"txt\"'))")
    assert loaded == 20
    assert await is_loaded(nvim, project / "29.txt")


async def test_loading_a_file_creates_no_swap_file_and_asks_about_none(
    nvim: Neovim, path: Path, project: Path, tmp_path: Path
) -> None:
    other = await Neovim.start(cwd=project, home=tmp_path / "other")
    for neovim in (other, nvim):
        await neovim.command("set updatecount=200 directory=. swapfile")
    await other.command("edit a.txt | call setline(1, 'theirs') | preserve")

    loaded = await load(nvim, path)

    assert loaded["is_cold"]
    assert [file.name for file in project.glob(".*")] == [".a.txt.swp"]
    assert await nvim.mode() == {"mode": "n", "blocking": False}
    await other.stop()


async def test_a_binary_or_too_large_file_is_not_loaded(nvim: Neovim, project: Path) -> None:
    binary, large = project / "a.bin", project / "a.log"
    binary.write_bytes(b"\x7fELF\0\0")
    large.write_text("x\n" * 1_500_000)

    assert await load(nvim, binary) == {"obstacle": "it is not a text file"}
    assert await load(nvim, large) == {"obstacle": "it has 3000000 bytes, more than 2000000"}
    assert await nvim.eval("bufnr('$')") == 1


async def test_a_path_that_leads_to_no_file_is_refused(nvim: Neovim, project: Path) -> None:
    os.mkfifo(project / "pipe")
    for name, reason in {
        "none.txt": "no such file",
        ".": "not a file but a folder",
        "pipe": "not a file but a pipe",
    }.items():
        path = (project / name).resolve()
        assert await load(nvim, path) == {"error": f"{path}: {reason}"}
    assert await load(nvim, Path("/dev/null")) == {"error": "/dev/null: not a file but a device"}


async def test_a_file_that_is_already_open_stays_loaded(nvim: Neovim, path: Path) -> None:
    await nvim.command("edit a.txt | set hidden | enew")
    bufnr = await nvim.eval("bufnr('a.txt')")

    known = {"bufnr": bufnr, "is_cold": False}
    assert await load(nvim, path) == {**known, "is_checked": False}
    await nvim.lua("vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ..., {})", bufnr)
    assert await load(nvim, path) == {**known, "is_checked": True}
    await release(nvim)

    assert await is_loaded(nvim, path)


@pytest.mark.parametrize("how", ["open it", "release it"])
async def test_a_file_written_while_it_is_loaded_keeps_no_option_of_ours(
    nvim: Neovim, path: Path, how: str
) -> None:
    bufnr = await nvim.eval(f"bufadd('{path}')")
    await load(nvim, path)
    await expect(nvim, path)
    if how == "open it":
        await nvim.command(f"edit {path}")
    else:
        await release(nvim)
        await until(lambda: nvim.eval(f"!bufloaded({bufnr})"))

    path.write_text("a right one\n")

    is_expected = "return require('claude_ide.disk_changes.reload').is_accepted(vim.fn.bufnr(...))"
    await until(lambda: nvim.lua(f"{is_expected} == false", str(path)))
    await nvim.command(f"edit {path}")
    assert await nvim.eval("[getline(1), &l:autoread]") == ["a right one", -1]


LINT_WHEN_READ = """
vim.api.nvim_create_autocmd('BufReadPost', {
  callback = function() require('lint').try_lint() end,
})
"""
LINT_AFTER_READING = chunk("unopened/lint_after_reading")


async def checked(nvim: Neovim) -> list[str]:
    """Return the names of the files that a linter had to check."""
    return [Path(path).name for _, path in await lint_runs(nvim)]


async def test_linters_check_a_loaded_file_although_their_autocommand_runs_elsewhere(
    nvim: Neovim, path: Path, project: Path
) -> None:
    (project / "b.txt").write_text("b\n")
    await nvim_lint(nvim)
    await nvim.command("edit b.txt")
    await nvim.lua(LINT_AFTER_READING)

    loaded = await load(nvim, path)

    await until(lambda: nvim.lua("return _G.is_debounced"))

    async def is_found() -> bool:
        return bool(await findings(nvim, loaded["bufnr"]) == ["a wrong one"])

    await until(is_found)
    assert await checked(nvim) == ["a.txt", "b.txt"]


async def test_linters_that_the_load_has_started_run_once_and_are_awaited(
    nvim: Neovim, path: Path
) -> None:
    await nvim_lint(nvim)
    await nvim.lua(LINT_WHEN_READ)

    await nvim.lua(
        "_G.file = require('claude_ide.diagnostics.unopened').load(...)"
        " _G.checks = require('claude_ide.diagnostics.texts').recent().buffers",
        str(path),
    )

    (one,) = await nvim.lua("return _G.checks")
    assert one["bufnr"] == await nvim.lua("return _G.file.bufnr")
    assert [each["is_busy"] for each in one["checkers"]] == [True]
    assert await checked(nvim) == ["a.txt"]


async def test_loading_a_file_is_not_announced_as_a_write(nvim: Neovim, path: Path) -> None:
    await nvim.lua(chunk("unopened/count_written"))

    await load(nvim, path)

    assert await nvim.lua("return _G.written") == 0
