"""Files that an agent may not simply write: outside the project, or run by a program."""

from pathlib import Path

import pytest

from support.agent_files import NEW, OLD, Here, refused
from support.neovim import until


@pytest.fixture(params=["outside/a.txt", "project/.git/hooks/pre-commit", "project/link/a.txt"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path, project: Path) -> Path:
    """A file that needs the user's permission."""
    (tmp_path / "outside").mkdir()
    (project / "link").symlink_to(tmp_path / "outside")
    path = tmp_path / str(request.param)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OLD)
    return path


@pytest.mark.parametrize("is_open", [True, False])
async def test_the_user_is_asked_before_such_a_file_is_written(
    here: Here, guarded: Path, is_open: bool
) -> None:
    if is_open:
        await here.nvim.lua("vim.cmd.edit(...)", str(guarded))
    writing = here.write(guarded, NEW)
    await here.asked()
    assert guarded.read_text() == OLD

    await here.nvim.command("call setline(1, 'changed') | write")

    assert (await writing).text == NEW.replace("one", "changed")
    assert guarded.read_text() == NEW.replace("one", "changed")
    await until(lambda: here.nvim.eval("tabpagenr('$') == 1"))
    assert await here.nvim.eval("&modified") == 0


async def test_a_rejected_write_of_such_a_file_is_an_error(here: Here, guarded: Path) -> None:
    writing = here.write(guarded, NEW)
    await here.asked()

    await here.nvim.command("quit")

    assert "the user rejected this change" in await refused(writing)
    assert guarded.read_text() == OLD


async def test_a_tool_that_the_user_has_allowed_writes_such_a_file(
    here: Here, guarded: Path
) -> None:
    await here.files.write(str(guarded), NEW, is_allowed=True)

    assert guarded.read_text() == NEW


async def test_a_new_file_outside_the_project_needs_permission_too(
    here: Here, tmp_path: Path
) -> None:
    path = tmp_path / "new" / "a.txt"
    writing = here.write(path, NEW)
    await here.asked()
    assert not path.parent.exists()

    await here.nvim.command("write")

    await writing
    assert path.read_text() == NEW


@pytest.mark.parametrize("name", ["notes.md", "conf/x.desktop", "conf/new/x.desktop"])
async def test_a_file_is_created_through_a_link_only_with_permission(
    here: Here, project: Path, tmp_path: Path, name: str
) -> None:
    (project / "notes.md").symlink_to(tmp_path / "home" / ".bash_profile")
    (project / "conf").symlink_to(tmp_path / "home" / ".config" / "autostart")
    path = project / name
    writing = here.write(path, NEW)
    await here.asked()
    assert not path.exists()
    await until(lambda: "runs at login" in here.nvim.screen.text(), "the mark")

    await here.nvim.command("write")

    await writing
    assert path.read_text() == NEW


@pytest.mark.parametrize("is_open", [True, False])
async def test_nothing_is_written_through_a_link_that_has_changed_since_it_was_shown(
    here: Here, guarded: Path, project: Path, tmp_path: Path, is_open: bool
) -> None:
    if is_open:
        await here.nvim.lua("vim.cmd.edit(...)", str(guarded))
    writing = here.write(guarded, NEW)
    await here.asked()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / guarded.name).write_text(OLD)
    guarded.parent.rename(tmp_path / "moved")
    guarded.parent.symlink_to(elsewhere)

    await here.nvim.command("call setline(1, 'changed') | write")

    assert "a link on its path has changed since it was shown" in await refused(writing)
    assert (elsewhere / guarded.name).read_text() == OLD
    await until(lambda: here.nvim.eval("execute('messages') =~ 'not accepted: .*: a link'"))
    # What the user had typed is kept.
    await until(lambda: here.nvim.eval("execute('messages') =~ 'your edits are'"))


async def test_such_a_file_is_read_without_permission(here: Here, guarded: Path) -> None:
    assert await here.files.read(str(guarded)) == OLD
