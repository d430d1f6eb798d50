"""`fs/*`: parameters and answers, and the user's version of a text that an agent writes."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp.connection import NOT_FOUND
from claude_ide.agents.acp.files import CHANGED, FileRequests
from claude_ide.agents.editor_services import WrittenText
from claude_ide.agents.events import Event, Notice
from claude_ide.agents.requests import Allow, Replacement
from claude_ide.base.errors import AgentError, RpcError

TEXT = "one\ntwo\nthree\n"


class Disk:
    """Implements `Files` with files on disk. `instead` is what the user accepts for a text.

    `race` is what another program writes during each write.
    """

    def __init__(self) -> None:
        self.instead: dict[str, str] = {}
        self.race = ""
        self.allowed: list[bool] = []
        self.over: list[str | None] = []
        self.refusal = ""

    async def read(self, path: str) -> str:
        return Path(path).read_text()

    async def saved(self, path: str) -> str:
        return await self.read(path)

    async def write(
        self, path: str, text: str, *, is_allowed: bool = False, over: str | None = None
    ) -> WrittenText:
        self.allowed.append(is_allowed)
        self.over.append(over)
        if self.refusal:
            raise AgentError(self.refusal)
        text = self.instead.get(text, text)
        Path(path).write_text(self.race or text)
        self.race = ""
        return WrittenText(text, text)


class Requests:
    """The requests of an agent, the notes for its model, and the events for the user."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.txt"
        self.path.write_text(TEXT)
        self.disk = Disk()
        self.notes: list[str] = []
        self.events: list[Event] = []
        self.requests = FileRequests(self.disk, self.notes.append, self.events.append)

    async def read(self, **params: Any) -> str:
        """Read the file; return its content."""
        answer = await self.requests.read({"sessionId": "s", "path": str(self.path), **params})
        return str(answer["content"])

    async def write(self, content: str) -> None:
        """Write the file."""
        params = {"sessionId": "s", "path": str(self.path), "content": content}
        assert await self.requests.write(params) == {}

    def accept(self, text: str, tool: str = "t1") -> None:
        """Accept a text for the file."""
        self.allow(edits=(Replacement(str(self.path), text, TEXT),), tool=tool)

    def allow(
        self,
        edits: tuple[Replacement, ...] = (),
        unsaved: tuple[Replacement, ...] = (),
        tool: str = "t1",
    ) -> None:
        """Allow a tool without any permission of its own to write."""
        self.requests.allow(tool, {}, Allow(edits=edits, unsaved=unsaved))

    async def end(self, tool: str = "t1", *, is_completed: bool = True) -> None:
        """End a tool."""
        await self.requests.ended(tool, is_completed=is_completed)

    @property
    def notices(self) -> list[str]:
        """What the user has been told."""
        return [event.text for event in self.events if isinstance(event, Notice)]


@pytest.fixture
def agent(tmp_path: Path) -> Requests:
    return Requests(tmp_path)


@pytest.mark.parametrize(
    ("params", "content"),
    [
        ({}, TEXT),
        ({"line": None, "limit": None}, TEXT),
        ({"line": 0}, TEXT),
        ({"line": 2}, "two\nthree\n"),
        ({"limit": 2}, "one\ntwo\n"),
        ({"line": 2, "limit": 1}, "two\n"),
        ({"line": 3, "limit": 1}, "three\n"),
        ({"line": 3, "limit": 100}, "three\n"),
        ({"line": 4}, ""),
        ({"line": 100, "limit": 5}, ""),
        ({"line": 2, "limit": 0}, ""),
    ],
)
async def test_the_requested_lines_are_read(
    agent: Requests, params: dict[str, Any], content: str
) -> None:
    assert await agent.read(**params) == content


async def test_lines_end_only_at_line_feeds(agent: Requests) -> None:
    agent.path.write_text("a\u2028b\x0c\ntwo", newline="")

    assert await agent.read(limit=1) == "a\u2028b\x0c\n"
    assert await agent.read(line=2) == "two"


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"path": None}, r"Expected `str`, got `null` - at `\$.path`"),
        ({"path": "a.txt"}, "path: a.txt: not an absolute path"),
        ({"path": "/a\0b"}, "path: /a�b: contains a NUL"),
        ({"line": -1}, r"at `\$.line`"),
        ({"limit": "all"}, r"at `\$.limit`"),
        ({"limit": True}, r"at `\$.limit`"),
    ],
)
async def test_a_bad_parameter_is_named(
    agent: Requests, params: dict[str, Any], problem: str
) -> None:
    with pytest.raises(RpcError, match=problem):
        await agent.read(**params)


async def test_a_missing_file_is_an_error_that_agents_recognize(agent: Requests) -> None:
    agent.path.unlink()

    with pytest.raises(RpcError, match=r"Resource not found: .*ENOENT") as error:
        await agent.read()

    assert error.value.code == NOT_FOUND


async def test_a_missing_file_is_empty_for_an_agent_that_knows_no_such_error(
    agent: Requests,
) -> None:
    agent.path.unlink()
    agent.requests.agent = "gemini-cli"

    assert await agent.read() == ""


async def test_a_refusal_is_an_error_with_its_reason(agent: Requests) -> None:
    agent.disk.refusal = "a.txt: not written: not now"

    with pytest.raises(RpcError, match="not written: not now"):
        await agent.write("new")


async def test_an_agent_that_has_written_once_is_known_to_write(agent: Requests) -> None:
    assert not agent.requests.writes

    await agent.write("new\n")

    assert agent.requests.writes
    assert agent.path.read_text() == "new\n"
    assert not agent.notes


async def test_an_agent_that_has_read_once_is_known_to_read(agent: Requests) -> None:
    assert not agent.requests.reads

    await agent.read()

    assert agent.requests.reads
    assert not agent.requests.writes


async def test_the_user_s_version_is_written_and_the_model_learns_it(agent: Requests) -> None:
    agent.accept("mine\n")

    await agent.write("theirs\n")
    await agent.end()

    assert agent.path.read_text() == "mine\n"
    assert agent.notes == [CHANGED.format(agent.path)]
    assert not agent.notices


async def test_only_a_tool_that_the_user_has_allowed_to_change_the_file_needs_no_other_permission(
    agent: Requests,
) -> None:
    await agent.write("one")
    agent.requests.allow("t1", {str(agent.path): ()}, Allow())
    await agent.write("two")
    await agent.end()
    await agent.write("three")

    assert agent.disk.allowed == [False, True, False]


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("2\n", True),
        ("one\n2\nthree\n", True),
        ("one\n2\nthree\nfour\n", False),
        ("2", True),
        ("one\ntwo\nthree\n2\n", False),
    ],
)
async def test_only_the_edit_that_was_shown_needs_no_other_permission(
    agent: Requests, text: str, is_shown: bool
) -> None:
    shown = Replacement(str(agent.path), "2\n", "two\n")
    agent.requests.allow("t1", {str(agent.path): (shown,)}, Allow())

    await agent.write(text)

    assert agent.disk.allowed == [is_shown]


async def test_the_unsaved_text_that_the_user_has_seen_may_be_replaced_by_what_they_accepted(
    agent: Requests,
) -> None:
    agent.allow(unsaved=(Replacement(str(agent.path), "two\n", "unsaved\n"),))
    await agent.write("another\n")
    await agent.write("two")
    await agent.end()
    await agent.write("two")

    assert agent.disk.over == [None, "unsaved\n", None]


async def test_the_user_s_version_may_replace_the_unsaved_text(agent: Requests) -> None:
    unsaved = Replacement(str(agent.path), "mine\n", "unsaved\n")
    agent.allow(edits=(Replacement(str(agent.path), "mine\n", TEXT),), unsaved=(unsaved,))

    await agent.write("theirs\n")

    assert agent.path.read_text() == "mine\n"
    assert agent.disk.over == ["unsaved\n"]


async def test_the_user_s_versions_of_several_files_are_written_and_noted(agent: Requests) -> None:
    other = agent.path.with_name("b.txt")
    agent.accept("mine\n")
    agent.allow(edits=(Replacement(str(other), "also mine\n"),))

    await agent.write("theirs\n")
    await agent.requests.write({"path": str(other), "content": "also theirs\n"})
    other.write_text("also theirs\n")
    await agent.end()

    assert agent.path.read_text() == "mine\n"
    assert other.read_text() == "also mine\n"
    assert agent.notes == [CHANGED.format(agent.path), CHANGED.format(other)]
    assert agent.notices == ["your version of b.txt was overwritten by the agent, and is restored"]


async def test_a_version_that_the_user_accepts_during_the_write_is_noted(agent: Requests) -> None:
    agent.disk.instead = {"theirs\n": "mine\n"}

    await agent.write("theirs\n")

    assert agent.notes == [CHANGED.format(agent.path)]


async def test_the_user_s_version_is_for_one_tool_only(agent: Requests) -> None:
    agent.accept("mine\n")
    await agent.write("theirs\n")
    await agent.end()

    await agent.write("later\n")

    assert agent.path.read_text() == "later\n"


async def test_the_same_write_again_does_not_undo_the_user_s_version(agent: Requests) -> None:
    agent.accept("mine\n")
    await agent.write("theirs\n")
    await agent.write("theirs\n")
    assert agent.path.read_text() == "mine\n"

    await agent.write("other\n")
    await agent.end()

    assert agent.path.read_text() == "other\n"


@pytest.mark.parametrize("theirs", ["theirs\n", "theirs", "\ufefftheirs\r\n"])
async def test_an_agent_that_then_writes_the_disk_does_not_undo_the_user_s_version(
    agent: Requests, theirs: str
) -> None:
    agent.accept("mine\n")
    await agent.write("theirs\n")
    agent.path.write_text(theirs)

    await agent.end("another tool")
    assert not agent.notices
    await agent.end()

    assert agent.path.read_text() == "mine\n"
    assert agent.notices == [
        f"your version of {agent.path.name} was overwritten by the agent, and is restored"
    ]


async def test_an_agent_that_writes_the_disk_at_the_same_time_does_not_undo_it_either(
    agent: Requests,
) -> None:
    agent.accept("mine\n")
    agent.disk.race = "theirs\n"
    await agent.write("theirs\n")

    await agent.end()

    assert agent.path.read_text() == "mine\n"


async def test_another_text_is_left_alone_and_the_user_is_told(agent: Requests) -> None:
    agent.accept("mine\n")
    await agent.write("theirs\n")
    agent.path.write_text("formatted\n")

    await agent.end()

    assert agent.path.read_text() == "formatted\n"
    assert agent.notices == [f"{agent.path.name} has been written again: it may lack your changes"]


async def test_a_version_that_cannot_be_restored_is_reported(agent: Requests) -> None:
    agent.accept("mine\n")
    await agent.write("theirs\n")
    agent.path.write_text("theirs\n")
    agent.disk.refusal = "disk full"

    await agent.end()

    assert agent.notices == [
        f"your version of {agent.path.name} was overwritten, and cannot be restored: disk full"
    ]


async def test_the_user_s_version_replaces_that_of_an_agent_that_writes_only_the_disk(
    agent: Requests,
) -> None:
    agent.accept("mine\n")
    agent.path.write_text("theirs\n")

    await agent.end()

    assert agent.path.read_text() == "mine\n"
    assert agent.notes == [CHANGED.format(agent.path)]


async def test_nothing_is_written_for_a_tool_that_has_failed(agent: Requests) -> None:
    agent.accept("mine\n")

    await agent.end(is_completed=False)

    assert agent.path.read_text() == TEXT
    assert not agent.notices
