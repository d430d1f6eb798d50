"""The demo's answers to one-off requests: `:ClaudeAsk`, `:ClaudeEdit`, `:ClaudeCommit`."""

import json
import re
import time
from pathlib import Path

from demo import scratch
from demo.frames import PIECE_SECONDS, Stream, write

MARKED = re.compile(r"<rewrite>\n(.*)\n</rewrite>", re.DOTALL)
ANSWER = """\
I am a demo, a script **without a model**, so I cannot understand a question. About `shop.py`, I \
know {known}

`:ClaudeEdit` proposes other lines, `:ClaudeCommit` writes a commit message.
"""


def answer(prompt: str, output_format: str | None, schema: str) -> None:
    """Answer a prompt in the form that the command line asks for."""
    stream = Stream("")
    if schema:
        marked = MARKED.search(prompt)
        # One line feed at the end is not a line of its own.
        rewritten = {"replacement": f"{scratch.improved(marked[1])}\n"} if marked else {}
        value = rewritten or {"message": scratch.MESSAGE}
        return write(stream.result(json.dumps(value), structured_output=value))
    shop = Path("shop.py")
    ideas = scratch.ideas(shop.read_text(encoding="utf-8")) if shop.is_file() else []
    known = "".join(f"\n- {idea.reason}" for idea in ideas)
    words = ANSWER.format(known=f"this:\n{known}" if known else "nothing more.")
    if output_format == "json":
        return write(stream.result(words))
    write(stream.init("default"))
    block = stream.block({"type": "text", "text": words})
    for frame in block.pieces():
        write(frame)
        time.sleep(PIECE_SECONDS)  # noqa: TID251  a person reads along
    write(*block.end(), stream.result(words))
