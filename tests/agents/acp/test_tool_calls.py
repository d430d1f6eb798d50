"""Tool calls, as agents report them."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import (
    FileWritten,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
    TurnEnded,
)
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin

SAID = [acp.say("Hello")]


def content(words: str) -> dict[str, Any]:
    """Return the fields of a call that has printed something."""
    return {"content": [{"type": "content", "content": acp.words(words)}]}


async def test_a_tool_may_be_announced_twice(begin: Begin) -> None:
    steps = [
        acp.tool("t1", "Read", kind="read", status="pending"),
        acp.tool("t1", "Read a.py", kind="read", status="in_progress"),
        acp.tool_update("t1", status="completed"),
        acp.tool_update("t1", status="completed"),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert {event.tool for event in talk.of(ToolStarted)} == {"t1"}
    assert talk.of(ToolStarted)[-1].title == "Read a.py"
    assert [event.size for event in talk.of(ToolInput)] == [0]
    assert len(talk.of(ToolEnded)) == 1


async def test_an_id_that_is_used_again_in_another_turn_is_another_tool(begin: Begin) -> None:
    steps = [acp.tool("t1", "Read"), acp.tool_update("t1", status="completed")]
    talk = await begin(Script(prompt=steps))

    await talk.turn("one")
    await talk.turn("two")

    assert len({event.tool for event in talk.of(ToolEnded)}) == 2


async def test_content_is_replaced(begin: Begin) -> None:
    steps = [
        acp.tool("t1", status="in_progress", **content("1 of 2")),
        acp.tool_update("t1", **content("```console\n2 of 2\n```")),
        acp.tool_update("t1", content=[]),
        acp.tool_update("t1", status="completed", **content("done")),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    outputs = talk.of(ToolOutput)
    assert all(output.replaces for output in outputs)
    assert [output.text for output in outputs] == ["1 of 2", "2 of 2", "", "done"]
    assert talk.of(ToolEnded)[0].output == "done"


@pytest.mark.parametrize(
    ("title", "arguments", "words"),
    [
        ("Run", {"command": "ls", "description": "list files"}, "list files"),
        ("terminal: ls -l", None, "$ ls -l"),
    ],
)
async def test_content_that_repeats_the_input_is_no_output(
    begin: Begin, title: str, arguments: dict[str, Any] | None, words: str
) -> None:
    steps = [
        acp.tool("t1", title, kind="execute", rawInput=arguments, **content(words)),
        acp.tool_update("t1", **content("a.py")),
        acp.tool_update("t1", status="completed", **content(words)),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert [output.text for output in talk.of(ToolOutput)] == ["a.py", words]
    assert talk.of(ToolEnded)[0].output == words


async def test_the_pieces_of_an_output_are_its_end(begin: Begin) -> None:
    def piece(words: str) -> dict[str, Any]:
        return {"_meta": {"terminal_output_delta": {"data": words}}}

    steps = [
        acp.tool("t1", kind="execute", **piece("1\n")),
        *(acp.tool_update("t1", **piece(words)) for words in ("2\n", "3\n")),
        acp.tool_update("t1", status="completed"),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert [output.text for output in talk.of(ToolOutput)] == ["1\n", "2\n", "3\n"]
    assert talk.of(ToolEnded)[0].output == "1\n2\n3\n"


async def test_input_that_is_spelled_as_content_is_no_output(begin: Begin) -> None:
    steps = [
        acp.tool("t1", "Shell", status="in_progress", **content('{"comm')),
        acp.tool("t1", "Shell", status="in_progress", **content('{"command": "ls"}')),
        acp.tool_update("t1", status="completed", **content('{"a": 1}')),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert talk.of(ToolInput)[-1].arguments == {"command": "ls"}
    assert talk.of(ToolStarted)[-1].kind == "execute"
    assert [output.text for output in talk.of(ToolOutput)] == ['{"a": 1}']


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (acp.result({"stopReason": "end_turn"}), ToolStatus.COMPLETED),
        (acp.result({"stopReason": "cancelled"}), ToolStatus.INTERRUPTED),
        (acp.error(-32603, "no"), ToolStatus.FAILED),
    ],
)
async def test_a_tool_ends_with_its_turn(begin: Begin, end: acp.Step, status: ToolStatus) -> None:
    talk = await begin(Script(prompt=[acp.tool("t1", status="in_progress"), end]))

    await talk.turn("hi")

    (ended,) = talk.of(ToolEnded)
    assert (ended.tool, ended.status) == ("t1", status)
    assert talk.events.index(ended) < talk.events.index(talk.of(TurnEnded)[0])


async def test_the_changes_of_a_tool_have_whole_texts(begin: Begin, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("one\ntwo\nthree\n")
    steps = [
        acp.tool("t1", kind="edit", content=[acp.diff(str(path), "two", "2")]),
        acp.write_file(str(path), "one\n2\nthree\n"),
        acp.tool_update("t1", status="completed"),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    (written,) = talk.of(FileWritten)
    assert (written.before, written.after) == ("one\ntwo\nthree\n", "one\n2\nthree\n")
    (change,) = talk.of(ToolEnded)[0].changes
    assert [hunk.lines for hunk in change.hunks] == [(" one", "-two", "+2", " three")]


async def test_a_change_that_the_file_does_not_have_is_shown_as_told(begin: Begin) -> None:
    steps = [
        acp.tool("t1", kind="edit", content=[acp.diff("$FOLDER/gone.py", "two", "2")]),
        acp.tool_update("t1", status="completed"),
    ]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert not talk.of(FileWritten)
    (change,) = talk.of(ToolEnded)[0].changes
    assert [hunk.lines for hunk in change.hunks] == [("-two", "+2")]


async def test_the_title_of_an_edit_of_several_files_names_them(begin: Begin) -> None:
    found = [acp.diff(f"$FOLDER/{name}.py", "1", "2") for name in "ab"]
    steps = [acp.tool("t1", kind="edit", content=found), acp.tool_update("t1", status="completed")]
    talk = await begin(Script(prompt=steps))

    await talk.turn("hi")

    assert talk.of(ToolStarted)[-1].title == "a.py, b.py"
