"""Code that waits for the user in the Neovim under test, and kernels for it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support.model_tools import ModelTools
from support.neovim import ROOT, Neovim, until

ENVIRONMENT = ROOT / ".cache/jupyter/env"
"""An environment with ipykernel and matplotlib."""

SECONDS = 60.0
"""How long a kernel may take to start on a busy machine."""


async def begin(tools: ModelTools, code: str, **more: Any) -> int:
    """Have code run, without waiting; return the id of the request."""
    return await tools.client.begin("execute_code", code=code, **more)


async def read(tools: ModelTools) -> Any:
    """Return the result of the oldest call."""
    output = tools.client.process.stdout
    assert output is not None
    line = await asyncio.wait_for(output.readline(), SECONDS)
    answer = json.loads(line)
    assert "result" in answer, answer
    return answer["result"]


async def ran(tools: ModelTools, code: str, **more: Any) -> str:
    """Run code that needs no question any more; return the first text of the answer."""
    await begin(tools, code, **more)
    text: str = (await read(tools))["content"][0]["text"]
    return text


async def asked(nvim: Neovim, text: str = "") -> None:
    """Wait until code with this text is shown to the user, and accepts keys."""

    async def shown() -> bool:
        there = await nvim.eval("&modifiable && bufname() =~# '^Code ('")
        return bool(there and text in "\n".join(await nvim.eval("getline(1, '$')")))

    await until(shown, f"the question about {text!r}", SECONDS)


async def closed(nvim: Neovim) -> None:
    """Wait until the window with the code is gone."""
    await until(lambda: nvim.eval("winnr('$') == 1 && bufname() !~# '^Code ('"), "no question")


async def allowed(nvim: Neovim, tools: ModelTools, code: str) -> str:
    """Have code run, allow it and all further code, and return its first text."""
    await begin(tools, code)
    await asked(nvim, code)
    await nvim.keys("gA")
    text: str = (await read(tools))["content"][0]["text"]
    await closed(nvim)
    return text


async def pid(nvim: Neovim, tools: ModelTools) -> int:
    """Return the id of the kernel's process."""
    text = await allowed(nvim, tools, "import os; os.getpid()")
    return int(text.removeprefix("[value]\n"))


def runs(process: int) -> bool:
    """Return whether a process runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def record(nvim: Neovim) -> str:
    """Return the text of the kernel buffer."""
    return "\n".join(await nvim.eval("getbufline(bufnr('^Claude kernel$'), 1, '$')"))


def use_environment(project: Path) -> None:
    """Make `ENVIRONMENT` the project's own, or skip the test."""
    if not (ENVIRONMENT / "bin/python").is_file():
        pytest.skip("ipykernel is not installed (make jupyter installs it)")
    (project / ".venv").symlink_to(ENVIRONMENT)
