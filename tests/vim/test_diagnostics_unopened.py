"""Files that are not open are loaded for a while, so that they are checked, in Vim."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, claude_code
from support.either_editor import edit, shows_a_diff
from support.neovim import until
from support.vim import Vim
from support.vim_plugins import load

UNOPENED = "claude_ide#diagnostics#unopened#"


@pytest.fixture
async def closed(serving_vim: Vim, project: Path) -> Path:
    """A file that is not open, beside one that is."""
    (project / "open.py").write_text("x = 1\n")
    await edit(serving_vim, project / "open.py")
    path = project / "closed.py"
    path.write_text("import os\nprint(wrong)\n")
    return path


async def state(vim: Vim, path: Path) -> list[Any]:
    """Return whether a file has a buffer, whether that is loaded, listed, and has a swap file."""
    name = f"'{path}'"
    return list(
        await vim.eval(
            f"[bufexists({name}), bufloaded({name}), getbufvar({name}, '&buflisted'),"
            f" getbufvar({name}, '&swapfile')]"
        )
    )


async def test_a_file_that_is_not_open_is_checked_and_unloaded_afterwards(
    vim_client: ClaudeCode, serving_vim: Vim, closed: Path, tmp_path: Path
) -> None:
    await load(serving_vim, "ale", tmp_path)
    before = await serving_vim.eval("[bufnr(), winnr('$'), getcurpos(), popup_list()]")

    async def complete() -> Any:
        """Return the answer; on a busy machine, the linters may first take too long."""
        (answer,) = await vim_client.json_for_model("getDiagnostics", {"uri": f"file://{closed}"})
        return None if "note" in answer else answer

    answer = await until(complete, "an answer without a note")

    assert "wrong" in str(answer["diagnostics"])
    assert await state(serving_vim, closed) == [1, 1, 0, 0]
    assert await serving_vim.eval("[bufnr(), winnr('$'), getcurpos(), popup_list()]") == before
    await serving_vim.call(f"{UNOPENED}Release")
    assert (await state(serving_vim, closed))[:2] == [0, 0]


async def test_a_note_says_that_nothing_checks_a_file(
    vim_client: ClaudeCode, serving_vim: Vim, closed: Path
) -> None:
    (answer,) = await vim_client.json_for_model("getDiagnostics", {"uri": f"file://{closed}"})

    assert answer["diagnostics"] == []
    assert "no language server or linter" in answer["note"], answer


async def test_a_file_that_the_user_opens_becomes_an_ordinary_one(
    serving_vim: Vim, closed: Path
) -> None:
    await serving_vim.command("set swapfile directory=.")
    await serving_vim.call(f"{UNOPENED}Load", str(closed))
    assert await state(serving_vim, closed) == [1, 1, 0, 0]

    await edit(serving_vim, closed)

    await until(lambda: is_ordinary(serving_vim, closed), "its options")
    await serving_vim.call(f"{UNOPENED}Release")
    assert await is_ordinary(serving_vim, closed)


async def test_a_file_that_another_vim_edits_is_opened_without_a_question(
    closed: Path, project: Path, tmp_path: Path
) -> None:
    one, other = [
        await Vim.start(cwd=project, home=tmp_path / name, swap_files=True)
        for name in ("one", "other")
    ]
    for vim in (one, other):
        await vim.command("set swapfile directory=. updatecount=1")
    await edit(other, closed)
    await other.command("call setline(1, 'theirs') | preserve")
    await one.call(f"{UNOPENED}Load", str(closed))

    await one.call("claude_ide#file#open#OpenFile", {"path": str(closed)})

    await until(lambda: is_ordinary(one, closed), "its options")
    assert "E325" not in one.screen.text()
    assert (await one.mode())["blocking"] is False
    for vim in (one, other):
        await vim.stop()


async def test_a_file_is_unloaded_soon_after_the_client_that_showed_a_diff_of_it_has_gone(
    serving_vim: Vim, config_folder: Path, closed: Path
) -> None:
    async with claude_code(config_folder) as client:
        client.start_call("openDiff", {"old_file_path": str(closed), "new_file_contents": "x"})
        await until(lambda: shows_a_diff(serving_vim), "a diff")

    async def is_gone() -> bool:
        return (await state(serving_vim, closed))[:2] == [0, 0]

    await until(is_gone, "it is unloaded")


async def is_ordinary(vim: Vim, path: Path) -> bool:
    return await state(vim, path) == [1, 1, 1, 1]


async def test_a_buffer_in_the_quickfix_list_keeps_its_number(
    serving_vim: Vim, closed: Path
) -> None:
    await serving_vim.call(f"{UNOPENED}Load", str(closed))
    await serving_vim.call("setqflist", [{"filename": str(closed), "lnum": 2, "text": "here"}])

    await serving_vim.call(f"{UNOPENED}Release")

    assert (await state(serving_vim, closed))[:2] == [1, 0]
    await serving_vim.keys(":cc<CR>")
    await until(lambda: serving_vim.eval(f"bufname() =~ '{closed.name}' && line('.') == 2"))


async def test_a_deleted_file_asks_nothing(serving_vim: Vim, closed: Path) -> None:
    await serving_vim.call(f"{UNOPENED}Load", str(closed))
    closed.unlink()

    await serving_vim.command("checktime")

    assert (await serving_vim.mode())["blocking"] is False
    assert "E211" not in serving_vim.screen.text()


@pytest.mark.parametrize(
    ("content", "obstacle"),
    [(b"a\0b", "it is not a text file"), (b"x" * 2_000_001, "it has 2000001 bytes")],
)
async def test_some_files_are_not_loaded(
    serving_vim: Vim, closed: Path, content: bytes, obstacle: str
) -> None:
    closed.write_bytes(content)

    answer = await serving_vim.call(f"{UNOPENED}Load", str(closed))

    assert answer["obstacle"].startswith(obstacle)
    assert (await state(serving_vim, closed))[:2] == [0, 0]
