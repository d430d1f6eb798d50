"""Which kernel runs the code, and `:ClaudeKernel`."""

import json
import os
import signal
from pathlib import Path

from support.either_editor import choose, on_screen
from support.kernels import (
    ENVIRONMENT,
    SECONDS,
    allowed,
    asked,
    begin,
    pid,
    ran,
    read,
    record,
    runs,
    use_environment,
)
from support.model_tools import ModelTools
from support.neovim import Neovim, until


async def test_a_kernel_that_dies_is_reported_and_another_one_starts(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    first = await pid(serving, tools)

    died = await ran(tools, "print('a', flush=True); os.kill(os.getpid(), 9)")
    assert "[the kernel died: signal 9" in died
    assert "Its variables are lost" in died
    assert "its last output" not in died

    assert await ran(tools, "import os; os.getpid()") != f"[value]\n{first}"


async def test_a_kernel_that_died_meanwhile_is_replaced_and_this_is_said(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    process = await pid(serving, tools)

    os.kill(process, signal.SIGKILL)
    await until(lambda: _is(serving, "dead"), "it is dead", SECONDS)
    await begin(tools, "1 + 1")
    first, second = [block["text"] for block in (await read(tools))["content"]]

    assert "the kernel had died; this is a new one" in first
    assert second == "[value]\n2"
    assert "the kernel had died; this is a new one" in await record(serving)
    assert await ran(tools, "1 + 2") == "[value]\n3"


async def test_a_restarted_kernel_has_no_variables(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "x = 1")

    await serving.command("ClaudeKernel restart")
    await on_screen(serving, "restarted: Python of project/.venv", SECONDS)

    assert "NameError" in await ran(tools, "x")


async def test_a_restart_ends_whatruns(kernel: Path, serving: Neovim, tools: ModelTools) -> None:
    await allowed(serving, tools, "import time")
    await begin(tools, "while True: time.sleep(0.1)")
    await until(lambda: _is(serving, "busy"), "it runs", SECONDS)

    await serving.command("ClaudeKernel restart")

    assert "the user has ended it" in (await read(tools))["content"][0]["text"]
    assert "NameError" in await ran(tools, "time.time()")


async def test_progress_says_that_the_code_runs(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "import time")
    arguments = {"code": "while True: time.sleep(0.1)"}
    call = {"name": "execute_code", "arguments": arguments, "_meta": {"progressToken": 7}}

    await tools.client.send("tools/call", call, id=99)
    progress = await tools.client.read()

    assert progress["params"]["message"] == "running the code"
    await serving.command("ClaudeKernel interrupt")
    await until(lambda: _is(serving, "idle"), "it has ended", SECONDS)


async def test_the_user_interrupts_whatruns(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await allowed(serving, tools, "import time")
    await begin(tools, "print('begun', flush=True)\nwhile True: time.sleep(0.1)")
    await until(lambda: _is(serving, "busy"), "it runs", SECONDS)

    await serving.command("ClaudeKernel interrupt")

    text = (await read(tools))["content"][0]["text"]
    assert "KeyboardInterrupt" in text
    assert text.endswith("[the user interrupted it]")


async def _is(nvim: Neovim, state: str) -> bool:
    await nvim.command("ClaudeKernel status")
    return f"{state}: " in nvim.screen.text()


async def test_a_stopped_kernel_is_gone(kernel: Path, serving: Neovim, tools: ModelTools) -> None:
    process = await pid(serving, tools)

    await serving.command("ClaudeKernel stop")

    await on_screen(serving, "stopped: Python of project/.venv", SECONDS)
    await until(lambda: not runs(process), "it has ended")


async def test_the_kernel_ends_with_neovim(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    process = await pid(serving, tools)

    serving.process.kill()

    await until(lambda: not runs(process), "it has ended")


async def test_the_kernel_of_a_folder_that_is_not_trusted_runs_only_if_the_user_says_so(
    serving: Neovim, project: Path, tools: ModelTools
) -> None:
    use_environment(project)
    await begin(tools, "open('made', 'w')")
    await on_screen(serving, "runs programs of a folder that you have not trusted", SECONDS)
    await choose(serving, 2)

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
    await on_screen(serving, "tester asks to run this in My own", SECONDS)
    await serving.keys(":w<CR>")

    text = (await read(tools))["content"][0]["text"]
    assert text == f"yes {notebook.parent}"
