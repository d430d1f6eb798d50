"""Locations in every form that the protocol allows, each place once."""

from typing import Any

import pytest

from claude_ide.editor.port.tools import LanguageServer
from claude_ide.editor.servers import ServerAnswer
from claude_ide.mcp.model.answers import Parameter, locations, signatures, words

ONE = LanguageServer(1, "one", "utf-16")


def at(row: int, start: int, end: int | None = None, path: str = "/a") -> Any:
    last = start + 1 if end is None else end
    place = {"start": {"line": row, "character": start}, "end": {"line": row, "character": last}}
    return {"uri": f"file://{path}", "range": place}


def distinct(*answers: ServerAnswer) -> Any:
    """Return the distinct places as `path:row:character`."""
    return [
        f"{each.path}:{each.range.start.line}:{each.range.start.character}"
        for each in locations([*answers])
    ]


def link(**ranges: Any) -> Any:
    return {"targetUri": "file:///a", **ranges}


RANGE, WHOLE = at(4, 8)["range"], at(4, 0)["range"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (at(4, 8), ["/a:4:8"]),
        ([None, at(4, 8), 7, {}], ["/a:4:8"]),
        ([link(targetRange=WHOLE, targetSelectionRange=RANGE)], ["/a:4:8"]),
        ([link(targetRange=WHOLE)], ["/a:4:0"]),
        ([{"uri": 7, "range": RANGE}, {"uri": "file:///a"}, {"range": RANGE}], []),
        ([{**at(4, 8), "uri": "jdt://x/y?=z"}], ["jdt://x/y?=z:4:8"]),
        ({"uri": "file:///a%20%F0%9D%84%9E", "range": RANGE}, ["/a 𝄞:4:8"]),
        ([at(1, 1, path="/b"), at(2, 5), at(2, 3), at(2, 3)], ["/a:2:3", "/a:2:5", "/b:1:1"]),
    ],
)
def test_each_form_of_a_location(result: Any, expected: list[str]) -> None:
    assert distinct(ServerAnswer(ONE, result)) == expected


def test_of_the_same_place_that_of_the_first_server_stays() -> None:
    name, whole = [at(1, 4, 9)], [at(1, 0, 30)]
    other = LanguageServer(3, "other", "utf-16")

    assert distinct(ServerAnswer(ONE, name), ServerAnswer(other, whole)) == ["/a:1:4"]
    assert distinct(ServerAnswer(ONE, whole), ServerAnswer(other, name)) == ["/a:1:0"]
    assert distinct(ServerAnswer(ONE, [at(1, 0, 3), at(1, 4, 9)])) == ["/a:1:0", "/a:1:4"]


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ("  a\nb ", "a\nb"),
        ({"kind": "markdown", "value": "a"}, "a"),
        ({"kind": "markdown"}, ""),
        ({"language": "c", "value": "int x"}, "```c\nint x\n```"),
        ([{"language": "c", "value": "x"}, "b"], "```c\nx\n```\nb"),
        ([], ""),
        ([""], ""),
        (7, ""),
        (None, ""),
        ("x" * 60_000, "x" * 50_000 + "…"),
    ],
)
def test_documentation_in_each_form(contents: Any, expected: str) -> None:
    assert words(contents) == expected


def test_a_parameter_is_named_or_a_part_of_the_signature() -> None:
    parameters = [{"label": [3, 4], "documentation": "d"}, {"label": "b"}, None, {"label": 7}]
    known = {"label": "𝄞(a, b)", "parameters": parameters}

    (found,) = signatures({"signatures": [known], "activeParameter": 1})

    assert found.parameters == [Parameter("a", "d"), Parameter("b", "")]
    assert (found.is_active, found.active) == (True, 1)


def test_the_active_signature_is_named_by_its_place_in_the_answer() -> None:
    known = [None, {"label": "f()"}, {"label": "f(a)", "activeParameter": 0}, {"label": 7}]

    found = signatures({"signatures": known, "activeSignature": 2, "activeParameter": 3})

    assert [(each.label, each.is_active, each.active) for each in found] == [
        ("f()", False, -1),
        ("f(a)", True, 0),
    ]
