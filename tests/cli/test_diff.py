"""Proposals of the model: the user decides in a real Neovim, and the real CLI writes."""

from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli
from support.either_editor import BOTH, Editor
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import until

from .conftest import diff_opened, diffs_closed, in_new_file

pytestmark = BOTH


async def test_an_edit_accepted_with_w_is_on_disk_and_in_the_buffer(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    assert path.read_text() == "one\ntwo\n"
    await nvim.keys(":w<CR>")

    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\n"
    assert "updated successfully" in api.requests[2].new_text
    await diffs_closed(nvim)
    await holds(nvim, path, "one", "TWO")
    assert await nvim.eval("&modified") == 0

    await nvim.keys("u")
    await holds(nvim, path, "one", "two")


async def test_unsaved_changes_stay_unsaved_on_top_of_an_accepted_edit(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))
    await nvim.keys("Gounsaved<Esc>")

    await claude.prompt("Shout")
    await diff_opened(nvim)
    assert await nvim.eval("getbufline(winbufnr(1), 1, '$')") == ["one", "two"]
    await nvim.keys(":w<CR>")

    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\n"
    await diffs_closed(nvim)
    await holds(nvim, path, "one", "TWO", "unsaved")
    assert await nvim.eval("&modified") == 1

    await nvim.keys("u")
    await holds(nvim, path, "one", "two", "unsaved")
    assert await nvim.eval("&modified") == 1


async def test_an_accepted_text_is_kept_in_a_buffer_if_the_file_has_changed(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    """The CLI refuses the write without reporting it."""
    api.script(*edit(path, "two", "TWO", then="All done."))
    await claude.prompt("Shout")
    await diff_opened(nvim)
    path.write_text("theirs\ntwo\n")

    await nvim.keys("Gomine<Esc>:w<CR>")

    await claude.shows("● All done.")
    await diffs_closed(nvim)
    assert path.read_text() == "theirs\ntwo\n"
    await until(lambda: "your edits are kept in buffer" in nvim.screen.text(), "the message")
    kept = await nvim.eval("getbufline(bufnr('Kept ('), 1, '$')")
    assert kept == ["one", "TWO", "mine"]
    await nvim.command("checktime")
    await holds(nvim, path, "theirs", "two")


async def test_a_file_that_another_program_has_created_is_not_overwritten(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    new = path.with_name("new.py")
    api.script([tool_use("Write", file_path=str(new), content="first\n")], [text("All done.")])
    await claude.prompt("Make it")
    await diff_opened(nvim)
    new.write_text("theirs\n")

    await nvim.keys("Gomine<Esc>:w<CR>")

    await claude.shows("ejected")
    await diffs_closed(nvim)
    assert new.read_text() == "theirs\n"
    kept = await nvim.eval("getbufline(bufnr('Kept ('), 1, '$')")
    assert kept == ["first", "mine"]


async def test_an_edit_is_written_with_the_users_changes(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys("Gothree<Esc>:w<CR>")

    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\nthree\n"
    assert "The user modified your proposed changes" in api.requests[2].new_text


@pytest.mark.parametrize(
    "keys", [":q<CR>", ":q!<CR>", ":tabclose<CR>", ":bd<CR>", "ZQ", "<C-w>c", ":ClaudeReject<CR>"]
)
async def test_closing_a_proposal_rejects_the_edit(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path, keys: str
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys(keys)

    await claude.shows("ejected update to a.py")
    assert path.read_text() == "one\ntwo\n"
    await diffs_closed(nvim)
    await holds(nvim, path, "one", "two")
    assert await nvim.eval("&modified") == 0
    assert len(api.requests) == 2


async def test_quitting_neovim_rejects_the_edit(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys(":qa<CR>")

    await claude.shows("ejected update to a.py")
    assert path.read_text() == "one\ntwo\n"
    await until(lambda: nvim.process.returncode == 0, "Neovim has ended")


async def test_yes_in_the_terminal_writes_the_edit_and_closes_the_diff(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await claude.answer("Enter")

    await diffs_closed(nvim)
    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\n"
    await holds(nvim, path, "one", "TWO")
    assert await nvim.eval("&modified") == 0


async def test_escape_in_the_terminal_rejects_the_edit_and_closes_the_diff(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await claude.answer("Escape")

    await diffs_closed(nvim)
    await claude.shows("ejected update to a.py")
    assert path.read_text() == "one\ntwo\n"


async def test_an_accepted_new_file_is_created(
    nvim: Editor, claude: ClaudeCli, each_cli: Path, api: FakeApi, project: Path
) -> None:
    path = project / "folder" / "new.py"
    api.script(
        [tool_use("Write", file_path=str(path), content="first\nsecond\n")], [text("All done.")]
    )

    await claude.prompt("Make it")
    await diff_opened(nvim)
    assert not path.exists()
    await nvim.keys(":w<CR>")

    await claude.shows("● All done.")
    assert path.read_bytes() == in_new_file(each_cli, b"first\nsecond\n")
    await diffs_closed(nvim)


async def test_a_new_file_is_created_with_the_users_changes(
    nvim: Editor, claude: ClaudeCli, each_cli: Path, api: FakeApi, project: Path
) -> None:
    path = project / "new.py"
    api.script(
        [tool_use("Write", file_path=str(path), content="first\nsecond\n")], [text("All done.")]
    )

    await claude.prompt("Make it")
    await diff_opened(nvim)
    await nvim.keys("ggcwmine<Esc>:w<CR>")

    await claude.shows("● All done.")
    assert path.read_bytes() == in_new_file(each_cli, b"mine\nsecond\n")
    await diffs_closed(nvim)


async def test_a_rejected_new_file_is_not_created(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, project: Path
) -> None:
    path = project / "new.py"
    api.script([tool_use("Write", file_path=str(path), content="first\n")], [text("All done.")])

    await claude.prompt("Make it")
    await diff_opened(nvim)
    await nvim.keys(":q<CR>")

    await claude.shows("ejected")
    await diffs_closed(nvim)
    assert not path.exists()


async def holds(nvim: Editor, path: Path, *lines: str) -> None:
    """Wait until the current buffer is that of `path` and holds `lines`."""

    async def as_wanted() -> bool:
        shown = await nvim.eval("[expand('%:p'), getline(1, '$')]")
        return bool(shown == [str(path), list(lines)])

    await until(as_wanted, f"{path.name} holds {lines}")
