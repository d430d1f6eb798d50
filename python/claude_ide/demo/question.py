"""The demo's answers to one-off requests: `:ClaudeAsk`, `:ClaudeEdit`, `:ClaudeCommit`."""

import argparse
import json
import re
import sys
import time
import uuid
from typing import Any

from claude_ide.demo import frames, scratch
from claude_ide.demo.frames import Stream

SECONDS = 0.02
"""Between two pieces of the answer."""

MARKED = re.compile(r"<rewrite>\n(.*)\n</rewrite>", re.DOTALL)
SUMMARY = re.compile(r"<summary>\n\s*(\S+)", re.DOTALL)

ANSWER = """\
This is a demo without a model, so the answer is always the same.

`total()` in `shop.py` adds up prices, and subtracts a discount in percent:

- `sum = price` **replaces** the sum by each price: it should be `sum += price`.
- `discount == None` should be `discount is None`.

Try `:ClaudeEdit` on the loop, and `:ClaudeCommit`: something is staged.
"""


def answer(arguments: list[str], prompt: str) -> None:
    """Answer the prompt in the form that the command line asks for."""
    options = _options(arguments)
    stream = Stream(str(uuid.uuid4()))
    if options.json_schema:
        value = _value(prompt)
        return frames.write(stream.result(json.dumps(value), structured_output=value))
    if options.output_format == "json":
        return frames.write(stream.result(ANSWER))
    block = stream.block({"type": "text", "text": ANSWER})
    frames.write(stream.init("demo", "default"), *block.begin())
    for frame in block.pieces():
        frames.write(frame)
        time.sleep(SECONDS)  # noqa: TID251  a person reads along
    frames.write(block.whole(), *block.end(), stream.result(ANSWER))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output-format", default="text")
    parser.add_argument("--json-schema", default="")
    return parser.parse_known_args(arguments)[0]


def _value(prompt: str) -> dict[str, Any]:
    if marked := MARKED.search(prompt):
        return {"replacement": scratch.improved(marked[1])}
    changed = SUMMARY.search(prompt)
    name = changed[1] if changed else "the shop"
    return {"message": scratch.MESSAGES.get(name, f"Change {name}")}


def main(arguments: list[str]) -> None:
    """Read the prompt and answer it."""
    answer(arguments, sys.stdin.read())
