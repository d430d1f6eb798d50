"""The files of an agent, shown next to its chat while the user stays in the panel."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.requests import Option, OptionKind, PermissionAsked, RequestWithdrawn
from support import reviews
from support.chunks import chunk
from support.following import Window, edit, read
from support.neovim import Neovim, until
from support.river import Begin, River


@pytest.fixture
def files(project: Path) -> list[Path]:
    """Five files of 99 lines; the first is open."""
    found = [project / f"{name}.txt" for name in "abcde"]
    for path in found:
        path.write_text("".join(f"line {number}\n" for number in range(1, 100)))
    return found


@pytest.fixture
async def river(nvim: Neovim, begin: Begin, files: list[Path]) -> River:
    """A chat that follows its agent, next to the first file, with the user in the prompt."""
    await nvim.command(f"edit {files[0]}")
    river = await begin()
    await river.command("follow")
    await river.reports("following Otter's files")
    await river.panel.write()
    return river


@pytest.fixture
def window(river: River) -> Window:
    return Window(river)


async def test_a_file_that_the_agent_reads_is_shown(
    river: River, window: Window, files: list[Path]
) -> None:
    river.agent.emit(*read(files[1], 42))

    seen = await window.shows("b.txt", 42)

    assert (seen["mode"], seen["filetype"]) == ("i", "claude-prompt")
    assert seen["jumps"] == ["a.txt"]
    assert seen["listed"]


async def test_changed_lines_are_shown_and_flash(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.lua(chunk("following/watch_flashes"))
    await river.nvim.lua("vim.fn['claude_ide#agent_writes#Announce'](...)", str(files[0]))

    river.agent.emit(*edit(files[0], 7, "line 7", "new"))

    seen = await window.shows("a.txt", 7)
    assert seen["text"] == "new"
    await until(lambda: _flashed(river), "the flash of the changed line")
    await until(lambda: river.nvim.lua("return _G.flashes() == 0"), "the end of the flash")


async def _flashed(river: River) -> bool:
    return bool(await river.nvim.lua("return _G.flashed") == [[6, 7]])


async def test_keys_typed_in_the_prompt_stay_there(
    river: River, window: Window, files: list[Path]
) -> None:
    words = ""
    for number, path in enumerate(files * 4):
        river.agent.emit(*read(path, number + 1))
        await river.nvim.keys(f"word{number} ")
        words += f"word{number} "
        await river.nvim.idle(60)
    await window.shows("e.txt", 20)

    seen = await river.panel.look()

    assert seen["prompt"] == [words]
    assert (await window.look())["mode"] == "i"


async def test_an_insertion_that_is_interrupted_by_a_file_is_undone_and_repeated_as_one(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.keys("first")
    river.agent.emit(*read(files[1], 50))
    await window.shows("b.txt", 50)
    await river.nvim.keys("last")
    river.agent.emit(*edit(files[1], 70, "line 70", "new"))
    await window.shows("b.txt", 70)

    await river.nvim.keys(" <Esc>.")
    assert (await river.panel.look())["prompt"] == ["firstlastfirstlast  "]
    await river.nvim.keys("uu")
    assert (await river.panel.look())["prompt"] == [""]


async def test_each_place_is_one_entry_in_the_list_of_jumps(
    river: River, window: Window, files: list[Path]
) -> None:
    for line in (10, 20, 20, None):
        river.agent.emit(*read(files[0], line))
        await window.shows("a.txt", line or 20)
        await river.nvim.idle(300)

    assert (await window.look())["jumps"] == ["a.txt", "a.txt"]


async def _bar_lacks(river: River, words: str) -> bool:
    return words not in (await river.panel.look())["bar"]


async def test_the_command_turns_following_off_and_on(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.panel.bar_shows("follows")
    await river.command("follow")
    await river.reports("no longer following Otter's files")
    await until(lambda: _bar_lacks(river, "follows"), "the bar")
    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")
    await window.keeps("a.txt")

    await river.command("follow")

    await river.reports("following Otter's files")
    await window.shows("b.txt")


async def test_no_window_changes_while_the_user_is_outside_the_panel(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.keys("<Esc><C-w>h:belowright split<CR>")
    await until(lambda: river.nvim.eval("winnr() == 2 && winnr('$') == 4"), "two windows")
    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")
    await window.keeps("a.txt")

    await river.panel.write()
    river.agent.emit(*read(files[2], 3))

    await window.shows("c.txt", 3)


@pytest.mark.parametrize(
    ("keys", "mode"), [("<Esc>v", "v"), ("<Esc>:echo 1", "c"), ("<Esc>d", "no")]
)
async def test_nothing_appears_in_the_middle_of_a_command(
    river: River, window: Window, files: list[Path], keys: str, mode: str
) -> None:
    await river.nvim.keys(keys)
    await until(lambda: _mode_is(river, mode), mode)

    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")
    await river.nvim.idle(400)
    await river.nvim.keys("<Esc>")

    await window.keeps("a.txt")


async def test_nothing_appears_while_the_prompt_shows_a_menu(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.keys("word words <C-x><C-p>")
    await until(lambda: river.nvim.eval("pumvisible()"), "the menu")

    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")
    await window.keeps("a.txt")

    assert await river.nvim.eval("pumvisible()")
    await river.nvim.keys("<C-e>")
    river.agent.emit(*read(files[2]))
    await window.shows("c.txt")


async def test_nothing_appears_while_a_review_is_open(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.keys("<Esc>")
    await reviews.show(river.nvim, reviews.hunk(files[0], 4))
    await river.panel.write()

    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")
    await window.keeps("a.txt")
    await river.nvim.command("cclose")
    river.agent.emit(*read(files[2]))

    await window.shows("c.txt")


async def _mode_is(river: River, mode: str) -> bool:
    return bool((await river.nvim.mode())["mode"] == mode)


@pytest.mark.parametrize(
    "command",
    [
        "setlocal winfixbuf",
        "setlocal previewwindow",
        "diffthis",
        "set nohidden | call setline(1, 'unsaved')",
        "setlocal buftype=nofile",
        "terminal",
    ],
)
async def test_a_window_that_must_keep_its_buffer_keeps_it(
    river: River, window: Window, files: list[Path], command: str
) -> None:
    await river.nvim.lua(chunk("following/in_file_window"), command)
    before = (await window.look())["name"]
    windows = await river.nvim.eval("winnr('$')")

    river.agent.emit(*read(files[1]))
    await river.panel.shows("b.txt")

    await window.keeps(before)
    assert await river.nvim.eval("winnr('$')") == windows
    assert await river.nvim.eval(f"bufexists('{files[1]}')") == 0


async def test_what_is_not_a_text_file_is_not_opened(
    river: River, window: Window, project: Path, files: list[Path]
) -> None:
    (project / "picture.png").write_bytes(b"\x89PNG\0\0")
    (project / "all.zip").write_bytes(b"PK")
    for number, name in enumerate(("picture.png", "all.zip", "missing.txt", ".")):
        river.agent.emit(*read(project / name, tool=f"t{number}"))
        await window.keeps("a.txt")

    names = await river.nvim.eval("map(getbufinfo(), 'fnamemodify(v:val.name, \":t\")')")
    assert not {"picture.png", "all.zip", "missing.txt"} & set(names)

    river.agent.emit(*read(files[4]))
    await window.shows("e.txt")


async def test_nothing_is_shown_while_a_request_waits(
    river: River, window: Window, files: list[Path]
) -> None:
    option = Option("o1", "Let it", OptionKind.ALLOW_ONCE)
    river.agent.emit(
        PermissionAsked("r1", "x", "paddle", {}, (option,), kind="execute", title="swim")
    )
    await river.panel.shows("? Use paddle")

    river.agent.emit(*read(files[1]))
    await window.keeps("a.txt")
    river.agent.emit(RequestWithdrawn("r1"), *read(files[2]))

    await window.shows("c.txt")


async def test_a_chat_in_another_tab_page_does_not_follow(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.keys(f"<Esc>:tabedit {files[3]} | belowright split<CR>")
    await until(lambda: river.nvim.eval("tabpagenr() == 2 && winnr() == 2"), "the tab page")

    river.agent.emit(*read(files[1]))

    await window.keeps("d.txt")
    await river.nvim.keys("gt")
    assert (await window.look())["name"] == "a.txt"


@pytest.fixture
async def other(
    nvim: Neovim, project: Path, tmp_path: Path, files: list[Path]
) -> AsyncIterator[Neovim]:
    """Another Neovim that is editing the second file."""
    other = await Neovim.start(cwd=project, home=tmp_path / "other")
    for neovim in (other, nvim):
        await neovim.command("set updatecount=200 directory=. swapfile")
    await other.command(f"edit {files[1]} | call setline(1, 'theirs') | preserve")
    yield other
    await other.stop()


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_file_with_a_swap_file_opens_without_a_question(
    other: Neovim, river: River, window: Window, files: list[Path], is_running: bool
) -> None:
    if not is_running:
        other.process.kill()
        await other.process.wait()

    river.agent.emit(*read(files[1], 5))

    seen = await window.shows("b.txt", 5)
    assert (seen["mode"], seen["filetype"]) == ("i", "claude-prompt")
    # Neovim itself ignores the swap file of another Neovim that is running.
    assert await river.nvim.eval("getbufvar('b.txt', '&readonly')") == (not is_running)


async def test_the_selection_for_the_next_prompt_stays(
    river: River, window: Window, files: list[Path]
) -> None:
    await river.nvim.lua("require('claude_ide.selection').start()")
    await river.nvim.keys("<Esc><C-w>h3GVj")
    await until(lambda: _mode_is(river, "V"), "Visual mode")
    await river.command("")
    await river.command("")
    await river.panel.write()

    async def chip() -> bool:
        return "a.txt:3-4" in (await river.panel.look())["prompt_bar"]

    await until(chip, "the selection")
    river.agent.emit(*read(files[1]))
    await window.shows("b.txt")
    await river.nvim.idle(300)

    assert await chip()
