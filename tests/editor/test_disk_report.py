"""`editor/disk.py`: one line for all writes that occur together."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor import disk
from claude_ide.editor.disk import CLAUDE, HINT, DiskReport, Written, of_followed, of_kept
from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.port.events import FileKept
from support.neovim import until
from support.pocket import pocket_port

WIDE = 200


def written(name: str, agent: str = "", *, added: int = 1, removed: int = 0, steps: int = 1) -> Any:
    return Written(name, agent, added, removed, steps)


FOLLOWED = {
    "one": ([written("a", removed=2)], "a changed on disk (+1 −2); u undoes"),  # noqa: RUF001
    "an agent's": ([written("a", "Otter")], "Otter changed a (+1 −0); u undoes"),  # noqa: RUF001
    "three writes": ([written("a", steps=3)], "a changed on disk (+1 −0); 3u undoes"),  # noqa: RUF001
    "an edit of the user's": (
        [written("a", steps=0)],
        "a changed on disk (+1 −0); u undoes the last write",  # noqa: RUF001
    ),
    "two": (
        [written("b"), written("a", added=2)],
        "a (+2 −0), b (+1 −0) changed on disk; u undoes each",  # noqa: RUF001
    ),
    "two agents' and another": (
        [written("c"), written("a", "Otter"), written("b", "Claude", steps=2)],
        "Otter changed a (+1 −0); Claude changed b (+1 −0); c changed on disk (+1 −0); "  # noqa: RUF001
        "u undoes each write",
    ),
    "many": (
        [written(name, removed=2) for name in "abcd"],
        "4 files changed on disk (+4 −8); u undoes each",  # noqa: RUF001
    ),
    "many of one agent": (
        [written(name, "Claude") for name in "abcd"],
        "Claude changed 4 files (+4 −0); u undoes each",  # noqa: RUF001
    ),
    "many of several": (
        [*(written(name, "Claude") for name in "abc"), written("d")],
        "4 files changed on disk (+4 −0); u undoes each",  # noqa: RUF001
    ),
    "nothing": ([], ""),
}


@pytest.mark.parametrize(("files", "words"), FOLLOWED.values(), ids=FOLLOWED)
def test_what_was_written_is_described(files: list[Written], words: str) -> None:
    assert "; ".join(of_followed(files)) == words


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], []),
        (["b", "a"], ["a, b changed on disk; unsaved changes kept"]),
        ([*"abcd"], ["4 files changed on disk; unsaved changes kept"]),
    ],
)
def test_what_was_kept_is_described(names: list[str], words: list[str]) -> None:
    assert of_kept(names) == words


class Reporting:
    """A report whose editor shows a message as soon as it `is_free`."""

    def __init__(self, hinted: Path | None = None) -> None:
        self.shown: list[tuple[str, str]] = []
        self.judged: list[str] = []
        self.is_free = asyncio.Event()
        self.is_free.set()
        self.events = Events(EditorState())
        port = pocket_port(self._answer, self._notice, self.events)
        self.report = DiskReport(port, self.events, hinted)

    async def _answer(self, function: str, token: int, gate: str, *batch: Any) -> None:
        assert (function, gate, batch) == ("batch.run", "notifiable", ((), []))
        await self.is_free.wait()
        asyncio.get_running_loop().call_soon(self.events.dispatch, "answered", {"token": token})

    def _notice(self, function: str, text: str, level: str = "") -> None:
        if function == "claude_ide#agent_writes#Judged":
            self.judged.append(text)
        else:
            assert function == "messages.message.show"
            self.shown.append((text, level))

    def followed(self, name: str, agent: str = "", ticks: tuple[int, int] = (1, 2)) -> None:
        sent = {"path": f"/p/{name}", "agent": agent, "added": 1, "removed": 1, "columns": WIDE}
        self.events.dispatch("file_followed", sent | {"old_tick": ticks[0], "new_tick": ticks[1]})

    def kept(self, name: str) -> None:
        self.report.keep(FileKept(f"/p/{name}"))

    async def says(self, *words: str) -> None:
        await until(lambda: len(self.shown) >= len(words))
        assert [text for text, _ in self.shown] == [*words]


@pytest.fixture
async def reporting(monkeypatch: pytest.MonkeyPatch) -> Reporting:
    monkeypatch.setattr(disk, "PAUSE_SECONDS", 0.02)
    return Reporting()


COUNTS = "(+1 \N{MINUS SIGN}1)"


async def test_writes_that_occur_together_are_one_message(reporting: Reporting) -> None:
    reporting.followed("b")
    reporting.followed("a", "Otter")
    reporting.kept("c")

    await reporting.says(
        "c changed on disk; unsaved changes kept; "
        f"Otter changed a {COUNTS}; b changed on disk {COUNTS}; u undoes each"
    )
    assert reporting.shown[0][1] == "warn"


async def test_several_writes_to_a_file_are_added_up(reporting: Reporting) -> None:
    reporting.followed("a", ticks=(1, 2))
    reporting.followed("a", "Otter", ticks=(2, 5))
    reporting.followed("a", ticks=(5, 6))

    await reporting.says("Otter changed a (+3 \N{MINUS SIGN}3); 3u undoes")


async def test_an_edit_between_two_writes_is_not_undone(reporting: Reporting) -> None:
    reporting.followed("a", ticks=(1, 2))
    reporting.followed("a", ticks=(3, 4))
    reporting.followed("a", ticks=(4, 5))

    await reporting.says("a changed on disk (+3 \N{MINUS SIGN}3); u undoes the last write")


async def test_a_file_that_was_followed_and_then_kept_is_reported_as_kept(
    reporting: Reporting,
) -> None:
    reporting.followed("a")
    reporting.kept("a")
    reporting.kept("b")
    reporting.followed("b")

    await reporting.says(
        f"a changed on disk; unsaved changes kept; b changed on disk {COUNTS}; u undoes"
    )
    assert reporting.judged == ["/p/a", "/p/b"]


async def test_a_report_waits_until_the_editor_can_show_it(reporting: Reporting) -> None:
    reporting.is_free.clear()
    reporting.followed("a")
    await asyncio.sleep(0.05)
    reporting.followed("b")
    await asyncio.sleep(0.05)
    assert reporting.shown == []

    reporting.is_free.set()

    await reporting.says(f"a {COUNTS}, b {COUNTS} changed on disk; u undoes each")


async def test_writes_without_a_pause_are_reported_all_the_same(
    reporting: Reporting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "PAUSE_SECONDS", 60)
    monkeypatch.setattr(disk, "LATEST_SECONDS", 0.05)
    reporting.followed("a")
    reporting.followed("b")

    await reporting.says(f"a {COUNTS}, b {COUNTS} changed on disk; u undoes each")


async def test_a_file_that_is_written_without_a_pause_is_no_longer_reported(
    reporting: Reporting,
) -> None:
    for _ in range(6):
        reporting.followed("a", ticks=(1, 1))
    reporting.followed("b")

    await reporting.says(f"a (+3 \N{MINUS SIGN}3), b {COUNTS} changed on disk; u undoes each write")


async def test_the_first_report_about_claude_leads_to_diffs(reporting: Reporting) -> None:
    said = f"Claude changed a {COUNTS}; u undoes"
    reporting.followed("a", CLAUDE)
    await reporting.says(said + HINT)
    reporting.followed("a", CLAUDE)
    await reporting.says(said + HINT, said)


async def test_a_user_who_was_told_how_to_review_is_not_told_in_the_next_session(
    reporting: Reporting, tmp_path: Path
) -> None:
    said = f"Claude changed a {COUNTS}; u undoes"
    for session in (said + HINT, said):
        later = Reporting(tmp_path / "state" / "hinted")
        later.followed("a", CLAUDE)
        await later.says(session)


async def test_a_narrow_screen_gets_no_hint(
    reporting: Reporting, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = f"Claude changed a {COUNTS}; u undoes"
    monkeypatch.setitem(globals(), "WIDE", len(said + HINT) - 1)
    reporting.followed("a", CLAUDE)

    await reporting.says(said)
