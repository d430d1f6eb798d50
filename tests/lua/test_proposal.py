"""How the user edits a proposal, and which actions decide it."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

FILE = "a.py"
OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"


async def is_gone(nvim: Neovim) -> bool:
    return bool(
        await nvim.eval("len(filter(getbufinfo(), 'v:val.name =~ \"/claude-diff/\"')) == 0")
    )


ACCEPTING = [
    ":w<CR>",
    ":write<CR>",
    ":w!<CR>",
    ":wq<CR>",
    ":x<CR>",
    ":xit!<CR>",
    ":exit<CR>",
    ":silent x<CR>",
    "ZZ",
    ":update|write<CR>",
    "<Cmd>write<CR>",
    "i<C-o>:w<CR>",
    "i<Cmd>write<CR>",
    "v<Cmd>write<CR>",
]


REJECTING = [
    ":q<CR>",
    ":q!<CR>",
    "ZQ",
    "<C-w>c",
    "<C-w>q",
    ":close<CR>",
    ":bd<CR>",
    ":bdelete!<CR>",
    ":bwipeout<CR>",
    ":bunload<CR>",
    ":hide<CR>",
    ":enew<CR>",
    ":tabclose<CR>",
    ":edit other.txt<CR>",
    "<C-w>h<C-w>o",
    "<C-w>h:only<CR>",
    "ggdG:q<CR>",
    ":set modified<CR>:q<CR>",
]


@pytest.mark.parametrize("keys", ACCEPTING)
async def test_a_proposal_is_accepted_by(nvim: Neovim, diffs: Diffs, path: Path, keys: str) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(keys)

    assert await diffs.outcome(id_) == {"id": id_, "accepted": True, "text": NEW}
    await diffs.closed(id_)
    assert path.read_text() == OLD


@pytest.mark.parametrize("keys", REJECTING)
async def test_a_proposal_is_rejected_by(nvim: Neovim, diffs: Diffs, path: Path, keys: str) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(keys)

    assert await diffs.outcome(id_) == {"id": id_, "accepted": False}
    await diffs.closed(id_)
    await until(lambda: is_gone(nvim))


@pytest.mark.parametrize("keys", REJECTING)
async def test_an_edited_proposal_is_rejected_by(
    nvim: Neovim, diffs: Diffs, path: Path, keys: str
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("ochanged<Esc>" + keys)

    assert await diffs.outcome(id_) == {"id": id_, "accepted": False}
    await diffs.closed(id_)
    await until(lambda: is_gone(nvim))


@pytest.mark.parametrize(
    "keys",
    [
        "<C-w>h:q<CR>",
        "<C-w>h<C-w>c",
        ":split<CR>:q<CR>",
        ":split<CR><C-w>j:q<CR>",
        ":wall<CR>",
        ":update<CR>",
        ":execute 'normal! Gomore' | update<CR>",
        ":execute 'normal! Gomore' | wall<CR>",
        ":x<Esc>:wall<CR>",
        ":w copy.txt<CR>",
        ":1,2w part.txt<CR>",
        ":x<Esc>",
        "/x<CR>",
        ":help<CR>",
    ],
)
@pytest.mark.parametrize("edit", ["", "ccchanged<Esc>"], ids=["as proposed", "edited"])
async def test_a_proposal_remains_undecided_after(
    nvim: Neovim, diffs: Diffs, path: Path, edit: str, keys: str
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(edit + keys)
    await nvim.keys(":let g:typed = 1<CR>")
    await until(lambda: nvim.eval("get(g:, 'typed')"))

    assert not diffs.of("diff_decided", id_)
    assert await diffs.list() == [
        {"id": id_, "path": str(path), "title": "Claude Code", "shown": True}
    ]


@pytest.mark.parametrize(
    "keys",
    [
        ":qa<CR>",
        "ccchanged<Esc>:qa<CR>",
        "ccchanged<Esc><C-w>h:qa<CR>",
        ":set fileformat=dos<CR>:qa<CR>",
        ":set modified<CR>:qa<CR>",
        ":set fileformat=dos<CR>:tabonly<CR>:only<CR>:q<CR>",
    ],
)
async def test_quitting_neovim_rejects_a_proposal_without_a_question(
    nvim: Neovim, diffs: Diffs, path: Path, keys: str
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(keys)

    await nvim.process.wait()
    assert await diffs.outcome(id_) == {"id": id_, "accepted": False}


async def test_quitting_neovim_with_unsaved_changes_elsewhere_still_asks(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    (project / "other.txt").write_text("")
    await nvim.command("edit other.txt")
    await nvim.keys("ichanged<Esc>")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":qa<CR>")

    await until(lambda: "E37" in nvim.screen.text() or "E162" in nvim.screen.text())
    await nvim.keys("<CR>")
    assert not diffs.of("diff_decided", id_)


async def test_the_text_that_the_user_has_edited_is_accepted(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("Gofour<Esc>:w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW + "four\n"


async def test_diffget_drops_a_proposed_change(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("gg]cdo")

    await until(lambda: nvim.eval(f"getline(1, '$') == {OLD.splitlines()}"))
    await nvim.keys(":w<CR>")
    assert (await diffs.decision(id_))["accepted"] is False


async def test_undo_stops_at_the_proposed_text(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("ggccchanged<Esc>uuuu:undo 0<CR>:earlier 10f<CR>:w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW


async def test_the_edit_command_restores_the_proposed_text(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("ggccchanged<Esc>:edit!<CR>")
    await until(lambda: nvim.eval("getline(1) ==# 'one'"))
    await nvim.keys("Goafter<Esc>:w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW + "after\n"


async def test_undo_brings_back_what_the_edit_command_has_discarded(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("ggccchanged<Esc>Golast<Esc>:edit!<CR>")
    await until(lambda: nvim.eval("getline(1) ==# 'one'"))
    await nvim.keys("u")
    await until(lambda: nvim.eval("getline(1) ==# 'changed' && getline('$') ==# 'last'"))
    await nvim.keys(":update<CR>")
    await until(lambda: "nothing was accepted: type :w yourself" in nvim.screen.text())
    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW.replace("one", "changed", 1) + "last\n"


@pytest.mark.parametrize("text", [b"", b"a", b"a\r\nb\r\n", b"\xef\xbb\xbfa\n", b"a\0b\n"])
async def test_a_proposal_is_accepted_byte_for_byte(
    nvim: Neovim, diffs: Diffs, path: Path, text: bytes
) -> None:
    id_ = await diffs.open(path, text.decode())

    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == text.decode()


AUTOSAVES = {
    "update": "autocmd InsertLeave,TextChanged,BufLeave,WinLeave,FocusLost * ++nested update",
    "write": "autocmd InsertLeave,TextChanged,BufLeave * ++nested silent! write",
    "wall": "autocmd InsertLeave,TextChanged * ++nested silent! wall",
    "not nested": "autocmd InsertLeave,TextChanged * silent! write",
    "Lua": "lua vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, { nested = true,"
    " callback = function() vim.cmd('silent! write') end })",
    "function": "autocmd InsertLeave,TextChanged * ++nested silent! call Save()",
    "debounced": "lua vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {"
    " callback = function() vim.defer_fn(function() if vim.bo.modified then vim.cmd.write() end"
    " end, 10) end })",
    "timer": "lua vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {"
    " callback = function() vim.defer_fn(function() vim.cmd('silent! write') end, 10) end })",
    "timer of Vim": "autocmd InsertLeave,TextChanged *"
    " call timer_start(10, {-> execute('silent! write')})",
    "autowriteall": "set autowriteall",
}


@pytest.mark.parametrize("autosave", AUTOSAVES.values(), ids=AUTOSAVES)
async def test_an_autosave_does_not_accept_a_proposal(
    nvim: Neovim, diffs: Diffs, path: Path, autosave: str
) -> None:
    await nvim.command("function Save()\nwrite\nendfunction")
    await nvim.command(autosave)
    id_ = await diffs.open(path, NEW)

    await nvim.keys("ochanged<Esc>ddup<C-w>h<C-w>l:tabnew<CR>gT:set fileformat=dos<CR>")
    await nvim.lua(
        "vim.api.nvim_exec_autocmds('FocusLost', {});"
        "vim.defer_fn(function() vim.g.waited = 1 end, 50)"
    )
    await until(lambda: nvim.eval("get(g:, 'waited')"))

    assert not diffs.of("diff_decided", id_)
    await nvim.keys(":w<CR>")
    assert (await diffs.decision(id_))["accepted"]


async def test_a_timer_that_writes_while_an_operator_is_pending_does_not_accept(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("d")
    await nvim.lua("vim.defer_fn(function() vim.cmd('silent! write'); vim.g.waited = 1 end, 10)")
    await until(lambda: nvim.eval("get(g:, 'waited')"))

    assert not diffs.of("diff_decided", id_)
    await nvim.keys("<Esc>")
    await until(lambda: "type :w yourself" in nvim.screen.text(), "an explanation")


@pytest.mark.parametrize("mapping", ["vim.cmd.write", "function() vim.cmd('write') end"])
@pytest.mark.parametrize("keys", [",w", "i,w"])
async def test_a_mapping_that_writes_from_lua_accepts(
    nvim: Neovim, diffs: Diffs, path: Path, mapping: str, keys: str
) -> None:
    await nvim.lua(f"vim.keymap.set({{ 'n', 'i' }}, ',w', {mapping})")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(keys)

    assert (await diffs.decision(id_))["accepted"]


async def test_a_write_by_an_rpc_client_accepts(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.command("write")

    assert (await diffs.decision(id_))["accepted"]


async def test_a_proposal_is_never_modified(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW)
    await nvim.command("autocmd BufModifiedSet * let g:seen = get(g:, 'seen', 0) + &modified")

    for keys in ("ochanged<Esc>", "u", "<C-r>", "dd", ":normal! ox<CR>", ":set ff=dos<CR>"):
        await nvim.keys(keys)
        assert await nvim.eval("&modified") == 0

    assert await nvim.eval("getbufinfo({'bufmodified': 1})") == []


async def test_a_copy_can_be_written_to_another_file(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys("Gofour<Esc>:w copy.txt<CR>")

    copy = project / "copy.txt"
    await until(lambda: copy.exists() and copy.read_text() == NEW + "four\n")
    assert not diffs.of("diff_decided", id_)


async def test_writing_a_copy_on_closing_rejects_the_proposal(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":x copy.txt<CR>")

    assert (await diffs.decision(id_))["accepted"] is False
    assert (project / "copy.txt").read_text() == NEW


async def test_a_copy_that_cannot_be_written_shows_a_message_without_a_prompt(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, NEW)

    await nvim.keys(":w nowhere/copy.txt<CR>")

    await until(lambda: "cannot write" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]
