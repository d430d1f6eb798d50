"""Edits of language servers and formatters, applied to copies of texts."""

import random
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.files import BufferText
from claude_ide.editor.protocol import Position, Range, TextEdit, count_changed, edited, within
from claude_ide.mcp.model import reviewed_edit as edits
from claude_ide.mcp.model.reviewed_edit import changed


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> TextEdit:
    return TextEdit(Range(Position(*start), Position(*end)), text)


@pytest.mark.parametrize(
    ("lines", "group", "expected"),
    [
        (["one two"], [edit((0, 0), (0, 3), "1"), edit((0, 4), (0, 7), "2")], ["1 2"]),
        (["a"], [edit((0, 0), (0, 0), "x"), edit((0, 0), (0, 0), "y")], ["xya"]),
        (["abc"], [edit((0, 1), (0, 3), "-"), edit((0, 1), (0, 1), "+")], ["a+-"]),
        (["a", "b"], [edit((0, 1), (1, 0), "")], ["ab"]),
        (["a", "b"], [edit((1, 0), (0, 1), "")], ["ab"]),
        (["a"], [edit((0, 1), (0, 1), "\r\nb\rc")], ["a", "b", "c"]),
        (["a", "b"], [edit((0, 0), (2, 0), "x\ny\n")], ["x", "y"]),
        (["a", "b"], [edit((0, 0), (2, 0), "x\ny")], ["x", "y"]),
        (["a", "b"], [edit((0, 0), (99, 0), "")], [""]),
        (["a"], [edit((1, 0), (1, 0), "b\n")], ["a", "b"]),
        (["a"], [edit((7, 0), (7, 0), "b")], ["a", "b"]),
        (["a", "b"], [edit((0, 0), (0, 9), "x")], ["x", "b"]),
        (["a", "b"], [edit((0, 0), (0, 9), "x\n")], ["x", "b"]),
        (["a", "b"], [edit((0, 0), (0, 1), "x\n")], ["x", "", "b"]),
        ([""], [edit((0, 0), (0, 0), "moved\n")], ["moved"]),
        ([""], [edit((0, 0), (0, 0), "moved\n\n")], ["moved", ""]),
        (["a"], [], ["a"]),
    ],
)
def test_edits_are_applied_as_servers_mean_them(
    lines: list[str], group: list[TextEdit], expected: list[str]
) -> None:
    assert edited(lines, [group], "utf-16") == expected


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)])
def test_columns_are_those_of_the_server(encoding: str, column: int) -> None:
    two = edit((0, column), (0, column + 3), "2")

    assert edited(["one 𝄞 two"], [[two]], encoding) == ["one 𝄞 2"]


def test_groups_follow_each_other() -> None:
    groups = [[edit((0, 0), (0, 0), "a\n")], [edit((1, 0), (1, 3), "x")]]

    assert edited(["one", "two"], groups, "utf-16") == ["a", "x", "two"]


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(EditorError, match="overlap"):
        edited(["abc"], [[edit((0, 0), (0, 2), "x"), edit((0, 1), (0, 3), "y")]], "utf-16")


def text(*lines: str, **more: Any) -> BufferText:
    return BufferText("/a", bufnr=3, lines=[*lines], digest="d", **more)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "a\nb\n"),
        ({"is_ended": False}, "a\nb"),
        ({"fileformat": "dos"}, "a\r\nb\r\n"),
        ({"fileformat": "mac", "has_bom": True}, "\ufeffa\rb\r"),
    ],
)
def test_the_bytes_around_the_lines_stay(more: dict[str, Any], expected: str) -> None:
    file = changed(text("a", **more), ["a", "b"])

    assert file is not None
    assert (file.text, file.lines, file.digest, file.warning) == (expected, 1, "d", "")
    assert file.unsaved is None


def test_a_file_with_unsaved_changes_is_named_by_its_buffer() -> None:
    file = changed(text("a", is_modified=True), ["b"])

    assert file is not None
    assert (file.unsaved, file.warning) == (3, "")


def test_what_is_the_same_is_no_change_even_of_a_file_that_is_read_only() -> None:
    assert changed(text("a", is_writable=False), ["a"]) is None
    with pytest.raises(EditorError, match="/a is read-only in Neovim; nothing was changed"):
        changed(text("a", is_writable=False), ["b"])


@pytest.mark.parametrize(("line", "why"), [("\udcff", "not valid UTF-8"), ("a\nb", "NUL")])
def test_what_is_no_text_is_refused(line: str, why: str) -> None:
    with pytest.raises(EditorError, match=why):
        changed(text(line), [line, "x"])


def test_changes_are_counted_by_lines() -> None:
    assert count_changed(["a", "b", "c"], ["a", "x", "y", "c"]) == 2
    assert count_changed(["a", "b"], ["a"]) == 1
    assert count_changed([*map(str, range(3000))], [*map(str, range(3000, 0, -1))]) == 2999


CODE = ["import sys", "x = 1", "print( x )", "y  =  2", "end"]
TIDY = ["import sys", "", "x = 1", "print(x)", "y = 2", "end"]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (1, 1, CODE),
        (2, 2, [*CODE[:1], "", *CODE[1:]]),
        (3, 3, [*CODE[:2], "print(x)", *CODE[3:]]),
        (3, 4, [*CODE[:2], *TIDY[3:]]),
        (1, 9, TIDY),
    ],
)
def test_only_changes_that_touch_some_lines_are_taken(
    first: int, last: int, expected: list[str]
) -> None:
    assert within(CODE, TIDY, first, last) == expected


def test_all_lines_are_the_whole_change() -> None:
    chance = random.Random(7)
    for _ in range(300):
        before = [chance.choice("ab ") * chance.randint(0, 3) for _ in range(chance.randint(0, 9))]
        after = [chance.choice("ab ") * chance.randint(0, 3) for _ in range(chance.randint(0, 9))]
        assert within(before, after, 1, 99) == after


def of(path: Path | str, *, version: Any = None) -> dict[str, Any]:
    uri = path if isinstance(path, str) else path.as_uri()
    place = {"line": 0, "character": 0}
    one = {"range": {"start": place, "end": place}, "newText": "x"}
    return {"textDocument": {"uri": uri, "version": version}, "edits": [one]}


def test_files_are_in_the_order_of_the_server_each_with_all_its_edits(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "b/../a"
    (tmp_path / "a").touch()
    creation = {"kind": "create", "uri": new.as_uri()}
    again = {
        "kind": "create",
        "uri": (tmp_path / "a").as_uri(),
        "options": {"ignoreIfExists": True},
    }

    found = edits.by_file(
        {"documentChanges": [creation, of(f"file://{old}", version=4), of(new), again, of(new)]}
    )

    assert [(file.path, len(file.groups), file.is_new, file.version) for file in found] == [
        (str(new), 2, True, 0),
        (str(tmp_path / "a"), 1, False, 4),
    ]


def test_the_older_form_of_an_edit_is_in_the_order_of_its_names() -> None:
    changes = {uri: of(uri)["edits"] for uri in ("file:///b", "file:///a%20c")}

    assert [file.path for file in edits.by_file({"changes": changes})] == ["/a c", "/b"]
    assert edits.by_file({}) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "delete", "uri": "file:///x/a"}, "would delete /x/a, which is not supported"),
        ({"kind": "rename", "oldUri": "file:///x/a"}, "would rename /x/a, which is not supported"),
        ({"kind": "create", "uri": "file:///"}, "would create /, which exists"),
        ({"kind": "odd"}, 'an unknown operation, "odd"'),
        (of("jdt://a/b"), "changes jdt://a/b, which is no file"),
        (7, "of an unknown form"),
        ({"textDocument": {"uri": "file:///a"}, "edits": [{"newText": "x"}]}, "of an unknown form"),
        ({"textDocument": 7}, "of an unknown form"),
    ],
)
def test_what_is_not_supported_refuses_the_whole_edit(change: Any, reason: str) -> None:
    with pytest.raises(EditorError) as error:
        edits.by_file({"documentChanges": [of("file:///fine"), change]})

    assert reason in str(error.value)
