"""`chat/following.py`: which places are shown, from events."""

from typing import Any

import pytest
from msgspec.structs import replace

from claude_ide.agents.events import (
    Change,
    DiffHunk,
    Event,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.base.errors import EditorError
from claude_ide.chat import following
from claude_ide.chat.following import FollowedPlace, Following, changed_place
from support.chat_parts import PocketChat


class Shown(list[FollowedPlace]):
    """A chat that records the places that it shows."""

    def __init__(self, *, is_on: bool = True) -> None:
        super().__init__()
        self.fails = False
        self.chat = PocketChat(self._answer, follow=is_on)
        self.following = Following(self.chat.context)

    async def _answer(self, _function: str, _chat: int, *place: Any) -> str:
        if self.fails:
            raise EditorError("the window has gone")
        self.append(FollowedPlace(*place))
        return ""

    async def after(self, *happened: Event) -> list[FollowedPlace]:
        """Return all places that have been shown some time after these events."""
        for event in happened:
            self.following.apply(event)
        await self.chat.settle()
        return list(self)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "PAUSE_SECONDS", 0)


@pytest.fixture
def shown() -> Shown:
    return Shown()


def use(
    path: str,
    line: int | None = None,
    *,
    kind: str = "read",
    status: ToolStatus = ToolStatus.COMPLETED,
    changes: tuple[Change, ...] = (),
) -> list[Event]:
    return [
        ToolStarted("t", "Look", kind),
        ToolInput("t", 3),
        ToolInput("t", 9, {"at": path}, path=path, line=line),
        ToolEnded("t", status, changes=changes),
    ]


async def test_a_place_that_was_read_is_shown_with_its_line(shown: Shown) -> None:
    assert await shown.after(*use("/tmp/a.py", 7)) == [FollowedPlace("/tmp/a.py", 7)]


async def test_a_relative_path_is_below_the_root_of_the_chat(shown: Shown) -> None:
    assert await shown.after(*use("src/a.py")) == [FollowedPlace("/root/src/a.py")]


async def test_an_edit_is_shown_at_its_first_change(shown: Shown) -> None:
    hunk = DiffHunk(3, 4, 3, 5, (" a", " b", "+c", "+d", "-x", " e"))
    change = Change("/tmp/a.py", 2, 1, (hunk, DiffHunk(90, 1, 91, 1, ("-y", "+z"))))

    places = await shown.after(*use("/tmp/a.py", kind="edit", changes=(change,)))

    assert places == [FollowedPlace("/tmp/a.py", 5, 6)]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (Change("a", 3, 0, created=True), (1, 3)),
        (Change("a", 0, 0, created=True), (1, 1)),
        (Change("a", 0, 0), (0, 0)),
        (Change("a", 0, 1, (DiffHunk(5, 3, 5, 2, (" a", "-b", " c")),)), (6, 6)),
        (Change("a", 0, 1, (DiffHunk(1, 1, 0, 0, ("-a",)),)), (1, 1)),
        (Change("a", 1, 1, (DiffHunk(1, 1, 1, 1, ("-a", "+b", "\\ No newline")),)), (1, 1)),
        (Change("a", 1, 1, (DiffHunk(4, 4, 4, 4, (" a", "-b", " c", "+d")),)), (5, 6)),
    ],
)
def test_the_changed_lines_are_those_of_the_first_hunk(
    change: Change, lines: tuple[int, int]
) -> None:
    assert changed_place(change) == FollowedPlace("a", *lines)


@pytest.mark.parametrize("status", [s for s in ToolStatus if s is not ToolStatus.COMPLETED])
async def test_a_use_of_a_tool_that_did_not_succeed_is_not_shown(
    shown: Shown, status: ToolStatus
) -> None:
    assert await shown.after(*use("/tmp/a.py", status=status)) == []


@pytest.mark.parametrize("kind", ["search", "execute", "think", "other"])
async def test_other_tools_are_not_shown(shown: Shown, kind: str) -> None:
    assert await shown.after(*use("/tmp/a.py", kind=kind)) == []


async def test_the_files_of_a_subagent_are_not_shown(shown: Shown) -> None:
    begun, *rest = use("/tmp/a.py")
    assert isinstance(begun, ToolStarted)

    assert await shown.after(replace(begun, parent="p"), *rest) == []


async def test_a_tool_without_a_file_is_not_shown(shown: Shown) -> None:
    assert await shown.after(*use("")) == []


async def test_a_tool_of_a_turn_that_has_ended_is_forgotten(shown: Shown) -> None:
    *begun, ended = use("/tmp/a.py")

    assert await shown.after(*begun, TurnEnded(TurnEndReason.INTERRUPTED), ended) == []


async def test_of_several_files_at_once_only_the_last_is_shown(shown: Shown) -> None:
    burst = [event for number in range(30) for event in use(f"/tmp/{number}")]

    assert await shown.after(*burst) == [FollowedPlace("/tmp/29")]
    assert await shown.after(*use("/tmp/next")) == [
        FollowedPlace("/tmp/29"),
        FollowedPlace("/tmp/next"),
    ]


async def test_the_last_file_is_shown_when_following_starts() -> None:
    shown = Shown(is_on=False)
    assert await shown.after(*use("/tmp/a.py", 7)) == []

    await shown.following.toggle()
    assert shown.chat.notes[-1] == "following Otter's files"

    assert await shown.after() == [FollowedPlace("/tmp/a.py", 7)]


async def test_a_file_is_not_shown_after_following_has_stopped(shown: Shown) -> None:
    for event in use("/tmp/a.py"):
        shown.following.apply(event)

    await shown.following.toggle()
    assert shown.chat.notes[-1] == "no longer following Otter's files"

    assert await shown.after() == []


async def test_a_hidden_chat_shows_no_file(shown: Shown) -> None:
    shown.chat.context.shown = False

    assert await shown.after(*use("/tmp/a.py")) == []


async def test_an_error_of_the_editor_does_not_stop_following(shown: Shown) -> None:
    shown.fails = True
    assert await shown.after(*use("/tmp/a.py")) == []
    shown.fails = False

    assert await shown.after(*use("/tmp/b.py")) == [FollowedPlace("/tmp/b.py")]
