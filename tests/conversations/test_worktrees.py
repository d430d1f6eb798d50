"""Sessions in worktrees of one repository: one of them hears what the user does in a file."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code
from support.claude_terminal import open_claude
from support.either_editor import (
    BOTH,
    Editor,
    choose_item,
    configure,
    dismiss,
    on_screen,
    pid_of,
    run,
)
from support.neovim import until
from support.session_records import Records

pytestmark = BOTH

Join = Callable[[Path], AbstractAsyncContextManager[ClaudeCode]]


@pytest.fixture
def trees(project: Path) -> tuple[Path, Path]:
    """The main worktree, which is the working folder, and a linked one; a file in each."""
    feature = project / ".claude/worktrees/feature"
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in ("init -q", "commit -q --allow-empty -m first", f"worktree add -q {feature}"):
        subprocess.run([*git, *words.split()], check=True)
    for root in (project, feature):
        (root / "cart.py").write_text("one\ntwo\n")
    return project, feature


@pytest.fixture
def join(trees: tuple[Path, Path], serving: Editor, config_folder: Path) -> Join:
    """Connects a client whose process works in a folder; mentions reach it from then on."""

    @asynccontextmanager
    async def joined(folder: Path) -> AsyncIterator[ClaudeCode]:
        process = await asyncio.create_subprocess_exec("sleep", "600", cwd=folder)
        try:
            async with claude_code(config_folder, process.pid) as client:
                await serving.command(f"edit {folder / 'cart.py'}")
                await serving.command("ClaudeSend")
                await until(lambda: client.notifications_of("at_mentioned"), "it listens")
                client.notifications.clear()
                yield client
        finally:
            process.kill()
            await process.wait()

    return joined


async def heard(client: ClaudeCode, method: str) -> list[str]:
    """Return the files that a client was told of until now."""
    await client.texts("closeAllDiffTabs")
    return [each["filePath"] for each in client.notifications_of(method)]


async def test_each_session_hears_of_its_own_worktree(
    serving: Editor, trees: tuple[Path, Path], join: Join
) -> None:
    files = [str(root / "cart.py") for root in trees]
    async with join(trees[0]) as main, join(trees[1]) as feature:
        for client in (main, feature):
            client.notifications.clear()
        for file, client, other in ((files[0], main, feature), (files[1], feature, main)):
            # It was active last, and hears nothing.
            await other.texts("closeAllDiffTabs")
            await serving.command(f"edit {file}")
            await serving.command("2ClaudeSend")

            await until(partial(client.notifications_of, "at_mentioned"), "the mention")
            await until(partial(client.notifications_of, "selection_changed"), "the selection")
            assert (await client.json("getCurrentSelection"))["filePath"] == file
            assert (await other.json("getCurrentSelection"))["success"] is False
            assert (await other.json("getLatestSelection"))["success"] is False

        for client, file in ((main, files[0]), (feature, files[1])):
            assert await heard(client, "at_mentioned") == [file]
            assert {*await heard(client, "selection_changed")} == {file}
            tabs = (await client.json("getOpenEditors"))["tabs"]
            assert [each["uri"] for each in tabs] == [f"file://{file}"]
            assert await client.texts("get_all_opened_file_paths") == [file]


async def test_the_user_names_a_session_of_another_worktree(
    serving: Editor, trees: tuple[Path, Path], join: Join
) -> None:
    file = str(trees[1] / "cart.py")
    async with join(trees[0]) as main:
        await serving.command(f"edit {file}")
        await serving.command("2ClaudeSend")
        await on_screen(serving, "cart.py is in the worktree feature. Send it to:")
        await dismiss(serving)
        await on_screen(serving, "not sent: cart.py is in the worktree feature")
        assert await heard(main, "at_mentioned") == []

        await serving.command("2ClaudeSend")
        await on_screen(serving, "Send it to:")
        await choose_item(serving, "Claude Code (project)")

        await until(lambda: main.notifications_of("at_mentioned"), "the mention")
        assert await heard(main, "at_mentioned") == [file]


async def test_a_mention_waits_for_a_session_of_its_worktree(
    serving: Editor, trees: tuple[Path, Path], join: Join, config_folder: Path
) -> None:
    file = str(trees[1] / "cart.py")
    await serving.command(f"edit {file}")
    await serving.command("ClaudeSend!")
    await on_screen(serving, "saved; Claude gets it when it connects in feature")
    assert await serving.eval("winnr('$')") == 1, "no CLI is started elsewhere"

    async with join(trees[0]) as main:
        assert await heard(main, "at_mentioned") == []
    process = await asyncio.create_subprocess_exec("sleep", "600", cwd=trees[1])
    async with claude_code(config_folder, process.pid) as feature:
        await until(lambda: feature.notifications_of("at_mentioned"), "the mention")
        assert await heard(feature, "at_mentioned") == [file]
    process.kill()
    await process.wait()


async def test_a_terminal_follows_its_session_into_a_worktree(
    nvim: Editor, trees: tuple[Path, Path], program: Path, config_folder: Path
) -> None:
    main, feature = trees
    await configure(nvim, terminal={"per": "worktree"})
    await open_claude(nvim)
    pid = await pid_of(nvim)
    await nvim.keys(r"<C-\><C-n>")
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"), "it is hidden")
    records = Records(config_folder)
    for folder in (feature, main):
        records.process("s", pid=pid, cwd=str(folder))

        async def follows(folder: Path = folder) -> bool:
            (terminal,) = await run(nvim, "claude_ide#terminals#Running")
            return bool(terminal["folder"] == str(folder))

        await until(follows, str(folder))
        await nvim.command(f"cd {folder}")
        await nvim.keys(":Claude<CR>")
        await until(lambda: nvim.eval("bufname() ==# 'Claude'"), "the same terminal is shown")
        await nvim.keys(r"<C-\><C-n>")
        await nvim.command("Claude")
        await until(lambda: nvim.eval("winnr('$') == 1"), "it is hidden again")
