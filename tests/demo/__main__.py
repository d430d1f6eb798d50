"""A small scripted stand-in for Claude Code, for `make try` without an account.

`python -I tests/demo` runs it, in a terminal of a Neovim with a running server.

With the CLI's options for chats and one-off requests it answers those, from a script.
"""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from demo import question, talk
from demo.page import Page, without_flow_control
from demo.session import Session


async def main() -> None:
    """Run until the user quits or the terminal is closed."""
    session = asyncio.create_task(Session(Page()).run())
    # Close the connection properly when the terminal is closed.
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, session.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await session


arguments = sys.argv[1:]
if "-p" in arguments:
    question.main(arguments)
elif "--input-format" in arguments:
    asyncio.run(talk.main(arguments))
elif os.isatty(0):
    with without_flow_control():
        asyncio.run(main())
else:
    sys.exit("the demo needs a terminal, or the options of a chat or a question")
