"""The model's text, and its previews."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from support.frames import Panel, shown


def test_text_is_shown_while_it_arrives() -> None:
    assert shown(TextDelta("1", "one\ntw"), TextDelta("1", "o")) == ["one", "two"]


def test_text_with_carriage_returns_is_shown() -> None:
    assert shown(Text("1", "one\rtwo\r\nthree")) == ["one^Mtwo", "three"]


def test_a_complete_text_replaces_its_preview() -> None:
    assert shown(TextDelta("1", "half"), Text("1", "another\ntext")) == ["another", "text"]


def test_a_text_that_is_reported_twice_is_shown_once() -> None:
    assert shown(Text("1", "text"), Text("1", "text")) == ["text"]


def test_a_void_preview_is_deleted() -> None:
    assert shown(Text("0", "before"), TextDelta("1", "half"), PreviewVoided(("1",))) == ["before"]


def test_a_void_tool_is_deleted() -> None:
    happened = (
        ToolStarted("t", "Bash"),
        PreviewVoided(("1",), ("t",)),
        ToolEnded("t", ToolStatus.COMPLETED),
    )

    assert shown(*happened) == []


def test_only_new_lines_of_a_text_are_appended() -> None:
    panel = Panel().handle(TextDelta("1", "one\ntwo\nthr"))

    panel.handle(TextDelta("1", "ee\nfour"))

    [edit] = panel.drawn.frames[-1]["edits"]
    assert (edit["first"], edit["last"], edit["lines"]) == (2, 3, ["three", "four"])


def test_a_fence_is_coloured_when_it_is_closed() -> None:
    panel = Panel().handle(TextDelta("1", "Look:\n```python\nprint(1)\n``"))
    assert not any(frame["code"] for frame in panel.drawn.frames)

    panel.handle(TextDelta("1", "`\n"))

    assert panel.drawn.frames[-1]["code"] == [(2, 3, "python")]
    assert [line.language for line in panel.drawn.lines] == ["", "", "python", ""]


def test_a_complete_text_equal_to_its_preview_changes_nothing() -> None:
    panel = Panel().handle(TextDelta("1", "# one\n"), TextDelta("1", "two\n\n"))

    panel.transcript.apply(Text("1", "# one\ntwo\n\n"))

    assert panel.transcript.sheet.frame() is None


def test_the_work_of_a_subagent_is_folded_below_its_tool() -> None:
    happened = (
        ToolStarted("a", "Task"),
        ToolStarted("b", "Read"),
        Text("1", "found\nit", parent="a"),
        ToolStarted("c", "Bash", parent="a"),
        Text("2", "done"),
        ToolStarted("d", "Bash", parent="c"),
    )

    panel = Panel().handle(*happened)
    assert panel.text == ["• Task  1 tool …", "• Read …", "", "done"]

    panel.press("• Task")

    assert panel.text[1:] == [
        *("  found", "  it", "  • Bash  1 tool …", "• Read …", "", "done"),
    ]


def test_the_highlights_of_a_subagents_text_move_with_it() -> None:
    panel = Panel().handle(ToolStarted("a", "Task"), Text("1", "**very** good", parent="a"))
    panel.press("• Task")

    assert panel.text[1:] == ["  **very** good"]
    assert panel.drawn.groups("  **very**") == {("**very**", "ClaudeChatBold")}


@pytest.mark.parametrize(("result", "shown"), [("found it\n", []), ("more", ["    more"])])
def test_the_last_words_of_a_subagent_are_shown_once(result: str, shown: list[str]) -> None:
    panel = Panel().handle(
        ToolStarted("a", "Task"),
        Text("1", "found it", parent="a"),
        ToolEnded("a", ToolStatus.COMPLETED, result),
    )

    panel.press("• Task")

    assert panel.text[1:] == [*shown, "  found it"]


def test_the_text_of_a_subagent_with_an_unknown_tool_is_shown() -> None:
    assert shown(Text("1", "found", parent="gone")) == ["  found"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```\nplain\n```", (1, 2, "")),
        ("~~~ sh\nls\n~~~", (1, 2, "sh")),
        ("> ```py\n> x\n> ```", (1, 2, "")),
        ("> ```\n> x\nafter", (1, 2, "")),
        ("- ```py\n  x\n  ```\n", (1, 2, "py")),
        ("never closed:\n```py\nx\ny", (2, 4, "py")),
        ("never closed:\n```py\nx\n", (2, 3, "py")),
    ],
)
def test_every_form_of_a_code_block_is_found(text: str, code: tuple[int, int, str]) -> None:
    panel = Panel().handle(Text("1", text))

    assert [each for frame in panel.drawn.frames for each in frame["code"]] == [code]


def test_a_block_that_is_not_closed_is_found_when_the_turn_ends() -> None:
    panel = Panel().handle(TextDelta("1", "```py\nx\n``"))
    assert not any(frame["code"] for frame in panel.drawn.frames)

    panel.handle(TurnEnded(TurnEndReason.INTERRUPTED))

    assert [each for frame in panel.drawn.frames for each in frame["code"]] == [(1, 3, "py")]


@pytest.mark.parametrize("text", ["```", "```\n```", "> ```\nafter"])
def test_an_empty_block_is_none(text: str) -> None:
    assert not any(frame["code"] for frame in Panel().handle(Text("1", text)).drawn.frames)


PIECES = st.sampled_from(
    [
        "**b**",
        "`c`",
        "\n",
        "|a|b|\n",
        "|-|-|\n",
        "```\n",
        "> ",
        "- ",
        "# ",
        "[a](b)",
        "ä ",
        "*",
        "x",
    ]
)


@given(st.lists(st.lists(PIECES, max_size=6).map("".join), max_size=12))
def test_a_text_that_arrives_in_pieces_looks_like_one_that_arrives_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    panel = Panel().handle(*(TextDelta("1", piece) for piece in pieces), Text("1", text))
    whole = Panel().handle(Text("1", text))

    assert panel.drawn.seen == whole.drawn.seen
    assert [line.language for line in panel.drawn.lines] == [
        line.language for line in whole.drawn.lines
    ]


def test_without_rendering_the_source_is_shown() -> None:
    panel = Panel()
    panel.transcript.sheet.page.renders = False
    text = "# A **b**\n|a|b|\n|-|-|\n|longer|c|"

    panel.handle(Text("1", text))

    assert panel.drawn.seen == text.split("\n")
    assert ("**b**", "ClaudeChatBold") in panel.drawn.groups("# A")
