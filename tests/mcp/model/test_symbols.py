"""Symbols and calls, as language servers answer them."""

from typing import Any

import msgspec
import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.tools import LanguageServer, ServerReply
from claude_ide.editor.protocol import Range
from claude_ide.editor.servers import ServerAnswer
from claude_ide.mcp.model import answers as lsp

SERVER = LanguageServer(1, "one", "utf-8")
OTHER = LanguageServer(2, "two", "utf-16")


def within(first: int, last: int, start: int = 0, end: int = 1) -> Any:
    """Return a range."""
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}


def flat(name: str, *place: int, path: str = "/a") -> Any:
    location = {"uri": f"file://{path}", "range": within(*place)}
    return {"name": name, "kind": 6, "location": location}


def tree(name: str, *children: Any) -> Any:
    return {"name": name, "kind": 5, "range": within(0, 9), "children": [*children]}


def outline(*results: Any) -> list[tuple[int, str]]:
    answers = [
        ServerAnswer(server, result)
        for server, result in zip((SERVER, OTHER), results, strict=False)
    ]
    return [(each.depth, each.node.name) for each in lsp.document_symbols(answers)[0]]


def test_flat_symbols_are_in_those_around_them() -> None:
    listed = [flat("inner", 1, 1), flat("after", 3, 3), flat("Outer", 0, 2), None, {"name": 7}]

    assert outline(listed) == [(0, "Outer"), (1, "inner"), (0, "after")]


def test_symbols_of_the_same_lines_stay_in_order() -> None:
    assert outline([flat("a", 0, 2), flat("b", 0, 2)]) == [(0, "a"), (1, "b")]


def test_a_tree_keeps_its_depths_and_leaves_out_what_is_no_symbol() -> None:
    result = [tree("a", tree("b", tree("c")), None, tree("d")), {"children": [tree("lost")]}]

    assert outline(result) == [(0, "a"), (1, "b"), (2, "c"), (1, "d")]


def test_a_tree_of_any_depth_is_walked() -> None:
    deep: Any = tree("x")
    for _ in range(3000):
        deep = tree("x", deep)

    assert outline([deep])[-1] == (3000, "x")


def test_of_several_servers_one_with_a_tree_is_taken() -> None:
    assert outline([flat("flat", 0, 1)], [tree("tree")]) == [(0, "tree")]
    assert outline([flat("first", 0, 1)], [flat("second", 0, 1)]) == [(0, "first")]
    assert outline() == []


def test_symbols_of_the_project_are_named_once_in_the_order_of_the_servers() -> None:
    unplaced = {"name": "c", "kind": 99, "location": {"uri": "file:///a%20b"}}
    answers = [
        ServerAnswer(
            SERVER, [flat("b", 0, 0), flat("a", 0, 0), flat("b", 0, 0), None, {"name": "x"}]
        ),
        ServerAnswer(OTHER, [unplaced, flat("a", 0, 0), flat("b", 0, 0, path="/b")]),
    ]

    found = lsp.project_symbols(answers)

    assert [(each.path, each.name) for each in found] == [
        ("/a", "b"),
        ("/a", "a"),
        ("/a b", "c"),
        ("/b", "b"),
    ]
    assert found[2].range is None


def caller(name: str, path: str, row: int, *starts: int, key: str = "from") -> Any:
    place = within(row, row)
    item = {"name": name, "kind": 12, "uri": f"file://{path}", "range": within(0, 9)}
    ranges = [within(each, each) for each in starts]
    return {key: {**item, "selectionRange": place}, "fromRanges": ranges}


def reply(result: Any) -> ServerReply:
    return ServerReply(msgspec.Raw(msgspec.json.encode(result)))


ASKED = lsp.Function(SERVER, {"name": "f", "uri": "file:///f"})


def test_callers_are_sorted_and_named_once_with_each_call_once() -> None:
    answer = [caller("b", "/b", 1, 5, 5), caller("a", "/a", 9, 1), None, {"from": 7}]
    again = [caller("b", "/b", 1, 5)]

    found = lsp.callers([ASKED, ASKED], [reply(answer), reply(again)])

    assert [(each.path, each.name, each.start.line) for each in found] == [
        ("/a", "a", 9),
        ("/b", "b", 1),
    ]
    assert found[1].places() == [("/b", 1), ("/b", 5)]


def test_calls_of_other_functions_are_in_the_file_that_was_asked_about() -> None:
    (found,) = lsp.callers([ASKED], [reply([caller("g", "/g", 1, 3, key="to")])])

    assert found.places() == [("/g", 1), ("/f", 3)]


def test_a_server_that_fails_matters_only_if_all_do() -> None:
    failed = ServerReply(failure="no index")

    assert lsp.callers([ASKED, ASKED], [failed, reply([])]) == []
    with pytest.raises(EditorError, match="one: no index; one: no index"):
        lsp.callers([ASKED, ASKED], [failed, failed])


def test_functions_at_a_place_are_those_with_a_file() -> None:
    item = {"name": "f", "uri": "file:///f"}
    answers = [
        ServerAnswer(SERVER, [item, {"name": "x"}, None]),
        ServerAnswer(OTHER, item),
        ServerAnswer(OTHER, 7),
    ]

    found = lsp.functions(answers)

    assert [(each.server.name, each.name) for each in found] == [("one", "f"), ("two", "f")]


def test_an_answer_is_read_as_a_type_or_else_as_it_is() -> None:
    plain = [tree("a", tree("b"))]
    odd = [tree("a", None, tree("b"))]
    known, other = (ServerReply(msgspec.Raw(msgspec.json.encode(each))) for each in (plain, odd))
    form = list[lsp.DocumentSymbol]

    assert isinstance(known.result_as(form)[0], lsp.DocumentSymbol)
    assert other.result_as(form) == odd
    assert outline(known.result_as(form)) == outline(odd) == [(0, "a"), (1, "b")]


def test_a_symbol_is_described_in_words() -> None:
    place = within(0, 1)
    node = lsp.DocumentSymbol("f", msgspec.convert(place, Range), kind=12, detail="(a:\n int)")

    assert str(lsp.Symbol(0, node)) == "function f (a: int)"
