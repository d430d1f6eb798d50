"""Which kernel runs the code, and `:ClaudeKernel`."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.kernels import ENVIRONMENT, SECONDS, asked, begin, closed, ran, read, use_environment
from support.model_tools import ModelTools
from support.neovim import Neovim, until


async def allowed(nvim: Neovim, tools: ModelTools, code: str) -> str:
    """Have code run, allow it and all further code, and return its first text."""
    await begin(tools, code)
    await asked(nvim, code)
    await nvim.keys("gA")
    text: str = (await read(tools))["content"][0]["text"]
    await closed(nvim)
    return text


async def on_screen(nvim: Neovim, words: str) -> None:
    await until(lambda: words in nvim.screen.text(), words, SECONDS)


async def pid(nvim: Neovim, tools: ModelTools) -> int:
    """Return the id of the kernel's process."""
    text = await allowed(nvim, tools, "import os; os.getpid()")
    return int(text.removeprefix("[value]\n"))


async def test_a_kernel_that_dies_is_reported_and_another_one_starts(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    first = await pid(serving, tools)

    died = await ran(tools, "print('a', flush=True); os.kill(os.getpid(), 9)")
    assert "[the kernel died: signal 9" in died
    assert "Its variables are lost" in died

    assert await ran(tools, "import os; os.getpid()") != f"[value]\n{first}"


async def test_a_restarted_kernel_has_no_variables(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "x = 1")

    await serving.command("ClaudeKernel restart")
    await on_screen(serving, "restarted: Python of project/.venv")

    assert "NameError" in await ran(tools, "x")


async def test_a_restart_ends_what_runs(kernel: Path, serving: Neovim, tools: ModelTools) -> None:
    await allowed(serving, tools, "import time")
    await begin(tools, "while True: time.sleep(0.1)")
    await until(lambda: _is_busy(serving), "it runs", SECONDS)

    await serving.command("ClaudeKernel restart")

    assert "the user has ended it" in (await read(tools))["content"][0]["text"]
    assert "NameError" in await ran(tools, "time.time()")


async def test_the_user_interrupts_what_runs(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "import time")
    await begin(tools, "print('begun', flush=True)\nwhile True: time.sleep(0.1)")
    await until(lambda: _is_busy(serving), "it runs", SECONDS)

    await serving.command("ClaudeKernel interrupt")

    text = (await read(tools))["content"][0]["text"]
    assert "KeyboardInterrupt" in text
    assert text.endswith("[the user interrupted it]")


async def _is_busy(nvim: Neovim) -> bool:
    await nvim.command("ClaudeKernel status")
    return "busy: " in nvim.screen.text()


async def test_a_stopped_kernel_is_gone(kernel: Path, serving: Neovim, tools: ModelTools) -> None:
    process = await pid(serving, tools)

    await serving.command("ClaudeKernel stop")

    await on_screen(serving, "stopped: Python of project/.venv")
    await until(lambda: not _runs(process), "it has ended")


async def test_the_kernel_ends_with_neovim(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    process = await pid(serving, tools)

    serving.process.kill()

    await until(lambda: not _runs(process), "it has ended")


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_the_kernel_of_a_folder_that_is_not_trusted_runs_only_if_the_user_says_so(
    serving: Neovim, project: Path, tools: ModelTools
) -> None:
    use_environment(project)
    await begin(tools, "open('made', 'w')")
    await on_screen(serving, "runs programs of a folder that you have not trusted")
    await serving.keys("2<CR>")

    result = await read(tools)

    assert result["isError"] is True
    assert "does not let the kernel of this folder run" in result["content"][0]["text"]
    assert not (project / "made").exists()


async def test_without_any_kernel_the_model_reads_what_to_install(
    serving: Neovim, tools: ModelTools
) -> None:
    reason = await tools.error("execute_code", code="1")

    assert "No Jupyter kernel was found: install ipykernel" in reason


async def test_a_notebook_runs_in_the_kernel_that_it_names(
    kernel: Path, serving: Neovim, project: Path, tmp_path: Path, tools: ModelTools
) -> None:
    specs = tmp_path / "home/data/jupyter/kernels/mine"
    specs.mkdir(parents=True)
    command = [str(ENVIRONMENT / "bin/python"), "-m", "ipykernel_launcher", "-f"]
    spec = {"argv": [*command, "{connection_file}"], "display_name": "My own", "language": "python"}
    (specs / "kernel.json").write_text(json.dumps(spec | {"env": {"MINE": "yes"}}))
    notebook = project / "deep" / "a.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(json.dumps({"cells": [], "metadata": {"kernelspec": {"name": "mine"}}}))
    await serving.command(f"edit {notebook}")

    await begin(tools, "import os; print(os.environ['MINE'], os.getcwd())")
    await asked(serving)
    assert "tester asks to run this in My own" in serving.screen.text()
    await serving.keys(":w<CR>")

    text = (await read(tools))["content"][0]["text"]
    assert text == f"yes {notebook.parent}"


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
    yield file
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    await process.wait()


async def test_a_running_kernel_can_be_joined_and_goes_on_afterwards(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    (running.parent / "kernel-gone.json").write_text(running.read_text().replace("tcp", "ipc"))
    await serving.command("ClaudeKernel choose")
    await on_screen(serving, "running ")
    listed = serving.screen.text()
    assert "Python of project/.venv" in listed
    assert listed.count("running ") == 1
    await serving.keys("2<CR>")
    await on_screen(serving, "code runs in running ")

    process = await pid(serving, tools)
    await serving.command("ClaudeKernel restart")
    await on_screen(serving, "this kernel was started elsewhere")
    await serving.command("ClaudeKernel stop")
    await on_screen(serving, "stopped: running ")

    assert _runs(process)


async def test_code_in_a_joined_kernel_is_interrupted_too(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command(f"ClaudeKernel choose {running}")
    await on_screen(serving, "code runs in running ")
    await allowed(serving, tools, "import time")

    text = await ran(tools, "while True: time.sleep(0.1)", seconds=2)

    assert "KeyboardInterrupt" in text
    assert "[interrupted: the limit of 2 s was reached]" in text


async def test_a_joined_kernel_that_dies_is_replaced_by_the_projects_own(
    kernel: Path, running: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command(f"ClaudeKernel choose {running}")
    await on_screen(serving, "code runs in running ")
    await allowed(serving, tools, "import os, sys")

    died = await ran(tools, "os.kill(os.getpid(), 9)")
    assert "[the kernel died: it does not answer any more" in died

    assert "NameError" in await ran(tools, "sys")
    await serving.command("ClaudeKernel status")
    await on_screen(serving, "idle: Python of project/.venv")
