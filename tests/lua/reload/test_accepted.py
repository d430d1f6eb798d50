"""`disk_changes/reload.lua`: buffers follow the writes of accepted diffs."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.disk_changes import watch
from support.neovim import Neovim, until
from support.reloading import MODULE, messages, shows, text, write

OLD = "one\ntwo\nthree\n"


NEW = "one\nTWO\nthree\n"


@pytest.fixture(autouse=True)
async def watched(nvim: Neovim, path: Path) -> None:
    """The file is watched."""
    await watch(nvim)


async def test_a_second_accept_includes_the_text_typed_since_the_first(
    nvim: Neovim, path: Path
) -> None:
    saved = await nvim.lua(f"return {MODULE}.saved(...)", str(path))
    await nvim.lua(f"{MODULE}.expect(...)", str(path), saved)
    await nvim.lua(
        f"vim.api.nvim_buf_set_lines(0, 0, 1, true, {{ 'mine' }});{MODULE}.expect(...)",
        str(path),
        saved,
    )

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")


async def test_after_an_accept_the_buffer_follows_the_write(nvim: Neovim, path: Path) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW)
    await nvim.keys("Gofour<Esc>:w<CR>")
    decision = await diffs.decision(id_)
    await diffs.closed(id_)
    assert await text(nvim, path) == OLD

    write(path, decision["text"])

    await shows(nvim, path, NEW + "four\n")
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 0]
    await nvim.keys("u")
    await shows(nvim, path, OLD)


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_after_an_accept_unsaved_changes_stay_on_top_of_the_write(
    nvim: Neovim, path: Path, layout: str
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":w<CR>")
    decision = await diffs.decision(id_)
    assert decision["text"] == NEW

    write(path, NEW)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await diffs.closed(id_)
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 1]
    await nvim.keys("u")
    await shows(nvim, path, "mine\ntwo\nthree\n")
    assert await nvim.eval("&modified") == 1


async def test_after_an_accept_unsaved_changes_stay_on_top_of_other_writes_too(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW)
    write(path, f"{OLD}theirs\n")
    await nvim.keys(":w<CR>")
    await diffs.decision(id_)

    write(path, f"{NEW}theirs\n")

    await shows(nvim, path, "mine\nTWO\nthree\ntheirs\n")
    await diffs.closed(id_)
    assert await nvim.eval("[bufname(), &modified]") == ["a.txt", 1]


@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_text_typed_into_the_left_side_stays_on_top_of_the_write(
    nvim: Neovim, project: Path, layout: str
) -> None:
    path = project / "other.txt"
    path.write_text(OLD)
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":execute bufwinnr('other.txt') 'wincmd w'<CR>ggOmine<Esc><C-w>p:w<CR>")
    await diffs.decision(id_)

    write(path, NEW)

    await shows(nvim, path, f"mine\n{NEW}")
    await diffs.closed(id_)
    assert await nvim.eval(f"getbufvar('{path}', '&modified')") == 1


async def test_a_diff_that_was_answered_elsewhere_keeps_unsaved_changes_on_top(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    id_ = await diffs.open(path, NEW)
    write(path, NEW)

    await diffs.close(id_)

    await shows(nvim, path, "mine\nTWO\nthree\n")
    await diffs.closed(id_)
    assert "W1" not in await messages(nvim)


async def test_the_write_of_a_diff_that_was_answered_elsewhere_is_followed_too(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(path, NEW)
    write(path, NEW)

    await diffs.close(id_)

    await shows(nvim, path, NEW)
    await diffs.closed(id_)
    assert "W1" not in await messages(nvim)


async def test_the_writes_of_two_accepts_are_followed_one_after_the_other(
    nvim: Neovim, path: Path
) -> None:
    diffs = await Diffs.start(nvim)
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, "second\n")
    for id_, new in ((first, NEW), (second, "second\n")):
        await nvim.lua("require('claude_ide.diff').accept(...)", id_)
        write(path, new)
        await shows(nvim, path, new)

    await diffs.closed(second)
    await nvim.command("tabfirst")
    await nvim.keys("u")
    await shows(nvim, path, NEW)
    await nvim.keys("u")
    await shows(nvim, path, OLD)
