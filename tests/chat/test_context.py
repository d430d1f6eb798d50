"""`chat/context.py`: the context of a prompt."""

import base64
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.agent import Image, Mention, OpenFile, Selection
from claude_ide.chat import context
from claude_ide.editor.events import EditorState
from claude_ide.editor.port.events import EditorsChanged, OpenBuffer
from support.pocket import pocket_port


def selection(text: str, start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    positions = [{"line": line, "character": character} for line, character in (start, end)]
    selection = {"start": positions[0], "end": positions[1], "isEmpty": not text}
    return {"filePath": "/project/a.py", "text": text, "selection": selection}


def test_a_cursor_without_a_selection_gives_the_open_file() -> None:
    assert context.where(selection("", (3, 1), (3, 1))) == OpenFile("/project/a.py")


def test_no_selection_gives_no_context() -> None:
    assert context.where(None) is None
    assert context.where({"filePath": ""}) is None


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [((1, 0), (1, 3), (2, 2)), ((1, 2), (3, 1), (2, 4)), ((1, 0), (3, 0), (2, 3))],
)
def test_a_selection_has_its_lines(
    start: tuple[int, int], end: tuple[int, int], lines: tuple[int, int]
) -> None:
    assert context.where(selection("text", start, end)) == Selection(
        "/project/a.py", *lines, "text"
    )


def test_chips_are_short() -> None:
    assert context.chip(OpenFile("/project/src/a.py"), "/project") == "src/a.py"
    assert context.chip(OpenFile("/elsewhere/a.py"), "/project") == "/elsewhere/a.py"
    assert context.chip(Selection("/project/a.py", 2, 5, "x"), "/project") == "a.py:2-5"
    assert context.chip(Selection("/project/a.py", 2, 2, "x"), "/project") == "a.py:2"


def test_images_are_decoded() -> None:
    sent = [{"data": base64.b64encode(b"\x89PNG").decode(), "media_type": "image/png"}]

    assert context.images(sent) == [Image(b"\x89PNG", "image/png")]


@pytest.mark.parametrize(
    ("params", "typed"),
    [
        ({"filePath": "/project/src/a.py"}, "@src/a.py"),
        ({"filePath": "/elsewhere/a.py"}, "@/elsewhere/a.py"),
        ({"filePath": "/project/a.py", "lineStart": 2, "lineEnd": 8}, "@a.py#L3-9"),
        ({"filePath": "/project/a.py", "lineStart": 2, "lineEnd": 2}, "@a.py#L3"),
        ({"filePath": '"/project/a b.py#L3-9"'}, '@"a b.py#L3-9"'),
    ],
)
def test_a_mention_is_typed_in_the_agents_syntax(params: dict[str, Any], typed: str) -> None:
    assert context.mention(params, "/project") == typed


class Buffers:
    """An editor with one unsaved buffer."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.held = str(path), text
        self.state = EditorState()
        changed = OpenBuffer(1, str(path), "", True, 1)
        self.state.apply_editors(EditorsChanged([changed], []))
        self.port = pocket_port(self.run)

    async def run(self, function: str, paths: list[str]) -> list[str]:
        assert function == "file.buffers.modified"
        return [path for path in paths if path == self.path]

    async def private(self, _paths: list[str]) -> dict[str, str]:
        """No file is private."""
        return {}

    async def text(self, _path: str) -> str:
        return self.held


async def test_unsaved_lines_that_are_mentioned_are_sent(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    editor: Any = Buffers(path, "one\ntwo\nthree\n")

    found = await context.unsaved(editor, "@a.py#L2-3 and @b.py", str(tmp_path))

    assert found == [Selection(str(path), 2, 3, "two\nthree")]


async def test_mentioned_lines_are_counted_as_in_the_editor(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    editor: Any = Buffers(path, "one\r\n\ftwo\u2028\x85\r\nthree\r\n")

    assert await context.unsaved(editor, "@a.py#L3", str(tmp_path)) == [
        Selection(str(path), 3, 3, "three")
    ]


async def test_all_of_a_mentioned_unsaved_file_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    editor: Any = Buffers(path, "one\ntwo\n")

    assert await context.unsaved(editor, "@a.py", str(tmp_path)) == [
        Selection(str(path), 1, 2, "one\ntwo")
    ]


async def test_a_mentioned_unsaved_file_may_be_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = tmp_path / "home" / "a.py"
    editor: Any = Buffers(path, "one\n")

    gathered = await context.gather(editor, "@~/a.py @~nobody-at-all/b.py", str(tmp_path), None)

    assert gathered.prompt[0] == Selection(str(path), 1, 1, "one")
    assert gathered.missing == ["~nobody-at-all/b.py"]


async def test_an_at_sign_without_a_path_does_not_block_a_prompt(tmp_path: Path) -> None:
    editor: Any = Buffers(tmp_path / "a.py", "one\n")

    assert await context.unsaved(editor, f"@{'x' * 5000} @a.py", str(tmp_path)) == [
        Selection(str(tmp_path / "a.py"), 1, 1, "one")
    ]


@pytest.mark.parametrize(
    ("typed", "labels"),
    [("hello", ["a.py, not saved"]), ("see @a.py#L1", ["a.py, not saved", "a.py:1, unsaved text"])],
)
async def test_unsaved_text_is_named(tmp_path: Path, typed: str, labels: list[str]) -> None:
    path = tmp_path / "a.py"
    editor: Any = Buffers(path, "one\n")

    gathered = await context.gather(editor, typed, str(tmp_path), OpenFile(str(path)))

    assert (gathered.labels, gathered.missing) == (labels, [])


async def test_the_text_of_the_open_file_goes_to_agents_that_take_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    editor: Any = Buffers(path, "one\n")
    attached = OpenFile(str(path))

    gathered = await context.gather(editor, "hi", str(tmp_path), attached, sends_text=True)

    assert gathered.labels == ["a.py, unsaved text"]
    assert gathered.prompt[0] == OpenFile(str(path), "one\n")


@pytest.mark.parametrize("held", ["x" * 70_000, "one\n"])
async def test_the_text_of_a_large_file_is_not_sent_unasked(tmp_path: Path, held: str) -> None:
    path = tmp_path / "a.py"
    path.write_text("x" * 70_000 if held == "one\n" else "one\n")
    editor: Any = Buffers(path, held)
    attached = OpenFile(str(path))

    gathered = await context.gather(editor, "hi", str(tmp_path), attached, sends_text=True)

    assert gathered.prompt[0] == attached


async def test_mentions_of_files_are_gathered(tmp_path: Path) -> None:
    for name in ("a.py", "b c.py", "Makefile"):
        (tmp_path / name).touch()
    (tmp_path / "src").mkdir()
    editor: Any = Buffers(tmp_path / "unsaved.py", "one\n")
    typed = '@a.py#L2-5 @"b c.py"#L3 @Makefile @src/ @gone.py @unsaved.py me@a.py'

    gathered = await context.gather(editor, typed, str(tmp_path), None)

    assert [part for part in gathered.prompt if isinstance(part, Mention)] == [
        Mention(str(tmp_path / "a.py"), "a.py#L2-5", 2, 5),
        Mention(str(tmp_path / "b c.py"), "b c.py#L3", 3, 3),
        Mention(str(tmp_path / "Makefile"), "Makefile"),
    ]


async def test_images_are_counted(tmp_path: Path) -> None:
    editor: Any = Buffers(tmp_path / "a.py", "one\n")
    image = {"data": "", "media_type": "image/png"}

    gathered = await context.gather(editor, "look", str(tmp_path), None, [image, image])

    assert gathered.labels == ["2 images"]


@pytest.mark.parametrize(
    ("typed", "missing"),
    [
        ("@nope.txt and @src/nope, @nope.txt", ["nope.txt", "src/nope"]),
        ('@"no such.txt#L3"', ["no such.txt"]),
        ("@there.txt @src @src/ @there.txt#L900", []),
        ("@new.py", []),
        ("@agent-a.b @server:res/ource @user @app.get() @pytest.fixture me@example.org", []),
        ("@~nobody/x.txt", ["~nobody/x.txt"]),
        (f"@{'x' * 5000}.txt", [f"{'x' * 5000}.txt"]),
    ],
)
async def test_mentions_without_a_file_are_found(
    tmp_path: Path, typed: str, missing: list[str]
) -> None:
    (tmp_path / "there.txt").touch()
    (tmp_path / "src").mkdir()
    editor: Any = Buffers(tmp_path / "new.py", "one\n")

    gathered = await context.gather(editor, typed, str(tmp_path), None)

    assert gathered.missing == missing
