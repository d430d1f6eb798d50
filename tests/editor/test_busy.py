"""What the editor answers while Neovim is too busy to answer itself."""

import asyncio
from typing import Any

from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Diagnostics
from claude_ide.editor.port.binding import BUSY_SECONDS
from claude_ide.editor.port.events import EditorsChanged, OpenBuffer
from claude_ide.editor.port.files import Dirty


class Busy:
    """A channel whose calls are never answered (implements `Channel`)."""

    def call(self, function: str, *_arguments: Any) -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().create_future()

    json = call

    def notify(self, _function: str, *_arguments: Any) -> None:
        pass

    def close(self) -> None:
        pass


async def test_before_the_first_report_the_folders_are_those_of_the_start() -> None:
    editor = Editor(Busy(), ("/project",))

    assert await editor.folders() == ["/project"]


async def test_a_file_has_unsaved_changes_as_reported_last() -> None:
    editor = Editor(Busy())
    report = EditorsChanged([OpenBuffer(1, "/a.py", "python", True, 1)], ["/"])
    editor.state.apply_editors(report)

    assert await editor.dirty("/a.py") == Dirty(True, True, False)
    assert await editor.dirty("/b.py") == Dirty(False)


class Standing(Busy):
    """An editor port that answers at once; but first this process stands still for a while."""

    def call(self, function: str, *_arguments: Any) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        given = {
            "diagnostics.look": {"files": []},
            "diagnostics.texts.recent": {"buffers": []},
            "disk_changes.reload.sync": [],
        }.get(function, ["/now"])

        def stand_still() -> None:
            end = loop.time() + 2 * BUSY_SECONDS
            while loop.time() < end:
                pass
            loop.call_later(0, answer.set_result, given)

        loop.call_soon(stand_still)
        return answer

    json = call


async def test_neovim_is_not_busy_while_the_host_itself_stands_still() -> None:
    editor = Editor(Standing(), ("/project",))
    editor.state.diagnostics["/a.py"] = Diagnostics()

    assert await editor.folders() == ["/now"]
    assert await editor.all_diagnostics(1.0) == {}
