"""Code actions: which one is meant, and where."""

from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.tools import LanguageServer, ServersView, Spot
from claude_ide.editor.protocol import word_at
from claude_ide.mcp.model.edits import Action, Wanted, choose, follow_up, spots

SERVER = LanguageServer(1, "one", "utf-16", commands=["one.fix"])


def action(title: str, kind: str = "", **more: Any) -> Action:
    return Action(SERVER, {"title": title, "kind": kind, **more})


FIX, OTHER = action("Fix", "quickfix"), action("Other", "quickfix.other")
IMPORTS = action("Sort", "source.organizeImports")


@pytest.mark.parametrize(
    ("offered", "title", "kind", "expected"),
    [
        ([FIX, OTHER], "Other", None, "Other"),
        ([FIX, IMPORTS], None, "source", "Sort"),
        ([FIX, IMPORTS], None, "source.organizeImports", "Sort"),
        ([FIX, FIX], "Fix", None, "Fix"),
        ([action("Fix", disabled={"reason": "no"}), FIX], "Fix", None, "Fix"),
    ],
)
def test_an_action_is_named_by_its_title_or_its_kind(
    offered: list[Action], title: str | None, kind: str | None, expected: str
) -> None:
    chosen, _ = choose(offered, Wanted({}, title, kind))

    assert chosen is not None
    assert chosen.title == expected


@pytest.mark.parametrize(
    ("offered", "title", "kind", "expected"),
    [
        ([], None, None, "no code action is offered here"),
        ([], "Fix", None, "no code action is offered here"),
        ([FIX, action("a\n b")], *(None, None, "give the title of one of these code actions:")),
        ([FIX, OTHER], None, "quickfix", "give the title of one of these code actions:"),
        ([FIX], "Fit", None, "not offered here; these are:\n- Fix (quickfix), one"),
        ([FIX], None, "quick", "not offered here; these are:\n- Fix (quickfix), one"),
        (
            [action("Move", disabled={"reason": "it moves"})],
            *("Move", None, '"Move" is not possible here: it moves'),
        ),
    ],
)
def test_without_one_action_it_is_said_why(
    offered: list[Action], title: str | None, kind: str | None, expected: str
) -> None:
    chosen, problem = choose(offered, Wanted({}, title, kind))

    assert chosen is None
    assert problem.startswith(expected)


def test_titles_are_listed_in_one_line_each() -> None:
    _, problem = choose([FIX, action("a\n b")] * 40, Wanted({}, None, None))

    assert problem.splitlines()[1:3] == ["- Fix (quickfix), one", "- a b, one"]
    assert len(problem.splitlines()) == 31


def test_a_command_follows_if_its_server_runs_it() -> None:
    command = {"title": "", "command": "one.fix", "arguments": [1]}

    followed = follow_up(action("Fix", command=command))
    assert followed is not None
    assert (followed.name, followed.arguments, followed.title) == ("one.fix", [1], "Fix")
    assert follow_up(action("Fix", edit={"changes": {}})) is None
    with pytest.raises(EditorError, match="has neither an edit nor a command"):
        follow_up(action("Fix"))
    with pytest.raises(EditorError, match=r"needs the command one\.show of"):
        follow_up(action("Fix", command={"command": "one.show"}))
    unknown = Action(
        LanguageServer(2, "two", "utf-8"), {"title": "x", "command": {"command": "any"}}
    )
    assert follow_up(unknown) is not None


FIRST, LAST = Spot(2, "    é = x", 4), Spot(3, "  y = é", 2)


@pytest.mark.parametrize(
    ("place", "view_last", "expected"),
    [
        ({}, None, ((2, 0), (2, 9))),
        ({"column": 5}, None, ((2, 4), (2, 4))),
        ({"symbol": "é"}, None, ((2, 4), (2, 5))),
        ({"end_line": 4}, LAST, ((2, 0), (3, 7))),
        ({"column": 5, "end_line": 4, "end_column": 3}, LAST, ((2, 4), (3, 2))),
    ],
)
def test_a_place_is_whole_lines_unless_it_has_columns(
    place: dict[str, Any], view_last: Spot | None, expected: Any
) -> None:
    view = ServersView(is_loaded=True, first=FIRST, last=view_last)

    assert tuple((each.row, each.index) for each in spots(view, place)) == expected


@pytest.mark.parametrize(
    ("spot", "expected"),
    [
        (Spot(0, "é(greet_1)", 3), "greet_1"),
        (Spot(0, "é(greet_1)", 2), "greet_1"),
        (Spot(0, "é = (1)", 1), "é"),
        (Spot(0, "a = (1)", 4), ""),
        (None, ""),
    ],
)
def test_the_word_at_a_place(spot: Spot | None, expected: str) -> None:
    assert word_at(spot) == expected
