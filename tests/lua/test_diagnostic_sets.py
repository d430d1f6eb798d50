"""`diagnostics/sets.lua`: published diagnostics are read once, and converted once."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim

LINE = "é wrong\n"
DIAGNOSTIC = {"lnum": 0, "col": 3, "end_lnum": 0, "end_col": 8, "message": "wrong"}
PUBLISHED = (0, 2, 0, 7)
"""Where the diagnostic is in `LINE`: é is two bytes and one character."""
PUBLISH = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""
READ = chunk("diagnostic_sets/read")


@pytest.fixture
async def watching(nvim: Neovim) -> AsyncIterator[Neovim]:
    await nvim.lua("require('claude_ide.diagnostics.sets').start()")
    yield nvim


async def edit(nvim: Neovim, path: Path, text: str = LINE) -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def publish(nvim: Neovim, bufnr: int, *diagnostics: Any, name: str = "linter") -> None:
    await nvim.lua(PUBLISH, name, bufnr, list(diagnostics))


async def read(nvim: Neovim, path: Path) -> list[Any]:
    return list(await nvim.lua(READ, str(path)) or [])


async def spans(nvim: Neovim, path: Path) -> list[tuple[int, int, int, int]]:
    ranges = [(item["range"]["start"], item["range"]["end"]) for item in await read(nvim, path)]
    return [(a["line"], a["character"], b["line"], b["character"]) for a, b in ranges]


async def adopt(nvim: Neovim, bufnr: int, path: Path, text: str) -> None:
    """Write the file, and have its buffer adopt the text."""
    path.write_text(text, encoding="utf-8")
    await nvim.lua(
        """local edit = require('claude_ide.file.edit')
        edit.adopt(..., edit.read(...))""",
        bufnr,
    )


# Stale diagnostics


async def test_a_stale_diagnostic_stays_the_same(watching: Neovim, project: Path) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    before = await read(watching, path)

    await adopt(watching, bufnr, path, "ok\n")

    assert await read(watching, path) == before


async def test_an_unread_diagnostic_is_located_in_the_text_it_was_published_for(
    watching: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)

    await adopt(watching, bufnr, path, "ok\n")

    assert await spans(watching, path) == [PUBLISHED]


async def test_a_stale_diagnostic_stays_the_same_when_another_source_publishes(
    watching: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    [before] = await read(watching, path)
    await adopt(watching, bufnr, path, "ok\n")

    await publish(watching, bufnr, {"lnum": 0, "col": 0, "message": "ok"}, name="server")

    assert before in await read(watching, path)


async def test_a_republished_diagnostic_is_located_in_the_new_text(
    watching: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    await read(watching, path)

    await adopt(watching, bufnr, path, "ee wrong\n")
    await publish(watching, bufnr, DIAGNOSTIC)

    assert await spans(watching, path) == [(0, 3, 0, 8)]


async def test_typing_does_not_move_a_diagnostic_that_was_read(
    watching: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    before = await read(watching, path)

    await watching.command("normal! 0D")

    assert await read(watching, path) == before


@pytest.mark.parametrize(
    "hide",
    ["vim.diagnostic.enable(false)", "vim.cmd.startinsert()"],
    ids=["disabled", "insert"],
)
async def test_a_diagnostic_that_neovim_does_not_show_stays_the_same(
    watching: Neovim, project: Path, hide: str
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await watching.lua(hide)
    await publish(watching, bufnr, DIAGNOSTIC)
    before = await read(watching, path)
    await watching.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'ok' })", bufnr)

    await publish(watching, bufnr, {"lnum": 0, "col": 0, "message": "ok"}, name="server")

    assert [span for span in await spans(watching, path) if span != (0, 0, 0, 0)] == [PUBLISHED]
    assert before[0] in await read(watching, path)


async def test_a_diagnostic_that_is_shown_again_stays_the_same(
    watching: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    before = await read(watching, path)
    await watching.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'ok' })", bufnr)

    await watching.lua("vim.diagnostic.hide() vim.diagnostic.show()")
    await watching.lua("vim.diagnostic.config({ severity_sort = true })")
    await publish(watching, bufnr, name="server")

    assert await read(watching, path) == before


# Changes


async def test_an_emptied_namespace_has_no_diagnostics(watching: Neovim, project: Path) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    await publish(watching, bufnr, DIAGNOSTIC, name="server")
    assert len(await read(watching, path)) == 2

    await publish(watching, bufnr)

    assert len(await read(watching, path)) == 1


async def test_all_namespaces_can_be_reset_together(watching: Neovim, project: Path) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    for name in ("linter", "server", "spelling"):
        await publish(watching, bufnr, DIAGNOSTIC, name=name)
    assert len(await read(watching, path)) == 3

    await watching.lua("vim.diagnostic.reset(nil, ...)", bufnr)

    assert await read(watching, path) == []


@pytest.mark.parametrize("enabled", ["true", "false"])
async def test_new_diagnostics_are_read_even_while_diagnostics_are_disabled(
    watching: Neovim, project: Path, enabled: str
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC)
    await read(watching, path)

    await watching.lua(f"vim.diagnostic.enable({enabled}, {{ bufnr = ... }})", bufnr)
    await publish(watching, bufnr, {**DIAGNOSTIC, "message": "worse"})

    assert [item["message"] for item in await read(watching, path)] == ["worse"]


async def test_diagnostics_that_are_not_shown_are_read_too(watching: Neovim, project: Path) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path)
    await publish(watching, bufnr, DIAGNOSTIC, {**DIAGNOSTIC, "message": "worse"})

    await watching.lua(
        """local namespace, bufnr = vim.api.nvim_create_namespace('linter'), ...
        local some = { vim.diagnostic.get(bufnr)[1] }
        vim.diagnostic.show(namespace, bufnr, some)""",
        bufnr,
    )

    assert [item["message"] for item in await read(watching, path)] == ["wrong", "worse"]


@pytest.mark.parametrize(
    "span", [(1, 0, 2, 0), (1, 0, 9, 0), (5, 3, 5, 4)], ids=["next", "over", "below"]
)
async def test_a_diagnostic_below_the_text_stays_there(
    watching: Neovim, project: Path, span: tuple[int, int, int, int]
) -> None:
    path = project / "a.txt"
    bufnr = await edit(watching, path, "one\ntwo\n")
    keys = ("lnum", "col", "end_lnum", "end_col")
    await publish(watching, bufnr, {**dict(zip(keys, span, strict=True)), "message": "m"})

    [[row, _, end_row, _]] = await spans(watching, path)

    assert (row, end_row) == (span[0], span[2])


# Cleanup


async def test_a_wiped_buffer_is_forgotten_even_if_an_autocommand_resets_it(
    watching: Neovim, project: Path
) -> None:
    bufnr = await edit(watching, project / "a.txt")
    await publish(watching, bufnr, DIAGNOSTIC)
    await watching.lua(
        """vim.api.nvim_create_autocmd('BufWipeout', {
          callback = function(event) vim.diagnostic.reset(nil, event.buf) end,
        })"""
    )

    await watching.command("bwipeout!")

    assert await watching.lua("return require('claude_ide.diagnostics.sets').bufnrs()") == []
    assert await watching.lua("return vim.v.errmsg") == ""


async def test_nothing_is_kept_after_stop(watching: Neovim, project: Path) -> None:
    await publish(watching, await edit(watching, project / "a.txt"), DIAGNOSTIC)

    await watching.lua("require('claude_ide.diagnostics.sets').stop()")

    assert await watching.lua("return require('claude_ide.diagnostics.sets').bufnrs()") == []
    assert await watching.lua("return vim.diagnostic.handlers['claude_ide/tables'] == nil")


# Reading


async def test_shown_diagnostics_are_read_without_a_copy(watching: Neovim, project: Path) -> None:
    bufnr = await edit(watching, project / "a.txt")
    await watching.lua(
        chunk("diagnostic_sets/attach"),
        bufnr,
    )

    is_own = await watching.lua(
        """local namespace = vim.api.nvim_create_namespace('linter')
        local list, is_own = require('claude_ide.diagnostics.tables').of(..., namespace)
        return is_own and rawequal(list[1].user_data, _G.attached)""",
        bufnr,
    )

    assert is_own
