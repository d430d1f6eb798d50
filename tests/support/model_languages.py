"""Language servers for the tests of the model's tools: real ones, and one that follows a script."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from real.installed import search_path
from support.language_client import SERVER
from support.neovim import Neovim

REAL: dict[str, tuple[list[str], list[str]]] = {
    "basedpyright": (["basedpyright-langserver", "--stdio"], ["python"]),
    "pylsp": (["pylsp"], ["python"]),
    "ruff": (["ruff", "server"], ["python"]),
    "ts_ls": (["typescript-language-server", "--stdio"], ["typescript"]),
    "clangd": (["clangd"], ["c"]),
}

GREETER = """class Greeter:
    def __init__(self, name: str) -> None:
        self.name = name

    def greet(self, times: int = 1) -> str:
        return ", ".join([self.name] * times)
"""
"""A module with a class, in `greeter.py`."""

ENABLE = """
local name, cmd, filetypes = ...
vim.lsp.config(name, { cmd = cmd, filetypes = filetypes, root_markers = { 'main.py', '.root' } })
vim.lsp.enable(name)
"""


async def enable_real(nvim: Neovim, *names: str) -> None:
    """Have Neovim start real servers for their files; skip the test without them."""
    for name in names:
        command, filetypes = REAL[name]
        program = shutil.which(command[0], path=search_path())
        if program is None:
            pytest.skip(f"{name} is not installed (make real SHORT=1 installs it)")
        await nvim.lua(ENABLE, name, [program, *command[1:]], filetypes)


class Scripted:
    """Servers that give the answers of a script; `log` returns what one has received."""

    def __init__(self, nvim: Neovim, folder: Path) -> None:
        self.nvim = nvim
        self.folder = folder

    async def enable(
        self, name: str, capabilities: dict[str, Any], answers: dict[str, list[Any]], *options: str
    ) -> Path:
        """Have Neovim start one for Python files; return its log.

        It publishes what it finds in a file; otherwise its first answer is only expected later.
        """
        script, log = self.folder / f"{name}.json", self.folder / f"{name}.log"
        script.write_text(json.dumps({"capabilities": capabilities, "answers": answers}), "utf-8")
        arguments = ["--script", str(script), "--log", str(log), "--publish", "push", *options]
        command = [sys.executable, str(SERVER), *arguments]
        await self.nvim.lua(ENABLE, name, command, ["python"])
        return log


def location(path: Path | str, row: int, start: int, end: int | None = None) -> dict[str, Any]:
    """Return a `Location` in one line of a file or of another URI."""
    uri = path if isinstance(path, str) else path.as_uri()
    return {"uri": uri, "range": in_line(row, start, end)}


def in_line(row: int, start: int, end: int | None = None, last: int | None = None) -> Any:
    """Return a range from a place in a row to one in the same or the last row."""
    finish = {"line": row if last is None else last, "character": end or start + 1}
    return {"start": {"line": row, "character": start}, "end": finish}


def result(value: Any) -> list[Any]:
    """Return a script that always gives this result."""
    return [{"result": value}]
