"""Attaching the tests' language server to buffers of a Neovim under test."""

import sys
from pathlib import Path

from support.neovim import Neovim, until

SERVER = Path(__file__).with_name("language_server.py")


async def attach(nvim: Neovim, *options: str, name: str = "words") -> int:
    """Start the server for the current buffer, wait until it answers; the client's id."""
    client = await nvim.lua(
        "return vim.lsp.start({ name = ..., cmd = select(2, ...) })",
        name,
        [sys.executable, str(SERVER), *options],
    )
    await until(
        lambda: nvim.lua("return vim.lsp.get_client_by_id(...).initialized == true", client),
        "the language server answers",
    )
    return int(client)


async def attach_to_every_text_file(nvim: Neovim, *options: str) -> None:
    """Start the server for each text file that is loaded from now on, as a configuration does."""
    await nvim.lua(
        """
        local command = ...
        vim.api.nvim_create_autocmd('FileType', {
          pattern = 'text',
          callback = function(event)
            vim.lsp.start({ name = 'words', cmd = command }, { bufnr = event.buf })
          end,
        })
        """,
        [sys.executable, str(SERVER), *options],
    )
