"""`diff/init.lua`: commands decide a diff."""

from pathlib import Path

import pytest

from support.diffs import MODULE, Diffs
from support.neovim import Neovim, until

OLD = "one\ntwo\n"


NEW = "one\nTWO\n"


async def select(nvim: Neovim, choice: int | None) -> None:
    """Make `vim.ui.select` choose this item asynchronously, as a picker does."""
    await nvim.lua(
        "local choice = ...; vim.ui.select = function(items, options, on_choice)"
        " _G.offered = vim.tbl_map(options.format_item, items)"
        " vim.schedule(function() on_choice(items[choice]) end) end",
        choice or 0,
    )


@pytest.mark.parametrize(("function", "accepted"), [("accept", True), ("reject", False)])
async def test_a_command_in_the_proposal_window_decides_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path, function: str, accepted: bool
) -> None:
    other = await diffs.open(path, "other\n")
    id_ = await diffs.open(path, NEW)

    await nvim.lua(f"{MODULE}.{function}()")

    assert (await diffs.decision(id_))["accepted"] is accepted
    assert not diffs.of("diff_decided", other)


async def test_a_command_in_the_left_window_decides_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, "other\n")
    id_ = await diffs.open(path, NEW)
    await nvim.keys("<C-w>h")
    await until(lambda: nvim.eval("winnr() == 1"))

    await nvim.lua(f"{MODULE}.accept()")

    assert (await diffs.decision(id_))["text"] == NEW


@pytest.mark.parametrize(("function", "accepted"), [("accept", True), ("reject", False)])
async def test_a_command_elsewhere_decides_the_only_diff(
    nvim: Neovim, diffs: Diffs, path: Path, function: str, accepted: bool
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gt")
    await until(lambda: nvim.eval("tabpagenr() == 1"))

    await nvim.lua(f"{MODULE}.{function}()")

    assert (await diffs.decision(id_))["accepted"] is accepted
    await diffs.closed(id_)


async def test_a_command_elsewhere_asks_which_of_several_diffs_is_meant(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    await select(nvim, 2)
    first = await diffs.open(path, NEW)
    second = await diffs.open(project / "new.txt", NEW, title="Claude Code (2)")
    await nvim.keys("gt")
    await until(lambda: nvim.eval("tabpagenr() == 1"))

    await nvim.lua(f"{MODULE}.accept()")

    assert (await diffs.decision(second))["accepted"]
    assert await nvim.lua("return _G.offered") == [
        "a.txt (Claude Code)",
        "new.txt (Claude Code (2))",
    ]
    assert not diffs.of("diff_decided", first)


async def test_a_dismissed_choice_decides_nothing(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await select(nvim, None)
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, NEW)
    await nvim.keys("gt")
    await until(lambda: nvim.eval("tabpagenr() == 1"))

    await nvim.lua(f"{MODULE}.accept()")

    await until(lambda: nvim.lua("return _G.offered"))
    assert [diff["id"] for diff in await diffs.list()] == [first, second]


async def test_a_command_can_name_a_diff(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, NEW)

    await nvim.lua(f"{MODULE}.reject(...)", first)

    assert await diffs.decision(first) == {"id": first, "accepted": False}
    assert not diffs.of("diff_decided", second)


async def test_a_command_without_any_diff_warns(nvim: Neovim, diffs: Diffs) -> None:
    await nvim.lua(f"{MODULE}.accept()")

    await until(lambda: "no diff is open" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]


async def test_a_command_does_not_accept_a_diff_that_is_not_shown_yet(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    id_ = await diffs.ask(path, NEW)

    await nvim.lua(f"{MODULE}.accept()")

    await until(lambda: nvim.eval("execute('messages') =~ 'no diff is open'"))
    assert not diffs.of("diff_decided", id_)
