"""`openDiff` in Vim, from the socket to the keys and back."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import answer, is_closed, propose

TEXTS = {
    "plain": "a\nb\n",
    "empty": "",
    "no final newline": "a\nb",
    "only a newline": "\n",
    "two newlines": "\n\n",
    "CRLF": "a\r\nb\r\n",
    "CRLF, no final newline": "a\r\nb",
    "mixed ends": "a\r\nb\nc\r\n",
    "lone CR": "a\rb\n",
    "ends in CR": "a\nb\r",
    "CRLF, last line ends in CR": "a\r\nb\r",
    "BOM": "\ufeffa\n",
    "BOM and CRLF": "\ufeffa\r\nb\r\n",
    "BOM only": "\ufeff",
    "BOM, no newline": "\ufeffa",
    "NUL": "a\0b\n\0\n",
    "NUL only": "\0",
    "separators": "a\u2028b\u0085c\x0cd\x0be\n",
    "emoji and combining": "👩‍👩‍👧 e\u0301 日本\n",
    "controls": "\x01\x1b[31m\x7f\x9b\n",
    "noncharacters": "\uffff\ufffe\ufdd0\U0010ffff\n",
    "U+FFFD": "\ufffd\n",
    "a line of 200 kB": "x" * 200_000 + "\n",
    "tabs": "\ta\n  b\n",
    "modeline": "# vim: set ff=mac noeol tw=3 :\nx\n",
    "looks like JSON": '[0, "x"]\n["ex", "qa!"]\n',
    "backslashes": '\\u0000 \\n \\\\ "\n',
}


@pytest.mark.parametrize("is_edited", [False, True])
async def test_each_text_comes_back_byte_for_byte(
    vim: Vim, vim_client: ClaudeCode, project: Path, is_edited: bool
) -> None:
    path = project / "notes.txt"
    path.write_text("old\n")
    wrong = {}

    for name, text in TEXTS.items():
        asked = await propose(vim, vim_client, path, text)
        await vim.keys("Omine<Esc>dd:w<CR>" if is_edited else ":w<CR>")
        answered = await answer(asked)
        # As in a file without a line, the line below the removed one remains.
        expected = "\n" if is_edited and not text else text
        if answered != ["FILE_SAVED", expected]:
            wrong[name] = answered
        await is_closed(vim)

    assert not wrong
    assert path.read_text() == "old\n"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("gr\u00f6\u00dfe\n".encode("latin1"), "gr\u00f6\u00dfe"),
        (b"\xff\xfe" + "gr\u00f6\u00dfe\n".encode("utf-16-le"), "gr\u00f6\u00dfe"),
        (b"\xef\xbb\xbfone\r\n", "one"),
        (b"one", "one"),
    ],
    ids=["latin1", "utf-16", "BOM and CRLF", "no final newline"],
)
@pytest.mark.parametrize("decision", [":w<CR>", ":q<CR>"])
async def test_the_file_beside_the_proposal_keeps_its_bytes(
    vim: Vim, vim_client: ClaudeCode, project: Path, content: bytes, shown: str, decision: str
) -> None:
    path = project / "notes.txt"
    path.write_bytes(content)
    await vim.command("set fileencodings=ucs-bom,utf-8,latin1 | edit notes.txt")
    options = "[&fileencoding, &bomb, &fileformat, &endofline, &modified, getline(1)]"
    before = await vim.eval(options)
    assert before[-1] == shown

    asked = await propose(vim, vim_client, path, "proposed\n")
    assert await vim.eval("getbufline(winbufnr(1), 1, '$')") == [shown]
    await vim.keys(decision)
    await answer(asked)
    await is_closed(vim)

    assert await vim.eval(options) == before
    assert path.read_bytes() == content


async def test_an_edited_proposal_is_answered_with_the_edited_text(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("old\n")
    asked = await propose(vim, vim_client, path, "new\n")

    await vim.keys("Amine <Esc>ozwei<Esc>:wq<CR>")

    assert await answer(asked) == ["FILE_SAVED", "newmine \nzwei\n"]
    await is_closed(vim)


async def test_a_comment_in_a_proposal_needs_neovim(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.keys(":ClaudeComment why?<CR>")

    await until(lambda: "a comment in a proposal needs Neovim" in vim.screen.text())
    assert not asked.done()


async def test_undo_does_not_remove_the_proposal(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.keys("uu:w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "new\n"]


async def test_edit_restores_the_proposal(vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\r\ntext\r\n")

    await vim.keys("ddamine<Esc>:edit!<CR>:w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "new\r\ntext\r\n"]


async def test_undo_brings_back_what_edit_has_discarded(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\r\ntext\r\n")

    await vim.keys("ccmine<Esc>:edit!<CR>")
    await until(lambda: vim.eval("getline(1) ==# 'new'"))
    await vim.keys("u:update<CR>")
    await until(lambda: "nothing was accepted: type :w yourself" in vim.screen.text())
    await vim.keys(":w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "mine\r\ntext\r\n"]


async def test_write_to_another_name_saves_a_copy_and_decides_nothing(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\r\ntext")

    await vim.keys(":w copy.txt<CR>")

    copy = project / "copy.txt"
    await until(lambda: copy.exists() and copy.read_bytes() == b"new\r\ntext")
    assert not asked.done()


@pytest.mark.parametrize(
    "autosave",
    [
        "autocmd InsertLeave * silent! write",
        "autocmd InsertLeave,TextChanged * ++nested silent! write",
        "autocmd InsertLeave,TextChanged * ++nested silent! wall",
        "autocmd TextChanged,TextChangedI * ++nested silent! update",
        "set updatetime=10 | autocmd CursorHold,CursorHoldI * ++nested silent! write",
    ],
)
async def test_an_autosave_by_an_autocommand_accepts_nothing(
    vim: Vim, vim_client: ClaudeCode, project: Path, autosave: str
) -> None:
    await vim.command(autosave)
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.keys("Amine<Esc>")
    await vim.keys("rx")
    await vim.idle(200)

    assert not asked.done()
    await vim.keys(":w<CR>")
    assert await answer(asked) == ["FILE_SAVED", "newminx\n"]


@pytest.mark.parametrize(
    "autosave",
    [
        "call timer_start(100, {-> execute('write')}, {'repeat': 3})",
        "call timer_start(100, {-> execute('set modified | wall')}, {'repeat': 3})",
        "call job_start('sleep 0.1', {'exit_cb': {-> execute('write')}})",
    ],
)
async def test_an_autosave_by_a_callback_accepts_nothing_and_says_so(
    vim: Vim, vim_client: ClaudeCode, project: Path, autosave: str
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.command(autosave)

    await until(lambda: "nothing was accepted: type :w yourself" in vim.screen.text())
    assert not asked.done()
    await vim.keys(":w<CR>")
    assert await answer(asked) == ["FILE_SAVED", "new\n"]


@pytest.mark.parametrize(
    "save",
    [
        "nnoremap S <Cmd>call Save()<CR>",
        "nnoremap S :call Save()<CR>",
        "nnoremap <expr> S ':call Save()' .. nr2char(13)",
        "command Save call Save() | nnoremap S <Cmd>Save<CR>",
    ],
)
async def test_a_users_own_way_to_write_accepts(
    vim: Vim, vim_client: ClaudeCode, project: Path, save: str
) -> None:
    await vim.command('execute "function Save()\\nwrite\\nendfunction"')
    for command in save.split(" | "):
        await vim.command(command)
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.keys("S")

    assert await answer(asked) == ["FILE_SAVED", "new\n"]


async def test_a_reason_is_for_the_agent(vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.keys(":ClaudeReject use | less, please<CR>")

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await is_closed(vim)


async def test_text_that_is_not_utf_8_is_not_sent(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "new.txt", "new\n")

    await vim.command(r"""call setline(1, "a\xe9")""")
    await vim.keys(":w<CR>")
    await until(lambda: "not UTF-8" in vim.screen.text())

    assert not asked.done()
