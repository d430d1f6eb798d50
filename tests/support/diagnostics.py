"""Diagnostics in a Neovim under test: set like a server's, read as the host reads them."""

from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim

SET = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""


# Like those of rust-analyzer, with all the fields that a language server adds.
SET_MANY = chunk("diagnostics/set_many")


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    return await nvim.lua(f"return require('claude_ide.diagnostics').{function}(...)", *arguments)


async def edit(nvim: Neovim, path: Path, text: str = "one\ntwo\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def read_all(
    nvim: Neovim, path: Path | None = None
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Read in slices as the host does; return items and numbers of omitted ones, by uri."""
    return await read_on(nvim, await call(nvim, "begin", path and str(path)))


async def read_on(
    nvim: Neovim, begun: dict[str, Any]
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Read the slices of a reading that has begun; return the same as `read_all`."""
    files: dict[str, list[Any]] = {uri: [] for uri in begun["files"]}
    omitted: dict[str, int] = {}
    done = False
    while not done:
        slice_ = await call(nvim, "next", begun["token"])
        done = slice_["done"]
        for part in slice_["files"]:
            files[part["uri"]] += part["items"]
            if part["omitted"]:
                omitted[part["uri"]] = part["omitted"]
    return files, omitted


async def of_file(nvim: Neovim, path: Path) -> list[Any]:
    """Return all diagnostics of one file."""
    files, _ = await read_all(nvim, path)
    return [item for items in files.values() for item in items]
