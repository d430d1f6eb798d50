"""Diffs in Vim as a client and its user see them."""

import asyncio
from pathlib import Path
from typing import Any

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim

SHOWN = "claude_ide#diff#List()->filter('v:val.shown')->len()"
BUFFERS = "getbufinfo()->filter('v:val.name =~# \"claude-diff:\"')->len()"


def ask(client: ClaudeCode, path: Path, text: str) -> "asyncio.Future[Any]":
    """Propose a text for a file; return the future of the client's answer."""
    arguments = {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": text,
        "tab_name": str(path),
    }
    return client.start_call("openDiff", arguments)[1]


async def are_shown(vim: Vim, count: int = 1) -> None:
    """Wait until so many proposals are on the screen and accept keys."""
    await until(lambda: vim.eval(f"{SHOWN} == {count}"), f"{count} diffs")


async def propose(vim: Vim, client: ClaudeCode, path: Path, text: str) -> "asyncio.Future[Any]":
    """Propose a text for a file, and wait until the user can decide."""
    asked = ask(client, path, text)
    await are_shown(vim)
    return asked


async def answer(asked: "asyncio.Future[Any]") -> list[str]:
    """Return the texts of the answer to the client."""
    return [block["text"] for block in (await asyncio.wait_for(asked, 10))["content"]]


async def is_closed(vim: Vim) -> None:
    """Wait until neither a proposal nor its tabpage remains."""
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && tabpagenr('$') == 1"), "the diff is closed")
