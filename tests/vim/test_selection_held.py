"""A selection that the user has left for a terminal, for a command, or by acting elsewhere."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim


@pytest.fixture
async def editor(vim: Vim, project: Path) -> Vim:
    """A Vim that shows a file beside a terminal."""
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    await vim.command("edit a.txt | belowright terminal cat")
    await vim.command("wincmd p")
    await until(lambda: vim.eval("expand('%:t') == 'a.txt' && mode() == 'n'"), "in the file")
    return vim


async def latest(vim: Vim) -> Any:
    return await vim.eval("claude_ide#selection#Latest()")


async def test_the_latest_selection_needs_no_server(editor: Vim, project: Path) -> None:
    await editor.keys("wv$h")
    await until(lambda: editor.eval("mode() == 'v'"), "selected")

    assert (await latest(editor))["filePath"] == str(project / "a.txt")


@pytest.mark.parametrize("keys", ["vj$h", "Vj"])
async def test_a_click_into_the_terminal_keeps_it(
    vim_client: ClaudeCode, editor: Vim, keys: str
) -> None:
    await editor.command("set mouse=a ttymouse=sgr")
    await editor.keys(keys)
    await until(lambda: reported(vim_client, "one\ntwo"), "the selection is reported")
    row = await editor.eval("win_screenpos(2)[0] + 1")

    for end in "Mm":
        await editor.screen.type_and_wait(f"\x1b[<0;5;{row}{end}".encode())

    await until(lambda: editor.eval("&buftype == 'terminal'"), "in the terminal")
    assert (await latest(editor))["text"] == ["one", "two"]


async def test_a_command_with_its_range_keeps_it(vim_client: ClaudeCode, editor: Vim) -> None:
    await editor.keys("Vj")
    await until(lambda: reported(vim_client, "one\ntwo"), "the selection is reported")

    await editor.keys(":ClaudeSend<CR>")

    await until(lambda: vim_client.notifications_of("at_mentioned"), "the mention")
    assert vim_client.notifications_of("at_mentioned")[0]["lineEnd"] == 1


async def test_moving_in_the_file_ends_it(vim_client: ClaudeCode, editor: Vim) -> None:
    await editor.keys("Vj")
    await until(lambda: reported(vim_client, "one\ntwo"), "the selection is reported")
    await editor.keys("<Esc>j")

    await until(lambda: reported(vim_client, ""), "nothing is selected")
    await editor.keys("<C-w>j")
    assert (await latest(editor))["text"] == [""]


async def test_typing_beside_a_menu_is_reported(vim_client: ClaudeCode, editor: Vim) -> None:
    await editor.command("set complete=. completeopt=menuone,noselect")
    await editor.keys("Got<C-n>h")
    await until(lambda: editor.eval("pumvisible()"), "the menu")

    await until(lambda: is_at(vim_client, 3, 2), "the cursor is reported")


async def test_a_new_name_is_reported(vim_client: ClaudeCode, editor: Vim, project: Path) -> None:
    await editor.keys(":saveas b.txt<CR>")

    def is_reported() -> bool:
        last = vim_client.notifications_of("selection_changed")[-1:]
        return bool(last) and last[0]["filePath"] == str(project / "b.txt")

    await until(is_reported, "the new name")


async def test_a_hidden_file_that_is_written_is_not_where_the_user_is(
    vim_client: ClaudeCode, editor: Vim, project: Path
) -> None:
    (project / "b.txt").write_text("b\n")
    await editor.command("set hidden | edit b.txt | call setline(1, 'B') | edit a.txt")
    await editor.keys("j")
    await until(lambda: is_at(vim_client, 1, 0), "the cursor is reported")

    await editor.command("wall")
    await editor.keys("j")

    await until(lambda: is_at(vim_client, 2, 0), "the cursor is reported")
    paths = {Path(each["filePath"]).name for each in last_of(vim_client, 2)}
    assert paths == {"a.txt"}


def last_of(client: ClaudeCode, count: int) -> list[Any]:
    return client.notifications_of("selection_changed")[-count:]


def reported(client: ClaudeCode, text: str) -> bool:
    return any(each["text"] == text for each in last_of(client, 1))


def is_at(client: ClaudeCode, line: int, character: int) -> bool:
    end = {"line": line, "character": character}
    return any(each["selection"]["end"] == end for each in last_of(client, 1))
