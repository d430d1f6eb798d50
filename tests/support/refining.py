"""Rewrites of `:ClaudeEdit` and their refinements, in a Neovim whose host is the test."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

LINES = ["one", "two", "three", "four"]

VERSION = "return require('claude_ide.diff.hunks').version(vim.api.nvim_get_current_buf())"


def with_end(text: str) -> str:
    """Return a text whose last line is ended, as the host sends it."""
    return text if text.endswith("\n") or not text else f"{text}\n"


async def asked(nvim: Neovim, command: str) -> dict[str, Any]:
    """Run a command; return its question."""
    count = len(nvim.events("question_asked"))
    await nvim.command(command)
    found = await until(lambda: nvim.events("question_asked")[count:], "a question")
    return dict(found[0])


async def propose(nvim: Neovim, command: str, text: str, layout: str = "tab") -> int:
    """Have lines rewritten; return the id of the question when the user is in the diff."""
    count = len(nvim.events("diff_shown"))
    id_ = int((await asked(nvim, command))["id"])
    proposal = {"text": with_end(text), "title": "Claude", "layout": layout}
    show = "return require('claude_ide.headless.rewrite').show(...)"
    assert await nvim.lua(show, 10 + id_, id_, proposal) is None
    await until(lambda: len(nvim.events("diff_shown")) > count, "the diff")
    return id_


async def finish(nvim: Neovim, question: dict[str, Any], **ended: str) -> None:
    if "result" in ended:
        ended = {"text": with_end(ended["result"])}
    await nvim.lua("require('claude_ide.headless').finish(...)", question["id"], ended)


async def refine(nvim: Neovim, words: str, text: str) -> None:
    """Refine the rewrite in the current window, and wait until that has another version."""
    before = await nvim.lua(VERSION)
    await finish(nvim, await asked(nvim, f"ClaudeEdit {words}"), result=text)

    async def is_refined() -> bool:
        return bool(await nvim.lua(VERSION) > before)

    await until(is_refined, "it is refined")


async def hunk_rows(nvim: Neovim) -> list[list[int]]:
    """Return the rows of the hunks in the current buffer: 0-based, their ends exclusive."""
    rows: list[list[int]] = await nvim.lua(chunk("refinement/hunk_rows"))
    return rows
