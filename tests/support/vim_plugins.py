"""The real plugins of Vim that check or format files, set up as in a vimrc.

They are in `.cache/plugins` (`make vim-plugins`), or in the folder that `CLAUDE_IDE_TEST_PLUGINS`
names; each has a folder with the name of its repository. The linters, formatters and servers are in
`.cache/checkers/bin` or on PATH. A test for which something is missing is skipped.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from support.neovim import ROOT
from support.vim import Vim

PLUGINS = Path(os.environ.get("CLAUDE_IDE_TEST_PLUGINS") or ROOT / ".cache/plugins")
CHECKERS = f"{ROOT / '.cache/checkers/bin'}:{os.environ['PATH']}"

ALE = """
let g:ale_linters = {'python': ['pyflakes', 'ruff']}
let g:ale_fixers = {'python': ['black']}
let g:ale_python_pyflakes_executable = '{pyflakes}'
let g:ale_python_ruff_executable = '{ruff}'
let g:ale_python_black_executable = '{black}'
"""
VIM_LSP = """
let g:lsp_auto_enable = 1
let g:server = {'name': '{server}', 'cmd': ['{path}'] + {args}, 'allowlist': ['python']}
autocmd User lsp_setup call lsp#register_server(g:server)
"""
YEGAPPAN = """
let g:server = {'name': '{server}', 'filetype': ['python'], 'path': '{path}', 'args': {args}}
autocmd User LspSetup call LspAddServer([g:server])
"""
COC = """
let g:coc_node_path = '{folder}/node'
let g:coc_config_home = '{folder}/coc'
let g:coc_data_home = '{folder}/coc-data'
let g:coc_disable_startup_warning = 1
"""
NODE = """#!/bin/sh
exec {setpriv} --pdeathsig KILL {node} "$@"
"""
"""Ends with a Vim that a test kills."""

SERVERS = {"pylsp": [], "ruff": ["server"]}
"""The language servers, with their arguments. The first one checks, the other one also formats."""

SOURCES = {
    "ale": (ALE, "pyflakes ruff black", ""),
    "vim-lsp": (VIM_LSP, "", "call lsp#enable()"),
    "lsp": (YEGAPPAN, "", "doautocmd User LspSetup"),
    "coc.nvim": (COC, "node setpriv", "call coc#rpc#start_server()"),
}
"""By the name of the plugin: its settings, the programs that they name, and what starts it."""


def program(name: str) -> str:
    """Return the path of a program; if it is missing, skip the test."""
    found = shutil.which(name, path=CHECKERS)
    if not found:
        pytest.skip(f"there is no {name}")
    return found


def folder_of(name: str) -> Path:
    """Return the folder of a plugin; if it is missing, skip the test."""
    folder = PLUGINS / name
    if not folder.exists():
        pytest.skip(f"{name} is not in {PLUGINS}")
    return folder.resolve()


def coc_settings(server: str) -> str:
    """Return the text of `coc-settings.json`."""
    language = {"command": program(server), "args": SERVERS[server], "filetypes": ["python"]}
    return json.dumps({"languageserver": {server: language}, "suggest.autoTrigger": "none"})


async def load(vim: Vim, name: str, folder: Path, server: str = "pylsp") -> None:
    """Load a plugin with its settings, as a vimrc does; `folder` is for its files."""
    setup, programs, then = SOURCES[name]
    words = {each: program(each) for each in programs.split()}
    if name != "ale":
        words |= {"server": server, "path": program(server), "args": str(SERVERS[server])}
    words["folder"] = str(folder)

    def write(name: str, text: str) -> Path:
        for word, value in words.items():
            text = text.replace(f"{{{word}}}", value)
        (folder / name).write_text(text)
        return folder / name

    (folder / "coc").mkdir()
    (folder / "coc-data").mkdir()
    (folder / "coc/coc-settings.json").write_text(coc_settings(server))
    write("node", NODE).chmod(0o755)
    await vim.command(f"source {write('setup.vim', setup)}")
    await vim.command(f"set runtimepath+={folder_of(name)}")
    await vim.command("runtime! plugin/*.vim")
    if then:
        await vim.command(then)
