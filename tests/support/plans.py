"""A plan under test, and the question about changes to it."""

from support.either_editor import noticed
from support.neovim import Neovim, until

MODULE = "require('claude_ide.approval_buffer')"


PLAN = "# The plan\n\n1. change a.py\n2. run tests\n"


MORE = "approve and accept edits"


QUESTION = "What should change in the plan?"


async def ask(nvim: Neovim, text: str = PLAN, token: int = 1) -> None:
    plan = {"what": "plan", "label": "Claude plan", "filetype": "markdown"}
    plan |= {"title": "Plan of Claude", "text": text, "more": MORE}
    await nvim.lua(f"{MODULE}.open(...)", token, plan)


async def ready(nvim: Neovim) -> None:
    await until(
        lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"), "the plan accepts keys"
    )


async def open_plan(nvim: Neovim, text: str = PLAN, token: int = 1) -> None:
    await ask(nvim, text, token)
    await ready(nvim)


async def wait_until_closed(nvim: Neovim) -> None:
    await until(
        lambda: nvim.eval("empty(filter(getbufinfo(), 'v:val.name =~ \"claude-plan\"'))"),
        "the plan is gone",
    )
    await until(lambda: nvim.eval("tabpagenr('$') == 1"))


async def wait(nvim: Neovim, milliseconds: int = 100) -> None:
    """Wait for a timer in Neovim, so that work deferred for less time is done."""
    await nvim.lua(
        "vim.g.has_waited = 0; vim.defer_fn(function() vim.g.has_waited = 1 end, ...)", milliseconds
    )
    await until(lambda: nvim.eval("g:has_waited"))


async def asked_for_comments(nvim: Neovim) -> None:
    await until(lambda: QUESTION in nvim.screen.lines()[-1], "the question")
    await noticed(nvim)
