"""An open list of sessions follows what changes, and nothing is done while nothing changes."""

import asyncio
import json
from pathlib import Path

import pytest

from claude_ide.agents.stream_json import stored
from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, hidden, host_pid, on_screen
from support.neovim import until
from support.session_records import Records
from support.worktrees import git

pytestmark = BOTH

IDLE_SECONDS = 3.0


@pytest.fixture
def records(config_folder: Path) -> Records:
    return Records(config_folder)


def store(config: Path, folder: Path, session: str, words: str) -> None:
    """Store a session with a prompt."""
    path = stored.folder({"CLAUDE_CONFIG_DIR": str(config)}, folder) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    message = {"role": "user", "content": words}
    path.write_text(json.dumps({"type": "user", "uuid": "1", "message": message}) + "\n")


def reads(pid: int) -> int:
    """Return how often a process has read something so far."""
    counted = Path(f"/proc/{pid}/io").read_text()
    return int(counted.partition("syscr:")[2].split()[0])


async def test_an_open_list_follows_stored_sessions_branches_and_worktrees(
    nvim: Editor, project: Path, config_folder: Path
) -> None:
    git(project, "init", "-q", "-b", "trunk")
    git(
        project,
        *("-c", "user.name=a", "-c", "user.email=a@b"),
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    store(config_folder, project, "a", "The first")
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "The first")

    store(config_folder, project, "b", "The second")
    await on_screen(nvim, "The second")
    git(project, "switch", "-qc", "topic")
    await on_screen(nvim, "topic")
    tree = project / ".claude/worktrees/fish"
    git(project, "worktree", "add", "-q", "-b", "worktree-fish", str(tree))
    store(config_folder, tree, "c", "The third")
    await on_screen(nvim, "The third")
    git(tree, "switch", "-qc", "other")
    await on_screen(nvim, "other")


async def test_nothing_is_read_while_nothing_changes(
    nvim: Editor, records: Records, project: Path, config_folder: Path
) -> None:
    store(config_folder, project, "a", "The first")
    records.process("b", status="busy")
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "The first")
    await on_screen(nvim, "works")
    host = await host_pid(nvim)

    async def reads_nothing() -> bool:
        before = reads(host)
        await asyncio.sleep(IDLE_SECONDS)
        return reads(host) == before

    await until(reads_nothing, "the open list reads nothing")
    await nvim.keys("q")
    await hidden(nvim, "The first")
    await until(reads_nothing, "without the list nothing is read")


async def test_an_open_list_follows_terminals(nvim: Editor, program: Path) -> None:
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "no session")

    bufnr = await open_claude(nvim)
    await on_screen(nvim, "terminal 1 ")
    await nvim.command(f"bwipeout! {bufnr}")

    await hidden(nvim, "terminal 1 ")
