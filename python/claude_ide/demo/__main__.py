"""Starts the demo: `python -I …/demo`, in a terminal of a Neovim whose server runs."""

import asyncio
import contextlib
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from claude_ide.demo.page import Page
from claude_ide.demo.session import Session


async def main() -> None:
    """Run until the user has enough, or the terminal is closed."""
    session = asyncio.create_task(Session(Page()).run())
    # The server is to see a client that leaves, not one that breaks off.
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, session.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await session


if not sys.stdin.isatty():
    sys.exit("the demo has no model; `make try CLAUDE=1` runs the real claude")
asyncio.run(main())
