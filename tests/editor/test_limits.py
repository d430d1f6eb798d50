"""`editor/status_line.py`: what is known of the plan's limits, whichever agent tells it."""

import asyncio
import time
from typing import Any

from claude_ide.base.limits import Limit
from claude_ide.editor import status_line as module
from claude_ide.editor.status_line import Limits
from support.neovim import until
from support.pocket import pocket_port

LATER = int(time.time()) + 3_600


class Told:
    """The limits, and what the editor gets."""

    def __init__(self, show_above: float = 75) -> None:
        self.notices: list[tuple[str, Any]] = []
        self.limits = Limits(pocket_port(self._answer, self._notice), show_above)

    async def _answer(self, *_: Any) -> None:
        await asyncio.sleep(0)

    def _notice(self, function: str, *arguments: Any) -> None:
        self.notices.append((function, arguments[0]))

    @property
    def warnings(self) -> list[str]:
        return [said for function, said in self.notices if function == "messages.message.show"]


async def test_the_editor_gets_each_change_once() -> None:
    told = Told()
    changes: list[list[Limit]] = []
    told.limits.subscribe(lambda: changes.append(told.limits.known))
    week, hours = Limit("seven_day", 41, LATER), Limit("five_hour", 80)

    told.limits.learn("a", [week, hours])
    told.limits.learn("a", [week])
    told.limits.learn("b", [])

    assert changes == [[hours, week]]
    assert told.limits.shown == [hours]
    assert told.notices == [
        (
            "claude_ide#status#SetLimits",
            [{"name": "five_hour", "used": 80}, {"name": "seven_day", "used": 41, "resets": LATER}],
        )
    ]


async def test_an_idle_agent_that_repeats_itself_hides_no_newer_report() -> None:
    told = Told()
    old, new = Limit("five_hour", 10, LATER), Limit("five_hour", 60, LATER)
    told.limits.learn("idle", [old])
    told.limits.learn("busy", [new])

    told.limits.learn("idle", [old])
    assert told.limits.known == [new]

    lower = Limit("five_hour", 20, LATER)
    told.limits.learn("idle", [lower])
    assert told.limits.known == [lower]


async def test_a_report_without_a_figure_hides_none_of_its_window() -> None:
    told = Told()
    known, without = Limit("five_hour", 60, LATER), Limit("five_hour", None, LATER)
    told.limits.learn("a", [known])

    told.limits.learn("a", [without])
    assert told.limits.known == [known]

    later = Limit("five_hour", None, LATER + 18_000)
    told.limits.learn("a", [later])
    assert told.limits.known == [later]
    assert told.limits.shown == []


async def test_one_warning_in_each_window() -> None:
    told = Told()
    for used in (89, 90, 95, 80, 97):
        told.limits.learn("a", [Limit("five_hour", used, LATER)])
    assert len(told.warnings) == 1
    assert told.warnings[0].startswith("90% of Claude's 5h limit is used (resets ")

    told.limits.learn("a", [Limit("five_hour", 3, LATER + 18_000)])
    told.limits.learn("a", [Limit("five_hour", 91, LATER + 18_000)])
    told.limits.learn("a", [Limit("seven_day_opus", 100)])

    assert len(told.warnings) == 3
    assert told.warnings[-1] == "100% of Claude's 7d opus limit is used"


async def test_a_window_that_has_ended_is_forgotten(monkeypatch: Any) -> None:
    told = Told()
    told.limits.learn("a", [Limit("five_hour", 80, int(time.time()) - 1)])
    assert told.limits.known == []

    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    told.limits.learn("a", [Limit("five_hour", 81, int(time.time()) + 1), Limit("seven_day", 5)])
    assert len(told.limits.known) == 2

    await until(lambda: told.limits.known == [Limit("seven_day", 5)], "its end")
    assert told.notices[-1][1] == [{"name": "seven_day", "used": 5}]


async def test_the_user_sets_from_where_they_are_shown() -> None:
    told = Told(show_above=10)
    told.limits.learn("a", [Limit("five_hour", 11), Limit("seven_day", 10)])

    assert [str(each) for each in told.limits.shown] == ["5h 11%"]
