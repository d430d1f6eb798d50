"""Mentions from Vim: what a client hears of `:ClaudeSend` and `:ClaudeAdd`."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.mentions import mention_buffer, mention_path
from support.neovim import until
from support.vim import Vim

NO_FILE = {"error": "this buffer has no file; use :ClaudeAdd {path}"}


@pytest.fixture
async def files(vim: Vim, project: Path) -> Path:
    """The project with a few files; every `*.py` has twelve lines."""
    (project / "sub dir").mkdir()
    for name in ("a.py", "b[1].py", "50%.py", "$HOME.py", "sub dir/c d.py"):
        (project / name).write_text("line\n" * 12, encoding="utf-8")
    (project / ".hidden").touch()
    return project


async def mentioned(client: ClaudeCode, count: int) -> list[dict[str, Any]]:
    """Wait until the client has heard of so many mentions, and return them."""
    await until(lambda: len(client.notifications_of("at_mentioned")) == count, f"{count} mentions")
    return list(client.notifications_of("at_mentioned"))


def lines(mentions: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(each["lineStart"], each["lineEnd"]) for each in mentions]


# As a user sends them.


async def test_lines_are_sent_by_range_in_visual_mode_and_as_an_operator(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path
) -> None:
    await serving_vim.command("edit a.py")
    await serving_vim.command("nmap gs <Plug>(claude-send)")
    await serving_vim.command("xmap gs <Plug>(claude-send)")

    await serving_vim.keys(":2,3ClaudeSend<CR>")
    assert await mentioned(vim_client, 1) == [
        {"filePath": str(files / "a.py"), "lineStart": 1, "lineEnd": 2}
    ]
    await serving_vim.keys("3GVjgs")
    await mentioned(vim_client, 2)
    await serving_vim.keys("5Gvj:ClaudeSend<CR>")
    await mentioned(vim_client, 3)
    await serving_vim.keys("7Ggs2j")
    await mentioned(vim_client, 4)
    await serving_vim.keys("ggd0.")
    await serving_vim.keys("1Ggsj2G.")
    found = await mentioned(vim_client, 6)

    assert lines(found) == [(1, 2), (2, 3), (4, 5), (6, 8), (0, 1), (1, 2)]
    assert await serving_vim.eval("mode()") == "n"


async def test_the_operator_takes_a_count_and_a_text_object(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path
) -> None:
    (files / "p.txt").write_text("a\nb\n\nc\nd\ne\n\nf\n")
    await serving_vim.command("edit p.txt")
    await serving_vim.command("nmap gs <Plug>(claude-send)")

    await serving_vim.keys("5Ggsip")
    await mentioned(vim_client, 1)
    await serving_vim.keys("gggs2j")
    await mentioned(vim_client, 2)
    await serving_vim.keys("gg2gsj")

    assert lines(await mentioned(vim_client, 3)) == [(3, 5), (0, 2), (0, 2)]


async def test_a_file_is_added_by_its_path_with_lines(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path
) -> None:
    await serving_vim.keys(":ClaudeAdd a.py 2 4<CR>")
    await mentioned(vim_client, 1)
    await serving_vim.keys(":ClaudeAdd sub\\ dir/c\\ d.py 3<CR>")
    await mentioned(vim_client, 2)
    await serving_vim.keys(":edit a.py<CR>:5,6ClaudeAdd %<CR>")

    path = str(files / "a.py")
    assert await mentioned(vim_client, 3) == [
        {"filePath": path, "lineStart": 1, "lineEnd": 3},
        {"filePath": f'"{files}/sub dir/c d.py#L3"'},
        {"filePath": path, "lineStart": 4, "lineEnd": 5},
    ]


async def test_a_private_file_is_not_mentioned(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path
) -> None:
    (files / ".env").write_text("KEY=1\n")

    await serving_vim.keys(":ClaudeAdd .env<CR>")

    await until(lambda: ".env stays in Vim" in serving_vim.screen.text(), "the reason")
    assert vim_client.notifications_of("at_mentioned") == []


@pytest.mark.parametrize("command", ["ClaudeSend", "ClaudeAdd %"])
async def test_the_items_of_a_quickfix_list_are_mentioned(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path, command: str
) -> None:
    await serving_vim.command(
        "call setqflist([{'filename': 'a.py', 'lnum': 2, 'end_lnum': 3},"
        " {'text': 'no file'}, {'filename': '.env', 'lnum': 1},"
        " {'filename': 'gone.py', 'lnum': 1}, {'filename': 'b[1].py'}]) | copen"
    )
    (files / ".env").write_text("KEY=1\n")

    await serving_vim.keys(f"gg:{command}<CR>")
    assert await mentioned(vim_client, 1) == [
        {"filePath": str(files / "a.py"), "lineStart": 1, "lineEnd": 2}
    ]

    await serving_vim.keys("ggjV:ClaudeSend<CR>")
    await until(lambda: "there is no file in these lines" in serving_vim.screen.text(), "refusal")

    await serving_vim.keys(":%ClaudeSend<CR>")
    found = await mentioned(vim_client, 3)
    assert found[2] == {"filePath": str(files / "b[1].py")}
    await until(lambda: "(and 1 more)" in serving_vim.screen.text(), "the errors")


async def test_the_files_of_netrw_are_mentioned(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path
) -> None:
    (files / "sub").mkdir()
    await serving_vim.command("runtime plugin/netrwPlugin.vim")
    await serving_vim.keys(":edit .<CR>")
    await until(lambda: serving_vim.eval("&filetype == 'netrw'"), "the tree")

    await serving_vim.keys(":call search('^a.py')<CR>:ClaudeSend<CR>")
    assert await mentioned(vim_client, 1) == [{"filePath": str(files / "a.py")}]
    await serving_vim.keys(":call search('^sub/')<CR>:ClaudeSend<CR>")
    assert (await mentioned(vim_client, 2))[1] == {"filePath": str(files / "sub")}

    await serving_vim.keys("gg:ClaudeSend<CR>")
    await until(lambda: "there is no file under the cursor" in serving_vim.screen.text(), "refusal")


# A range, and a path as the user types it.


@pytest.mark.parametrize("command", ["enew", "terminal cat", "copen", "help"])
async def test_a_buffer_without_a_file_cannot_be_mentioned(vim: Vim, command: str) -> None:
    await vim.command(command)

    assert await mention_buffer(vim, 0, 1, 1) == NO_FILE
    assert await mention_buffer(vim, 99, 1, 1) == NO_FILE
    assert await mention_path(vim, "%") == NO_FILE


async def test_a_path_with_spaces_is_quoted_together_with_its_lines(vim: Vim, files: Path) -> None:
    await vim.command(r"edit sub\ dir/c\ d.py")
    path = files / "sub dir/c d.py"

    assert await mention_buffer(vim, 0, 3, 4) == {"filePath": f'"{path}#L3-4"'}
    assert await mention_buffer(vim, 0, 3) == {"filePath": f'"{path}#L3"'}
    assert await mention_buffer(vim, 0) == {"filePath": f'"{path}"'}
    assert await mention_path(vim, "%") == {"filePath": f'"{path}"'}
    assert await mention_path(vim, "%:h") == {"filePath": f'"{files}/sub dir"'}
    assert await mention_path(vim, "%", "2", "3") == {"filePath": f'"{path}#L2-3"'}


async def test_a_path_is_what_was_typed_or_what_completion_made_of_it(
    vim: Vim, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "notes.md").touch()
    (files / r"we\ird").touch()
    names = {
        "a.py": "a.py",
        "./a.py": "a.py",
        "../project/a.py": "a.py",
        r"b\[1].py": "b[1].py",
        "b[1].py": "b[1].py",
        r"50\%.py": "50%.py",
        r"\$HOME.py": "$HOME.py",
        "$HOME.py": "$HOME.py",
        r"we\ird": r"we\ird",
        str(files / "a.py"): "a.py",
    }

    mentions = {typed: await mention_path(vim, typed) for typed in names}

    assert mentions == {typed: {"filePath": str(files / name)} for typed, name in names.items()}
    assert await mention_path(vim, "~/notes.md") == {"filePath": str(tmp_path / "home/notes.md")}
    assert await mention_path(vim, ".") == {"filePath": str(files)}
    assert await mention_path(vim, "sub dir/") == {"filePath": f'"{files}/sub dir"'}


async def test_an_invalid_mention_gets_an_error_that_names_what_is_wrong(
    vim: Vim, files: Path
) -> None:
    os.mkfifo(files / "pipe")
    (files / "one.txt").write_text("one")
    errors = {
        ("x.py",): "no such file: x.py",
        ("a.py/b",): "no such file: a.py/b",
        ("a.py", "abc"): "not a line number: abc",
        ("a.py", "1", "abc"): "not a line number: abc",
        ("a.py", "0"): "not a line number: 0",
        ("a.py", "-1"): "not a line number: -1",
        ("a.py", "1e1"): "not a line number: 1e1",
        ("a.py", "13"): "line 13 is past the end (12 lines)",
        ("a.py", "1", "99"): "line 99 is past the end (12 lines)",
        (".hidden", "1"): "line 1 is past the end (0 lines)",
        ("one.txt", "2"): "line 2 is past the end (1 line)",
        ("a.py", "5", "3"): "line 5 comes after line 3",
        ("sub dir", "1"): "a folder has no lines: sub dir",
        ("pipe", "1"): "neither a file nor a folder: pipe",
    }

    mentions = {arguments: await mention_path(vim, *arguments) for arguments in errors}

    assert mentions == {arguments: {"error": error} for arguments, error in errors.items()}


async def test_unsaved_lines_can_be_mentioned(vim: Vim, files: Path) -> None:
    await vim.command("edit a.py | call append('$', ['13', '14']) | set hidden | enew")

    assert (await mention_path(vim, "a.py", "14"))["lineStart"] == 13
    assert await mention_path(vim, "a.py", "15") == {"error": "line 15 is past the end (14 lines)"}


async def test_files_and_folders_are_completed_but_later_arguments_are_not(
    vim: Vim, files: Path
) -> None:
    expected = {
        "ClaudeAdd a": ["a.py"],
        "ClaudeAdd! a": ["a.py"],
        "ClaudeAdd b": [r"b\[1].py"],
        r"ClaudeAdd b\[": [r"b\[1].py"],
        r"ClaudeAdd sub\ d": [r"sub\ dir/"],
        r"ClaudeAdd sub\ dir/": [r"sub\ dir/c\ d.py"],
        "ClaudeAdd ./a": ["./a.py"],
        "ClaudeAdd .h": [".hidden"],
        "ClaudeAdd zzz": [],
        "ClaudeAdd zzz/": [],
        "ClaudeAdd a.py ": [],
        r"ClaudeAdd sub\ dir ": [],
        "ClaudeAdd a.py 1": [],
        "ClaudeAdd ": [r"\$HOME.py", r"50\%.py", "a.py", r"b\[1].py", r"sub\ dir/"],
    }

    found = {typed: await vim.call("getcompletion", typed, "cmdline") for typed in expected}

    assert found == expected


@pytest.mark.parametrize("keys", ["b<Tab>", "5<Tab>", "s<Tab>c<Tab>", r"\$<Tab>"])
async def test_a_completed_path_can_be_mentioned(
    serving_vim: Vim, vim_client: ClaudeCode, files: Path, keys: str
) -> None:
    await serving_vim.keys(f":ClaudeAdd {keys} 2 3<CR>")

    (found,) = await mentioned(vim_client, 1)
    assert found["filePath"].removeprefix('"').startswith(str(files))
    assert found.get("lineStart", 1) == 1
