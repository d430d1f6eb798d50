"""Diagnostics of a Neovim under test: set as a server does, read as the host does."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim

SET = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""


# As rust-analyzer's are, with all that a language server attaches to each.
SET_MANY = """
  local bufnr, count, severity = ...
  local function data(i)
    local related = {}
    for j = 1, 4 do
      local start, finish = { line = i, character = j }, { line = i, character = j + 1 }
      local location = { uri = 'file:///a', range = { start = start, ['end'] = finish } }
      related[j] = { message = 'see here', location = location }
    end
    return { rendered = 'name ' .. i, related = related }
  end
  local diagnostics = {}
  for i = 1, count do
    local range = { start = { line = i, character = 3 }, ['end'] = { line = i, character = 8 } }
    diagnostics[i] = {
      lnum = i - 1, col = 3, end_lnum = i - 1, end_col = 8, severity = severity or (i % 4 + 1),
      message = 'name ' .. i .. ' is not defined', source = 'pyright', code = 'reportUndefined',
      user_data = { lsp = { range = range, message = 'x', data = data(i) } },
    }
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace('many'), bufnr, diagnostics, {
    virtual_text = false, signs = false, underline = false,
  })
"""


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    return await nvim.lua(f"return require('claude_ide.diagnostics').{function}(...)", *arguments)


async def edit(nvim: Neovim, path: Path, text: str = "one\ntwo\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def read_all(
    nvim: Neovim, path: Path | None = None
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Read in slices as the host does: the items of each file, and how many were omitted."""
    begun = await call(nvim, "begin", path and str(path))
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
    """Read one file to the end."""
    files, _ = await read_all(nvim, path)
    return [item for items in files.values() for item in items]
