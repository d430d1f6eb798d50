"""`file/command_buffer.lua`: `:w` runs an action, and `:w` with a file name writes a copy."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat with text in its prompt."""
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.keys("one<CR>two<Esc>")
    await until(lambda: nvim.eval("mode() == 'n' && getline(1, '$') == ['one', 'two']"))
    return chats


async def test_a_prompt_that_is_saved_as_a_file_is_copied_and_not_sent(
    nvim: Neovim, chats: Chats, tmp_path: Path
) -> None:
    await nvim.command(f"silent saveas {tmp_path}/copy.txt")

    assert (tmp_path / "copy.txt").read_text() == "one\ntwo\n"
    assert await chats.lines("prompt") == ["one", "two"]
    await nvim.keys("<C-s>")
    await until(lambda: chats.events("send"), "the prompt is sent")
    assert [prompt["text"] for prompt in chats.events("send")] == ["one\ntwo"]


async def test_a_copy_that_cannot_be_written_is_reported(
    nvim: Neovim, chats: Chats, tmp_path: Path
) -> None:
    await nvim.keys(f":write {tmp_path}/none/copy.txt<CR>")

    await until(lambda: "cannot write" in nvim.screen.text())
    assert await nvim.eval("&modified") == 0
    assert not chats.events("send")
