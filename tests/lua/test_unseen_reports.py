"""`disk_changes/tool_writes.lua`: signs in files that a tool has changed, as it reports them."""

from pathlib import Path
from typing import Any

import pytest

from support.disk_changes import NEW, edit_watched, replace, shows
from support.neovim import Neovim
from support.unseen import OFF, ON, autocommands, has_signs, hunk, report, signs, write

CHANGE = hunk(1, 1, " one", "-two", "+TWO", " three")
EXPECT = "require('claude_ide.disk_changes.reload').expect(...)"


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that is not open."""
    await nvim.lua(ON)
    path.write_text(NEW)
    return path


async def test_a_file_that_is_opened_later_has_its_signs(nvim: Neovim, path: Path) -> None:
    await report(nvim, path, CHANGE)
    assert await autocommands(nvim) == 1

    await nvim.command(f"edit {path}")

    assert await signs(nvim) == "2"
    await nvim.keys("j")
    await has_signs(nvim, "")
    assert await autocommands(nvim) == 0


async def test_nothing_is_kept_unless_the_user_wants_signs(nvim: Neovim, path: Path) -> None:
    await nvim.lua(OFF)

    await report(nvim, path, CHANGE)

    assert await autocommands(nvim) == 0
    await nvim.lua(ON)
    await nvim.command(f"edit {path}")
    assert await signs(nvim) == ""


async def test_a_new_file_has_a_sign_at_each_line(nvim: Neovim, path: Path) -> None:
    path.write_text("a\nb\nc\n")
    await report(nvim, path, hunk(0, 1, "+a", "+b", "+c"))

    await nvim.command(f"edit {path}")

    # The cursor is in the first line.
    await has_signs(nvim, "2 3")


async def test_several_writes_add_up_and_later_ones_move_the_lines_of_earlier_ones(
    nvim: Neovim, path: Path
) -> None:
    await report(nvim, path, CHANGE)
    path.write_text("zero\n1\nTWO\nthree\nfour\n")
    await report(
        *(nvim, path),
        hunk(1, 1, "-one", "+zero", "+1", " TWO", " three"),
        hunk(3, 4, " three", "+four"),
    )

    await nvim.command(f"edit {path}")

    assert await signs(nvim) == "2 3 5"


async def test_a_report_may_arrive_after_the_next_write(nvim: Neovim, path: Path) -> None:
    path.write_text("zero\none\nTWO\nthree\n")
    await report(nvim, path, CHANGE)
    await report(nvim, path, hunk(1, 1, "+zero", " one", " TWO", " three"))

    await nvim.command(f"edit +4 {path}")

    assert await signs(nvim) == "1 3"


async def test_lines_that_a_formatter_has_changed_are_no_longer_the_agents(
    nvim: Neovim, path: Path
) -> None:
    path.write_text('zero\none\n"two"\n"2"\nthree\n')
    await report(nvim, path, hunk(1, 1, " one", "-two", "+'two'", '+"2"', " three"))

    await nvim.command(f"edit {path}")

    assert await signs(nvim) == "4"


async def test_removed_lines_of_a_closed_file_have_signs(nvim: Neovim, path: Path) -> None:
    path.write_text("two\nfour\nsix\n")
    removed = hunk(1, 1, "-one", " two", "-three", " four", "-five", " six", "-seven")
    await report(nvim, path, removed)

    await nvim.command(f"edit +2 {path}")

    assert await signs(nvim) == "1^ 3_"


async def test_line_ends_and_places_may_be_reported_differently(nvim: Neovim, path: Path) -> None:
    path.write_bytes(b"zero\r\none\r\nTWO\r\nthree\r\n")
    await report(nvim, path, CHANGE)

    await nvim.command(f"edit {path}")

    assert await signs(nvim) == "3"


@pytest.mark.parametrize("is_open", [True, False])
async def test_what_the_user_has_accepted_was_seen(
    nvim: Neovim, path: Path, *, is_open: bool
) -> None:
    if is_open:
        path = await edit_watched(nvim, path.parent)
    await nvim.lua(EXPECT, str(path))
    replace(path, NEW)
    if is_open:
        await shows(nvim, path, NEW)
    await report(nvim, path, CHANGE)
    await nvim.command(f"edit {path}")
    assert await signs(nvim) == ""

    await nvim.command("enew | bdelete #")
    path.write_text(f"{NEW}four\n")
    await report(nvim, path, hunk(3, 3, " three", "+four"))
    await nvim.command(f"edit {path}")

    assert await signs(nvim) == "4"


async def test_an_open_file_that_a_command_has_changed_has_signs(nvim: Neovim, path: Path) -> None:
    path = await edit_watched(nvim, path.parent)
    replace(path, NEW)
    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""

    await report(nvim, path, CHANGE)

    assert await signs(nvim) == "2"


async def test_a_report_of_a_write_that_has_its_signs_brings_back_none(
    nvim: Neovim, path: Path
) -> None:
    path = await edit_watched(nvim, path.parent)
    await write(nvim, path, NEW)
    await nvim.keys("j")
    await has_signs(nvim, "")

    await report(nvim, path, CHANGE)

    assert await signs(nvim) == ""


async def test_a_buffer_that_is_behind_gets_its_signs_once_it_follows(
    nvim: Neovim, path: Path
) -> None:
    path = await edit_watched(nvim, path.parent)
    await nvim.keys("i")
    replace(path, NEW)

    await report(nvim, path, CHANGE)

    assert await signs(nvim) == ""
    await nvim.keys("<Esc>")
    await shows(nvim, path, NEW)
    await has_signs(nvim, "2")
    assert await nvim.eval("line('.')") == 1


async def test_unsaved_changes_keep_the_buffer_and_the_signs_wait(nvim: Neovim, path: Path) -> None:
    path = await edit_watched(nvim, path.parent)
    await nvim.command("3delete | 1")
    replace(path, NEW)
    await report(nvim, path, CHANGE)
    assert await signs(nvim) == ""

    await nvim.command("silent edit!")

    assert await signs(nvim) == "2"


async def test_a_file_that_is_gone_or_changed_wholly_has_no_signs(nvim: Neovim, path: Path) -> None:
    await report(nvim, path, CHANGE)
    path.write_text("other\ntexts\n")
    await nvim.command(f"edit {path}")
    assert await signs(nvim) == ""
    await nvim.command("enew | bdelete #")

    await report(nvim, path, CHANGE, hunk(1, 1, "+other"))
    path.unlink()
    await report(nvim, path, hunk(1, 0, "-other", "-texts"))

    assert await autocommands(nvim) == 0


async def test_unsaved_changes_on_top_of_the_write_keep_no_sign_away(
    nvim: Neovim, path: Path
) -> None:
    path = await edit_watched(nvim, path.parent)
    replace(path, NEW)
    await shows(nvim, path, NEW)
    await nvim.command("3delete | 1put! ='mine' | 1")

    await report(nvim, path, CHANGE)

    assert await signs(nvim) == "3"


@pytest.mark.parametrize(
    "hunks",
    [
        [],
        [{"old_start": 0, "old_lines": 0, "new_start": 0, "new_lines": 0, "lines": []}],
        [hunk(9, 900, "+nowhere")],
        [hunk(1, -5, "\\ No newline at end of file", "+TWO")],
    ],
)
async def test_odd_reports_do_no_harm(
    nvim: Neovim, path: Path, hunks: list[dict[str, Any]]
) -> None:
    await report(nvim, path, *hunks)
    await nvim.lua(
        "require('claude_ide.disk_changes.tool_writes').reported({ { path = ... } })", str(path)
    )
    await nvim.lua(
        "require('claude_ide.disk_changes.tool_writes').reported({ { path = ..., hunks = {} } })",
        str(path / "below"),
    )

    await nvim.command(f"edit {path}")

    assert await signs(nvim) == ("2" if "+TWO" in str(hunks) else "")
    assert "Error" not in await nvim.eval("execute('messages')")


async def test_the_texts_of_the_oldest_files_are_dropped(nvim: Neovim, path: Path) -> None:
    folder = path.parent / "many"
    folder.mkdir()
    paths = [folder / f"{number}.txt" for number in range(502)]
    for each in paths:
        each.write_text(NEW)
        await report(nvim, each, CHANGE)

    shown = []
    for each in (paths[1], paths[2], paths[-1]):
        await nvim.command(f"edit {each}")
        shown.append(await signs(nvim))

    assert shown == ["", "2", "2"]
