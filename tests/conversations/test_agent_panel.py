"""What agents other than Claude report, in the panel: forms, lists, tools, and little else."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents import events, requests
from claude_ide.agents.requests import (
    Allow,
    Answer,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    Replacement,
    Reply,
    RequestWithdrawn,
)
from support.another_agent import ALL, FEW
from support.either_editor import type_answer
from support.neovim import until
from support.river import FLOAT, Begin, River

SCHEMA = {
    "type": "object",
    "properties": {
        "bank": {
            "type": "string",
            "title": "Bank",
            "oneOf": [
                {"const": "l", "title": "Left", "description": "the wet one"},
                {"const": "r", "title": "Right"},
            ],
        },
        "tools": {"type": "array", "title": "Tools", "items": {"enum": ["saw", "axe"]}},
        "depth": {"type": "integer", "title": "Depth", "minimum": 1, "maximum": 9, "default": 3},
        "fish": {"type": "boolean", "title": "Fish", "default": True},
        "note": {"type": "string", "title": "Note", "description": "Anything else"},
    },
    "required": ["bank"],
}
ONCE = Option("o1", "Let it", OptionKind.ALLOW_ONCE)
NO = Option("o2", "No", OptionKind.REJECT_ONCE)


def asked() -> QuestionAsked:
    return QuestionAsked(
        "r1", "", requests.form_questions(SCHEMA), message="Where should the dam be?"
    )


async def test_a_form_of_the_agent_shows_its_message_and_its_fields(begin: Begin) -> None:
    river = await begin(FEW)

    river.agent.emit(asked())

    shown = await river.panel.shows("? Otter asks:")
    for line in (
        "  Where should the dam be?",
        "  · Bank: Left / Right",
        "  · Tools: saw / axe (optional)",
        "  · Depth (optional)",
        "  · Note — Anything else (optional)",
        "  n  skip",
    ):
        assert line in shown.splitlines()


async def test_a_form_of_the_agent_is_filled_in(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(asked())
    await open_form(river)
    assert "Where should the dam be?" in await river.nvim.lua(FLOAT)

    await river.nvim.keys("2")
    await until(lambda: _shows(river, "saw"), "the next question")
    await river.nvim.keys("<C-s>")

    answer = await river.wait_for_call("answer")
    assert answer == ("answer", "r1", Reply({"bank": "r", "depth": 3, "fish": True}))
    assert requests.form_result(answer[2]) == {
        "action": "accept",
        "content": {"bank": "r", "depth": 3, "fish": True},
    }


async def open_form(river: River) -> None:
    await river.panel.shows("? Otter asks:")

    async def opened() -> bool:
        if "Bank" not in str(await river.nvim.lua(FLOAT)):
            await river.panel.go_to("? Otter asks")
            await river.nvim.keys("<CR>")
        return "Bank" in str(await river.nvim.lua(FLOAT))

    await until(opened, "the form")


async def _shows(river: River, words: str) -> bool:
    return words in str(await river.nvim.lua(FLOAT))


@pytest.mark.parametrize(("key", "answer"), [("n", Reject())])
async def test_a_form_of_the_agent_is_skipped(begin: Begin, key: str, answer: Answer) -> None:
    river = await begin(FEW)
    river.agent.emit(asked())
    await river.panel.shows("? Otter asks:")

    assert await river.press("? Otter asks", key, "answer") == ("answer", "r1", answer)


def todos(*texts: str) -> events.TodoList:
    return events.TodoList(
        tuple(events.Todo(str(at), text, "pending") for at, text in enumerate(texts))
    )


async def test_a_new_todo_list_replaces_the_old_one(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(todos("Gnaw wood", "Swim", "Rest"))
    await until(lambda: "Gnaw wood" in river.nvim.screen.text(), "the first list")
    await river.panel.bar_shows("0/3 todos")

    river.agent.emit(todos("Fish"))

    await until(lambda: "Fish" in river.nvim.screen.text(), "the second list")
    assert "Gnaw wood" not in river.nvim.screen.text()
    await river.panel.bar_shows("0/1 todos")
    river.agent.emit(todos())
    await until(lambda: "Fish" not in river.nvim.screen.text(), "no list")


async def test_a_request_about_a_tool_that_was_never_announced_is_answered(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(
        PermissionAsked(*("r1", "t9", "paddle", {}, (ONCE, NO)), kind="execute", title="swim --far")
    )
    await river.panel.shows("paddle swim --far?")

    assert await river.press("paddle swim", "y", "answer") == ("answer", "r1", Allow())

    river.agent.emit(events.ToolEnded("t9", events.ToolStatus.COMPLETED, "done"))
    river.agent.emit(events.Text("b", "It went on."))
    await river.panel.shows("It went on.")


async def test_an_agent_that_offers_neither_models_nor_modes_nor_commands_works(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    await river.panel.send("go")
    await river.wait_for_call("prompt")
    river.agent.ready = events.Ready()
    river.agent.emit(events.Dead(1, session="s-1"))
    await river.panel.shows("Otter has ended")
    await river.panel.go_to("has ended")
    await river.nvim.keys("R")
    await river.panel.shows("── resumed")

    for words, message in {
        "mode": "Otter has no permission modes to choose from",
        "model": "Otter has no models to choose from",
        "effort": "Otter offers no efforts with this model",
    }.items():
        await river.command(words)
        await river.reports(message)
    await river.panel.go_to("resumed")
    await river.nvim.lua("_G.reports = {}")
    await river.nvim.keys("<S-Tab>")
    await river.reports("Otter has no permission modes")
    await river.panel.send("and now")
    river.agent.emit(events.Text("b", "Fine."), events.TurnEnded(events.TurnEndReason.COMPLETED))
    await river.panel.shows("Fine.")


async def test_words_that_were_not_sent_return_to_the_prompt(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(
        events.ToolStarted("t1", "paddle", "execute"),
        PermissionAsked("r1", "t1", "paddle", {}, (ONCE, NO), "execute", "swim"),
    )
    await river.panel.shows("paddle swim?")

    async def asking() -> bool:
        if "Why not?" not in river.nvim.screen.text():
            await river.panel.go_to("paddle swim?")
            await river.nvim.keys("N")
        with contextlib.suppress(AssertionError):
            return bool(await until(lambda: "Why not?" in river.nvim.screen.text(), seconds=2))
        return False

    await until(asking, "it asks why not")
    river.agent.emit(RequestWithdrawn("r1"))
    await river.panel.shows_no_more("paddle swim?")
    await type_answer(river.nvim, "use a raft<CR>")

    await river.reports("not sent: your words are in the prompt")
    assert (await river.panel.look())["prompt"] == ["use a raft"]


async def test_the_panel_never_calls_another_agent_claude(begin: Begin, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    river = await begin(ALL)
    edit = PermissionAsked(
        *("r1", "t1", "gnaw", {}, (ONCE, NO)),
        kind="edit",
        path=str(project / "a.txt"),
        edits=(Replacement(str(project / "a.txt"), "two\n"),),
    )
    river.agent.emit(events.ToolStarted("t1", "gnaw", "edit"), edit)
    river.agent.emit(PlanProposed("r2", "", "1. Build a dam\n", "", (ONCE, NO)))
    await river.nvim.keys("<Esc>")
    await until(lambda: _named(river, "Otter (a.txt)"), "the diff")
    await until(lambda: _named(river, "Otter plan"), "the plan")

    names: Any = await river.nvim.eval("map(getbufinfo({'bufloaded': 1}), 'v:val.name')")
    assert not [name for name in names if "Claude" in Path(name).name]
    assert "Claude" not in river.nvim.screen.text()


async def _named(river: River, name: str) -> bool:
    return bool(await river.nvim.eval(f"!empty(filter(getbufinfo(), 'v:val.name =~# \"{name}\"'))"))
