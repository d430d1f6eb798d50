"""The list of tasks in the background."""

from msgspec.structs import replace

from claude_ide.agents.events import Dead, Task, TaskChanged, TaskState
from claude_ide.chat.background import MOST_ENDED, KnownTasks
from support.frames import Clock

BUILD = Task("b1", "command", "Build", "t1", in_background=True)
LOOK = Task("a1", "Explore", "look", "t2", in_background=True, is_agent=True)


class Listed(KnownTasks):
    """A list with a clock."""

    def __init__(self, *tasks: Task) -> None:
        self.clock = Clock()
        super().__init__(self.clock)
        self.take(*tasks)

    def take(self, *tasks: Task) -> None:
        for task in tasks:
            self.apply(TaskChanged(task))

    @property
    def text(self) -> list[str]:
        return [row.text[1:-1] for _, row in self.rows()]


def test_only_tasks_that_run_in_the_background_are_counted() -> None:
    tasks = Listed(BUILD, LOOK, Task("w", in_background=False))
    assert tasks.running == 2

    tasks.take(replace(BUILD, state=TaskState.COMPLETED))
    assert tasks.running == 1

    tasks.apply(Dead(0))
    assert tasks.running == 0


def test_commands_for_which_the_agent_waits_are_in_the_foreground() -> None:
    waits = replace(BUILD, id="f", in_background=False)
    tasks = Listed(BUILD, LOOK, waits, replace(LOOK, id="g", in_background=False))
    assert tasks.in_foreground == [waits]

    tasks.take(replace(waits, state=TaskState.COMPLETED))
    assert tasks.in_foreground == []


def test_running_tasks_are_listed_with_their_age_and_progress() -> None:
    tasks = Listed(BUILD)
    tasks.clock.seconds = 60
    tasks.take(replace(LOOK, tools=2, tokens=1234, last_tool="Read"))
    tasks.clock.seconds = 65.7

    assert tasks.text == [
        "▶ Build  1 min 5 s  command",
        "▶ look         5 s  2 tools · 1,234 tokens · Read · Explore",
    ]


def test_tasks_that_have_ended_follow_those_that_run_and_age_no_more() -> None:
    tasks = Listed(BUILD, LOOK)
    tasks.clock.seconds = 3
    tasks.take(replace(BUILD, state=TaskState.FAILED, result="failed with exit code 3"))
    tasks.clock.seconds = 9

    assert tasks.running == 1
    assert tasks.text == [
        "▶ look   9 s  Explore",
        "✗ Build  3 s  failed with exit code 3 · command",
    ]


def test_a_command_in_the_foreground_is_not_listed() -> None:
    tasks = Listed(replace(BUILD, in_background=False))

    assert tasks.running == 0
    assert tasks.rows() == []


def test_the_end_of_the_agent_ends_its_tasks() -> None:
    tasks = Listed(BUILD)

    tasks.apply(Dead(0))

    assert tasks.running == 0
    assert tasks.text == ["⊘ Build  0 s  stopped · command"]


def test_the_latest_of_many_ended_tasks_are_kept() -> None:
    tasks = Listed(LOOK)
    for number in range(MOST_ENDED + 5):
        tasks.clock.seconds = number
        tasks.take(replace(BUILD, id=str(number), title=f"n{number}", state=TaskState.COMPLETED))

    ids = [id_ for id_, _ in tasks.rows()]
    assert ids[:2] == ["a1", str(MOST_ENDED + 4)]
    assert len(ids) == 1 + MOST_ENDED


def test_a_task_that_runs_again_is_running() -> None:
    tasks = Listed(LOOK, replace(LOOK, state=TaskState.COMPLETED), LOOK)

    assert tasks.running == 1


def test_a_title_of_several_lines_is_one_line() -> None:
    assert Listed(replace(BUILD, title="one\ntwo")).text == ["▶ one …  0 s  command"]


def test_the_task_of_a_tool_is_found() -> None:
    assert Listed(BUILD).of_tool("t1") == BUILD
    assert Listed(BUILD).of_tool("t2") is None
