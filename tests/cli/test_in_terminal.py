"""The real CLI in the editor's own terminal, in both of its versions."""

from pathlib import Path

import pytest

from support import fake_api
from support.claude_cli import CARET
from support.either_editor import BOTH_WITH_CLI, Editor, on_screen, type_prompt
from support.fake_api import FakeApi, text, tool_use
from support.neovim import until
from support.vim import Vim

from .conftest import begin, diff_opened, in_new_file

pytestmark = BOTH_WITH_CLI


async def send(nvim: Editor, prompt: str) -> None:
    """Type a prompt and send it."""
    await nvim.keys(prompt)
    await on_screen(nvim, prompt)
    await nvim.keys("<CR>")


async def decide(nvim: Editor, keys: str) -> None:
    """Type the keys in the diff, and wait until the terminal has the focus again."""
    await diff_opened(nvim)
    await nvim.keys(keys)
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    await until(lambda: nvim.eval("mode() == 't'"), "typing goes on")


async def test_it_sees_the_selection_and_goes_on_while_it_is_hidden(
    nvim_with_cli: Editor, api: FakeApi
) -> None:
    nvim = nvim_with_cli
    api.script([text("Heard.")])
    await nvim.keys("Vj:Claude<CR>")
    await on_screen(nvim, CARET)
    await on_screen(nvim, "2 lines selected")

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await type_prompt(nvim, "Look\nat this")
    await until(lambda: len(api.requests) > 0, "the model is asked")
    await nvim.command("Claude")

    await on_screen(nvim, "Heard.")
    assert "one\ntwo" in api.requests[0].new_text
    leave = "<C-w>" if isinstance(nvim, Vim) else r"<C-\><C-n>"
    await nvim.keys(f"{leave}:qa!<CR>")
    await until(lambda: nvim.process.returncode is not None, "the editor has ended")


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        (":w<CR>", "one\nTWO\n"),
        ("Gothree<Esc>:w<CR>", "one\nTWO\nthree\n"),
        (":q<CR>", "one\ntwo\n"),
    ],
    ids=["accepted", "changed", "rejected"],
)
async def test_an_edit_is_decided_in_its_diff(
    nvim_with_cli: Editor, api: FakeApi, path: Path, keys: str, written: str
) -> None:
    nvim = nvim_with_cli
    api.script(*fake_api.edit(path, "two", "TWO", then="All done."))
    await begin(nvim, "default")

    await send(nvim, "Shout")
    await diff_opened(nvim)
    assert path.read_text() == "one\ntwo\n"
    await decide(nvim, keys)

    await on_screen(nvim, "ejected update to" if written == "one\ntwo\n" else "All done.")
    assert path.read_text() == written
    await until(
        lambda: nvim.eval(f"getbufline('{path}', 1, '$') == {written.splitlines()}"), "the buffer"
    )


@pytest.mark.parametrize(
    ("keys", "written"),
    [(":w<CR>", b"one\ntwo\n"), ("Gothree<Esc>:w<CR>", b"one\ntwo\nthree\n"), (":q<CR>", b"")],
    ids=["accepted", "changed", "rejected"],
)
async def test_a_new_file_is_decided_in_its_diff(
    nvim_with_cli: Editor, each_cli: Path, api: FakeApi, project: Path, keys: str, written: bytes
) -> None:
    nvim, new = nvim_with_cli, project / "folder" / "new.py"
    write = tool_use("Write", file_path=str(new), content="one\ntwo\n")
    api.script([write], [text("All done.")])
    await begin(nvim, "default")

    await send(nvim, "Make it")
    await diff_opened(nvim)
    assert not new.exists()
    await decide(nvim, keys)

    await on_screen(nvim, "All done." if written else "ejected")
    assert new.exists() is bool(written)
    if written:
        assert new.read_bytes() == in_new_file(each_cli, written)
