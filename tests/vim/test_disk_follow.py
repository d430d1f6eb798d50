"""Buffers of Vim follow their files as an edit, and nothing that the user has there is lost."""

import os
from pathlib import Path

import pytest

from support.neovim import until
from support.vim import Vim
from support.vim_disk import asks_nothing, edit, follows, lines

OLD = [f"line {n}" for n in range(1, 61)]
NEW = [*OLD[:9], "one", "two", *OLD[9:21], "changed", *OLD[22:26], *OLD[27:50], "three", *OLD[50:]]
"""Two lines more after 9; 22 is another; 27 is gone; one more after 50."""


def text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


async def test_cursor_marks_folds_signs_and_properties_move_with_their_lines(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "r.txt", text(OLD).encode())
    for command in [
        "setlocal foldmethod=manual",
        "40,45fold",
        "call cursor(20, 3)",
        'call setpos("\'a", [0, 25, 2, 0])',
        "call prop_type_add('t', {'bufnr': bufnr()})",
        "call prop_add(30, 1, {'type': 't', 'length': 3, 'bufnr': bufnr()})",
        "sign define s text=>>",
        "execute 'sign place 5 line=55 name=s buffer=' .. bufnr()",
    ]:
        await vim.command(command)

    (project / "r.txt").write_text(text(NEW))
    await follows(vim, NEW)

    assert await vim.eval("[line('.'), col('.')]") == [22, 3]
    assert await vim.eval('getpos("\'a")[1]') == 27
    assert (
        await vim.eval("map(range(1, line('$')), 'empty(prop_list(v:val)) ? 0 : v:val')->max()")
        == 31
    )
    assert await vim.eval("foldclosed(42)") == 41
    assert await vim.eval("foldclosedend(42)") == 46
    assert await vim.eval("sign_getplaced(bufnr())[0].signs->map('v:val.lnum')") == [57]
    await asks_nothing(vim)


async def test_undo_takes_the_write_back_in_one_step_and_then_the_users_own(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "u.txt", text(OLD).encode())
    await vim.keys("ccmine<Esc>:w<CR>")
    assert await vim.eval("&modified") == 0
    (project / "u.txt").write_text(text(["mine", *NEW[1:]]))
    await follows(vim, ["mine", *NEW[1:]])

    await vim.keys("u")
    assert await lines(vim) == ["mine", *OLD[1:]]
    assert await vim.eval("&modified") == 1
    await vim.keys("u")
    assert await lines(vim) == OLD
    await vim.keys("<C-r><C-r>")
    assert await lines(vim) == ["mine", *NEW[1:]]
    assert await vim.eval("&modified") == 0
    await asks_nothing(vim)


async def test_writes_of_the_same_size_within_a_second_are_all_followed(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "same.txt", b"aaaa\n")
    for word in ("bbbb", "cccc", "dddd"):
        (project / "same.txt").write_text(word + "\n")
        await follows(vim, [word])
    await asks_nothing(vim)


async def test_a_deleted_file_leaves_the_buffer_alone_until_it_is_there_again(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "gone.txt", b"old\n")
    (project / "gone.txt").unlink()
    await vim.idle(700)
    assert await lines(vim) == ["old"]
    assert await vim.mode() == {"mode": "n", "blocking": False}

    (project / "gone.txt").write_text("again\n")
    await follows(vim, ["again"])
    await asks_nothing(vim)


@pytest.mark.parametrize(
    "content",
    [
        b"one\r\ntwo\r\n",
        b"no end",
        b"",
        b"\n",
        b"nul \x00 here\n",
        "\ufeffmark ä\n".encode(),
        b"latin \xe4\xff\n",
        b"mixed\r\nends\n",
        b"lone \r return\n",
        "wide 漢字 😀\u2028\n".encode(),
    ],
)
async def test_the_bytes_of_any_text_are_those_of_a_later_write(
    serving_vim: Vim, project: Path, content: bytes
) -> None:
    vim = serving_vim
    path = project / "bytes.txt"
    await edit(vim, path, b"before\n")
    await vim.command("set nofixendofline")
    path.write_bytes(content)
    await until(lambda: vim.eval("getline(1) !=# 'before' && !&modified"), "followed")
    await asks_nothing(vim)
    assert path.read_bytes() == content

    await vim.command("set modified")
    await asks_nothing(vim)
    assert path.read_bytes() == content


async def test_a_file_in_another_encoding_is_followed_in_it(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "latin.txt"
    await edit(vim, path, "größe\n".encode("latin1"))
    assert await vim.eval("&fileencoding") == "latin1"
    path.write_bytes("größer\nétat\n".encode("latin1"))

    await follows(vim, ["größer", "état"])
    assert await vim.eval("&fileencoding") == "latin1"
    await vim.command("set modified")
    await asks_nothing(vim)
    assert path.read_bytes() == "größer\nétat\n".encode("latin1")


async def test_unsaved_changes_are_kept_and_followed_once_they_are_undone(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "kept.txt", b"old\n")
    await vim.keys("ccmine<Esc>")
    assert await lines(vim) == ["mine"]
    (project / "kept.txt").write_text("theirs\n")
    await until(
        lambda: "kept.txt changed on disk; unsaved changes kept" in vim.screen.text(), "told"
    )
    assert await lines(vim) == ["mine"]

    await vim.keys("u")
    await follows(vim, ["theirs"])
    await asks_nothing(vim)


async def test_a_buffer_that_is_not_shown_is_followed(serving_vim: Vim, project: Path) -> None:
    vim = serving_vim
    await vim.command("set hidden")
    await edit(vim, project / "hidden.txt", text(OLD).encode())
    await vim.command("call cursor(20, 2)")
    await vim.command(f"edit {project / 'other.txt'}")
    (project / "hidden.txt").write_text(text(NEW))

    async def is_there() -> bool:
        return await lines(vim, "hidden.txt") == NEW

    await until(is_there, "followed")
    assert await vim.eval("expand('%:t')") == "other.txt"
    await vim.command("buffer hidden.txt")
    assert await vim.eval("line('.')") == 22
    await asks_nothing(vim)


async def test_a_buffer_in_another_window_keeps_its_view(serving_vim: Vim, project: Path) -> None:
    vim = serving_vim
    await edit(vim, project / "view.txt", text(OLD).encode())
    await vim.keys("40Gzt")
    await vim.command("split")
    await vim.keys("15Gzt")
    await until(lambda: vim.eval("line('w0') == 15"))
    (project / "view.txt").write_text(text(NEW))
    await follows(vim, NEW)

    assert await vim.eval("[line('.'), line('w0')]") == [17, 17]
    await vim.command("wincmd p")
    assert await vim.eval("[line('.'), line('w0')]") == [41, 41]


async def test_a_file_is_followed_after_insert_mode(serving_vim: Vim, project: Path) -> None:
    vim = serving_vim
    await edit(vim, project / "insert.txt", b"one\ntwo\n")
    await vim.keys("i")
    assert await vim.eval("mode()") == "i"
    (project / "insert.txt").write_text("zero\none\ntwo\n")
    await vim.idle(800)
    assert await lines(vim) == ["one", "two"]

    await vim.keys("<Esc>")
    await follows(vim, ["zero", "one", "two"])
    await asks_nothing(vim)


async def test_an_expected_write_is_followed_at_once(serving_vim: Vim, project: Path) -> None:
    vim = serving_vim
    path = project / "expected.txt"
    await edit(vim, path, text(OLD).encode())
    await vim.command("set noautoread")
    await vim.call("claude_ide#disk_changes#reload#Expect", str(path))
    path.write_text(text(NEW))

    await follows(vim, NEW)
    assert "changed" not in vim.screen.text().splitlines()[-2]
    await vim.keys("u")
    assert await lines(vim) == OLD
    await vim.keys("<C-r>")
    await asks_nothing(vim)


async def test_unsaved_changes_are_reapplied_on_top_of_an_accepted_write(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "merged.txt"
    await edit(vim, path, text(OLD).encode())
    await vim.keys("GA mine<Esc>")
    assert await vim.eval("&modified") == 1
    await vim.call("claude_ide#disk_changes#reload#Expect", str(path))
    path.write_text(text(NEW))

    await follows(vim, [*NEW[:-1], "line 60 mine"])
    assert await vim.eval("&modified") == 1
    await asks_nothing(vim)
    assert path.read_text() == text([*NEW[:-1], "line 60 mine"])


async def test_a_new_file_is_followed_into_its_empty_buffer(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await vim.command(f"edit {project / 'new.txt'}")
    (project / "new.txt").write_text("hello\n")

    await follows(vim, ["hello"])
    await asks_nothing(vim)


async def test_a_new_file_with_unsaved_text_is_kept_without_a_question(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await vim.command(f"edit {project / 'new.txt'}")
    await vim.keys("imine<Esc>")
    await until(lambda: vim.eval("[mode(), getline(1)] == ['n', 'mine']"), "typed")
    (project / "new.txt").write_text("theirs\n")

    await until(
        lambda: "new.txt changed on disk; unsaved changes kept" in vim.screen.text(), "told"
    )
    assert await lines(vim) == ["mine"]
    assert await vim.mode() == {"mode": "n", "blocking": False}


async def test_a_file_that_cannot_be_read_leaves_the_buffer_alone(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "locked.txt"
    await edit(vim, path, b"old\n")
    path.unlink()
    os.mkfifo(path)
    await vim.idle(700)
    assert await lines(vim) == ["old"]
    path.unlink()
    path.write_text("new\n")
    await follows(vim, ["new"])


async def test_linters_hear_of_a_write_that_a_buffer_has_followed(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "heard.txt", b"old\n")
    await vim.command("let g:heard = []")
    for event in ("FileChangedShellPost", "TextChanged"):
        await vim.command(f"autocmd {event} * call add(g:heard, '{event} ' .. expand('<afile>:t'))")
    await vim.command("augroup lsp | augroup END")
    await vim.command("autocmd lsp BufWritePost * call add(g:heard, 'lsp ' .. getline(1))")
    await vim.command("autocmd BufWritePost * call add(g:heard, 'build')")
    (project / "heard.txt").write_text("new\n")
    await follows(vim, ["new"])

    await until(lambda: vim.eval("len(g:heard) == 3"), "heard")
    assert sorted(await vim.eval("g:heard")) == [
        "FileChangedShellPost heard.txt",
        "TextChanged heard.txt",
        "lsp new",
    ]


async def test_sync_updates_all_buffers_at_once_and_says_which(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    await edit(vim, project / "a.txt", b"a\n")
    (project / "a.txt").write_text("b\n")

    assert await vim.eval("claude_ide#disk_changes#reload#Sync() + [0]") == [
        await vim.eval("bufnr()"),
        0,
    ]
    assert await lines(vim) == ["b"]
    assert await vim.eval("claude_ide#disk_changes#reload#Sync()") == []
    await asks_nothing(vim)


async def test_a_file_that_was_emptied_to_be_written_is_not_followed_at_once(
    serving_vim: Vim, project: Path
) -> None:
    vim = serving_vim
    path = project / "a.txt"
    await edit(vim, path, b"a\n")
    look = "[claude_ide#disk_changes#reload#Sync(), getline(1, '$')]"

    assert await vim.eval(f"writefile([], '{path}') == 0 ? {look} : []") == [[], ["a"]]

    await follows(vim, [""])
