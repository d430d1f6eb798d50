"""`diagnostics/published.lua`: what is published is read once, and converted once."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor.diagnostics import Reader
from support.chunks import chunk
from support.diagnostics import reader_of
from support.neovim import Neovim

LINE = "é wrong\n"
DIAGNOSTIC = {"lnum": 0, "col": 3, "end_lnum": 0, "end_col": 8, "message": "wrong"}
PUBLISHED = (0, 2, 0, 7)
"""Where the diagnostic is in `LINE`: é is two bytes and one character."""
PUBLISH = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""


@pytest.fixture
async def reader(nvim: Neovim) -> Reader:
    await nvim.lua("require('claude_ide.diagnostics').watch(true)")
    return reader_of(nvim)


async def edit(nvim: Neovim, path: Path, text: str = LINE) -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def publish(nvim: Neovim, bufnr: int, *diagnostics: Any, name: str = "linter") -> None:
    await nvim.lua(PUBLISH, name, bufnr, list(diagnostics))


async def read(reader: Reader, path: Path) -> list[Any]:
    _, found = await reader.read(str(path))
    return [item for known in found.values() for item in known.items]


async def spans(reader: Reader, path: Path) -> list[tuple[int, int, int, int]]:
    ranges = [(item["range"]["start"], item["range"]["end"]) for item in await read(reader, path)]
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


async def test_a_stale_diagnostic_stays_the_same(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    before = await read(reader, path)

    await adopt(nvim, bufnr, path, "ok\n")

    assert await read(reader, path) == before


async def test_a_stale_diagnostic_stays_the_same_when_another_source_publishes(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    [before] = await read(reader, path)
    await adopt(nvim, bufnr, path, "ok\n")

    await publish(nvim, bufnr, {"lnum": 0, "col": 0, "message": "ok"}, name="server")

    assert before in await read(reader, path)


async def test_a_republished_diagnostic_is_located_in_the_new_text(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    await read(reader, path)

    await adopt(nvim, bufnr, path, "ee wrong\n")
    await publish(nvim, bufnr, DIAGNOSTIC)

    assert await spans(reader, path) == [(0, 3, 0, 8)]


async def test_typing_does_not_move_a_diagnostic_that_was_read(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    before = await read(reader, path)

    await nvim.command("normal! 0D")

    assert await read(reader, path) == before


async def test_a_diagnostic_that_neovim_does_not_show_stays_the_same(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await nvim.lua("vim.cmd.startinsert()")
    await publish(nvim, bufnr, DIAGNOSTIC)
    before = await read(reader, path)
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'ok' })", bufnr)

    await publish(nvim, bufnr, {"lnum": 0, "col": 0, "message": "ok"}, name="server")

    assert [span for span in await spans(reader, path) if span != (0, 0, 0, 0)] == [PUBLISHED]
    assert before[0] in await read(reader, path)


async def test_a_diagnostic_that_is_shown_again_stays_the_same(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    before = await read(reader, path)
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'ok' })", bufnr)

    await nvim.lua("vim.diagnostic.hide() vim.diagnostic.show()")
    await nvim.lua("vim.diagnostic.config({ severity_sort = true })")
    await publish(nvim, bufnr, name="server")

    assert await read(reader, path) == before


# Changes


async def test_an_emptied_namespace_has_no_diagnostics(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    await publish(nvim, bufnr, DIAGNOSTIC, name="server")
    assert len(await read(reader, path)) == 2

    await publish(nvim, bufnr)

    assert len(await read(reader, path)) == 1


async def test_all_namespaces_can_be_reset_together(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    for name in ("linter", "server", "spelling"):
        await publish(nvim, bufnr, DIAGNOSTIC, name=name)
    assert len(await read(reader, path)) == 3

    await nvim.lua("vim.diagnostic.reset(nil, ...)", bufnr)

    assert await read(reader, path) == []


@pytest.mark.parametrize("enabled", ["true", "false"])
async def test_new_diagnostics_are_read_even_while_diagnostics_are_disabled(
    nvim: Neovim, reader: Reader, project: Path, enabled: str
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC)
    await read(reader, path)

    await nvim.lua(f"vim.diagnostic.enable({enabled}, {{ bufnr = ... }})", bufnr)
    await publish(nvim, bufnr, {**DIAGNOSTIC, "message": "worse"})

    assert [item["message"] for item in await read(reader, path)] == ["worse"]


async def test_diagnostics_that_are_not_shown_are_read_too(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path)
    await publish(nvim, bufnr, DIAGNOSTIC, {**DIAGNOSTIC, "message": "worse"})

    await nvim.lua(
        """local namespace, bufnr = vim.api.nvim_create_namespace('linter'), ...
        local some = { vim.diagnostic.get(bufnr)[1] }
        vim.diagnostic.show(namespace, bufnr, some)""",
        bufnr,
    )

    assert [item["message"] for item in await read(reader, path)] == ["wrong", "worse"]


@pytest.mark.parametrize(
    "span", [(1, 0, 2, 0), (1, 0, 9, 0), (5, 3, 5, 4)], ids=["next", "over", "below"]
)
async def test_a_diagnostic_below_the_text_stays_there(
    nvim: Neovim, reader: Reader, project: Path, span: tuple[int, int, int, int]
) -> None:
    path = project / "a.txt"
    bufnr = await edit(nvim, path, "one\ntwo\n")
    keys = ("lnum", "col", "end_lnum", "end_col")
    await publish(nvim, bufnr, {**dict(zip(keys, span, strict=True)), "message": "m"})

    [[row, _, end_row, _]] = await spans(reader, path)

    assert (row, end_row) == (span[0], span[2])


# Cleanup


async def test_a_wiped_buffer_is_forgotten_even_if_an_autocommand_resets_it(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await publish(nvim, bufnr, DIAGNOSTIC)
    await nvim.lua(
        """vim.api.nvim_create_autocmd('BufWipeout', {
          callback = function(event) vim.diagnostic.reset(nil, event.buf) end,
        })"""
    )

    await nvim.command("bwipeout!")

    assert await nvim.lua("return require('claude_ide.diagnostics.published').bufnrs()") == []
    assert await nvim.lua("return vim.v.errmsg") == ""


# Reading


async def test_shown_diagnostics_are_read_without_a_copy(
    nvim: Neovim, reader: Reader, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(chunk("diagnostic_sets/attach"), bufnr)

    is_own = await nvim.lua(
        """local namespace = vim.api.nvim_create_namespace('linter')
        local published = require('claude_ide.diagnostics.published')
        local version = published.sets(...)[namespace].version
        local list = published.list(..., namespace, version, vim.diagnostic.severity.ERROR)
        return rawequal(list[1].user_data, _G.attached)""",
        bufnr,
    )

    assert is_own
