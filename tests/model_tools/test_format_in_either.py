"""The model's tool `format`, whose result the user reviews, with 'formatprg' in either editor."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, diffs, edit, shows_a_diff
from support.model_tools import ModelTools
from support.neovim import until

pytestmark = BOTH

OLD = "b\na\n"
LARGE = 40_000  # lines, more than a pipe holds


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file for which the user has set a formatter."""
    await serving.command("set hidden formatprg=sort")
    file = project / "a.txt"
    file.write_text(OLD)
    return file


async def decide(editor: Editor, keys: str) -> None:
    await until(lambda: shows_a_diff(editor), "a diff")
    await editor.keys(keys)

    async def is_decided() -> bool:
        return not await diffs(editor)

    await until(is_decided, "the diff is decided")


async def answer(tools: ModelTools, number: int) -> str:
    got = await tools.client.read()
    assert got["id"] == number
    return str(got["result"]["content"][0]["text"])


@pytest.mark.parametrize("is_open", [False, True])
async def test_a_file_is_formatted_after_the_review(
    serving: Editor, tools: ModelTools, path: Path, is_open: bool
) -> None:
    if is_open:
        await edit(serving, path)
    number = await tools.client.begin("format", file=str(path))
    await until(lambda: shows_a_diff(serving), "a diff")
    assert path.read_text() == OLD
    await decide(serving, ":w<CR>")

    assert await answer(tools, number) == f"Formatted by sort.\nWritten:\n  {path}"
    assert path.read_text() == "a\nb\n"
    if is_open:
        await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
        assert await serving.eval("[getline(1, '$'), &modified]") == [["a", "b"], 0]
        await serving.keys("u")
        await until(lambda: serving.eval("getline(1, '$') == ['b', 'a']"), "undone")


@pytest.mark.parametrize("text", ["\ufeffb\r\na\r\n", "ß\r\nä\r\n", "b\na", "日\n本\n"])
async def test_the_bytes_around_the_lines_stay(
    serving: Editor, tools: ModelTools, path: Path, text: str
) -> None:
    path.write_bytes(text.encode())
    await serving.command("set nofixendofline formatprg=tac")
    number = await tools.client.begin("format", file=str(path))
    await decide(serving, ":w<CR>")

    assert await answer(tools, number) == f"Formatted by tac.\nWritten:\n  {path}"
    lines = text.removeprefix("\ufeff").split("\r\n" if "\r" in text else "\n")
    end = "\r\n" if "\r" in text else "\n"
    expected = end.join([*reversed(lines[:2]), *lines[2:]])
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    assert path.read_bytes().decode() == bom + expected


async def test_the_users_edits_of_the_proposal_are_written(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    number = await tools.client.begin("format", file=str(path))
    await until(lambda: shows_a_diff(serving), "a diff")
    await decide(serving, "Goc<Esc>:w<CR>")

    written = f"Formatted by sort.\nWritten:\n  {path} (the user has changed the proposal)"
    assert await answer(tools, number) == written
    assert path.read_text() == "a\nb\nc\n"


async def test_a_rejected_format_changes_nothing(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    number = await tools.client.begin("format", file=str(path))
    await decide(serving, ":q<CR>")

    assert "the user rejected it; nothing was changed" in await answer(tools, number)
    assert path.read_text() == OLD


async def test_unsaved_changes_stay_unsaved(serving: Editor, tools: ModelTools, path: Path) -> None:
    await edit(serving, path)
    await serving.keys("Goc<Esc>")
    await until(lambda: serving.eval("&modified && mode() == 'n'"), "edited")

    number = await tools.client.begin("format", file=str(path))
    await decide(serving, ":w<CR>")

    assert "not saved" in await answer(tools, number)
    assert path.read_text() == OLD
    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await serving.eval("[getline(1, '$'), &modified]") == [["a", "b", "c"], 1]


async def test_only_some_lines_are_formatted(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    path.write_text("x \ny \nz \n")
    await serving.command("let &formatprg = \"sed 's/ $//'\"")

    number = await tools.client.begin("format", file=str(path), line=2)
    await decide(serving, ":w<CR>")

    assert "Written" in await answer(tools, number)
    assert path.read_text() == "x \ny\nz \n"


async def test_a_formatted_file_needs_no_review(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    path.write_text("a\nb\n")

    assert await tools.text("format", file=str(path)) == "Nothing to change (asked sort)."


async def test_a_formatter_that_fails_says_why(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    await serving.command("set formatprg=false")

    assert await tools.error("format", file=str(path)) == "false: exit code 1"


async def test_a_large_file_reaches_the_formatter_as_a_whole(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    path.write_text("the same line\n" * LARGE)

    assert await tools.text("format", file=str(path)) == "Nothing to change (asked sort)."


async def test_a_formatter_need_not_read_everything(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    path.write_text("the same line\n" * LARGE)
    await serving.command("set formatprg=head\\ -n\\ 1")

    number = await tools.client.begin("format", file=str(path))
    await decide(serving, ":w<CR>")

    assert await answer(tools, number) == f"Formatted by head -n 1.\nWritten:\n  {path}"
    assert path.read_text() == "the same line\n"
    assert await serving.eval("v:errmsg") == ""


async def test_a_file_that_changes_during_the_review_is_not_overwritten(
    serving: Editor, tools: ModelTools, path: Path
) -> None:
    number = await tools.client.begin("format", file=str(path))
    await until(lambda: shows_a_diff(serving), "a diff")
    path.write_text("theirs, longer\n")
    await decide(serving, ":w<CR>")

    assert "changed during the review" in await answer(tools, number)
    assert path.read_text() == "theirs, longer\n"
    follows = f"getbufline('{path}', 1, '$') == ['theirs, longer']"
    await until(lambda: serving.eval(follows), "the buffer follows")


async def test_a_quoted_name_that_a_shell_would_interpret_is_refused(
    serving: Editor, tools: ModelTools, project: Path
) -> None:
    path = project / "$(touch canary).txt"
    path.write_text(OLD)
    await serving.command("let &formatprg = 'cat \"%\"'")

    assert "the shell would interpret the name" in await tools.error("format", file=str(path))
    assert not (project / "canary").exists()
