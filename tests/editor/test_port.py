"""Another editor than Neovim can implement the port."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp import ide_tools as _ide_tools  # noqa: F401  importing it registers its tools
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import IDE_TOOLS, Caller

ITEM = {"message": "undefined", "range": {"start": {"line": 0}}}


class Pocket:
    """A minimal editor: a table of functions, and the names of those that were called."""

    def __init__(self) -> None:
        self.functions: dict[str, Callable[..., Any]] = {}
        self.called: list[str] = []
        self.is_closed = False

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        self.called.append(function)
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self.is_closed:
            done.set_exception(EditorError("the editor has ended"))
        else:
            result = self.functions[function](*arguments) if function in self.functions else None
            done.set_result(result)
        return done

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        return self.call(function, *arguments)

    def notify(self, function: str, *arguments: Any) -> None:
        self.call(function, *arguments)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def pocket() -> Pocket:
    return Pocket()


@pytest.fixture
async def editor(pocket: Pocket) -> Editor:
    editor = Editor(pocket)
    editor.private_files.refresh()
    pocket.called.clear()
    return editor


async def diagnosed(editor: Editor, path: Path) -> Any:
    client = Client(editor, Config())
    tool = IDE_TOOLS["getDiagnostics"]
    return await tool.call(client, tool.decode({"uri": str(path)}), Caller())


async def test_current_selection_asks_the_editor(pocket: Pocket, editor: Editor) -> None:
    selection = {"text": "x", "filePath": "/p/a.py"}
    pocket.functions["selection.current"] = lambda: selection

    assert await editor.current_selection() == selection


async def test_an_event_delivers_the_decision_on_a_proposal(pocket: Pocket, editor: Editor) -> None:
    diff = await editor.diffs.show("name", "/a.py", "text", "title", "tab")
    editor.events.dispatch("diff_shown", {"id": diff.id})
    editor.events.dispatch("diff_decided", {"id": diff.id, "accepted": True, "text": "mine"})

    assert pocket.called == ["diff.open"]
    assert diff.shown.is_set()
    assert (await diff.decision).text == "mine"


async def test_the_lines_that_a_comment_quotes_mention_no_file(
    editor: Editor, tmp_path: Path
) -> None:
    (tmp_path / "notes").touch()
    diff = await editor.diffs.show("name", str(tmp_path / "src/a.py"), "text", "title", "tab")
    comment = {"first": 1, "last": 1, "lines": ["see @notes"], "words": "why?"}
    decided = {"id": diff.id, "accepted": True, "path": "src/a.py", "comments": [comment]}
    editor.events.dispatch("diff_decided", decided)

    said = "src/a.py, line 1:\n> see @ notes\nwhy?"
    assert (await diff.decision).words == f"I have accepted your edit of src/a.py.\n\n{said}"


def publish(pocket: Pocket, path: Path) -> None:
    """Have the editor return one diagnostic of a file."""
    of = {"id": 1, "version": 1, "counts": [1, 0, 0, 0]}
    file = {"key": 1, "uri": path.as_uri(), "sets": [of], "is_checked": True}
    pocket.functions |= {
        "diagnostics.look": lambda _path: {"files": [file]},
        "diagnostics.slice": lambda *_: [ITEM],
    }


async def test_diagnostics_before_a_write_are_read_after_it_is_announced(
    pocket: Pocket, editor: Editor, tmp_path: Path
) -> None:
    path = tmp_path / "open.py"
    path.touch()
    publish(pocket, path)
    pocket.functions["diagnostics.unopened.load"] = lambda _path: {"bufnr": 1, "is_checked": True}

    [content] = await diagnosed(editor, path)

    assert "undefined" in content["text"]
    assert pocket.called == [
        "claude_ide#agent_writes#Announce",
        "diagnostics.unopened.load",
        "diagnostics.look",
        "diagnostics.slice",
    ]


async def test_diagnostics_are_read_even_if_the_file_cannot_be_loaded(
    pocket: Pocket, editor: Editor, tmp_path: Path
) -> None:
    path = tmp_path / "unreadable.py"
    path.touch()
    publish(pocket, path)
    pocket.functions["diagnostics.unopened.load"] = lambda _path: {"error": "permission denied"}

    [content] = await diagnosed(editor, path)

    assert "undefined" in content["text"]


async def test_a_call_to_an_ended_editor_raises(pocket: Pocket, editor: Editor) -> None:
    pocket.close()

    with pytest.raises(EditorError, match="has ended"):
        await editor.text("/a.py")
