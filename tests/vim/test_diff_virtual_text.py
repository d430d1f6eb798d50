"""Virtual text of plugins beside the lines of a file in a diff, where Vim would draw it wrongly."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import are_shown, ask, is_closed
from support.vim_plugins import load

TEXT = "import sys\n\nfirst = nme\n\nlast = 2\n"
NEW = "import os\nimport re\nimport sys\n\nfirst = nme\n# more\n\nlast = 2\n"
SAYS = {"ale": "E: undefined name", "vim-lsp": "undefined name", "lsp": "undefined name"}


async def lines_up(vim: Vim) -> None:
    """Wait until each line is beside its own, and nothing else is there."""

    def is_beside() -> bool:
        rows = [row for row in vim.screen.lines() if "|" in row]
        halves = [[half.strip() for half in row.split("|")] for row in rows]
        # Signs are before the lines.
        same = [right for left, right in halves if right.strip("~") and left.endswith(right)]
        return same == ["import sys", "first = nme", "last = 2"]

    await vim.screen.until(is_beside, "the lines beside each other")


async def propose(vim: Vim, client: ClaudeCode, path: Path) -> None:
    ask(client, path, NEW)
    await are_shown(vim)
    await lines_up(vim)


@pytest.fixture(params=["tab", "vertical"])
def config(request: pytest.FixtureRequest) -> str:
    """The layout of the diff."""
    return str(request.param)


@pytest.mark.parametrize("name", SAYS)
async def test_that_of_a_plugin_is_hidden_until_the_diff_is_closed(
    vim: Vim, vim_client: ClaudeCode, project: Path, tmp_path: Path, name: str, config: str
) -> None:
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{config}'}}")
    await load(vim, name, tmp_path)
    if name == "lsp":
        await vim.command("call LspOptionsSet({'showDiagWithVirtualText': v:true})")
    path = project / "a.py"
    path.write_text(TEXT)
    await vim.command(f"edit {path}")
    await vim.screen.until(lambda: SAYS[name] in vim.screen.text(), "the plugin's text")

    await propose(vim, vim_client, path)
    await vim.command(redraw(name))
    await vim.screen.until(lambda: SAYS[name] not in vim.screen.text(), "it is hidden again")
    await lines_up(vim)
    await vim.keys(":q<CR>")

    await is_closed(vim)
    await vim.screen.until(lambda: SAYS[name] in vim.screen.text(), "the plugin's text is back")


def redraw(name: str) -> str:
    """Return the command after which a plugin draws its text."""
    if name == "ale":
        return (
            "call ale#virtualtext#SetTexts(bufnr('a.py'), g:ale_buffer_info[bufnr('a.py')].loclist)"
        )
    if name == "lsp":
        return "call lsp#diag#DiagsRefresh(bufnr('a.py'))"
    return (
        "call lsp#stream(1, {'server': '$vimlsp', 'response':"
        " {'method': '$/vimlsp/lsp_diagnostics_updated', 'params': {}}})"
    )


@pytest.mark.parametrize("align", ["after", "below", "above"])
async def test_any_other_comes_back_as_it_was(
    vim: Vim, vim_client: ClaudeCode, project: Path, align: str, config: str
) -> None:
    path = project / "a.py"
    path.write_text(TEXT)
    await vim.command(f"let g:claude_ide.diff = {{'layout': '{config}'}} | edit {path}")
    await vim.command("call prop_type_add('Mine', {'highlight': 'ErrorMsg'})")
    text = {"type": "Mine", "text": "MINE", "text_align": align, "text_padding_left": 3}
    await vim.call("prop_add", 1, 0, text)
    await vim.call("prop_add", 3, 0, {**text, "text_wrap": "wrap"})
    await vim.call("prop_add", 5, 1, {"type": "Mine", "length": 4, "id": 7})
    before = await vim.eval("prop_list(1, {'end_lnum': -1})")
    if "text" not in before[0]:
        pytest.skip("this Vim does not tell what a virtual text says")

    await propose(vim, vim_client, path)
    assert "MINE" not in vim.screen.text()
    await vim.keys(":q<CR>")

    await is_closed(vim)
    await until(lambda: vim.eval("prop_list(1, {'end_lnum': -1})->len() == 3"), "all are back")
    assert await vim.eval("prop_list(1, {'end_lnum': -1})") == before
