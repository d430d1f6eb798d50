"""`talk.py`: the model's text and thinking, and their previews."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.chat.transcript.talk import Drained, Growing
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

    assert panel.text[1:] == [*("  found", "  it", "  • Bash  1 tool …", "• Read …", "", "done")]


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
        ("~~~ sh\nls\n~~~", (1, 2, "bash")),
        ("> ```py\n> x\n> ```", (1, 2, "")),
        ("> ```\n> x\nafter", (1, 2, "")),
        ("- ```py\n  x\n  ```\n", (1, 2, "python")),
        ("never closed:\n```py\nx\ny", (2, 4, "python")),
        ("never closed:\n```py\nx\n", (2, 3, "python")),
    ],
)
def test_every_form_of_a_code_block_is_found(text: str, code: tuple[int, int, str]) -> None:
    panel = Panel().handle(Text("1", text))

    assert [each for frame in panel.drawn.frames for each in frame["code"]] == [code]


@pytest.mark.parametrize(
    ("written", "language"),
    [
        ("Viml,x", "vim"),
        ("LUA title=x", "lua"),
        ("c++", "cpp"),
        ("objective-c", "objective-c"),
        ("{.py}", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_block_is_its_usual_word(written: str, language: str) -> None:
    panel = Panel().handle(Text("1", f"```{written}\n1\n```\n"))

    assert panel.drawn.frames[-1]["code"] == [(1, 2, language)]


def test_a_block_that_is_not_closed_is_found_when_the_turn_ends() -> None:
    panel = Panel().handle(TextDelta("1", "```py\nx\n``"))
    assert not any(frame["code"] for frame in panel.drawn.frames)

    panel.handle(TurnEnded(TurnEndReason.INTERRUPTED))

    assert [each for frame in panel.drawn.frames for each in frame["code"]] == [(1, 3, "python")]


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


def test_each_line_is_drained_once_and_the_last_one_every_time() -> None:
    growing = Growing()
    growing.add("one\ntw")
    assert growing.drain() == Drained(0, ["one"], "tw")

    growing.add("o\nthree")
    assert growing.drain() == Drained(1, ["two"], "three")
    assert growing.drain() == Drained(2, [], "three")


def test_blank_lines_at_both_ends_are_omitted() -> None:
    growing = Growing()
    growing.add("\n \n")
    assert growing.drain() == Drained(0, [], "")

    growing.add("one\n\n")
    assert growing.drain() == Drained(0, ["one"], "")
    growing.add("\ntwo")
    assert growing.drain() == Drained(1, ["", ""], "two")


def test_a_replaced_text_is_drained_from_its_start() -> None:
    growing = Growing()
    growing.add("one\ntwo")
    growing.drain()

    assert not growing.replace("one\ntwo")
    assert growing.replace("three\nfour")

    assert growing.drain() == Drained(0, ["three"], "four")
    assert growing.text == "three\nfour"


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=5)), st.data())
def test_the_drained_lines_add_up_to_the_text(pieces: list[str], data: st.DataObject) -> None:
    growing = Growing()
    page: list[str] = []
    for piece in pieces:
        growing.add(piece)
        if data.draw(st.booleans()):
            put(page, growing.drain())
    put(page, growing.drain())

    lines = "".join(pieces).split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    assert page == lines
    assert growing.text == "".join(pieces)


def put(page: list[str], new: Drained) -> None:
    page[new.first :] = [*new.complete, new.partial] if new.partial else new.complete


def test_thinking_shows_its_tokens_before_its_text() -> None:
    assert shown(ThinkingTokens(1234)) == ["· Thinking… 1,234 tokens"]


def test_thinking_is_one_line_with_its_time_and_its_tokens() -> None:
    panel = Panel().handle(ThinkingTokens(12), ThinkingDelta("1", "Well"), ThinkingTokens(1234))
    assert panel.text == ["▸ Thinking… 1,234 tokens"]
    panel.clock.seconds = 3.2

    panel.handle(Thinking("1", "Well, well."))

    assert panel.text == ["▸ Thought 3.2 s · 1,234 tokens"]


def test_the_agents_own_duration_of_thinking_has_priority() -> None:
    assert shown(Thinking("1", "Well.", milliseconds=700)) == ["▸ Thought 700 ms"]


def test_thinking_opens_and_closes() -> None:
    panel = Panel().handle(Thinking("1", "Well,\nwell.", milliseconds=700))

    panel.press("▸ Thought")
    assert panel.text == ["▾ Thought 700 ms", "  Well,", "  well."]

    panel.press("▾ Thought")
    assert panel.text == ["▸ Thought 700 ms"]


def test_open_thinking_grows_by_its_new_lines() -> None:
    panel = Panel().handle(ThinkingDelta("1", "one\ntwo"))
    panel.press("▸ Thinking")

    panel.handle(ThinkingTokens(9), ThinkingDelta("1", "\nthree"))

    assert panel.text == ["▾ Thinking…", "  one", "  two", "  three"]
    [edit] = panel.drawn.frames[-1]["edits"]
    assert edit["lines"] == ["  three"]


def test_hidden_thinking_without_time_or_tokens_has_no_line() -> None:
    assert shown(Thinking("1", ""), Text("2", "answer")) == ["answer"]


def test_tokens_without_thinking_end_when_the_answer_starts() -> None:
    assert shown(ThinkingTokens(12), TextDelta("1", "answer"), ThinkingTokens(5)) == [
        *("· Thought 0 ms · 12 tokens", "", "answer", "", "· Thinking… 5 tokens")
    ]


def test_void_thinking_is_deleted() -> None:
    happened = (ThinkingTokens(3), ThinkingDelta("1", "hm"), PreviewVoided(("1",)))

    assert shown(*happened) == []
