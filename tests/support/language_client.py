"""Attaches the tests' language server to buffers of a Neovim under test."""

import sys
from pathlib import Path
from typing import Any

from support import frame_log
from support.chunks import chunk
from support.neovim import Neovim, until

SERVER = Path(__file__).with_name("language_server.py")


async def start(nvim: Neovim, *options: str, name: str = "words") -> int:
    """Start the server for the current buffer; return the client's id."""
    client = await nvim.lua(
        "return vim.lsp.start({ name = ..., cmd = select(2, ...) })",
        name,
        [sys.executable, str(SERVER), *options],
    )
    return int(client)


async def attach(nvim: Neovim, *options: str, name: str = "words") -> int:
    """Start the server for the current buffer, wait until it answers; return the client's id."""
    client = await start(nvim, *options, name=name)
    await wait_until_initialized(nvim, client)
    return client


async def wait_until_initialized(nvim: Neovim, client: int) -> None:
    """Wait until a server has answered the first request."""
    await until(
        lambda: nvim.lua("return vim.lsp.get_client_by_id(...).initialized == true", client),
        "the language server answers",
    )


async def publish(
    nvim: Neovim, client: int, bufnr: int, *, version: int | None = None, late: int = 0
) -> None:
    """Have the server publish after `late` milliseconds, for `version` if given."""
    await nvim.lua(chunk("language_client/publish"), client, bufnr, version, late)


def received(log: Path, method: str) -> list[Any]:
    """Return the parameters of a method's messages from the log of a server."""
    messages = frame_log.read(log)
    return [message["params"] for message in messages if message.get("method") == method]


async def attach_to_every_text_file(nvim: Neovim, *options: str, is_running: bool = True) -> None:
    """Attach the server to each text file loaded from now on, as a user's configuration does.

    With `is_running` it starts now, otherwise with the first file.
    """
    client = await nvim.lua(
        chunk("language_client/attach_to_every_text_file"),
        [sys.executable, str(SERVER), *options],
        is_running,
    )
    if is_running:
        await wait_until_initialized(nvim, client)
