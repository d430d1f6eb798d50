"""Kernels that other programs have started: which are found, and what happens to them."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.chunks import chunk
from support.either_editor import choose, on_screen
from support.kernels import (
    ENVIRONMENT,
    SECONDS,
    allowed,
    asked,
    begin,
    closed,
    pid,
    ran,
    read,
    runs,
)
from support.model_tools import ModelTools
from support.neovim import Neovim, until

WAIT = """
import sys
from jupyter_client import BlockingKernelClient

client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()
client.wait_for_ready(timeout=60)
"""
"""Waits until a kernel answers."""


@pytest.fixture
async def running(tmp_path: Path, project: Path) -> AsyncIterator[Path]:
    """The connection file of a kernel that another program has started."""
    file = tmp_path / "home/data/jupyter/runtime/kernel-other.json"
    file.parent.mkdir(parents=True)
    process = await asyncio.create_subprocess_exec(
        *(ENVIRONMENT / "bin/python", "-m", "ipykernel_launcher", "-f", file),
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await until(file.exists, "it runs", SECONDS)
    waiting = await asyncio.create_subprocess_exec(ENVIRONMENT / "bin/python", "-c", WAIT, file)
    assert await asyncio.wait_for(waiting.wait(), SECONDS) == 0
    yield file
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    await process.wait()


async def test_a_running_kernel_can_be_joined_and_goes_on_afterwards(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    (running.parent / "kernel-gone.json").write_text(running.read_text().replace("tcp", "ipc"))
    await serving.command("ClaudeKernel choose")
    await on_screen(serving, "running ", SECONDS)
    listed = serving.screen.text()
    assert "Python of project/.venv" in listed
    assert listed.count("running ") == 1
    await choose(serving, 2)
    await on_screen(serving, "code runs in running ", SECONDS)

    process = await pid(serving, tools)
    await serving.command("ClaudeKernel restart")
    await on_screen(serving, "this kernel was started elsewhere", SECONDS)
    await serving.command("ClaudeKernel stop")
    await on_screen(serving, "stopped: running ", SECONDS)

    assert runs(process)


async def test_code_in_a_joined_kernel_is_interrupted_too(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command(f"ClaudeKernel choose {running}")
    await on_screen(serving, "code runs in running ", SECONDS)
    await allowed(serving, tools, "import time")

    text = await ran(tools, "while True: time.sleep(0.1)", seconds=2)

    assert "KeyboardInterrupt" in text
    assert "[interrupted: the limit of 2 s was reached]" in text


async def test_a_joined_kernel_that_dies_is_replaced_by_the_projects_own(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command(f"ClaudeKernel choose {running}")
    await on_screen(serving, "code runs in running ", SECONDS)
    await allowed(serving, tools, "import os, sys")

    died = await ran(tools, "os.kill(os.getpid(), 9)")
    assert "[the kernel died: it does not answer any more" in died

    assert "NameError" in await ran(tools, "sys")
    await serving.command("ClaudeKernel status")
    await on_screen(serving, "idle: Python of project/.venv", SECONDS)


async def test_a_kernel_is_joined_by_the_beginning_of_its_id_and_by_a_path_of_neovims_folder(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command("ClaudeKernel choose oth")
    await on_screen(serving, "code runs in running ", SECONDS)

    await serving.command(f"cd {running.parent}")
    await serving.command("messages clear | redraw!")
    await serving.command(f"ClaudeKernel choose {running.name}")
    await on_screen(serving, "code runs in running ", SECONDS)


PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


@pytest.mark.parametrize(
    "content",
    ["[1", "[]", "{}", json.dumps(dict.fromkeys(PORTS, "x") | {"ip": "127.0.0.1"})],
    ids=["no JSON", "a list", "empty", "bad ports"],
)
async def test_a_file_that_describes_no_kernel_is_refused_and_the_kernel_stays(
    kernel: Path, project: Path, serving: Neovim, tools: ModelTools, content: str
) -> None:
    await allowed(serving, tools, "x = 5")
    (project / "bad.json").write_text(content)

    await serving.command("ClaudeKernel choose bad.json")

    await on_screen(serving, "connection file", SECONDS)
    assert await ran(tools, "x") == "[value]\n5"


async def test_a_kernel_that_does_not_answer_is_refused_and_the_kernel_stays(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "x = 5")
    gone = running.parent / "kernel-gone.json"
    gone.write_text(running.read_text().replace("tcp", "ipc"))

    await serving.command(f"ClaudeKernel choose {gone}")

    await on_screen(serving, "does not answer", SECONDS)
    assert await ran(tools, "x") == "[value]\n5"


async def test_choosing_nothing_says_nothing(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command("ClaudeKernel choose")
    await on_screen(serving, "Jupyter kernel:", SECONDS)
    await choose(serving, 0)
    await serving.command("ClaudeKernel status")

    await on_screen(serving, "no Jupyter kernel is running", SECONDS)
    assert "chosen" not in await serving.eval("execute('messages')")


async def test_beside_molten_the_user_chooses_whether_to_join(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.lua(chunk("jupyter/molten"), ["python3"])
    await begin(tools, "import os; os.getpid()")
    await on_screen(serving, "molten-nvim runs one for this file", SECONDS)
    await choose(serving, 1)
    await asked(serving)
    await on_screen(serving, ", not private (TCP)", SECONDS)
    await serving.keys(":w<CR>")
    assert "[value]" in (await read(tools))["content"][0]["text"]
    await closed(serving)


async def test_the_connection_file_that_molten_uses_is_offered_first(
    kernel: Path, running: Path, serving: Neovim, project: Path, tools: ModelTools
) -> None:
    own = project / "deep.json"
    own.write_text(running.read_text())
    await serving.lua(chunk("jupyter/molten"), [str(own)])
    await begin(tools, "1 + 1")
    await on_screen(serving, "molten-nvim runs one for this file", SECONDS)
    await choose(serving, 1)
    await asked(serving)
    await serving.keys(":w<CR>")
    await read(tools)

    await serving.command("ClaudeKernel status")

    await on_screen(serving, "deep.json", SECONDS)
