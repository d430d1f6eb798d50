"""Files that an agent writes while they have unsaved changes."""

import asyncio
from pathlib import Path

import pytest

from support.agent_files import NEW, OLD, READY, Here, refused
from support.neovim import until

WINBAR = """
local win = vim.fn.win_getid(1)
return vim.api.nvim_eval_statusline(vim.wo[win].winbar, { winid = win }).str
"""


async def test_unsaved_text_is_replaced_only_if_the_user_accepts(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()
    # The diff compares the proposal with the unsaved text.
    shown = await here.nvim.eval("[getline('$'), getbufline(winbufnr(1), '$')]")
    assert shown == ["five", ["mine"]]
    assert await here.nvim.eval("bufname()") == "Otter (a.txt)"
    assert "a.txt  unsaved changes" in await here.nvim.lua(WINBAR)

    await here.nvim.command("write")

    assert (await writing).text == NEW
    assert unsaved.read_text() == NEW
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == NEW
    assert await here.nvim.eval("&modified") == 0
    await here.nvim.command("undo")
    assert await here.text() == f"{OLD}mine\n"


async def test_the_user_s_version_is_written(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    await here.nvim.command("call setline(1, 'changed') | write")

    assert (await writing).text == NEW.replace("one", "changed")
    assert unsaved.read_text() == NEW.replace("one", "changed")


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("quit", "the user rejected this change"),
        ("lua require('claude_ide.diff').decide(false, 'not now')", "not now"),
    ],
)
async def test_a_rejection_is_an_error_with_its_reason(
    here: Here, unsaved: Path, how: str, reason: str
) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    await here.nvim.command(how)

    assert await refused(writing) == f"{unsaved}: not written: {reason}"
    assert unsaved.read_text() == OLD
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == f"{OLD}mine\n"
    assert await here.nvim.eval("&modified") == 1


async def test_a_cancelled_write_closes_its_diff(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()

    writing.cancel()

    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.text() == f"{OLD}mine\n"
    assert unsaved.read_text() == OLD


@pytest.mark.parametrize("saves", [True, False])
async def test_text_that_the_user_types_during_the_diff_is_not_overwritten(
    here: Here, unsaved: Path, saves: bool
) -> None:
    writing = here.write(unsaved, NEW)
    await here.asked()
    buffer = await here.nvim.eval("winbufnr(1)")
    await here.nvim.eval(f"appendbufline({buffer}, '$', 'later')")
    if saves:
        await here.nvim.command("1windo noautocmd write | 2wincmd w")

    await here.nvim.command("call setline(1, 'changed') | write")
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"), "the first diff is closed")
    await here.asked()

    # The next one shows what the user has accepted.
    assert await here.nvim.eval("getline(1)") == "changed"
    await here.nvim.command("quit")
    assert "rejected" in await refused(writing)
    assert await here.nvim.eval(f"getbufline({buffer}, '$')") == ["later"]


async def test_the_same_text_as_the_unsaved_one_is_saved_without_a_question(
    here: Here, unsaved: Path
) -> None:
    await here.files.write(str(unsaved), f"{OLD}mine\n")

    assert unsaved.read_text() == f"{OLD}mine\n"
    assert await here.nvim.eval("&modified") == 0


async def test_two_writes_of_a_file_follow_each_other(here: Here, unsaved: Path) -> None:
    first, second = here.write(unsaved, NEW), here.write(unsaved, f"{NEW}last\n")
    await here.asked()
    assert await here.nvim.eval(f"len({READY})") == 1

    await here.nvim.command("write")
    await asyncio.gather(first, second)

    assert unsaved.read_text() == f"{NEW}last\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\0b", "the text contains a NUL"),
        ("\ud800", "the text is not valid Unicode"),
        ("x" * 15_000_001, "the text has 15,000,001 bytes, more than 15,000,000"),
    ],
)
async def test_a_text_that_is_no_text_is_not_written(
    here: Here, path: Path, text: str, reason: str
) -> None:
    assert await refused(here.files.write(str(path), text)) == f"{path}: {reason}"
    assert path.read_text() == OLD


# Text that the user has accepted before, in the agent's request.

MINE = f"{OLD}mine\n"
THEIRS = OLD.replace("two\n", "TWO\n")


async def test_an_accepted_text_replaces_the_unsaved_one_without_a_question(
    here: Here, unsaved: Path
) -> None:
    await asyncio.wait_for(here.write(unsaved, NEW, over=MINE), 10)

    assert unsaved.read_text() == NEW
    assert await here.nvim.eval("&modified") == 0
    assert here.replaced_texts == [(OLD, MINE)]
    await here.nvim.command("undo")
    assert await here.text() == MINE


async def test_the_user_is_asked_again_if_the_unsaved_text_has_changed(
    here: Here, unsaved: Path
) -> None:
    await here.nvim.command("call append('$', 'later')")

    writing = here.write(unsaved, NEW, over=MINE)
    await here.asked()
    await here.nvim.command("quit")

    assert "rejected" in await refused(writing)
    assert await here.text() == f"{MINE}later\n"
    assert unsaved.read_text() == OLD
    assert not here.replaced_texts


async def test_an_accepted_change_of_the_disk_leaves_the_unsaved_changes_unsaved(
    here: Here, unsaved: Path
) -> None:
    await asyncio.wait_for(here.write(unsaved, THEIRS, over=OLD), 10)

    assert unsaved.read_text() == THEIRS
    await until(lambda: here.nvim.eval("getline(2) == 'TWO'"), "the buffer follows")
    assert await here.text() == f"{THEIRS}mine\n"
    assert await here.nvim.eval("&modified") == 1
    assert not here.replaced_texts
    # The agent may write it again.
    await asyncio.wait_for(here.write(unsaved, THEIRS, over=OLD), 10)
    assert await here.text() == f"{THEIRS}mine\n"


async def test_a_change_of_the_disk_that_conflicts_with_unsaved_changes_is_asked_again(
    here: Here, unsaved: Path
) -> None:
    await here.nvim.command("call setline(2, 'my two')")

    writing = here.write(unsaved, THEIRS, over=OLD)
    await here.asked()
    await here.nvim.command("quit")

    assert "rejected" in await refused(writing)
    assert await here.nvim.eval("getline(2)") == "my two"
    assert unsaved.read_text() == OLD


async def test_a_change_of_another_text_on_disk_is_asked_again(here: Here, unsaved: Path) -> None:
    writing = here.write(unsaved, THEIRS, over="older\n")
    await here.asked()

    await here.nvim.command("write")

    assert (await writing).text == THEIRS
    assert here.replaced_texts == [(OLD, MINE)]


async def test_the_text_on_disk_is_read_beside_the_unsaved_one(here: Here, unsaved: Path) -> None:
    assert await here.files.saved(str(unsaved)) == OLD
    assert await here.files.read(str(unsaved)) == MINE
    with pytest.raises(FileNotFoundError):
        await here.files.saved(f"{unsaved}.missing")
