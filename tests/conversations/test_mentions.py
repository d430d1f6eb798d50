"""Mentions: what a client hears of `:ClaudeSend` and `:ClaudeAdd`, and how the user types them."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor
from support.mentions import mention_buffer, mention_path
from support.neovim import until

pytestmark = BOTH

NO_FILE = {"error": "this buffer has no file; use :ClaudeAdd {path}"}


# A range of a buffer.


async def test_lines_are_counted_from_zero_and_include_the_last(
    nvim: Editor, project: Path
) -> None:
    await nvim.command("edit a.py")

    assert await mention_buffer(nvim, 0, 3, 5) == {
        "filePath": str(project / "a.py"),
        "lineStart": 2,
        "lineEnd": 4,
    }


async def test_a_mention_without_lines_omits_the_line_numbers(nvim: Editor, project: Path) -> None:
    """The CLI inserts nothing when `lineStart` is null."""
    await nvim.command("edit a.py")

    assert await mention_buffer(nvim, 0) == {"filePath": str(project / "a.py")}


async def test_a_buffer_other_than_the_current_one_can_be_mentioned(
    nvim: Editor, project: Path
) -> None:
    await nvim.command("edit a.py | edit b.py")

    mention = await mention_buffer(nvim, await nvim.eval("bufnr('a.py')"), 1, 1)

    assert mention == {"filePath": str(project / "a.py"), "lineStart": 0, "lineEnd": 0}


async def test_a_buffer_with_unsaved_changes_can_be_mentioned(nvim: Editor, project: Path) -> None:
    await nvim.command("edit a.py | call setline(1, ['x', 'y'])")

    mention = await mention_buffer(nvim, 0, 2, 2)

    assert mention == {"filePath": str(project / "a.py"), "lineStart": 1, "lineEnd": 1}


@pytest.mark.parametrize("command", ["enew", "terminal cat", "copen", "help"])
async def test_a_buffer_without_a_file_cannot_be_mentioned(nvim: Editor, command: str) -> None:
    await nvim.command(command)

    assert await mention_buffer(nvim, 0, 1, 1) == NO_FILE


async def test_a_buffer_that_does_not_exist_cannot_be_mentioned(nvim: Editor) -> None:
    assert await mention_buffer(nvim, 99, 1, 1) == NO_FILE


# The CLI reads a path with spaces only in quotes, with the lines inside.


async def test_a_path_with_spaces_is_quoted_together_with_its_lines(
    nvim: Editor, project: Path
) -> None:
    await nvim.command(r"edit sp\ ace\ y.py")
    path = project / "sp ace y.py"

    assert await mention_buffer(nvim, 0, 3, 4) == {"filePath": f'"{path}#L3-4"'}
    assert await mention_buffer(nvim, 0, 3, 3) == {"filePath": f'"{path}#L3"'}
    assert await mention_buffer(nvim, 0) == {"filePath": f'"{path}"'}


async def test_a_path_in_another_script_is_sent_unchanged(nvim: Editor, project: Path) -> None:
    await nvim.command("edit 漢é.py")

    assert await mention_buffer(nvim, 0, 1, 2) == {
        "filePath": str(project / "漢é.py"),
        "lineStart": 0,
        "lineEnd": 1,
    }


# A path as the user types it.


@pytest.fixture
async def files(nvim: Editor, project: Path) -> Path:
    """The project with a few files; every `*.py` has twelve lines."""
    (project / "sub dir").mkdir()
    for name in ("a.py", "b[1].py", "50%.py", "$HOME.py", "sub dir/c d.py"):
        (project / name).write_text("line\n" * 12, encoding="utf-8")
    (project / ".hidden").touch()
    return project


async def test_a_path_is_relative_to_the_working_folder(nvim: Editor, files: Path) -> None:
    names = {
        "a.py": "a.py",
        "./a.py": "a.py",
        "../project/a.py": "a.py",
        r"b\[1].py": "b[1].py",
        "b[1].py": "b[1].py",
        r"50\%.py": "50%.py",
        r"\$HOME.py": "$HOME.py",
        "$HOME.py": "$HOME.py",
    }

    mentions = {typed: await mention_path(nvim, typed) for typed in names}

    assert mentions == {typed: {"filePath": str(files / name)} for typed, name in names.items()}


async def test_a_backslash_can_be_part_of_a_file_name(nvim: Editor, files: Path) -> None:
    (files / r"we\ird").touch()

    assert await mention_path(nvim, r"we\ird") == {"filePath": str(files / r"we\ird")}


async def test_absolute_paths_and_a_tilde_are_accepted(
    nvim: Editor, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "notes.md").touch()

    assert await mention_path(nvim, str(files / "a.py")) == {"filePath": str(files / "a.py")}
    assert await mention_path(nvim, "~/notes.md") == {
        "filePath": str(tmp_path / "home" / "notes.md")
    }


async def test_percent_is_the_current_file_and_accepts_modifiers(nvim: Editor, files: Path) -> None:
    await nvim.command(r"edit sub\ dir/c\ d.py")

    assert await mention_path(nvim, "%") == {"filePath": f'"{files}/sub dir/c d.py"'}
    assert await mention_path(nvim, "%:h") == {"filePath": f'"{files}/sub dir"'}
    assert await mention_path(nvim, "%", "2", "3") == {"filePath": f'"{files}/sub dir/c d.py#L2-3"'}


async def test_percent_without_a_file_is_an_error(nvim: Editor) -> None:
    assert await mention_path(nvim, "%") == NO_FILE

    await nvim.command("edit new.py")

    assert await mention_path(nvim, "%") == {
        "error": "this buffer has not been written yet: new.py"
    }


async def test_a_folder_is_mentioned_without_a_final_slash(nvim: Editor, files: Path) -> None:
    quoted = {"filePath": f'"{files}/sub dir"'}

    assert await mention_path(nvim, ".") == {"filePath": str(files)}
    assert await mention_path(nvim, "sub dir") == quoted
    assert await mention_path(nvim, "sub dir/") == quoted


async def test_the_last_line_can_be_missing(nvim: Editor, files: Path) -> None:
    for lines, expected in [(["3", "5"], (2, 4)), (["3"], (2, 2)), (["12"], (11, 11))]:
        assert await mention_path(nvim, "a.py", *lines) == {
            "filePath": str(files / "a.py"),
            "lineStart": expected[0],
            "lineEnd": expected[1],
        }


async def test_an_invalid_mention_gets_an_error_that_names_what_is_wrong(
    nvim: Editor, files: Path
) -> None:
    os.mkfifo(files / "pipe")
    errors = {
        ("x.py",): "no such file: x.py",
        ("a.py/b",): "no such file: a.py/b",
        ("a.py", "abc"): "not a line number: abc",
        ("a.py", "1", "abc"): "not a line number: abc",
        ("a.py", "0"): "not a line number: 0",
        ("a.py", "-1"): "not a line number: -1",
        ("a.py", "1.5"): "not a line number: 1.5",
        ("a.py", "1e1"): "not a line number: 1e1",
        ("a.py", "13"): "line 13 is past the end (12 lines)",
        ("a.py", "1", "99"): "line 99 is past the end (12 lines)",
        (".hidden", "1"): "line 1 is past the end (0 lines)",
        ("a.py", "5", "3"): "line 5 comes after line 3",
        ("sub dir", "1"): "a folder has no lines: sub dir",
        ("pipe", "1"): "neither a file nor a folder: pipe",
    }

    mentions = {arguments: await mention_path(nvim, *arguments) for arguments in errors}

    assert mentions == {arguments: {"error": error} for arguments, error in errors.items()}


async def test_a_single_line_counts_with_or_without_a_final_newline(
    nvim: Editor, files: Path
) -> None:
    for text in ("one", "one\n", "\n"):
        (files / "one.txt").write_text(text, encoding="utf-8")

        assert (await mention_path(nvim, "one.txt", "1"))["lineEnd"] == 0
        assert await mention_path(nvim, "one.txt", "2") == {
            "error": "line 2 is past the end (1 line)"
        }


async def test_unsaved_lines_can_be_mentioned(nvim: Editor, files: Path) -> None:
    await nvim.command("edit a.py | call append('$', ['13', '14']) | set hidden | enew")

    assert (await mention_path(nvim, "a.py", "14"))["lineStart"] == 13
    assert await mention_path(nvim, "a.py", "15") == {"error": "line 15 is past the end (14 lines)"}


async def test_the_lines_of_a_large_file_are_counted(nvim: Editor, files: Path) -> None:
    (files / "large").write_text("0123456789\n" * 300_000 + "end", encoding="utf-8")

    assert (await mention_path(nvim, "large", "300001"))["lineStart"] == 300_000
    assert (await mention_path(nvim, "large", "300002"))["error"].endswith("(300001 lines)")


# Completion.


async def complete(nvim: Editor, typed: str) -> list[str]:
    return list(await nvim.call("getcompletion", typed, "cmdline"))


async def test_files_and_folders_are_completed_but_later_arguments_are_not(
    nvim: Editor, files: Path
) -> None:
    expected = {
        "ClaudeAdd a": ["a.py"],
        "ClaudeAdd! a": ["a.py"],
        "ClaudeAdd b": [r"b\[1].py"],
        r"ClaudeAdd b\[": [r"b\[1].py"],
        "ClaudeAdd s": [r"sub\ dir/"],
        r"ClaudeAdd sub\ d": [r"sub\ dir/"],
        r"ClaudeAdd sub\ dir/": [r"sub\ dir/c\ d.py"],
        r"ClaudeAdd sub\ dir/c\ ": [r"sub\ dir/c\ d.py"],
        "ClaudeAdd ./a": ["./a.py"],
        "ClaudeAdd .h": [".hidden"],
        "ClaudeAdd zzz": [],
        "ClaudeAdd zzz/": [],
        "ClaudeAdd a.py ": [],
        "ClaudeAdd a.py 1": [],
        r"ClaudeAdd sub\ dir ": [],
        "ClaudeAdd a.py 1 ": [],
        "ClaudeAdd ": [r"\$HOME.py", r"50\%.py", "a.py", r"b\[1].py", r"sub\ dir/"],
    }

    assert {typed: await complete(nvim, typed) for typed in expected} == expected


async def test_home_and_absolute_paths_are_completed(
    nvim: Editor, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "home" / "notes.md").touch()

    assert await complete(nvim, "ClaudeAdd ~/no") == ["~/notes.md"]
    assert await complete(nvim, f"ClaudeAdd {files}/a") == [f"{files}/a.py"]


async def test_a_link_to_a_folder_is_completed_as_a_folder(nvim: Editor, files: Path) -> None:
    (files / "link").symlink_to(files / "sub dir")

    assert await complete(nvim, "ClaudeAdd l") == ["link/"]


@pytest.mark.parametrize("keys", ["b<Tab>", "5<Tab>", "s<Tab>c<Tab>", r"\$<Tab>"])
async def test_a_completed_path_can_be_mentioned(
    serving: Editor, claude: ClaudeCode, files: Path, keys: str
) -> None:
    await serving.keys(f":ClaudeAdd {keys} 2 3<CR>")

    (found,) = await mentioned(claude, 1)
    assert found["filePath"].removeprefix('"').startswith(str(files))
    assert found.get("lineStart", 1) == 1


# As a user sends them.


async def mentioned(client: ClaudeCode, count: int) -> list[dict[str, Any]]:
    """Wait until the client has heard of so many mentions, and return them."""
    await until(lambda: len(client.notifications_of("at_mentioned")) == count, f"{count} mentions")
    return list(client.notifications_of("at_mentioned"))


@pytest.mark.parametrize(
    ("keys", "ranges"),
    [
        (":2,3ClaudeSend<CR>", [(2, 3)]),
        ("Vj:ClaudeSend<CR>", [(1, 2)]),
        ("gsj", [(1, 2)]),
        ("3gsj", [(1, 4)]),
        ("gs3j", [(1, 4)]),
        ("gsip", [(1, 2)]),
        ("4Ggsap", [(4, 7)]),
        ("gsl", [(1, 1)]),
        ("gsG", [(1, 14)]),
        ("3Ggsgg", [(1, 3)]),
        ("gsip4G.", [(1, 2), (4, 6)]),
        ("Vjjgs", [(1, 3)]),
        ("vjgs", [(1, 2)]),
        ("<C-v>jjgs", [(1, 3)]),
    ],
)
async def test_the_lines_that_a_range_or_an_operator_covers_are_sent(
    serving: Editor, claude: ClaudeCode, project: Path, keys: str, ranges: list[tuple[int, int]]
) -> None:
    (project / "a.txt").write_text("a\nb\n\nd\ne\nf\n\nh\ni\nj\nk\nl\nm\nn\n")
    await serving.command("edit a.txt")
    await serving.command("nmap gs <Plug>(claude-send)")
    await serving.command("xmap gs <Plug>(claude-send)")

    await serving.keys(keys)

    assert await mentioned(claude, len(ranges)) == [
        {"filePath": str(project / "a.txt"), "lineStart": first - 1, "lineEnd": last - 1}
        for first, last in ranges
    ]
    assert (await serving.mode())["mode"] == "n"


async def test_a_file_is_added_by_its_path_with_lines(
    serving: Editor, claude: ClaudeCode, files: Path
) -> None:
    await serving.keys(":ClaudeAdd a.py 2 4<CR>")
    await mentioned(claude, 1)
    await serving.keys(":ClaudeAdd sub\\ dir/c\\ d.py 3<CR>")
    await mentioned(claude, 2)
    await serving.keys(":edit a.py<CR>:5,6ClaudeAdd %<CR>")

    path = str(files / "a.py")
    assert await mentioned(claude, 3) == [
        {"filePath": path, "lineStart": 1, "lineEnd": 3},
        {"filePath": f'"{files}/sub dir/c d.py#L3"'},
        {"filePath": path, "lineStart": 4, "lineEnd": 5},
    ]


async def test_a_private_file_is_not_mentioned(
    serving: Editor, claude: ClaudeCode, files: Path
) -> None:
    (files / ".env").write_text("KEY=1\n")

    await serving.keys(":ClaudeAdd .env<CR>")

    await until(lambda: ".env stays in " in serving.screen.text(), "the reason")
    assert claude.notifications_of("at_mentioned") == []
