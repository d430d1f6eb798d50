"""`diagnostics/init.lua`: converts the diagnostics of buffers for the wire, in slices."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.diagnostics import SET, SET_MANY, edit, of_all, of_file
from support.neovim import Neovim


def span(item: dict[str, Any]) -> tuple[int, int, int, int]:
    start, end = item["range"]["start"], item["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


# One file


async def test_a_diagnostic_is_converted_for_the_wire(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "x = undefined\n")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {
                "lnum": 0,
                "col": 4,
                "end_lnum": 0,
                "end_col": 13,
                "severity": 1,
                "message": "undefined name",
                "source": "pyright",
                "code": "reportUndefined",
            }
        ],
    )

    assert await of_file(nvim, project / "a.txt") == [
        {
            "message": "undefined name",
            "severity": "Error",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 13}},
            "source": "pyright",
            "code": "reportUndefined",
        }
    ]


async def test_severities_are_words_and_errors_come_first(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": 0, "severity": severity, "message": str(severity)}
            for severity in (4, 2, 3, 1)
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [item["severity"] for item in items] == ["Error", "Warning", "Info", "Hint"]


async def test_missing_fields_are_omitted(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 1, "col": 2, "message": "no"}])

    assert await of_file(nvim, project / "a.txt") == [
        {
            "message": "no",
            "severity": "Error",
            "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 2}},
        }
    ]


@pytest.mark.parametrize("code", ["E501", 501])
async def test_a_code_may_be_a_number(nvim: Neovim, project: Path, code: str | int) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m", "code": code}])

    [item] = await of_file(nvim, project / "a.txt")

    assert item["code"] == code


async def test_columns_are_utf_16_code_units(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "é😀 name\nü\n")
    start = len("é😀 ".encode())
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": start, "end_col": start + 4, "message": "one line"},
            {"lnum": 0, "col": start, "end_lnum": 1, "end_col": 2, "message": "two lines"},
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [span(item) for item in items] == [(0, 4, 0, 8), (0, 4, 1, 1)]


async def test_positions_outside_the_text_do_no_harm(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": 99, "end_col": 120, "message": "past the line"},
            {"lnum": 7, "col": 3, "message": "past the buffer"},
            {"lnum": -1, "col": -1, "message": "before it"},
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [span(item) for item in items] == [(0, 3, 0, 3), (7, 0, 7, 0), (0, 0, 0, 0)]


async def test_diagnostics_of_all_namespaces_are_read(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    for name in ("linter", "spelling"):
        await nvim.lua(SET, name, bufnr, [{"lnum": 0, "col": 0, "message": name}])

    items = await of_file(nvim, project / "a.txt")

    assert sorted(item["message"] for item in items) == ["linter", "spelling"]


async def test_functions_in_user_data_and_odd_codes_do_no_harm(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(chunk("diagnostics/set_odd_fields"), bufnr)

    items = await of_file(nvim, project / "a.txt")

    assert [(item["message"], item.get("code")) for item in items] == [("m", None), ("n", None)]


async def test_clean_files_and_unopened_files_have_no_diagnostics(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, project / "a.txt")

    assert await of_file(nvim, project / "a.txt") == []
    assert await of_file(nvim, project / "b.txt") == []


async def test_a_file_is_found_through_a_symlink(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    (project / "link.txt").symlink_to(project / "a.txt")

    assert len(await of_file(nvim, project / "link.txt")) == 1


async def test_an_unloaded_buffer_keeps_its_columns(nvim: Neovim, project: Path) -> None:
    bufnr = await nvim.lua("return vim.fn.bufadd(...)", str(project / "a.txt"))
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 5, "col": 7, "end_col": 9, "message": "m"}])

    [item] = await of_file(nvim, project / "a.txt")

    assert span(item) == (5, 7, 5, 9)


async def test_reading_does_not_change_vim_diagnostic(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET_MANY, bufnr, 3)
    held = "return vim.diagnostic.get(...)"
    before = await nvim.lua(held, bufnr)

    await of_file(nvim, project / "a.txt")

    assert await nvim.lua(held, bufnr) == before


@pytest.mark.parametrize("field", ["source", "code", "message"])
async def test_a_null_from_a_language_server_is_omitted(
    nvim: Neovim, project: Path, field: str
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(chunk("diagnostics/set_null_field"), bufnr, field)

    [item] = await of_file(nvim, project / "a.txt")

    assert item.get(field) == ("" if field == "message" else None)
    assert item["severity"] == "Error"


# All files


async def test_all_files_with_diagnostics_are_read(nvim: Neovim, project: Path) -> None:
    for name in ("a.txt", "b c.txt", "none.txt"):
        bufnr = await edit(nvim, project / name)
        if name != "none.txt":
            await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": name}])

    found = await of_all(nvim)

    assert {path: [item["message"] for item in items] for path, items in found.items()} == {
        f"{project}/a.txt": ["a.txt"],
        f"{project}/b c.txt": ["b c.txt"],
    }


async def test_buffers_that_hold_no_file_are_skipped(nvim: Neovim) -> None:
    for command in ("new | setlocal buftype=nofile | file scratch", "new"):
        await nvim.command(command)
        await nvim.lua(
            SET, "linter", await nvim.eval("bufnr()"), [{"lnum": 0, "col": 0, "message": "m"}]
        )

    assert await of_all(nvim) == {}


async def test_many_diagnostics_arrive_in_slices(nvim: Neovim, project: Path) -> None:
    for name in ("a.txt", "b.txt"):
        await nvim.lua(SET_MANY, await edit(nvim, project / name), 1200)

    assert len(await of_file(nvim, project / "a.txt")) == 1200
    assert [len(items) for items in (await of_all(nvim)).values()] == [1200, 1200]


# Short steps


BLOCKS = chunk("diagnostics/longest_block")
"""In milliseconds of Neovim's CPU time, which does not depend on other programs."""


async def test_five_thousand_diagnostics_never_block_neovim_for_long(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 5000)
    await nvim.lua("require('claude_ide.diagnostics').watch(true)")

    blocks = []
    for _ in range(5):
        await nvim.lua(SET_MANY, bufnr, 5000, 1)
        blocks.append(await nvim.lua(BLOCKS, bufnr, await nvim.channel()))

    assert min(blocks) < 20
    assert len(await of_file(nvim, project / "a.txt")) == 5000


async def test_long_lines_and_long_messages_never_block_neovim_for_long(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "é" * 200_000)
    await nvim.lua(chunk("diagnostics/set_long"), bufnr)

    blocks = [await nvim.lua(BLOCKS, bufnr, await nvim.channel()) for _ in range(5)]

    assert min(blocks) < 20
