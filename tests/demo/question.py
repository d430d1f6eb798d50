"""The demo's answers to one-off requests: `:ClaudeAsk`, `:ClaudeEdit`, `:ClaudeCommit`."""

import argparse
import json
import re
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from demo import frames, scratch
from demo.frames import Stream

SECONDS = 0.02
"""Between two pieces of the answer."""

MARKED = re.compile(r"<rewrite>\n(.*)\n</rewrite>", re.DOTALL)
SUMMARY = re.compile(r"<summary>\n\s*(\S+)", re.DOTALL)

ANSWER = """\
I am a demo, a script **without a model**, so I cannot understand a question. About `shop.py`, I \
know {known}

`:ClaudeEdit` proposes other lines, `:ClaudeCommit` writes a commit message.
"""


def answer(arguments: list[str], prompt: str) -> None:
    """Answer the prompt in the form that the command line asks for."""
    options = _options(arguments)
    stream = Stream(str(uuid.uuid4()))
    if options.json_schema:
        value = _value(prompt)
        return frames.write(stream.result(json.dumps(value), structured_output=value))
    if options.output_format == "json":
        return frames.write(stream.result(_words()))
    block = stream.block({"type": "text", "text": _words()})
    frames.write(stream.init("demo", "default"), *block.begin())
    for frame in block.pieces():
        frames.write(frame)
        time.sleep(SECONDS)  # noqa: TID251  a person reads along
    frames.write(block.whole(), *block.end(), stream.result(_words()))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output-format", default="text")
    parser.add_argument("--json-schema", default="")
    return parser.parse_known_args(arguments)[0]


def _words() -> str:
    shop = Path("shop.py")
    ideas = scratch.ideas(shop.read_text(encoding="utf-8")) if shop.is_file() else []
    known = "".join(f"\n- {idea.reason}" for idea in ideas)
    return ANSWER.format(known=f"this:\n{known}" if known else "nothing more.")


def _value(prompt: str) -> dict[str, Any]:
    if marked := MARKED.search(prompt):
        # One line feed at the end is not a line of its own.
        return {"replacement": f"{scratch.improved(marked[1])}\n"}
    changed = SUMMARY.search(prompt)
    name = changed[1] if changed else "the shop"
    return {"message": scratch.MESSAGES.get(name, f"Change {name}")}


def main(arguments: list[str]) -> None:
    """Read the prompt and answer it."""
    answer(arguments, sys.stdin.read())
