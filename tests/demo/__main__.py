"""A small scripted stand-in for Claude Code, for `make try` without an account.

`python -I tests/demo` runs it, in a terminal of a Neovim with a running server. With the CLI's
options for chats and one-off requests it answers those.
"""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from demo import chat, question, terminal

parser = argparse.ArgumentParser()
parser.add_argument("-p", action="store_true")
parser.add_argument("--input-format")
parser.add_argument("--output-format")
parser.add_argument("--json-schema", default="")
parser.add_argument("--session-id", default="")
parser.add_argument("--permission-mode", default="")
options = parser.parse_known_args()[0]
# A reader of stdin cannot be cancelled.
signal.signal(signal.SIGINT, signal.SIG_DFL)
if options.p:
    question.answer(sys.stdin.read(), options.output_format, options.json_schema)
elif options.input_format:
    asyncio.run(chat.hold(options.session_id, options.permission_mode))
else:
    asyncio.run(terminal.run())
