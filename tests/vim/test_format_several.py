"""Several language servers of vim-lsp format a file."""

import json
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import diffs, shows_a_diff
from support.model_tools import ModelTools
from support.neovim import until
from support.vim import Vim
from support.vim_plugins import SERVERS, load, program

UNTIDY = "x = {  'a':1 }\n"
TIDY = 'x = {"a": 1}\n'
RUNNING = "map(['pylsp', 'ruff'], 'lsp#get_server_status(v:val)') == ['running', 'running']"


async def is_shown(vim: Vim, lines: list[str]) -> bool:
    """Return whether the current buffer has this text."""
    return bool(await vim.eval("getline(1, '$')") == lines)


@pytest.fixture
async def path(serving_vim: Vim, project: Path, tmp_path: Path) -> Path:
    """A file with two servers, of which the first would format and changes nothing."""
    await load(serving_vim, "vim-lsp", tmp_path, server="pylsp")
    ruff = {"name": "ruff", "cmd": [program("ruff"), *SERVERS["ruff"]], "allowlist": ["python"]}
    await serving_vim.command(f"call lsp#register_server(json_decode('{json.dumps(ruff)}'))")
    path = project / "a.py"
    path.write_text(UNTIDY)
    await serving_vim.command(f"edit {path}")
    await until(lambda: serving_vim.eval(RUNNING), "both servers")
    return path


async def test_one_that_changes_nothing_is_followed_by_the_next(
    vim_client: ClaudeCode, path: Path
) -> None:
    answer = await vim_client.call("reformat_file", {"file_path": str(path)})

    assert answer["content"][0]["text"] == "Reformatted with ruff: 1 line changed, saved."
    assert path.read_text() == TIDY


async def test_the_model_gets_the_first_change(
    tools: ModelTools, serving_vim: Vim, path: Path
) -> None:
    await tools.client.begin("format", file=str(path))
    await until(lambda: shows_a_diff(serving_vim), "a diff")
    await serving_vim.keys(":w<CR>")

    got = await tools.client.read()
    assert got["result"]["content"][0]["text"] == f"Formatted by ruff.\nWritten:\n  {path}"


async def test_a_tidy_file_has_been_seen_by_both(
    tools: ModelTools, serving_vim: Vim, path: Path
) -> None:
    path.write_text(TIDY)
    shown = [TIDY.rstrip()]
    await until(lambda: is_shown(serving_vim, shown), "the buffer follows the file")

    said = await tools.text("format", file=str(path))

    assert said == "Nothing to change (asked pylsp and ruff)."
    assert await diffs(serving_vim) == []
