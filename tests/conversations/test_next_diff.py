"""A client's next edit, which it sends as soon as the one before is decided."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, diffs, open_terminal, shows_a_diff
from support.neovim import until

pytestmark = BOTH

QUIET_SECONDS = 0.4
"""How long a diff waits after a key that the user types."""
GUARD_SECONDS = 0.2
"""How long a diff discards keys once it is visible."""
ATTEMPTS = 8
"""How often a busy machine may delay an edit; a wait that is built in delays each one."""
MAPS = {"<C-s>": "nnoremap <C-s> <Cmd>write<CR>", "gs": "nnoremap gs <Cmd>ClaudeAccept<CR>"}
DECIDING = [":w<CR>", ":wq<CR>", "ZZ", "ZQ", ":q<CR>", ":tabclose<CR>", *MAPS]
DECIDING += [":ClaudeAccept<CR>", ":ClaudeReject no<CR>", ":ClaudeAccept!<CR>", "dd:w<CR>"]


def ask(claude: ClaudeCode, path: Path) -> "asyncio.Future[Any]":
    """Propose a text for a file."""
    path.write_text("one\n")
    arguments = {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": "two\n",
        "tab_name": path.name,
    }
    return claude.start_call("openDiff", arguments)[1]


async def visible(editor: Editor, path: Path) -> float:
    """Wait until the proposal for a file is on the screen; return the time."""
    await until(lambda: editor.eval(f"&diff && bufname() =~# '({path.name})'"), path.name)
    return time.monotonic()


async def ready(editor: Editor) -> None:
    await until(lambda: shows_a_diff(editor), "a diff accepts keys")


async def delay(editor: Editor, claude: ClaudeCode, project: Path, keys: str) -> float:
    """Decide a diff by keys; return the seconds until the next one is visible, and reject that."""
    asked = ask(claude, project / "first.txt")
    await ready(editor)
    pressed = time.monotonic()
    await editor.keys(keys)
    await asked
    following = ask(claude, project / "second.txt")
    seen = await visible(editor, project / "second.txt")
    await ready(editor)
    await editor.command("ClaudeReject")
    await following
    await closed(editor)
    return seen - pressed


async def closed(editor: Editor) -> None:
    await until(lambda: editor.eval("tabpagenr('$') == 1"), "the diffs are closed")


@pytest.mark.parametrize("keys", DECIDING)
async def test_a_decision_does_not_delay_the_next_diff(
    serving: Editor, claude: ClaudeCode, project: Path, keys: str
) -> None:
    for command in MAPS.values():
        await serving.command(command)

    for _ in range(ATTEMPTS):
        if await delay(serving, claude, project, keys) < QUIET_SECONDS:
            return
    raise AssertionError(f"each diff after {keys} waited for a pause")


@pytest.mark.parametrize("is_in_terminal", [False, True])
async def test_an_answer_in_the_cli_does_not_delay_the_next_diff(
    serving: Editor, claude: ClaudeCode, project: Path, is_in_terminal: bool
) -> None:
    first, second = project / "first.txt", project / "second.txt"
    limit = QUIET_SECONDS if is_in_terminal else GUARD_SECONDS
    for _ in range(ATTEMPTS):
        asked = ask(claude, first)
        await ready(serving)
        if is_in_terminal:
            await open_terminal(serving, "tabnew")
            await serving.command("let b:claude_ide_terminal = 1")
            await serving.keys("i1")
        answered = time.monotonic()
        await claude.call("close_tab", {"tab_name": first.name})
        await asked
        following = ask(claude, second)
        seen = await visible(serving, second)
        await ready(serving)
        await serving.command("ClaudeReject")
        await following
        await serving.command("silent! tabonly! | stopinsert")
        await closed(serving)
        if seen - answered < limit:
            return
    raise AssertionError("each diff after an answer in the CLI waited for a pause")


async def test_a_key_after_the_decision_delays_the_next_diff(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    asked = ask(claude, project / "first.txt")
    await ready(serving)
    await serving.keys(":w<CR>")
    await asked
    await closed(serving)

    pressed = time.monotonic()
    await serving.keys("l")
    ask(claude, project / "second.txt")

    assert await visible(serving, project / "second.txt") - pressed >= QUIET_SECONDS - 0.01


async def test_keys_typed_into_the_next_diff_neither_decide_nor_change_it(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    second = project / "second.txt"
    asked = ask(claude, project / "first.txt")
    await ready(serving)
    await claude.call("close_tab", {"tab_name": "first.txt"})
    await asked
    following = ask(claude, second)
    await visible(serving, second)

    await serving.keys("dd:w<CR>ZZ:q<CR>")

    await ready(serving)
    assert await serving.eval("getline(1, '$')") == ["two"]
    assert not following.done()
    assert [diff["path"] for diff in await diffs(serving)] == [str(second)]
