"""`editor/mentions.py`, `selection/mention.lua`: mentions, and how the user types them."""

import os
from pathlib import Path

import pytest

from support.chunks import chunk
from support.mentions import mention_buffer, mention_path
from support.neovim import Neovim, until

NO_FILE = {"error": "this buffer has no file; use :ClaudeAdd {path}"}


# A range of a buffer.


async def test_lines_are_counted_from_zero_and_include_the_last(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit a.py")

    assert await mention_buffer(nvim, 0, 3, 5) == {
        "filePath": str(project / "a.py"),
        "lineStart": 2,
        "lineEnd": 4,
    }


async def test_a_mention_without_lines_omits_the_line_numbers(nvim: Neovim, project: Path) -> None:
    """The CLI inserts nothing when `lineStart` is null."""
    await nvim.command("edit a.py")

    assert await mention_buffer(nvim, 0) == {"filePath": str(project / "a.py")}


async def test_a_buffer_other_than_the_current_one_can_be_mentioned(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit a.py | edit b.py")

    mention = await mention_buffer(nvim, await nvim.eval("bufnr('a.py')"), 1, 1)

    assert mention == {"filePath": str(project / "a.py"), "lineStart": 0, "lineEnd": 0}


async def test_a_buffer_with_unsaved_changes_can_be_mentioned(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit a.py | call setline(1, ['x', 'y'])")

    mention = await mention_buffer(nvim, 0, 2, 2)

    assert mention == {"filePath": str(project / "a.py"), "lineStart": 1, "lineEnd": 1}


@pytest.mark.parametrize("command", ["enew", "terminal cat", "copen", "help"])
async def test_a_buffer_without_a_file_cannot_be_mentioned(nvim: Neovim, command: str) -> None:
    await nvim.command(command)

    assert await mention_buffer(nvim, 0, 1, 1) == NO_FILE


async def test_a_buffer_that_does_not_exist_cannot_be_mentioned(nvim: Neovim) -> None:
    assert await mention_buffer(nvim, 99, 1, 1) == NO_FILE


# The CLI reads a path with spaces only in quotes, with the lines inside.


async def test_a_path_with_spaces_is_quoted_together_with_its_lines(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command(r"edit sp\ ace\ y.py")
    path = project / "sp ace y.py"

    assert await mention_buffer(nvim, 0, 3, 4) == {"filePath": f'"{path}#L3-4"'}
    assert await mention_buffer(nvim, 0, 3, 3) == {"filePath": f'"{path}#L3"'}
    assert await mention_buffer(nvim, 0) == {"filePath": f'"{path}"'}


async def test_a_path_in_another_script_is_sent_unchanged(nvim: Neovim, project: Path) -> None:
    await nvim.command("edit 漢é.py")

    assert await mention_buffer(nvim, 0, 1, 2) == {
        "filePath": str(project / "漢é.py"),
        "lineStart": 0,
        "lineEnd": 1,
    }


# A path as the user types it.


@pytest.fixture
async def files(nvim: Neovim, project: Path) -> Path:
    """The project with a few files; every `*.py` has twelve lines."""
    (project / "sub dir").mkdir()
    for name in ("a.py", "b[1].py", "50%.py", "$HOME.py", "sub dir/c d.py"):
        (project / name).write_text("line\n" * 12, encoding="utf-8")
    (project / ".hidden").touch()
    return project


async def test_a_path_is_relative_to_the_working_folder(nvim: Neovim, files: Path) -> None:
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


async def test_a_backslash_can_be_part_of_a_file_name(nvim: Neovim, files: Path) -> None:
    (files / r"we\ird").touch()

    assert await mention_path(nvim, r"we\ird") == {"filePath": str(files / r"we\ird")}


async def test_absolute_paths_and_a_tilde_are_accepted(
    nvim: Neovim, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "notes.md").touch()

    assert await mention_path(nvim, str(files / "a.py")) == {"filePath": str(files / "a.py")}
    assert await mention_path(nvim, "~/notes.md") == {
        "filePath": str(tmp_path / "home" / "notes.md")
    }


async def test_percent_is_the_current_file_and_accepts_modifiers(nvim: Neovim, files: Path) -> None:
    await nvim.command(r"edit sub\ dir/c\ d.py")

    assert await mention_path(nvim, "%") == {"filePath": f'"{files}/sub dir/c d.py"'}
    assert await mention_path(nvim, "%:h") == {"filePath": f'"{files}/sub dir"'}
    assert await mention_path(nvim, "%", "2", "3") == {"filePath": f'"{files}/sub dir/c d.py#L2-3"'}


async def test_percent_without_a_file_is_an_error(nvim: Neovim) -> None:
    assert await mention_path(nvim, "%") == NO_FILE


async def test_a_folder_is_mentioned_without_a_final_slash(nvim: Neovim, files: Path) -> None:
    quoted = {"filePath": f'"{files}/sub dir"'}

    assert await mention_path(nvim, ".") == {"filePath": str(files)}
    assert await mention_path(nvim, "sub dir") == quoted
    assert await mention_path(nvim, "sub dir/") == quoted


async def test_the_last_line_can_be_missing(nvim: Neovim, files: Path) -> None:
    for lines, expected in [(["3", "5"], (2, 4)), (["3"], (2, 2)), (["12"], (11, 11))]:
        assert await mention_path(nvim, "a.py", *lines) == {
            "filePath": str(files / "a.py"),
            "lineStart": expected[0],
            "lineEnd": expected[1],
        }


async def test_an_invalid_mention_gets_an_error_that_names_what_is_wrong(
    nvim: Neovim, files: Path
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
    nvim: Neovim, files: Path
) -> None:
    for text in ("one", "one\n", "\n"):
        (files / "one.txt").write_text(text, encoding="utf-8")

        assert (await mention_path(nvim, "one.txt", "1"))["lineEnd"] == 0
        assert await mention_path(nvim, "one.txt", "2") == {
            "error": "line 2 is past the end (1 line)"
        }


async def test_unsaved_lines_can_be_mentioned(nvim: Neovim, files: Path) -> None:
    await nvim.command("edit a.py | call append('$', ['13', '14']) | set hidden | enew")

    assert (await mention_path(nvim, "a.py", "14"))["lineStart"] == 13
    assert await mention_path(nvim, "a.py", "15") == {"error": "line 15 is past the end (14 lines)"}


async def test_the_lines_of_a_large_file_are_counted(nvim: Neovim, files: Path) -> None:
    (files / "large").write_text("0123456789\n" * 300_000 + "end", encoding="utf-8")

    assert (await mention_path(nvim, "large", "300001"))["lineStart"] == 300_000
    assert (await mention_path(nvim, "large", "300002"))["error"].endswith("(300001 lines)")


# Completion, with the keys a user presses.


@pytest.fixture
async def command_line(nvim: Neovim, files: Path) -> Neovim:
    """A `:ClaudeAdd` that only records its arguments."""
    await nvim.lua(chunk("mention/define_command"))
    return nvim


async def complete(nvim: Neovim, typed: str) -> list[str]:
    matches: list[str] = await nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", typed)
    return matches


async def test_files_and_folders_are_completed_but_later_arguments_are_not(
    command_line: Neovim,
) -> None:
    expected = {
        "ClaudeAdd a": ["a.py"],
        "ClaudeAdd! a": ["a.py"],
        "silent ClaudeAdd a": ["a.py"],
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

    assert {typed: await complete(command_line, typed) for typed in expected} == expected


async def test_home_and_absolute_paths_are_completed(
    command_line: Neovim, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "home" / "notes.md").touch()

    assert await complete(command_line, "ClaudeAdd ~/n") == ["~/notes.md", "~/nvim.log"]
    assert await complete(command_line, f"ClaudeAdd {files}/a") == [f"{files}/a.py"]


async def test_a_link_to_a_folder_is_completed_as_a_folder(
    command_line: Neovim, files: Path
) -> None:
    (files / "link").symlink_to(files / "sub dir")

    assert await complete(command_line, "ClaudeAdd l") == ["link/"]


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ("b<Tab>", "b[1].py"),
        ("5<Tab>", "50%.py"),
        ("s<Tab>c<Tab>", "sub dir/c d.py"),
        (r"\$<Tab>", "$HOME.py"),
    ],
)
async def test_a_completed_path_can_be_mentioned(
    command_line: Neovim, files: Path, keys: str, name: str
) -> None:
    await command_line.keys(f":ClaudeAdd {keys} 2 3<CR>")
    added = await until(lambda: command_line.lua("return ADDED or {}"))

    mention = await mention_path(command_line, *added)

    path = str(files / name)
    if " " in path:
        assert mention == {"filePath": f'"{path}#L2-3"'}
    else:
        assert mention == {"filePath": path, "lineStart": 1, "lineEnd": 2}


# The operator.


@pytest.fixture
async def operator(nvim: Neovim) -> Neovim:
    """Twenty lines; `gs` is the operator, and `:ClaudeSend` records its ranges."""
    await nvim.lua(chunk("mention/operator"))
    return nvim


@pytest.mark.parametrize(
    ("keys", "ranges"),
    [
        ("gsj", [[1, 2]]),
        ("3gsj", [[1, 4]]),
        ("gs3j", [[1, 4]]),
        ("gsip", [[1, 2]]),
        ("4Ggsap", [[4, 7]]),
        ("gsl", [[1, 1]]),
        ("gsG", [[1, 14]]),
        ("3Ggsgg", [[1, 3]]),
        ("gsip4G.", [[1, 2], [4, 6]]),
        ("Vjjgs", [[1, 3]]),
        ("vjgs", [[1, 2]]),
        ("<C-v>jjgs", [[1, 3]]),
    ],
)
async def test_the_operator_sends_the_lines_that_it_covers(
    operator: Neovim, keys: str, ranges: list[list[int]]
) -> None:
    await operator.keys(keys)

    await until(lambda: operator.lua("return #SENT == ...", len(ranges)))
    assert await operator.lua("return SENT") == ranges
    assert (await operator.mode())["mode"] == "n"
