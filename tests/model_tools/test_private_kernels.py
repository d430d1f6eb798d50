"""A kernel belongs to its user: nobody else reaches it, and no folder runs code as it starts."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from support.either_editor import choose, on_screen
from support.kernels import ENVIRONMENT, SECONDS, allowed, asked, begin, closed, pid, ran, read
from support.model_tools import ModelTools
from support.neovim import Neovim

CONNECT = """
import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])
"""
IPYTHON = "get_ipython()"
OWN_INBOX = f"{IPYTHON}.kernel.iopub_thread._pipe_port"
"""The port at which ipykernel collects what its own forked processes print; it sends nothing."""

PLANTED = ("ipykernel_launcher", "runpy", "json", "random", "sitecustomize", "usercustomize")


def user_spec(tmp_path: Path, name: str, program: str, **more: object) -> None:
    """Give the user a kernelspec that runs the test's ipykernel."""
    folder = tmp_path / "home/data/jupyter/kernels" / name
    folder.mkdir(parents=True)
    command = [program, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": f"The {name}", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec | more))


@pytest.fixture
def own_spec(tmp_path: Path) -> None:
    """A kernelspec of the user's own."""
    if not (ENVIRONMENT / "bin/python").is_file():
        pytest.skip("ipykernel is not installed (make jupyter installs it)")
    user_spec(tmp_path, "mine", str(ENVIRONMENT / "bin/python"))


def ports(process: int) -> set[int]:
    """Return the ports of TCP at which a process listens."""
    inodes = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        target = str(descriptor.readlink())
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    lines = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return {int(row[1][-4:], 16) for row in rows if row[3] == "0A" and row[9] in inodes}


def connected(path: Path, user: str | None = None) -> bytes:
    """Connect to a socket as a user, and return the error."""
    command = ["/usr/bin/python3", "-c", CONNECT, str(path)]
    return subprocess.run(command, check=False, user=user, capture_output=True).stderr


async def test_other_users_cannot_reach_a_kernel(
    kernel: Path, serving: Neovim, tmp_path: Path, tools: ModelTools
) -> None:
    process = await pid(serving, tools)
    inbox = int((await ran(tools, OWN_INBOX)).removeprefix("[value]\n"))

    (file,) = (tmp_path / "home/data/jupyter/runtime").glob("kernel-*.json")
    given = json.loads(file.read_text())
    sockets = Path(given["ip"]).parent
    channels = sorted(sockets.glob("s-*"))

    assert given["transport"] == "ipc"
    assert ports(process) <= {inbox}
    assert len(channels) == 5
    assert all(stat.S_ISSOCK(each.stat().st_mode) for each in channels)
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if os.geteuid() == 0:
        assert connected(channels[0]) == b""
        assert b"PermissionError" in connected(channels[0], "nobody")

    await serving.command("ClaudeKernel stop")
    await on_screen(serving, "stopped: ", SECONDS)
    assert not sockets.exists()
    assert not file.exists()


async def test_the_users_kernel_runs_no_module_of_a_folder_as_it_starts(
    own_spec: None, serving: Neovim, project: Path, tools: ModelTools
) -> None:
    for name in PLANTED:
        source = f"open({str(project / f'ran-{name}')!r}, 'w')\nraise SystemExit('planted')\n"
        (project / f"{name}.py").write_text(source)
    (project / "own.py").write_text("VALUE = 7\n")

    await serving.command("ClaudeKernel choose mine")
    await on_screen(serving, "code runs in The mine", SECONDS)
    assert await allowed(serving, tools, "1 + 1") == "[value]\n2"

    assert await ran(tools, "import own; own.VALUE") == "[value]\n7"
    assert await ran(tools, "print(__import__('os').getcwd())") == str(project)
    assert "NameError" in await ran(tools, "os")
    assert [*project.glob("ran-*")] == []


async def test_relative_folders_of_the_import_path_are_those_of_the_project(
    own_spec: None, serving: Neovim, project: Path, tmp_path: Path, tools: ModelTools
) -> None:
    (project / "src").mkdir()
    (project / "src/deep.py").write_text("VALUE = 8\n")
    user_spec(tmp_path, "with-path", str(ENVIRONMENT / "bin/python"), env={"PYTHONPATH": "src"})

    await serving.command("ClaudeKernel choose with-path")
    await on_screen(serving, "code runs in The with-path", SECONDS)

    assert await allowed(serving, tools, "import deep; deep.VALUE") == "[value]\n8"


async def test_the_only_kernel_is_named_by_the_question_about_the_code_alone(
    own_spec: None, serving: Neovim, tools: ModelTools
) -> None:
    await begin(tools, "1 + 1")
    await asked(serving)
    await on_screen(serving, "tester asks to run this in The mine", SECONDS)
    await serving.keys(":w<CR>")

    assert (await read(tools))["content"][0]["text"] == "[value]\n2"
    await closed(serving)


async def test_the_question_about_the_kernel_says_who_has_code_to_run(
    own_spec: None, serving: Neovim, tmp_path: Path, tools: ModelTools
) -> None:
    user_spec(tmp_path, "other", str(ENVIRONMENT / "bin/python"))
    await begin(tools, "1 + 1")
    await on_screen(serving, "Jupyter kernel for the code of tester:", SECONDS)
    await choose(serving, 2)
    await asked(serving)
    await on_screen(serving, "tester asks to run this in The other", SECONDS)
    await serving.keys(":q<CR>")


async def test_a_kernel_that_cannot_be_moved_starts_in_a_folder_only_if_the_user_says_so(
    own_spec: None, serving: Neovim, project: Path, tmp_path: Path, tools: ModelTools
) -> None:
    user_spec(tmp_path, "r", "/usr/bin/R-kernel", language="R", display_name="R")
    await serving.command("ClaudeKernel choose r")
    await on_screen(serving, "R, not private (TCP) may run files of a folder", SECONDS)
    await choose(serving, 2)
    await serving.command("ClaudeKernel status")

    await on_screen(serving, "no Jupyter kernel is running", SECONDS)
