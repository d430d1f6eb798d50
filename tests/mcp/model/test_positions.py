"""How servers count characters, and the lines around a place."""

from pathlib import Path

import pytest

from claude_ide.editor.port.tools import LanguageServer, Spot
from claude_ide.editor.protocol import character_of, index_of, kind_of, position_of, shortened
from claude_ide.mcp.model.common import (
    EXCERPT_CHARACTERS,
    LARGEST_FILE_BYTES,
    _lines,
    column,
    excerpt,
)

TEXT = "aé𝄞b\udcff"


@pytest.mark.parametrize(
    ("encoding", "characters"),
    [("utf-8", [0, 1, 3, 7, 8, 9]), ("utf-16", [0, 1, 2, 4, 5, 6]), ("utf-32", [0, 1, 2, 3, 4, 5])],
)
def test_each_encoding_counts_in_its_own_way(encoding: str, characters: list[int]) -> None:
    assert [character_of(TEXT, index, encoding) for index in range(6)] == characters
    assert [index_of(TEXT, each, encoding) for each in characters] == [*range(6)]


@pytest.mark.parametrize(
    ("line", "character", "index"),
    [("abc", 99, 3), ("abc", -1, 0), (TEXT, 99, 5), (TEXT, -1, 0), ("", 3, 0), (TEXT, 3, 3)],
)
def test_a_place_outside_the_line_or_inside_a_character(
    line: str, character: int, index: int
) -> None:
    assert index_of(line, character, "utf-16") == index


def test_a_spot_is_counted_for_its_server() -> None:
    spot = Spot(2, "é𝄞x", 2)

    assert position_of(spot, LanguageServer(1, "a", "utf-16")) == {"line": 2, "character": 3}
    assert position_of(spot, LanguageServer(1, "a", "utf-8")) == {"line": 2, "character": 6}


def test_a_line_that_is_not_known_counts_as_ascii() -> None:
    assert column("", 7, "utf-16") == 8
    assert column("", -7, "utf-16") == 1
    assert column("𝄞x", 2, "utf-16") == 2


def test_a_long_line_is_shown_around_the_place() -> None:
    line = "a" * 1000 + "needle" + "b" * 1000

    assert excerpt("  indented\r", 0) == "indented"
    assert excerpt(line, 1000).startswith("…a")
    assert "needle" in excerpt(line, 1000)
    assert len(excerpt(line, 1000)) == EXCERPT_CHARACTERS + 2
    assert excerpt(line, 0).startswith("aaa")
    assert excerpt(line, 0).endswith("…")
    assert not excerpt(line, len(line)).endswith("…")


def test_only_regular_files_of_some_size_are_read(tmp_path: Path) -> None:
    file, large = tmp_path / "a", tmp_path / "large"
    file.write_bytes(b"one\r\ntwo\xff\n")
    large.write_bytes(b"x" * (LARGEST_FILE_BYTES + 1))

    assert _lines(str(file)) == ["one", "two\udcff", ""]
    assert _lines(str(large)) == []
    assert _lines(str(tmp_path)) == []
    assert _lines(f"{tmp_path}/none\0") == []


def test_names_are_kept_short() -> None:
    assert shortened(7) == ""
    assert shortened(" a\n  b ") == "a b"
    assert shortened("x" * 500) == "x" * 120 + "…"
    assert [kind_of(each) for each in (5, 26, 0, 99, "5", None)] == [
        *("class", "typeparameter", "symbol", "symbol", "symbol", "symbol")
    ]
