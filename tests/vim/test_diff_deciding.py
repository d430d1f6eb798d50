"""`openDiff` in Vim, from the socket to the keys and back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim


async def shown(vim: Vim) -> None:
    """Wait until a proposal is on the screen and accepts keys."""
    await until(
        lambda: vim.eval("claude_ide#diff#List()->filter('v:val.shown')->len()"), "a diff"
    )


async def propose(
    vim: Vim, client: ClaudeCode, path: Path, text: str
) -> "asyncio.Future[Any]":
    """Propose a text for a file, and wait until the user can decide."""
    _, asked = client.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": text}
    )
    await shown(vim)
    return asked


async def answer(asked: "asyncio.Future[Any]") -> list[str]:
    """Return the texts of the answer to the client."""
    return [block["text"] for block in (await asyncio.wait_for(asked, 10))["content"]]


async def closed(vim: Vim) -> None:
    """Wait until no window or buffer of a diff remains."""
    await until(
        lambda: vim.eval("getbufinfo()->filter('v:val.name =~# \"claude-diff:\"')->empty()"
                         " && tabpagenr('$') == 1"),
        "the diff is closed",
    )


async def test_w_accepts_the_diff_and_answers_with_the_text(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "greet.py"
    path.write_text("print('hi')\n")
    asked = await propose(vim, vim_client, path, "print('hello')\n")

    await vim.keys(":w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "print('hello')\n"]
    assert path.read_text() == "print('hi')\n"
    await closed(vim)


async def test_q_rejects_the_diff(vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    path = project / "greet.py"
    path.write_text("print('hi')\n")
    asked = await propose(vim, vim_client, path, "print('hello')\n")

    await vim.keys(":q<CR>")

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await closed(vim)
