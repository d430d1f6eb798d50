"""The real CLI in Vim's own terminal."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support import fake_api
from support.claude_cli import CARET, cli_path, environment, settle_in
from support.either_editor import edit
from support.fake_api import FakeApi, text
from support.neovim import until
from support.terminal import PATIENCE
from support.vim import Vim
from support.vim_diffs import are_shown

pytestmark = pytest.mark.cli


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    """The stand-in for the model."""
    async with FakeApi.serve() as api:
        yield api


@pytest.fixture
async def vim_with_cli(
    vim_program: str, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Vim]:
    """A Vim whose CLIs use the stand-in for the model; it shows a file of two lines."""
    if not cli_path().exists():
        pytest.skip("no Claude CLI")
    home = tmp_path / "home"
    settle_in(home, config_folder, tmp_path, project)
    given = environment(api, home, config_folder)
    del given["PATH"]
    vim = await Vim.start(cwd=project, home=home, env=given, columns=160, rows=40)
    await vim.command(f"let g:claude_ide.cmd = '{cli_path()}'")
    (project / "a.py").write_text("one\ntwo\n")
    await edit(vim, project / "a.py")
    yield vim
    await vim.stop()


async def test_it_connects_sees_the_selection_and_goes_on_while_it_is_hidden(
    vim_with_cli: Vim, api: FakeApi
) -> None:
    vim = vim_with_cli
    api.script([text("Heard.")])
    await vim.keys("Vj:Claude<CR>")
    await until(lambda: CARET in vim.screen.text(), "the prompt box", PATIENCE)
    await until(lambda: "2 lines selected" in vim.screen.text(), "it is connected", PATIENCE)

    await vim.command("Claude")
    await until(lambda: vim.eval("winnr('$') == 1"))
    sent = await vim.call("claude_ide#terminal#typing#Send", 0, "Look\nat this")
    assert sent is True
    await until(lambda: len(api.requests) > 0, "the model is asked", PATIENCE)
    await vim.command("Claude")

    await until(lambda: "Heard." in vim.screen.text(), "the answer", PATIENCE)
    assert "one\ntwo" in api.requests[0].new_text
    await vim.keys("<C-w>:qa!<CR>")
    await until(lambda: vim.process.returncode is not None, "Vim has ended")


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        (":w<CR>", "one\nTWO\n"),
        ("Gothree<Esc>:w<CR>", "one\nTWO\nthree\n"),
        (":q<CR>", "one\ntwo\n"),
    ],
    ids=["accepted", "changed", "rejected"],
)
async def test_an_edit_is_decided_in_its_diff_and_typing_in_the_terminal_goes_on(
    vim_with_cli: Vim, api: FakeApi, project: Path, keys: str, written: str
) -> None:
    vim, path = vim_with_cli, project / "a.py"
    api.script(*fake_api.edit(path, "two", "TWO", then="All done."), [text("Heard.")])
    await vim.keys(":Claude<CR>")
    await until(lambda: CARET in vim.screen.text(), "the prompt box", PATIENCE)

    await vim.keys("Shout")
    await until(lambda: "Shout" in vim.screen.text(), "the prompt", PATIENCE)
    await vim.keys("<CR>")
    await are_shown(vim)
    assert path.read_text() == "one\ntwo\n"
    await vim.keys(keys)
    await until(lambda: vim.eval("tabpagenr('$') == 1"), "the diff is closed", PATIENCE)

    if written == "one\ntwo\n":
        await until(lambda: CARET in vim.screen.text(), "the prompt box", PATIENCE)
    else:
        await until(lambda: "All done." in vim.screen.text(), "the answer", PATIENCE)
    assert path.read_text() == written
    assert await vim.eval(f"getbufline('{path}', 1, '$')") == written.splitlines()
    assert await vim.eval("mode(1)") == "t"
