"""`diff/winbar.lua`: the winbars of a diff show its source and the keys."""

import re
from pathlib import Path

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

OLD = "one\n"
WINBARS = """
map([1, 2], {_, number -> nvim_eval_statusline(
  getwinvar(number, '&winbar'),
  {'winid': win_getid(number), 'use_winbar': v:true}
).str})
""".replace("\n", " ")
LINKS = """
map(['', 'File', 'Note', 'Keys'],
  {_, name -> synIDattr(synIDtrans(hlID('ClaudeIdeWinbar' .. name)), 'name')})
""".replace("\n", " ")


async def test_the_winbar_shows_the_source_of_the_proposal_and_the_keys(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("set columns=160")
    await diffs.open(path, "two\n", title="Claude Code (2)")

    left, right = await nvim.eval(WINBARS)
    assert left.split() == ["a.txt", "current"]
    assert " ".join(right.split()) == (
        "Claude Code (2) a.txt hunk 1/1 :w accept · :q reject · g? keys"
    )
    await until(lambda: ":w accept · :q reject" in nvim.screen.text(), "the keys")


async def test_the_winbar_marks_a_new_file(nvim: Neovim, diffs: Diffs, project: Path) -> None:
    await diffs.open(project / "new.txt", "two\n")

    left, _ = await nvim.eval(WINBARS)
    assert left.split() == ["new.txt", "new", "file"]


async def test_the_winbar_warns_that_unsaved_changes_are_not_compared(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("set columns=160 | edit a.txt")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await diffs.open(path, "two\n")

    left, _ = await nvim.eval(WINBARS)
    assert " ".join(left.split()) == "a.txt on disk; unsaved lines stay"
    assert await nvim.eval("getbufline(winbufnr(1), 1)") == ["one"]


async def test_a_diff_of_unsaved_text_shows_that_text_and_says_so(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("set columns=160 | edit a.txt")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await diffs.open(path, "two\n", is_unsaved=True)

    left, _ = await nvim.eval(WINBARS)
    assert " ".join(left.split()) == "a.txt unsaved changes"
    assert await nvim.eval("getbufline(winbufnr(1), 1)") == ["mine"]


async def test_unsaved_text_that_is_gone_leaves_the_text_on_disk(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("set columns=160 | edit a.txt | setlocal bufhidden=wipe | enew")
    await diffs.open(path, "two\n", is_unsaved=True)

    left, _ = await nvim.eval(WINBARS)
    assert left.split() == ["a.txt", "current"]
    assert await nvim.eval("getbufline(winbufnr(1), 1)") == ["one"]


async def test_the_winbar_marks_a_file_that_exists_only_in_neovim(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("set columns=160 | edit new.txt")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await diffs.open(project / "new.txt", "two\n")

    left, _ = await nvim.eval(WINBARS)
    assert "unsaved changes" in left
    assert await nvim.eval("getbufline(winbufnr(1), 1)") == ["mine"]


async def test_a_narrow_window_keeps_the_keys_and_the_end_of_the_name(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("set columns=80")
    path = project / f"{'long' * 20}.txt"

    await diffs.open(path, "two\n")

    _, right = await nvim.eval(WINBARS)
    assert right.startswith(" …")
    assert "long.txt " in right
    assert right.endswith(" :w accept · :q reject ")


async def test_the_winbar_shows_the_path_within_the_project(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    (project / "src").mkdir()

    await diffs.open(project / "docs" / ".." / "src" / "a.txt", "two\n")

    left, right = await nvim.eval(WINBARS)
    assert left.split()[0] == "src/a.txt"
    assert " src/a.txt " in right
    assert await nvim.eval("bufname()") == "Claude (a.txt)"


async def test_the_winbar_warns_of_a_file_that_runs_automatically(
    nvim: Neovim, diffs: Diffs, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(await nvim.eval("$HOME"))
    monkeypatch.setenv("HOME", str(home))

    await diffs.open(home / ".bash_profile", "two\n")

    left, right = await nvim.eval(WINBARS)
    assert left.startswith(" ~/.bash_profile  runs at login ")
    assert "~/.bash_profile  runs at login " in right
    await until(lambda: nvim.screen.text().count("~/.bash_profile  runs at login") == 2, "both")
    assert await nvim.eval("synIDattr(synIDtrans(hlID('ClaudeIdeWinbarWarning')), 'name')")


@pytest.mark.parametrize("columns", [120, 80, 60, 40, 32])
async def test_a_narrow_window_shortens_the_warning_before_the_keys(
    nvim: Neovim, diffs: Diffs, project: Path, columns: int
) -> None:
    await nvim.command(f"set columns={columns}")
    path = project / "a" / "rather" / "long" / "way" / ".git" / "hooks" / "pre-commit"

    await diffs.open(path, "two\n")

    left, right = await nvim.eval(WINBARS)
    assert "git runs it" in left
    assert ":w accept · :q reject" in right or columns < 100
    assert ":w yes · :q no" in right or columns < 60 or columns == 120
    assert re.search(":w.* · :q", right)
    assert "git runs it" in right or columns < 60
    assert columns < 60 or "pre-commit" in left


async def test_the_winbar_adapts_to_the_window_size(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    path = project / "a" / "rather" / "long" / "way" / "to" / "a" / "file.txt"
    await nvim.command("set columns=160")
    await diffs.open(path, "two\n")
    left, _ = await nvim.eval(WINBARS)
    assert left.split()[0] == "a/rather/long/way/to/a/file.txt"

    await nvim.command("set columns=60 | wincmd =")

    left, _ = await nvim.eval(WINBARS)
    assert left.split() == ["…/long/way/to/a/file.txt"]


async def test_percent_signs_in_names_are_shown_literally(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    """A percent sign in a name must not start a status line item that is evaluated."""
    path = project / "100%{1+1}%#Error#.txt"

    await nvim.command("set columns=160")
    await diffs.open(path, "two\n", title="50% Claude")

    left, right = await nvim.eval(WINBARS)
    assert path.name in left
    assert "50% Claude" in right


async def test_a_name_with_control_characters_is_shown_on_one_line(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("set columns=160")
    await diffs.open(project / "a\nb\x1b.txt", "two\n", title="Claude\n\x07")

    left, right = await nvim.eval(WINBARS)
    assert "a^Jb^[.txt" in left
    assert "Claude^J^G" in right


async def test_user_highlights_are_kept(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.command("highlight link ClaudeIdeWinbar Search")

    await diffs.open(path, "two\n")

    links = await nvim.eval(LINKS)
    assert links[0] == "Search"
    assert all(links)


async def test_the_winbar_is_removed_with_the_diff(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.command("edit a.txt")
    id_ = await diffs.open(path, "two\n", "vertical")
    assert all(await nvim.eval(WINBARS))

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("&winbar") == ""
