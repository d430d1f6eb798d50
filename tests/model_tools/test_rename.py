"""`rename`: the user reviews the changes of a real language server before any is applied."""

from pathlib import Path

import pytest

from support.mcp_stdio import McpStdio
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("basedpyright")

QUESTION = "rename greet to hail: 3 lines in 2 files"
RENAMED = "    def hail(self, times: int = 1) -> str:"


@pytest.fixture
async def main(greeter: Path, basedpyright: None) -> Path:
    """A file that uses the other one."""
    return greeter.with_name("main.py")


@pytest.fixture
async def renaming(reviewed: Reviewed, serving: Neovim, greeter: Path, main: Path) -> Reviewed:
    """A file in the current window, and a call that renames one of its methods."""
    await serving.command(f"edit {greeter}")
    await begin(reviewed, greeter)
    return reviewed


async def begin(reviewed: Reviewed, greeter: Path) -> None:
    await reviewed.begin("rename", file=str(greeter), line=5, symbol="greet", new_name="hail")


async def test_files_are_written_after_the_last_is_accepted(
    renaming: Reviewed, serving: Neovim, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)

    await renaming.decide("w", "1 of 2")
    assert "hail" not in greeter.read_text() + main.read_text()
    await renaming.decide("w", "2 of 2")

    text = await renaming.text()
    assert text.splitlines()[:2] == ["Renamed by basedpyright.", "Written:"]
    assert {*text.splitlines()[2:]} == {f"  {greeter}", f"  {main}"}
    assert RENAMED in greeter.read_text()
    assert main.read_text().count(".hail(") == 2
    assert await serving.eval("getline(5)") == RENAMED
    assert not await serving.eval("&modified")
    assert await serving.eval("len(getbufinfo({'buflisted': 1}))") == 1


async def test_all_is_applied_at_once_if_the_user_wants(
    renaming: Reviewed, greeter: Path, main: Path
) -> None:
    await renaming.choose("2", QUESTION)

    assert "Written:" in await renaming.text()
    assert RENAMED in greeter.read_text()
    assert main.read_text().count(".hail(") == 2


async def test_nothing_is_applied_if_the_user_refuses(
    renaming: Reviewed, greeter: Path, main: Path
) -> None:
    await renaming.choose("3", QUESTION)

    assert "the user does not want to rename greet to hail" in await renaming.error()
    assert "hail" not in greeter.read_text() + main.read_text()


async def test_unsaved_changes_stay_unsaved_and_the_edit_is_one_undo_step(
    reviewed: Reviewed, serving: Neovim, greeter: Path, main: Path
) -> None:
    before = main.read_text()
    await serving.command(f"edit {main}")
    await serving.keys("Go# mine<Esc>2Gma4G")
    await begin(reviewed, greeter)
    await reviewed.choose("1", QUESTION)
    await reviewed.decide("w")
    await reviewed.decide("w")

    text = await reviewed.text()

    assert f"Written:\n  {greeter}" in text
    assert "not saved, as these buffers had unsaved changes:" in text
    assert text.endswith(f"  {main}")
    assert main.read_text() == before
    assert await serving.eval("getline(4, '$')") == ["print(é.hail())", "# mine"]
    assert await serving.eval("&modified")
    assert await serving.eval("[line('.'), line(\"'a\")]") == [4, 2]
    await serving.keys("u")
    assert await serving.eval("getline(3, '$')") == [*before.splitlines()[2:], "# mine"]


async def test_the_user_may_change_one_proposal_and_reject_another_with_a_reason(
    renaming: Reviewed, serving: Neovim, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.shown("1 of 2")
    await serving.keys("Go# added<Esc>")
    await renaming.decide("w")
    await renaming.decide("ClaudeReject it is generated", "2 of 2")

    text = await renaming.text()

    changed, kept = (greeter, main) if "added" in greeter.read_text() else (main, greeter)
    assert f"  {changed} (the user has changed the proposal)" in text
    assert f"Rejected by the user, and not changed:\n  {kept}: it is generated" in text
    assert changed.read_text().endswith("# added\n")
    assert "hail" in changed.read_text()
    assert "hail" not in kept.read_text()


async def test_the_reason_of_a_rejection_reaches_the_model(
    renaming: Reviewed, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.decide("ClaudeReject no")
    await renaming.decide("q", "2 of 2")

    error = await renaming.error()

    assert "the user rejected it; nothing was changed" in error
    assert ": no" in error
    assert "hail" not in greeter.read_text() + main.read_text()


async def test_a_file_that_changes_during_the_review_is_not_overwritten(
    renaming: Reviewed, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.decide("w", "1 of 2")
    main.write_text("# of another program\n")
    await renaming.decide("w", "2 of 2")

    error = await renaming.error()

    assert f"changed during the review: {main}; nothing was applied" in error
    assert main.read_text() == "# of another program\n"
    assert "hail" not in greeter.read_text()


async def test_edits_of_a_proposal_that_is_not_applied_are_kept_in_a_buffer(
    renaming: Reviewed, serving: Neovim, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.shown("1 of 2")
    await serving.keys("Go# added<Esc>")
    await renaming.decide("w")
    greeter.write_text("# of another program\n")
    main.write_text("# of another program\n")
    await renaming.decide("w", "2 of 2")

    assert "nothing was applied" in await renaming.error()

    kept = "filter(getbufinfo(), 'v:val.name =~ \"Kept\"')"
    await until(lambda: serving.eval(f"len({kept})"), "a buffer keeps the text")
    lines = await serving.eval(f"getbufline({kept}[0].bufnr, 1, '$')")
    assert lines[-1].strip() == "# added"
    assert "hail" in "".join(lines)


async def test_a_cancelled_call_closes_its_diff_and_applies_nothing(
    renaming: Reviewed, client: McpStdio, serving: Neovim, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.decide("w", "1 of 2")
    await renaming.shown("2 of 2")

    await client.send("notifications/cancelled", {"requestId": renaming.number})

    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert "hail" not in greeter.read_text() + main.read_text()


async def test_a_client_that_goes_away_applies_nothing(
    renaming: Reviewed, client: McpStdio, serving: Neovim, greeter: Path, main: Path
) -> None:
    await renaming.choose("1", QUESTION)
    await renaming.decide("w", "1 of 2")
    await renaming.shown("2 of 2")

    client.process.kill()

    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert "hail" not in greeter.read_text() + main.read_text()


async def test_what_is_no_symbol_is_not_renamed(
    reviewed: Reviewed, tools: ModelTools, greeter: Path, main: Path
) -> None:
    error = await tools.error("rename", file=str(greeter), line=5, symbol="def", new_name="hail")

    assert error == "nothing can be renamed at this place"


async def test_the_annotations_say_that_files_may_change(tools: ModelTools) -> None:
    listed = (await tools.client.request("tools/list"))["result"]["tools"]
    hints = {tool["name"]: tool["annotations"] for tool in listed}

    for name in ("rename", "code_action", "format"):
        assert not hints[name]["readOnlyHint"], name
    assert hints["rename"]["destructiveHint"]
