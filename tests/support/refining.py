"""Rewrites of `:ClaudeEdit` and their refinements, in a Neovim whose host is the test."""

from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

LINES = ["one", "two", "three", "four"]
PROPOSED = ["one", "TWO", "THREE", "four"]


def with_ends(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


async def asked(nvim: Neovim, command: str) -> dict[str, Any]:
    """Run a command; return its question."""
    count = len(nvim.events("question_asked"))
    await nvim.command(command)
    found = await until(lambda: nvim.events("question_asked")[count:], "a question")
    return dict(found[0])


async def propose(
    nvim: Neovim, command: str, lines: list[str], layout: str = "tab"
) -> dict[str, Any]:
    """Have a buffer rewritten to these lines; return the question when the user is in the diff."""
    count = len(nvim.events("diff_shown"))
    question = await asked(nvim, command)
    texts = {"text": with_ends(lines), "base": {"text": question["text"]}}
    proposal = texts | {"title": "Claude", "layout": layout}
    show = "return require('claude_ide.headless.rewrite').show(...)"
    assert await nvim.lua(show, 10 + question["id"], question["id"], proposal) is None
    await until(lambda: len(nvim.events("diff_shown")) > count, "the diff")
    return question


async def finish(nvim: Neovim, question: dict[str, Any], **ended: str) -> None:
    await nvim.lua("require('claude_ide.headless').finish(...)", question["id"], ended)


async def refine(nvim: Neovim, words: str, lines: list[str]) -> int:
    """Refine the rewrite in the current window to these lines of its buffer; return the version."""
    question = await asked(nvim, f"ClaudeEdit {words}")
    revise = "return require('claude_ide.headless.rewrite').revise(...)"
    version: int = await nvim.lua(revise, question["refines"], {"text": with_ends(lines)})
    await finish(nvim, question)
    return version


async def hunk_rows(nvim: Neovim) -> list[list[int]]:
    """Return the rows of the hunks in the current buffer: 0-based, their ends exclusive."""
    rows: list[list[int]] = await nvim.lua(chunk("refinement/hunk_rows"))
    return rows
