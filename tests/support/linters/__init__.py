"""Stand-ins for plugins that run linters; they behave like the real ones."""

from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

FOLDER = Path(__file__).parent
FIND = ["grep", "-n", "wrong"]
OLD = "one\nwrong\n"
NEW = "one\ntwo\nwrong again\n"


async def nvim_lint(nvim: Neovim, *, stdin: bool = True, name: str = "words") -> None:
    """Load nvim-lint's stand-in, with one linter for text files, which reports each `wrong`."""
    await nvim.command(f"set runtimepath+={FOLDER} | filetype on")
    await nvim.lua(chunk("linters/define"), name, FIND, stdin)


async def ale(nvim: Neovim) -> None:
    """Load ALE's stand-in."""
    await nvim.request("nvim_set_var", "ale_command", FIND)
    await nvim.command(f"set runtimepath+={FOLDER} | runtime plugin/ale.vim")


async def lint_runs(nvim: Neovim) -> Any:
    """Return the linters that nvim-lint's stand-in has started, with the files to check."""
    return await nvim.lua("return _G.lint_runs or {}")


async def findings(nvim: Neovim, bufnr: int) -> Any:
    """Return the messages of a buffer's diagnostics."""
    return await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )


async def found(nvim: Neovim, bufnr: int, wanted: list[str]) -> bool:
    """Return whether a buffer's diagnostics have exactly these messages."""
    return bool(await findings(nvim, bufnr) == wanted)


async def write_and_reload(nvim: Neovim, project: Path, text: str = NEW) -> bool:
    """Write the file and have Neovim reload it; return whether a linter is then running."""
    (project / "a.txt").write_text(text)
    bufnrs, running = await nvim.lua(
        "local bufnrs = require('claude_ide.disk_changes.reload').sync()"
        " local running = require('claude_ide.diagnostics.linters').running(bufnrs[1])"
        " return { bufnrs, next(running) ~= nil }"
    )
    assert bufnrs
    return bool(running)


async def is_running(nvim: Neovim, bufnr: int) -> Any:
    """Return whether a linter is checking a buffer."""
    return await nvim.lua(
        "return next(require('claude_ide.diagnostics.linters').running(...)) ~= nil", bufnr
    )
