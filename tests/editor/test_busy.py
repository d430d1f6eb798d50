"""What the editor answers while Neovim is too busy to answer itself."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor.busy import BUSY_SECONDS
from claude_ide.editor.editor import Editor
from claude_ide.editor.state import Diagnostics
from support import chats_here
from support.diagnostics import SET_MANY, edit
from support.neovim import Neovim, until
from support.pushed_rules import push

READINGS = """
local _, readings = debug.getupvalue(require('claude_ide.diagnostics').finish, 1)
return vim.tbl_count(readings)
"""


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


class Standing(Busy):
    """An editor port that answers at once; but first this process stands still for a while."""

    def call(self, function: str, *_arguments: Any) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        part = {"token": 1, "files": [], "done": True}
        given = {**part, "first": part} if ".read" in function else ["/now"]

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
    editor.state.diagnostics["file:///a.py"] = Diagnostics()

    assert await editor.folders() == ["/now"]
    assert await editor.all_diagnostics(1.0) == {}


class Late(chats_here.TestedNeovim):
    """The port to a Neovim whose answer with the first diagnostics arrives late."""

    def __init__(self, nvim: Neovim) -> None:
        super().__init__(nvim)
        self.may_answer = asyncio.Event()

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        answer = super().json(function, *arguments)
        return asyncio.ensure_future(self._later(answer)) if ".read" in function else answer

    async def _later(self, answer: "asyncio.Future[Any]") -> Any:
        result = await answer
        await self.may_answer.wait()
        return result


async def no_reading(nvim: Neovim) -> None:
    await until(lambda: _is_zero(nvim), "no reading is kept")


async def _is_zero(nvim: Neovim) -> bool:
    return bool(await nvim.lua(READINGS) == 0)


@pytest.mark.parametrize("function", ["diagnostics", "before_write", "check"])
async def test_a_reading_that_begins_too_late_is_ended(
    nvim: Neovim, tmp_path: Path, function: str
) -> None:
    await push(nvim)
    await nvim.lua(SET_MANY, await edit(nvim, tmp_path / "a.txt"), 1200)
    port = Late(nvim)
    arguments = (1.0,) if function == "check" else ()
    with contextlib.suppress(TimeoutError):
        await getattr(Editor(port), function)(str(tmp_path / "a.txt"), *arguments)
    assert await nvim.lua(READINGS) == 1

    port.may_answer.set()

    await no_reading(nvim)


async def test_a_reading_whose_caller_gives_up_is_ended(nvim: Neovim, tmp_path: Path) -> None:
    await push(nvim)
    await nvim.lua(SET_MANY, await edit(nvim, tmp_path / "a.txt"), 4000)
    editor = Editor(chats_here.TestedNeovim(nvim))
    reading = asyncio.create_task(editor.diagnostics(str(tmp_path / "a.txt")))
    await until(lambda: nvim.lua(READINGS), "the reading has begun")

    reading.cancel()

    await no_reading(nvim)
