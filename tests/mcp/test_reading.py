"""`mcp/client.py`: what an agent may read, apart from any editor."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.base.errors import ToolError
from claude_ide.base.paths import normalized
from claude_ide.editor.events import EditorState
from claude_ide.mcp import client, model
from claude_ide.mcp.client import MOST_FILES, MOST_LAUNCHES, Named, Reading, Readings, named
from claude_ide.mcp.tool import IDE_TOOLS, MODEL_TOOLS


class Asked:
    """An editor without open files and folders, and a user who gives these answers."""

    def __init__(self, *answers: str) -> None:
        self.answers = [*answers]
        self.questions: list[str] = []
        self.state = EditorState()
        self.port = SimpleNamespace(model_tools=self)

    async def named(self, arguments: dict[str, Any]) -> Any:
        files = [
            {"path": normalized(each["file"]), "is_open": False, "refusal": ""}
            for each in arguments["files"]
        ]
        return {"files": files, "folders": []}

    async def decide(self, question: str, values: list[str]) -> str:
        self.questions.append(question)
        await asyncio.sleep(0)  # other calls arrive meanwhile
        if not self.answers:
            await asyncio.Event().wait()
        answer = self.answers.pop(0)
        return next((value for value in values if value.startswith(answer)), "")


async def admit(given: Reading, editor: Any, *paths: Path) -> None:
    await given.admit(editor, "Otter", Named(tuple(map(str, paths)), ()))


def properties(schema: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Return the names of all properties that are described as paths."""
    found = []
    for name, each in schema.get("properties", {}).items():
        described = each.get("description", "") + str(each.get("anyOf", ""))
        if "path of " in described.lower():
            found.append(((*path, name), name))
        found += properties(each.get("items", each), (*path, name))
    return found


def test_every_file_that_a_tool_of_a_model_takes_is_recognized() -> None:
    files = [key for tool in model.toolset().values() for key in properties(tool.input_schema)]

    assert {name for _, name in files} == {"file"}
    assert {len(path) for path, _ in files} == {1, 2}


def test_the_files_are_found_at_any_depth() -> None:
    highlight = MODEL_TOOLS["highlight"].decode({"ranges": [{"file": "/a", "line": 1}] * 2})
    by_number = MODEL_TOOLS["buffer_text"].decode({"buffer": 7})
    diagnostics = IDE_TOOLS["getDiagnostics"].decode({"uri": "file:///a%20b"})

    assert named(highlight) == Named(("/a",), ())
    assert named(by_number) == Named((), (7,))
    assert named(diagnostics) == Named(("/a b",), ())
    assert named(MODEL_TOOLS["diagnostics"].decode({})) == Named((), ())


def test_the_files_that_servers_name_are_open(tmp_path: Path) -> None:
    given = Reading()

    given.add_named([f"{tmp_path}/a", "zip:b"])

    assert given.covers(f"{tmp_path}/a")
    assert not given.covers(str(Path("zip:b").absolute()))


def test_own_folders_and_read_files_are_open_by_their_targets(tmp_path: Path) -> None:
    project, letters = tmp_path / "project", tmp_path / "letters"
    for folder in (project, letters):
        folder.mkdir()
    (project / "link").symlink_to(letters)
    given = Reading([str(project)])

    assert given.covers(str(project / "a" / "b.c"))
    assert not given.covers(f"{project}/../letters/a")
    assert not given.covers(f"{project}2/a")
    assert not given.covers(str(project / "link" / "a"))
    assert not given.covers("a")
    assert not given.covers("/a\0b")
    given.add(str(letters / "a"))
    assert given.covers(str(project / "link" / "a"))
    assert not given.covers(str(letters / "b"))


def test_a_link_that_was_read_opens_only_what_it_led_to(tmp_path: Path) -> None:
    link, letter, diary = tmp_path / "link", tmp_path / "letter", tmp_path / "diary"
    link.symlink_to(letter)
    given = Reading()
    given.add(str(link))

    assert given.covers(str(letter))
    link.unlink()
    link.symlink_to(diary)
    assert not given.covers(str(link))


async def test_a_path_is_judged_as_the_editor_reads_it(tmp_path: Path) -> None:
    """Neovim takes `link/..` for the folder of the link, the system for that of its target."""
    (tmp_path / "project" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "project" / "a")
    given, user = Reading([str(tmp_path / "project")]), Asked("Do not")

    with pytest.raises(ToolError, match="has not allowed you to read it"):
        await admit(given, user, tmp_path / "link" / ".." / "diary")
    assert len(user.questions) == 1


def test_the_files_that_were_read_first_are_forgotten() -> None:
    given = Reading()
    for number in range(MOST_FILES):
        given.add(f"/{number}")
    assert given.covers("/0")

    given.add(f"/{MOST_FILES}")
    assert not given.covers("/0")
    assert given.covers(f"/{MOST_FILES}")


async def test_the_users_answer_is_remembered_as_far_as_it_goes(tmp_path: Path) -> None:
    given, user = Reading(), Asked("Read /", "Read everything", "Do not")
    one, other = tmp_path / "a" / "1", tmp_path / "b" / "1"

    await admit(given, user, one)
    await admit(given, user, one)
    await admit(given, user, other)
    await admit(given, user, other.with_name("2"))
    with pytest.raises(ToolError, match="has not allowed you to read it"):
        await admit(given, user, one, one.with_name("2"))
    assert len(user.questions) == 3


async def test_an_answer_that_does_not_come_is_a_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "ANSWER_SECONDS", 0.01)

    with pytest.raises(ToolError, match="the user has not answered within"):
        await admit(Reading(), Asked(), tmp_path / "a")


async def test_the_whole_home_is_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    user = Asked("Read everything")

    with pytest.raises(ToolError, match="has not allowed"):
        await admit(Reading(), user, tmp_path / "diary.txt")
    assert user.questions == [
        "Otter wants to read ~/diary.txt, which is outside the working folders"
    ]


async def test_others_wait_for_the_question_and_are_known_to(tmp_path: Path) -> None:
    given, user = Reading(), Asked()
    first = asyncio.ensure_future(admit(given, user, tmp_path / "a"))
    second = asyncio.ensure_future(admit(given, user, tmp_path / "a"))
    await asyncio.sleep(0.01)

    assert given.is_asking(first)
    assert given.is_asking(second)
    assert len(user.questions) == 1
    first.cancel()
    user.answers = ["Read /"]
    await second
    assert not given.is_asking(second)


async def test_each_refusal_is_known_to_those_who_wait(tmp_path: Path) -> None:
    given, user = Reading(), Asked("Do not", "Do not")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    waiting = [admit(given, user, tmp_path / name) for name in ("a", "b", "a", "link", "b")]

    async with asyncio.timeout(5):
        results = await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(result) for result in results] == [ToolError] * 5
    assert len(user.questions) == 2


async def test_a_file_that_was_refused_is_asked_about_again_later(tmp_path: Path) -> None:
    given, user = Reading(), Asked("Do not", "Read /")

    with pytest.raises(ToolError, match="has not allowed"):
        await admit(given, user, tmp_path / "a")
    await admit(given, user, tmp_path / "a")
    assert len(user.questions) == 2


def test_each_launch_has_its_own() -> None:
    readings = Readings()
    readings.of("a", "/project")

    readings.of("a").add("/x")

    assert readings.of("a").covers("/x")
    assert readings.of("a").covers("/project/b")
    assert not readings.of("b").covers("/x")
    assert readings.of("") is not readings.of("")


def test_the_launch_that_was_used_first_is_forgotten() -> None:
    readings = Readings()
    kept = [readings.of(str(number)) for number in range(MOST_LAUNCHES)]

    assert [readings.of(str(number)) for number in range(MOST_LAUNCHES)] == kept
    readings.of("one more")
    assert readings.of("1") is kept[1]
    assert readings.of("0") is not kept[0]
