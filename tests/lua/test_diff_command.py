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
        "local choice = ...; vim.ui.select = function(items, _, on_choice)"
        " _G.offered = items"
        " vim.schedule(function() on_choice(items[choice]) end) end",
        choice or 0,
    )


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_command_in_the_proposal_window_decides_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path, accepted: bool
) -> None:
    other = await diffs.open(path, "other\n")
    id_ = await diffs.open(path, NEW)

    await nvim.lua(f"{MODULE}.decide(...)", accepted)

    assert (await diffs.decision(id_))["accepted"] is accepted
    assert not diffs.of("diff_decided", other)


async def test_a_command_in_the_left_window_decides_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, "other\n")
    id_ = await diffs.open(path, NEW)
    await nvim.keys("<C-w>h")
    await until(lambda: nvim.eval("winnr() == 1"))

    await nvim.lua(f"{MODULE}.decide(true)")

    assert (await diffs.decision(id_))["text"] == NEW


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_command_elsewhere_decides_the_only_diff(
    nvim: Neovim, diffs: Diffs, path: Path, accepted: bool
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gt")
    await until(lambda: nvim.eval("tabpagenr() == 1"))

    await nvim.lua(f"{MODULE}.decide(...)", accepted)

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

    await nvim.lua(f"{MODULE}.decide(true)")

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

    await nvim.lua(f"{MODULE}.decide(true)")

    await until(lambda: nvim.lua("return _G.offered"))
    assert [diff["id"] for diff in await diffs.list()] == [first, second]


async def test_the_host_can_accept_a_diff_by_its_id(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    first = await diffs.open(path, NEW)
    second = await diffs.open(path, NEW)

    await nvim.lua(f"{MODULE}.accept(...)", first)

    assert (await diffs.decision(first))["accepted"]
    assert not diffs.of("diff_decided", second)


async def test_a_command_without_any_diff_warns(nvim: Neovim, diffs: Diffs) -> None:
    await nvim.lua(f"{MODULE}.decide(true)")

    await until(lambda: "no diff is open" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]


async def test_a_command_does_not_accept_a_diff_that_is_not_shown_yet(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    id_ = await diffs.ask(path, NEW)

    await nvim.lua(f"{MODULE}.decide(true)")

    await until(lambda: nvim.eval("execute('messages') =~ 'no diff is open'"))
    assert not diffs.of("diff_decided", id_)


@pytest.mark.parametrize("accepted", [True, False])
async def test_all_diffs_are_decided_also_those_that_have_not_appeared(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path, accepted: bool
) -> None:
    other = project / "other.txt"
    shown = await diffs.open(path, NEW)
    await nvim.keys("ix")
    await until(lambda: nvim.eval("mode() == 'i'"))
    queued = await diffs.ask(other, "new\n")

    await nvim.command("ClaudeAccept!" if accepted else "ClaudeReject! not today")

    decided, unseen = await diffs.decision(shown), await diffs.decision(queued)
    assert (decided["accepted"], unseen["accepted"]) == (accepted, accepted)
    assert await diffs.list() == []
    if accepted:
        assert unseen["text"] == "new\n"
    else:
        assert decided["reason"] == unseen["reason"] == "not today"
        _, words = await diffs.remarks(queued)
        assert words == "I have rejected your edit of other.txt: not today"
    await nvim.keys("<Esc>")
    await diffs.closed(shown)
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_a_diff_with_a_warning_is_accepted_only_after_it_was_seen(
    nvim: Neovim, diffs: Diffs, path: Path, tmp_path: Path
) -> None:
    await nvim.keys("ix")
    await until(lambda: nvim.eval("mode() == 'i'"))
    queued = await diffs.ask(tmp_path / "outside.txt", "new\n")

    await nvim.command("ClaudeAccept!")

    assert [each["id"] for each in await diffs.list()] == [queued]
    await nvim.keys("<Esc>")
    await diffs.ready(queued)
    await nvim.command("ClaudeAccept!")
    assert (await diffs.decision(queued))["accepted"]


async def test_without_a_diff_there_is_nothing_to_decide(nvim: Neovim, diffs: Diffs) -> None:
    await nvim.command("ClaudeReject!")

    await until(lambda: "no diff is waiting" in nvim.screen.text())
