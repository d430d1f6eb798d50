"""The answers of all tools in a hostile project: bounded, valid, and never an internal error."""

import json
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.tool import MODEL_TOOLS
from support.chunks import chunk
from support.model_tools import ModelTools
from support.neovim import Neovim
from support.tool_calls import calls

LARGEST = 25_000

LONG = b"local " + b"x" * 200_000 + b" = 1\n"
CONTROLS = b"local one = '" + bytes(range(1, 10)) + b"\x0b\x0c\x1b]0;title\x07\x9b31m\x7f'\n"
INVALID = b"local one = '\xff\xfe\xc0\x80\xed\xa0\x80 \xf5 ok'\n"
MANY = b"".join(b"local function one_%d() return %d end\n" % (n, n) for n in range(10_000))

TEXTS = {
    "a.lua": b"local one = 1\n",
    "long.lua": LONG,
    "controls.lua": CONTROLS,
    "invalid.lua": INVALID,
    "many.lua": MANY,
    "two\nlines.lua": b"local one = 1\n" * 3,
    "per%cent #1 $HOME.lua": b"local one = 1\n",
    "\x1b]0;x\x07.lua": b"local one = 1\n",
    "empty.lua": b"",
}


@pytest.fixture
async def hostile(serving: Neovim, project: Path) -> list[Path]:
    """Open files, lists and registers that are as unpleasant as they can be."""
    for name, content in TEXTS.items():
        (project / name).write_bytes(content)
    paths = [project / name for name in TEXTS]
    await serving.lua(chunk("model_tools/hostile"), [str(path) for path in paths])
    return paths


def largest(name: str) -> dict[str, Any]:
    """Return arguments with which a tool answers as much as it can."""
    properties = MODEL_TOOLS[name].describe()["inputSchema"].get("properties", {})
    wanted = {"limit": 1000, "newer": 1}
    if "limit" in properties:
        wanted["limit"] = properties["limit"].get("maximum", 1000)
    return {key: value for key, value in wanted.items() if key in properties}


async def test_no_answer_is_too_long_or_invalid(tools: ModelTools, hostile: list[Path]) -> None:
    wrong = []
    for path in hostile:
        for name, arguments in calls(path).items():
            if MODEL_TOOLS[name].asks_user or name == "save_file":
                continue
            answer = await tools.client.request(
                "tools/call", {"name": name, "arguments": {**arguments, **largest(name)}}
            )
            if "result" not in answer:
                wrong.append(f"{name} {path.name!r}: {answer['error']}")
                continue
            size = len(answer["result"]["content"][0]["text"])
            if size > LARGEST:
                wrong.append(f"{name} {path.name!r}: {size}")
            json.dumps(answer).encode()
    assert not wrong, "\n".join(wrong)
