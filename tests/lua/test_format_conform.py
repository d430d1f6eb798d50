"""conform.nvim reformats files."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.formatting import STRIP, TIDY, UNTIDY, answer, fail, read, start, succeed, write
from support.language_client import attach
from support.neovim import ROOT, Neovim, until
from support.typing_user import IN_THE_MIDDLE, Typing

CAPITALS = "tr a-z A-Z"


async def set_up(nvim: Neovim, programs: dict[str, str], lsp_format: str | None = None) -> None:
    """Let a plugin that behaves like conform.nvim format text files with these programs."""
    await nvim.command(f"set runtimepath+={ROOT / 'tests/support/conform'}")
    await nvim.lua(chunk("format_conform/set_up"), list(programs), programs, lsp_format)


@pytest.mark.parametrize("was_open", [True, False])
async def test_conform_formats_a_file(nvim: Neovim, project: Path, was_open: bool) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"strip": STRIP, "capitals": CAPITALS})
    if was_open:
        await nvim.command("edit a.txt")

    assert await succeed(nvim, path) == (
        "Reformatted with conform.nvim (strip, capitals): 3 lines changed, saved."
    )

    assert read(path) == TIDY.upper()


async def test_conform_comes_before_all_other_formatters(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"strip": STRIP})
    await nvim.command("edit a.txt | setlocal formatprg=no formatexpr=no")
    await attach(nvim, "--format=capitals")

    await succeed(nvim, path)

    assert read(path) == TIDY


async def test_a_server_formats_when_conform_has_no_formatter_for_the_filetype(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {})
    await nvim.command("edit a.txt")
    await attach(nvim)

    assert await succeed(nvim, path) == "Reformatted with words: 2 lines changed, saved."


@pytest.mark.parametrize(
    ("order", "by"),
    [
        ("first", "words and conform.nvim (capitals)"),
        ("last", "conform.nvim (capitals) and words"),
        ("prefer", "words"),
        ("fallback", "conform.nvim (capitals)"),
    ],
)
async def test_language_servers_format_in_the_order_that_conform_sets(
    nvim: Neovim, project: Path, order: str, by: str
) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"capitals": CAPITALS}, order)
    await nvim.command("edit a.txt")
    await attach(nvim)

    assert (await succeed(nvim, path)).startswith(f"Reformatted with {by}: ")
    assert await nvim.eval("&modified") == 0


async def test_one_undo_reverts_the_changes_of_conform_and_a_server(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"capitals": CAPITALS}, "last")
    await nvim.command("edit a.txt | 3mark a | 3")
    await nvim.command("mark B")
    await attach(nvim)
    await succeed(nvim, path)
    assert await nvim.eval("[getline(3), line('.'), line(\"'a\"), line(\"'B\")]") == [
        *("THREE", 3, 3, 3)
    ]

    await nvim.command("undo")

    assert await nvim.eval("getline(1, '$')") == ["one  ", "two", "three \t"]


async def test_a_failing_formatter_changes_nothing(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"capitals": CAPITALS, "broken": "echo 'bad syntax' >&2; exit 1"})
    await nvim.command("edit a.txt")

    assert await fail(nvim, path) == (
        f"conform.nvim (capitals, broken) could not reformat {path}: "
        "Formatter 'broken' error: bad syntax"
    )

    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]
    assert read(path) == UNTIDY


async def test_changes_made_while_conform_formats_are_kept(nvim: Neovim, project: Path) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"strip": f"{STRIP}; until test -e go; do sleep 0.01; done"})
    await nvim.command("edit a.txt")
    await start(nvim, path)

    await nvim.command("call setline(2, 'mine')")
    write(project / "go")

    assert "was changed while it was being reformatted" in (await answer(nvim))["error"]
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "mine", "three \t"], 1]


async def test_formatters_that_finish_after_the_timeout_change_nothing(
    nvim: Neovim, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.editor.formatting.PROGRAM_SECONDS", 1)
    path = write(project / "a.txt")
    await set_up(nvim, {"capitals": CAPITALS, "slow": "until test -e go; do sleep 0.01; done; cat"})
    await nvim.command("edit a.txt")
    await nvim.command("let g:ended = 0 | autocmd User ConformFormatPost let g:ended += 1")

    assert await fail(nvim, path) == (
        f"conform.nvim (capitals, slow) could not reformat {path}: no answer within 1 s"
    )
    write(project / "go")
    await until(lambda: nvim.eval("g:ended == 2"))

    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one  ", "two", "three \t"], 0]


async def test_a_conform_module_in_the_working_folder_is_not_run(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    write(project / "conform.lua", "vim.g.was_run = true")
    (project / "lua/conform").mkdir(parents=True)
    write(project / "lua/conform/init.lua", "vim.g.was_run = true")
    await nvim.command("edit a.txt")

    await fail(nvim, path)

    assert await nvim.eval("exists('g:was_run')") == 0


async def test_conform_is_loaded_when_lazy_nvim_has_not_loaded_it_yet(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await nvim.lua(chunk("format_conform/lazy_nvim"), str(ROOT / "tests/support/conform"), STRIP)
    await nvim.command("edit a.txt")

    assert "conform.nvim (strip)" in await succeed(nvim, path)


@pytest.mark.parametrize("was_open", [True, False])
@pytest.mark.parametrize("typing", IN_THE_MIDDLE)
async def test_formatting_another_file_with_conform_does_not_interrupt_typing(
    nvim: Neovim, project: Path, typing: Typing, was_open: bool
) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"strip": STRIP})
    await nvim.command("edit a.txt | vsplit mine.txt" if was_open else "edit mine.txt")
    await typing.begin(nvim)

    await succeed(nvim, path)

    await typing.finish(nvim)
    assert read(path) == TIDY


async def test_the_whole_file_is_formatted_despite_a_visual_selection(
    nvim: Neovim, project: Path
) -> None:
    path = write(project / "a.txt")
    await set_up(nvim, {"strip": STRIP})
    await nvim.command("edit a.txt")
    await nvim.keys("V")
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode == 'V'"))

    await succeed(nvim, path)

    assert read(path) == TIDY
    assert (await nvim.mode())["mode"] == "V"
