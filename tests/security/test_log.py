"""The log under a flood: of limited size, private, and without losing important lines."""

import asyncio
import resource
import stat
from pathlib import Path

import pytest

from support.claude_code import claude_code, the_lock
from support.either_editor import BOTH, Editor, run
from support.handshake import handshake, status
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH


@pytest.fixture
async def log(nvim: Editor, config_folder: Path) -> Path:
    """The log, with the host's and the editor's lines about the start of the server."""
    await nvim.command("ClaudeStart")
    await the_lock(config_folder)
    path = Path(await run(nvim, "messages.log.path"))

    def has_started() -> bool:
        text = path.read_text() if path.exists() else ""
        return "listening on" in text and "ready (" in text

    await until(has_started, "the log")
    return path


async def append(nvim: Editor, line: str) -> None:
    """Append a line to the log, as an installation does."""
    if isinstance(nvim, Vim):
        await nvim.command(f"call claude_ide#messages#log#Append(['{line}'])")
    else:
        await nvim.lua("require('claude_ide.messages.log').appender()(... .. '\\n')", line)


async def test_the_log_is_readable_only_by_its_owner(log: Path) -> None:
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700


async def test_refused_handshakes_do_not_crowd_out_important_lines(
    nvim: Editor, log: Path, tmp_path: Path
) -> None:
    port, _ = await the_lock(tmp_path / "home/claude")
    for _ in range(300):
        assert await status(port, handshake(port, "guessed")) == 401

    refused = [line for line in log.read_text().splitlines() if "refused a client" in line]
    assert len(refused) == 1
    assert "listening on" in log.read_text()
    await nvim.command("ClaudeStatus")


async def test_a_host_without_free_file_descriptors_logs_it_only_briefly(
    nvim: Editor, log: Path, tmp_path: Path
) -> None:
    port, lock = await the_lock(tmp_path / "home/claude")
    most = len(list(Path(f"/proc/{lock['hostPid']}/fd").iterdir())) + 3
    _, hard = resource.prlimit(lock["hostPid"], resource.RLIMIT_NOFILE)
    resource.prlimit(lock["hostPid"], resource.RLIMIT_NOFILE, (most, hard))
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
    await until(lambda: "accept" in log.read_text(), "the error is logged")
    for _, writer in connections:
        writer.close()
    resource.prlimit(lock["hostPid"], resource.RLIMIT_NOFILE, (hard, hard))

    async with claude_code(tmp_path / "home/claude") as client:
        assert await client.request("ping") == {}
    assert log.stat().st_size < 200_000


async def test_the_output_of_an_installation_also_rotates_the_log(nvim: Editor, log: Path) -> None:
    log.write_text("x" * 999_990)

    await append(nvim, "installing")

    assert log.read_text() == "installing\n"
    assert log.with_name("claude_ide.1.log").stat().st_size == 999_990
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["link", "fifo"])
async def test_a_log_that_is_no_regular_file_is_not_written_and_blocks_nothing(
    nvim: Editor, log: Path, tmp_path: Path, kind: str
) -> None:
    log.unlink()
    if kind == "link":
        log.symlink_to(tmp_path / "target")
    else:
        run = await asyncio.create_subprocess_exec("mkfifo", log)
        await run.wait()

    await append(nvim, "x")

    assert not (tmp_path / "target").exists()
    assert await nvim.eval("1") == 1
