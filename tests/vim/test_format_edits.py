"""Text edits of a language server, applied to lines in Vim."""

from typing import Any

import pytest

from support.vim import Vim


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    first, last = ({"line": line, "character": character} for line, character in (start, end))
    return {"range": {"start": first, "end": last}, "newText": text}


@pytest.mark.parametrize(
    ("lines", "edits", "edited"),
    [
        (["é😀x", "b"], [edit((0, 3), (0, 4), "y")], ["é😀y", "b"]),
        (["ab"], [edit((0, 1), (0, 1), "1"), edit((0, 1), (0, 1), "2")], ["a12b"]),
        (["a", "b"], [edit((1, 0), (1, 1), "B"), edit((0, 0), (0, 1), "A")], ["A", "B"]),
        (["a", "b", "c"], [edit((0, 1), (2, 0), "")], ["ac"]),
        (["a", "b"], [edit((0, 0), (2, 0), "one\ntwo\nthree\n")], ["one", "two", "three"]),
        (["a"], [edit((1, 0), (1, 0), "b\n")], ["a", "b"]),
        (["a"], [edit((0, 1), (0, 1), "\r\nb")], ["a", "b"]),
        (["a", "", ""], [edit((1, 0), (3, 0), "")], ["a"]),
    ],
)
async def test_edits_are_applied_as_lsp_says(
    vim: Vim, lines: list[str], edits: list[dict[str, Any]], edited: list[str]
) -> None:
    assert await vim.call("claude_ide#format#text_edits#Apply", lines, edits) == edited


@pytest.mark.parametrize(
    ("bits", "character"), [(8, len("é😀".encode())), (16, 3), (32, 2), (8, 99), (16, 99), (32, 99)]
)
async def test_a_server_counts_in_its_encoding(vim: Vim, bits: int, character: int) -> None:
    edits = [edit((0, character), (0, character), "|")]

    edited = await vim.call("claude_ide#format#text_edits#Apply", ["é😀x"], edits, bits)

    assert edited == ["é😀|x" if character < 99 else "é😀x|"]
