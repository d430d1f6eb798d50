"""New diagnostics of the real plugins, in the answer to the request after a write.

The plugins are in `.cache/plugins`, or in the folder that `CLAUDE_IDE_TEST_PLUGINS` names; each has
a folder with the name of its repository. The linters and servers are in `.cache/checkers/bin` or on
PATH. A test for which something is missing is skipped.
"""

import os
import shutil
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import ROOT, until
from support.vim import Vim

PLUGINS = Path(os.environ.get("CLAUDE_IDE_TEST_PLUGINS") or ROOT / ".cache/plugins")
CHECKERS = f"{ROOT / '.cache/checkers/bin'}:{os.environ['PATH']}"

ALE = """
let g:ale_linters = {'python': ['pyflakes', 'ruff']}
let g:ale_python_pyflakes_executable = '{pyflakes}'
let g:ale_python_ruff_executable = '{ruff}'
let g:ale_fixers = {}
"""
VIM_LSP = """
let g:lsp_auto_enable = 1
let g:server = {'name': 'pylsp', 'cmd': ['{pylsp}'], 'allowlist': ['python']}
autocmd User lsp_setup call lsp#register_server(g:server)
"""
YEGAPPAN = """
let g:server = {'name': 'pylsp', 'filetype': ['python'], 'path': '{pylsp}'}
autocmd User LspSetup call LspAddServer([g:server])
"""
SOURCES = {
    "ale": (ALE, "pyflakes ruff", ""),
    "vim-lsp": (VIM_LSP, "pylsp", "call lsp#enable()"),
    "lsp": (YEGAPPAN, "pylsp", "doautocmd User LspSetup"),
}


async def load(vim: Vim, name: str, folder: Path) -> None:
    """Load a plugin with its settings, as a vimrc does."""
    setup, programs, then = SOURCES[name]
    if not (PLUGINS / name).exists():
        pytest.skip(f"{name} is not in {PLUGINS}")
    for program in programs.split():
        found = shutil.which(program, path=CHECKERS)
        if not found:
            pytest.skip(f"there is no {program}")
        setup = setup.replace(f"{{{program}}}", found)
    (folder / "setup.vim").write_text(setup)
    await vim.command(f"source {folder / 'setup.vim'}")
    await vim.command(f"set runtimepath+={(PLUGINS / name).resolve()}")
    await vim.command("runtime! plugin/*.vim")
    if then:
        await vim.command(then)


def messages(answer: list[dict[str, list[dict[str, str]]]]) -> list[str]:
    return [each["message"] for file in answer for each in file["diagnostics"]]


@pytest.mark.parametrize("name", SOURCES)
async def test_new_diagnostics_are_in_the_answer_after_a_write(
    name: str, vim_client: ClaudeCode, serving_vim: Vim, project: Path, tmp_path: Path
) -> None:
    await load(serving_vim, name, tmp_path)
    path = project / "a.py"
    path.write_text("import os\n")
    await serving_vim.command(f"edit {path}")

    async def found() -> bool:
        answer = await vim_client.json("getDiagnostics", {"uri": f"file://{path}"})
        return any("os" in each and "unused" in each for each in messages(answer))

    await until(found, "the diagnostics of the first text")

    path.write_text("import os\nprint(undefined_name)\n")
    known = messages(await vim_client.json("getDiagnostics"))
    for word in ("undefined_name", "unused"):
        # Linters that say the same are heard once.
        assert len([each for each in known if word in each]) == 1, known
