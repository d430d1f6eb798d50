"""Runs the demo: `python -I …/demo`, in a terminal of a Neovim with a running server."""

import asyncio
import contextlib
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from claude_ide.demo.page import Page
from claude_ide.demo.session import Session


async def main() -> None:
    """Run until the user quits or the terminal is closed."""
    session = asyncio.create_task(Session(Page()).run())
    # Close the connection properly when the terminal is closed.
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, session.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await session


if not sys.stdin.isatty():
    sys.exit("the demo has no model; `make try CLAUDE=1` runs the real claude")
asyncio.run(main())
