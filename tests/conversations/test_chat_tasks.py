"""Tasks in the background, with an agent whose reports the test chooses."""

import asyncio

from msgspec.structs import replace

from claude_ide.agents.agent import TaskOutput
from claude_ide.agents.events import (
    Task,
    TaskChanged,
    TaskState,
    Text,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
    TurnBegun,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.base.errors import AgentError
from support.another_agent import ALL, FEW
from support.either_editor import on_screen
from support.neovim import WAIT_SECONDS, until
from support.river import Begin, River

BUILD = Task("b1", "command", "Build", "t1", in_background=True)
LOOK = Task("a1", "Explore", "look", "t2", in_background=True, is_agent=True)
LIST = "join(getbufline(bufnr('Chat: tasks'), 1, '$'), \"\n\")"
RUNNING = (ToolStarted("t1", "Bash", "execute", "make"), ToolInput("t1", 4, {"command": "make"}))


async def lists(river: River, words: str) -> None:
    """Wait until the list contains `words`."""

    async def listed() -> bool:
        return words in await river.nvim.eval(LIST)

    await until(listed, f"{words!r} is listed")


async def test_without_tasks_there_is_no_list(begin: Begin) -> None:
    river = await begin(ALL)

    await river.command("tasks")

    await river.reports("Otter runs nothing in the background")


FOREGROUND = replace(BUILD, in_background=False)


async def test_the_output_of_a_command_in_the_foreground_is_shown_below_its_line(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    river.agent.outputs["b1"] = "one\ntwo\n"
    river.agent.emit(*RUNNING, TaskChanged(FOREGROUND))
    await river.panel.shows("…\n    one\n    two")

    river.agent.outputs["b1"] = "three\n"

    await river.panel.shows("…\n    three")
    river.agent.emit(ToolEnded("t1", ToolStatus.COMPLETED, "four"))
    await river.panel.shows_no_more("three")


async def test_an_agent_that_cannot_report_an_output_is_asked_once(begin: Begin) -> None:
    river = await begin(ALL)
    asked = []

    async def refuse(task: str) -> TaskOutput:
        asked.append(task)
        raise AgentError("no")

    river.agent.task_output = refuse  # type: ignore[method-assign]

    river.agent.emit(*RUNNING, TaskChanged(FOREGROUND))

    await river.panel.shows("3 s …")
    assert asked == ["b1"]
    assert not await river.nvim.lua("return _G.reports")


async def test_an_output_that_is_reported_too_late_does_not_replace_the_result(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    asked, ended = asyncio.Event(), asyncio.Event()

    async def answer_late(task: str) -> TaskOutput:
        asked.set()
        await ended.wait()
        return TaskOutput("old", 3)

    river.agent.task_output = answer_late  # type: ignore[method-assign]
    river.agent.emit(*RUNNING, TaskChanged(FOREGROUND))
    await asyncio.wait_for(asked.wait(), WAIT_SECONDS)

    river.agent.emit(ToolEnded("t1", ToolStatus.COMPLETED, "new"))
    river.agent.emit(Text("b", "Fine."))
    await river.panel.shows("Fine.")
    ended.set()

    await river.panel.go_to("$ Bash")
    await river.nvim.keys("<CR>")
    assert "old" not in await river.panel.shows("    new")


async def test_the_list_is_updated_while_it_is_open(begin: Begin) -> None:
    river = await begin(ALL)
    river.agent.emit(TaskChanged(BUILD), TaskChanged(LOOK))
    await river.panel.bar_shows("2 tasks")
    await river.command("tasks")
    await lists(river, "▶ look")

    river.agent.emit(TaskChanged(replace(LOOK, tools=3, last_tool="Read")))
    await lists(river, "3 tools · Read")
    river.agent.emit(TaskChanged(replace(BUILD, state=TaskState.COMPLETED)))

    await lists(river, "✓ Build")
    await lists(river, "1 s")


async def test_the_work_of_a_subagent_is_its_output(begin: Begin) -> None:
    river = await begin(ALL)
    river.agent.emit(ToolStarted("t2", "Agent", "think", "look"), TaskChanged(LOOK))
    river.agent.emit(Text("b1", "I see a fish.", "t2"))
    river.agent.emit(TaskChanged(replace(LOOK, state=TaskState.COMPLETED, result="One fish.")))
    await river.panel.shows("Agent look")
    await river.command("tasks")
    await lists(river, "✓ look")

    await river.nvim.keys("<CR>")

    lines = "getline(1, '$') ==# ['I see a fish.', '', 'One fish.']"
    await until(lambda: river.nvim.eval(lines), "the work")


async def test_the_output_of_a_command_is_shown_and_updated_until_its_task_ends(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    river.agent.emit(TaskChanged(BUILD))
    await river.panel.bar_shows("1 task")
    await river.command("tasks")
    await lists(river, "▶ Build")
    await river.nvim.keys("<CR>")
    await until(lambda: river.nvim.eval("getline(1) ==# 'output of b1'"), "the output")

    river.agent.outputs["b1"] = "one\ntwo\n"

    at_end = "getline(1, '$') ==# ['one', 'two'] && line('.') == 2"
    await until(lambda: river.nvim.eval(at_end), "the new output")
    river.agent.outputs["b1"] = "one\ntwo\nthe end\n"
    river.agent.emit(TaskChanged(replace(BUILD, state=TaskState.COMPLETED)))
    await until(lambda: river.nvim.eval("getline('.') ==# 'the end'"), "the end")


async def test_a_task_is_stopped_only_while_it_runs(begin: Begin) -> None:
    river = await begin(ALL)
    river.agent.emit(TaskChanged(BUILD))
    await river.panel.bar_shows("1 task")
    await river.command("tasks")
    await lists(river, "▶ Build")

    await river.nvim.keys("x")
    assert await river.wait_for_call("stop_task") == ("stop_task", "b1")
    river.agent.emit(TaskChanged(replace(BUILD, state=TaskState.STOPPED)))
    await lists(river, "⊘ Build")
    await river.nvim.keys("x")

    await river.reports("this task has ended")


async def test_an_agent_that_cannot_stop_tasks_offers_no_key_for_it(begin: Begin) -> None:
    river = await begin(replace(FEW, tasks=True))
    river.agent.emit(TaskChanged(BUILD))
    await river.panel.bar_shows("1 task")
    await river.command("tasks")
    await lists(river, "▶ Build")

    await on_screen(river.nvim, "<CR> output")
    await river.nvim.keys("x")

    await river.reports("Otter cannot stop a task in the background")


async def test_a_running_command_is_moved_when_the_agent_can(begin: Begin) -> None:
    river = await begin(ALL)
    river.agent.moves = False
    river.agent.emit(*RUNNING)
    await river.panel.shows("$ Bash make …")

    await river.press("$ Bash make", "gb", "background")
    await river.reports("Bash moves to the background as soon as possible")
    river.agent.moves = True
    river.agent.emit(TaskChanged(replace(BUILD, in_background=False)))

    await until(lambda: river.agent.calls.count(("background", "t1")) == 2, "it moves")


async def test_what_cannot_move_to_the_background_is_named(begin: Begin) -> None:
    river = await begin(ALL)
    river.agent.emit(ToolStarted("t3", "Read", "read", "a.py"), *RUNNING, TaskChanged(BUILD))
    await river.panel.shows("in the background …")

    for line, complaint in {
        "Read a.py": "Read cannot run in the background",
        "Bash make": "Bash runs in the background already",
    }.items():
        assert await river.panel.go_to(line)
        await river.nvim.keys("gb")
        await river.reports(complaint)


async def test_an_agent_that_cannot_move_a_command_says_so(begin: Begin) -> None:
    river = await begin(FEW)
    river.agent.emit(*RUNNING)
    await river.panel.shows("$ Bash make …")
    assert await river.panel.go_to("$ Bash make")

    await river.nvim.keys("gb")

    await river.reports("Otter cannot move a command to the background")


async def test_a_turn_that_a_task_starts_does_not_start_a_queued_prompt(begin: Begin) -> None:
    river = await begin(ALL)
    ended = replace(BUILD, state=TaskState.COMPLETED)
    await river.panel.send("swim")
    await river.panel.shows("swim")

    river.agent.emit(TurnBegun((ended,)), Text("b1", "It is built."))
    river.agent.emit(TurnEnded(TurnEndReason.COMPLETED))

    shown = await river.panel.shows("It is built.")
    assert shown.index("⟳ Build has finished in the background") < shown.index("It is built.")
    assert shown.index("It is built.") < shown.index("swim")
