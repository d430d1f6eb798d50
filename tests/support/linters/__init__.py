"""Stand-ins for the plugins that run linters, with the habits of the real ones."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim

FOLDER = Path(__file__).parent
FIND = ["grep", "-n", "wrong"]


async def nvim_lint(nvim: Neovim, *, stdin: bool = True, name: str = "words") -> None:
    """Load nvim-lint's stand-in, with one linter for text files; it says what `wrong` is on."""
    await nvim.command(f"set runtimepath+={FOLDER} | filetype on")
    await nvim.lua(
        """
        local name, command, stdin = ...
        local lint = require('lint')
        lint.linters[name] = { cmd = command, stdin = stdin }
        lint.linters_by_ft.text = { name }
        """,
        name,
        FIND,
        stdin,
    )


async def ale(nvim: Neovim) -> None:
    """Load ALE's stand-in."""
    await nvim.request("nvim_set_var", "ale_command", FIND)
    await nvim.command(f"set runtimepath+={FOLDER} | runtime plugin/ale.vim")


async def lint_runs(nvim: Neovim) -> Any:
    """The linters that nvim-lint's stand-in has started, and the files they were to check."""
    return await nvim.lua("return _G.lint_runs or {}")


async def findings(nvim: Neovim, bufnr: int) -> Any:
    """What linters have found in a buffer."""
    return await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )
