"""Runs the app for Vim: forwards what Vim sends to it, until Vim ends.

The counterpart for Neovim is the remote plugin, which pynvim runs.
"""

import asyncio
import contextlib
import os
import signal
from typing import Any

from claude_ide import startup
from claude_ide.app import App
from claude_ide.commands import CommandCall, dispatch
from claude_ide.editor.port.events import PortHoldOpened
from claude_ide.editor.port.review import CalledAt
from claude_ide.editor.vim import Vim

ORPHAN_SECONDS = 1.0


def run() -> None:
    """Serve until Vim closes stdin or ends, or until a SIGTERM."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    source, output = _pipes()
    vim = Vim(loop)
    loop.run_until_complete(vim.open(output))
    app = App(loop, vim)

    def report(kind: str, name: str, *given: Any) -> None:
        if kind == "event":
            app.editor.events.dispatch(name, given[0])
            return
        arguments, lines, bang, at = given
        dispatch(
            app,
            name,
            CommandCall(arguments, (lines[0], lines[1]) if lines else None, bang, CalledAt(*at)),
        )

    def hold_port(event: PortHoldOpened) -> None:
        if app.serving is not None:
            startup.hold(event.path, app.serving.bound.socket)

    app.editor.events.subscribe(PortHoldOpened, hold_port)
    receiving = loop.create_task(vim.receive(source, report))
    orphaned = loop.create_task(_orphaned())
    orphaned.add_done_callback(lambda _: receiving.cancel())
    loop.add_signal_handler(signal.SIGTERM, receiving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        loop.run_until_complete(receiving)
    orphaned.cancel()
    loop.remove_signal_handler(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    app.end()


async def _orphaned() -> None:
    """Return when Vim has ended. Its later jobs have inherited the pipe, and may keep it open."""
    vim, ended = os.getppid(), asyncio.Event()
    try:
        asyncio.get_running_loop().add_reader(os.pidfd_open(vim), ended.set)
        await ended.wait()
    except (AttributeError, OSError):  # no Linux, or a sandbox
        while os.getppid() == vim:  # noqa: ASYNC110  nothing reports the end of a parent
            await asyncio.sleep(ORPHAN_SECONDS)


def _pipes() -> tuple[Any, Any]:
    """Return the pipes from and to Vim. What else is printed goes to stderr: it is no message."""
    output = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(os.dup(0), "rb", 0), os.fdopen(output, "wb", 0)
