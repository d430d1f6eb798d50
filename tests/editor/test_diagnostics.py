"""`editor/diagnostics.py`: which diagnostics are read, and how changes are followed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from claude_ide.editor.diagnostics import MANY, MOST, Reader
from claude_ide.editor.editor import Editor
from support.pocket import PocketChannel

SEVERITIES = ("Error", "Warning", "Info", "Hint")
FEW = 300
"""Items of a slice."""


def item(message: str, severity: int = 1, line: int = 0, **more: Any) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {
        "message": message,
        "severity": SEVERITIES[severity - 1],
        "range": {"start": place, "end": place},
        **more,
    }


class Publishers:
    """An editor with diagnostics by file and publisher."""

    def __init__(self) -> None:
        self.sets: dict[str, dict[str, tuple[int, list[dict[str, Any]]]]] = {}
        self.is_typing = False
        self.slices: list[tuple[Any, ...]] = []
        self.before_slice: Callable[[], object] = lambda: None
        self._version = 0

    def publish(self, name: str, *items: dict[str, Any], by: str = "linter") -> None:
        self._version += 1
        self.sets.setdefault(name, {})[by] = (self._version, [*items])

    async def answer(self, function: str, *arguments: Any) -> Any:
        match function:
            case "diagnostics.look":
                return self._look(*arguments)
            case "diagnostics.slice":
                self.slices.append(arguments)
                self.before_slice()
                return self._slice(*arguments)
        return None

    def _look(self, which: str | list[str] | bool) -> dict[str, Any]:
        files = [
            {"key": name, "uri": f"file:///{name}", "sets": [*map(self._set, sets.items())]}
            for name, sets in self.sets.items()
            if which is False or which == f"/{name}" or (isinstance(which, list) and name in which)
        ]
        return {"files": files, "is_typing": self.is_typing}

    def _set(self, named: tuple[str, tuple[int, list[dict[str, Any]]]]) -> dict[str, Any]:
        by, (version, items) = named
        severities = [each["severity"] for each in items]
        counts = [severities.count(each) for each in SEVERITIES]
        return {"id": by, "version": version, "counts": counts}

    def _slice(self, name: str, by: str, version: int, severity: int, first: int) -> list[Any]:
        present, items = self.sets.get(name, {}).get(by, (0, []))
        alike = [each for each in items if each["severity"] == SEVERITIES[severity - 1]]
        return alike[first : first + FEW] if present == version else []


@pytest.fixture
def publishers() -> Publishers:
    return Publishers()


@pytest.fixture
async def editor(publishers: Publishers) -> Editor:
    editor = Editor(PocketChannel(publishers.answer, lambda *_: None))
    editor.private_files.refresh()
    return editor


@pytest.fixture
def reader(editor: Editor) -> Reader:
    return editor.reader


def many(count: int, severity: int = 1) -> list[dict[str, Any]]:
    return [item(f"no. {number}", severity, number) for number in range(count)]


async def counts(reader: Reader) -> dict[str, tuple[int, int]]:
    """Return the numbers of read and of omitted diagnostics by file, in their order."""
    _, found = await reader.read(False)
    return {
        path.removeprefix("/"): (len(known.items), known.omitted) for path, known in found.items()
    }


async def messages(reader: Reader, path: str | bool = False) -> list[str]:
    _, found = await reader.read(path)  # type: ignore[arg-type]
    return [each["message"] for known in found.values() for each in known.items]


async def test_errors_come_first(publishers: Publishers, reader: Reader) -> None:
    publishers.publish("a", *[item(str(severity), severity) for severity in (4, 2, 3, 1)])
    publishers.publish("a", item("1 of another", 1), by="server")

    assert await messages(reader) == ["1", "1 of another", "2", "3", "4"]


async def test_hints_are_omitted_first_over_the_limit(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("hints", *many(4000, 4))
    publishers.publish("errors", *many(2000))

    assert await counts(reader) == {"errors": (2000, 0), "hints": (3000, 1000)}


async def test_a_requested_file_comes_before_all_others(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("big", *many(MOST + 200))
    publishers.publish("small")
    assert await messages(reader, "/small") == []
    publishers.publish("small", *many(3, 4))

    assert await counts(reader) == {"small": (3, 0), "big": (MOST - 3, 203)}


async def test_a_file_that_was_written_on_disk_comes_before_all_others(
    publishers: Publishers, editor: Editor
) -> None:
    publishers.publish("big", *many(MOST + 200))
    publishers.publish("small", *many(3, 4))
    followed = {"path": "/small", "added": 1, "removed": 0, "columns": 80}
    editor.events.dispatch("file_followed", {**followed, "old_tick": 1, "new_tick": 2})

    assert await counts(editor.reader) == {"small": (3, 0), "big": (MOST - 3, 203)}


async def test_errors_come_first_among_requested_files(
    publishers: Publishers, reader: Reader
) -> None:
    for name, count, severity in (("big", MOST + 200, 2), ("small", 3, 1)):
        publishers.publish(name, *many(count, severity))
        await messages(reader, f"/{name}")

    assert (await counts(reader))["small"] == (3, 0)


async def test_a_file_whose_diagnostics_are_all_omitted_is_still_reported(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("errors", *many(MOST))
    publishers.publish("hints", *many(7, 4))

    assert await counts(reader) == {"errors": (MOST, 0), "hints": (0, 7)}


async def test_many_readings_at_once_read_each_slice_once(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("a", *many(5 * FEW))

    await asyncio.gather(*(reader.read(False) for _ in range(100)))

    assert len(publishers.slices) == 5


async def test_a_set_that_is_published_meanwhile_is_read_anew(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("a", *many(2 * FEW))
    news = [lambda: None, lambda: publishers.publish("a", item("new"))]
    publishers.before_slice = lambda: news.pop(0)() if news else None

    assert await messages(reader) == ["new"]


async def test_publishing_without_end_ends_a_reading(
    publishers: Publishers, reader: Reader
) -> None:
    publishers.publish("a", item("one"))
    publishers.before_slice = lambda: publishers.publish("a", item("other"))

    assert await messages(reader) == []


async def test_linters_that_say_the_same_are_heard_once_in_vim(
    publishers: Publishers, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.editor.diagnostics.editor_name", lambda: "Vim")
    publishers.publish("a", item("Undefined 'x'"), item("undefined x", line=1), by="ale")
    publishers.publish("a", item("undefined ‘x’"), item("undefined x", line=2), by="coc")  # noqa: RUF001
    publishers.publish("b", item("twice"), item("twice"))

    assert await messages(reader) == ["Undefined 'x'", "undefined x", "undefined x", *["twice"] * 2]


# Changes


@pytest.fixture
def changed(reader: Reader) -> list[str]:
    uris: list[str] = []
    reader.when_changed = lambda uri: uris.append(uri.removeprefix("file:///"))
    return uris


async def follow(editor: Editor, *names: str) -> None:
    """Have the editor announce a change, of some files or of any, and wait until it is followed."""
    editor.events.dispatch("diagnostics_changed", {"keys": [*names]} if names else {})
    for _ in range(30):
        await asyncio.sleep(0)


async def test_each_file_that_changes_is_known(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    for name in ("a", "b"):
        publishers.publish(name, item(f"in {name}"))
    await follow(editor)
    assert changed == ["a", "b"]

    publishers.publish("b", item("other"))
    await follow(editor)

    assert changed == ["a", "b", "b"]
    found = editor.state.diagnostics
    assert [known.items[0]["message"] for known in found.values()] == ["in a", "other"]


async def test_only_files_are_looked_at_that_have_changed(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    for name in ("a", "b"):
        publishers.publish(name, item(f"in {name}"))

    await follow(editor, "b")
    assert changed == ["b"]

    await follow(editor)
    assert changed == ["b", "a"]


@pytest.mark.parametrize("names", [(), ("a",)])
@pytest.mark.parametrize("is_closed", [True, False])
async def test_a_file_without_diagnostics_is_forgotten(
    publishers: Publishers,
    editor: Editor,
    changed: list[str],
    is_closed: bool,
    names: tuple[str, ...],
) -> None:
    publishers.publish("a", item("one"))
    await follow(editor)

    if is_closed:
        publishers.sets.clear()
    else:
        publishers.publish("a")
    await follow(editor, *names)

    assert changed == ["a", "a"]
    assert editor.state.diagnostics == {}


async def test_many_are_not_read_while_the_user_types(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    publishers.is_typing = True
    publishers.publish("many", *many(MANY))
    publishers.publish("few", *many(3))
    await follow(editor)
    assert changed == ["few"]

    publishers.is_typing = False
    editor.events.dispatch("diagnostics_changed", {"keys": {}})
    await follow(editor, "few")

    assert changed == ["few", "many"]


async def test_at_most_a_thousand_of_a_file_are_known(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    publishers.publish("a", *many(6000))

    await follow(editor)

    known = editor.state.diagnostics["/a"]
    assert (len(known.items), known.omitted, changed) == (1000, 5000, ["a"])


async def test_private_files_are_neither_read_nor_known(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    publishers.publish("p/.env", item("secret"))
    await follow(editor)

    assert await messages(editor.reader) == []
    assert (publishers.slices, changed) == ([], [])


async def test_what_is_known_is_read_again_after_a_change_of_the_rules(
    publishers: Publishers, editor: Editor, changed: list[str]
) -> None:
    publishers.publish("a", item("one"))
    await follow(editor)

    editor.reader.forget()
    assert editor.state.diagnostics == {}
    await follow(editor)

    assert changed == ["a", "a"]
