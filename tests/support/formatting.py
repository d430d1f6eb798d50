"""Reformatting files in an editor under test."""

import asyncio
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from claude_ide.base.errors import EditorError
from claude_ide.editor.editor import Editor
from claude_ide.editor.formatting import Formatting
from claude_ide.editor.port.binding import Channel
from claude_ide.editor.vim import for_vim, from_vim
from support.answers import listen
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.either_editor import Editor as EitherEditor
from support.either_editor import run
from support.neovim import WAIT_SECONDS
from support.pocket import PocketChannel
from support.vim import Vim, VimError

UNTIDY = "one  \ntwo\nthree \t\n"
TIDY = "one\ntwo\nthree\n"
STRIP = r"sed 's/[ \t]*$//'"
UNTIL_GO = "until [ -e go ]; do sleep 0.01; done"
"""Lets a formatter wait for a file `go`: a pipe would hold the test if the formatter has ended."""


def write(path: Path, text: str = UNTIDY) -> Path:
    """Write a text with its line ends unchanged."""
    path.write_bytes(text.encode())
    return path


def read(path: Path) -> str:
    """Read a text with its line ends unchanged."""
    return path.read_bytes().decode()


async def set_option(editor: EitherEditor, name: str, value: str, scope: str = "") -> None:
    """Set an option as `:set` does; only the local value with the scope `l:`."""
    await editor.call("setbufvar", 1, "given", value)
    await editor.command(f"let &{scope}{name} = getbufvar(1, 'given')")


_formatting: WeakKeyDictionary[
    EitherEditor, tuple[Editor, Formatting, dict[str, asyncio.Task[str]]]
]
_formatting = WeakKeyDictionary()


def _of(editor: EitherEditor) -> tuple[Formatting, dict[str, "asyncio.Task[str]"]]:
    """Return what formats in an editor as its host, and what is being formatted, by token."""
    return _formatting[editor][1:]


async def _begin(editor: EitherEditor) -> None:
    """Have an editor send its events to this test."""
    if editor not in _formatting:
        host = Editor(_channel(editor))
        _formatting[editor] = host, host.formatting, {}

        def receive(name: str, given: Any) -> None:
            if name == EVENT and given[0] == "answered":
                host.events.dispatch(*given)
            elif name == "answered":
                host.events.dispatch(name, from_vim(given))

        editor.notifications = Notifications(receive)
        await listen(editor)


def _channel(editor: EitherEditor) -> Channel:
    if not isinstance(editor, Vim):
        return TestedNeovim(editor)

    async def answer(function: str, *arguments: Any) -> Any:
        try:
            return from_vim(await run(editor, function, *for_vim(arguments)))
        except VimError as error:
            raise EditorError(str(error)) from None

    return PocketChannel(answer, lambda *call: asyncio.ensure_future(answer(*call)))


async def start(editor: EitherEditor, path: Path, token: str = "it") -> None:
    """Start to reformat a file."""
    await _begin(editor)
    formatting, running = _of(editor)
    running[token] = asyncio.create_task(formatting.reformat(str(path)))
    # Until the buffer is there and the first formatter may have been started.
    await editor.idle(50)


async def answer(editor: EitherEditor, token: str = "it") -> Any:
    """Wait for the answer to `start`: `ok`, and `report` or `error`."""
    try:
        found = await asyncio.wait_for(_of(editor)[1].pop(token), WAIT_SECONDS)
    except EditorError as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True, "report": found}


async def is_over(editor: EitherEditor, token: str = "it") -> bool:
    """Return whether there is an answer to `start`."""
    return _of(editor)[1][token].done()


async def reformat(editor: EitherEditor, path: Path, token: str = "it") -> Any:
    """Reformat a file, and return the answer."""
    await start(editor, path, token)
    return await answer(editor, token)


async def report(editor: EitherEditor, token: str = "it") -> str:
    """Wait for a successful answer to `start`, and return its report."""
    result = await answer(editor, token)
    assert result["ok"], result["error"]
    return str(result["report"])


async def succeed(editor: EitherEditor, path: Path) -> str:
    """Reformat a file successfully, and return the report."""
    await start(editor, path)
    return await report(editor)


async def fail(editor: EitherEditor, path: Path) -> str:
    """Fail to reformat a file, and return the error."""
    await start(editor, path)
    result = await answer(editor)
    assert not result["ok"], result["report"]
    return str(result["error"])
