"""Diffs in Vim that cross with others, with the client's mind, and with the user's options."""

import os
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import choose
from support.neovim import until
from support.permissions import NOTICED
from support.vim import Vim
from support.vim_diffs import BUFFERS, answer, are_shown, ask, is_closed, propose


async def test_several_diffs_are_decided_one_by_one(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("edit mine.txt")
    first = ask(vim_client, project / "a.txt", "a\n")
    await are_shown(vim, 1)
    second = ask(vim_client, project / "b.txt", "b\n")
    await are_shown(vim, 2)

    await until(lambda: "diff 2/2" in vim.screen.text(), "the count")
    await vim.keys(":w<CR>")
    assert await answer(second) == ["FILE_SAVED", "b\n"]
    await until(lambda: vim.eval("tabpagenr('$') == 2 && bufname() =~# 'a.txt)$'"))
    await vim.keys(":q<CR>")

    assert (await answer(first))[0] == "DIFF_REJECTED"
    await is_closed(vim)
    assert await vim.eval("bufname()") == "mine.txt"


async def test_the_way_back_leads_over_a_diff_that_is_gone(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("edit mine.txt | vsplit other.txt")
    first = ask(vim_client, project / "a.txt", "a\n")
    await are_shown(vim, 1)
    second = ask(vim_client, project / "b.txt", "b\n")
    await are_shown(vim, 2)

    await vim.keys("gT:ClaudeReject<CR>")
    assert (await answer(first))[0] == "DIFF_REJECTED"
    await until(lambda: vim.eval("tabpagenr('$') == 2"))
    await vim.keys("gt:w<CR>")

    assert await answer(second) == ["FILE_SAVED", "b\n"]
    await is_closed(vim)
    assert await vim.eval("bufname()") == "other.txt"


async def test_accept_with_a_bang_accepts_all(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = []
    for count, name in enumerate(["a.txt", "b.txt", "c.txt"], start=1):
        asked.append(ask(vim_client, project / name, "text\n"))
        await are_shown(vim, count)

    await vim.keys(":ClaudeAccept!<CR>")

    for one in asked:
        assert await answer(one) == ["FILE_SAVED", "text\n"]
    await is_closed(vim)


async def test_accept_elsewhere_asks_which_of_several(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    first = ask(vim_client, project / "a.txt", "a\n")
    await are_shown(vim, 1)
    second = ask(vim_client, project / "b.txt", "b\n")
    await are_shown(vim, 2)

    await vim.keys("1gt:ClaudeAccept<CR>")
    await until(lambda: "Which diff?" in vim.screen.text())
    await choose(vim, 2)

    assert await answer(second) == ["FILE_SAVED", "b\n"]
    assert not first.done()


async def test_keys_typed_as_the_client_withdraws_reach_no_file(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    (project / "mine.txt").write_text("one\ntwo\n")
    await vim.command("edit mine.txt")
    asked = await propose(vim, vim_client, project / "a.txt", "a\n")

    await vim_client.call("closeAllDiffTabs")
    await answer(asked)
    await until(lambda: vim.eval(f"{BUFFERS} == 0"))
    await vim.keys("dd")
    await vim.keys("x")

    await is_closed(vim)
    await vim.idle(400)
    assert await vim.eval("[bufname(), getline(1, '$')]") == ["mine.txt", ["one", "two"]]


async def test_edits_of_a_withdrawn_proposal_are_kept(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    asked = await propose(vim, vim_client, project / "a.txt", "a\n")
    await vim.keys("omine<Esc>")

    await vim_client.call("closeAllDiffTabs")
    await answer(asked)

    await until(lambda: "a.txt: your edits are kept in buffer" in vim.screen.text())
    kept = "getbufinfo()->filter('v:val.name =~# \"claude-kept\"')"
    assert await vim.eval(f"getbufline({kept}[0].bufnr, 1, '$')") == ["a", "mine"]
    assert await vim.eval(f"[{kept}[0].changed, {kept}[0].listed]") == [1, 1]


async def test_a_withdrawal_waits_for_the_end_of_insert_mode(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await propose(vim, vim_client, project / "a.txt", "a\n")
    await vim.keys("A")

    await vim_client.call("closeAllDiffTabs")
    await vim.idle(600)
    assert await vim.eval(f"[mode(), {BUFFERS}]") == ["i", 1]
    await vim.keys("<Esc>")

    await is_closed(vim)


async def test_a_proposal_needs_no_swap_file(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("set swapfile directory=. updatecount=200")

    asked = await propose(vim, vim_client, project / "a.txt", "a\n")
    assert await vim.eval("[&swapfile, swapname('%')]") == [0, ""]
    await vim.keys("omine<Esc>:w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "a\nmine\n"]


async def test_a_large_diff_does_without_inline_comparison(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("silent! set diffopt+=inline:char")
    before = await vim.eval("&diffopt")

    asked = await propose(vim, vim_client, project / "a.txt", "line\n" * 30_000)
    assert "inline" not in await vim.eval("&diffopt")
    await vim.keys(":q<CR>")
    await answer(asked)
    await is_closed(vim)

    assert await vim.eval("&diffopt") == before


async def test_unsaved_changes_stay_beside_the_text_on_disk(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    await vim.command("set hidden | edit a.txt | call append('$', 'mine')")

    asked = await propose(vim, vim_client, path, "one\nTWO\n")

    assert await vim.eval("getbufline(winbufnr(1), 1, '$')") == ["one", "two"]
    await until(lambda: "on disk; unsaved lines stay" in vim.screen.text())
    await vim.keys(":w<CR>")
    assert await answer(asked) == ["FILE_SAVED", "one\nTWO\n"]
    await is_closed(vim)
    assert await vim.eval("[getline('$'), &modified]") == ["mine", 1]


async def test_without_focus_the_diff_opens_behind_the_user(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("let g:claude_ide.diff = {'focus': v:false}")
    await vim.command("edit mine.txt")

    asked = await propose(vim, vim_client, project / "a.txt", "a\n")

    assert await vim.eval("[bufname(), tabpagenr(), tabpagenr('$')]") == ["mine.txt", 1, 2]
    await vim.keys(":ClaudeAccept<CR>")
    await vim.idle(NOTICED)
    assert not asked.done(), "it had just appeared"
    await vim.keys(":ClaudeAccept<CR>")
    assert await answer(asked) == ["FILE_SAVED", "a\n"]
    await is_closed(vim)


async def test_events_come_with_their_data(vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    await vim.command("let g:seen = []")
    for name in ("Opened", "Closed"):
        await vim.command(
            f"autocmd User ClaudeDiff{name} call add(g:seen, ['{name}', copy(g:claude_ide_event)])"
        )
    path = project / "a.txt"
    asked = await propose(vim, vim_client, path, "a\n")
    bufnr = await vim.eval("bufnr()")
    await vim.keys(":w<CR>")
    await answer(asked)
    await is_closed(vim)

    data = {"id": 1, "path": str(path), "bufnr": bufnr}
    assert await vim.eval("g:seen") == [["Opened", data], ["Closed", {**data, "accepted": True}]]


async def test_a_warning_is_shown_for_a_file_that_git_runs(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await propose(vim, vim_client, project / ".git" / "hooks" / "pre-commit", "#!/bin/sh\n")

    await until(lambda: "git runs it" in vim.screen.text())


async def accept_edited(vim: Vim, path: Path) -> None:
    """Accept a proposal with an added line, as a host that reports writes."""
    request = (
        f"{{'path': '{path}', 'text': ['a', ''], 'title': '', 'layout': 'tab',"
        " 'is_reported': v:true}"
    )
    await vim.eval(f"claude_ide#diff#Open(1, {request})")
    await are_shown(vim)
    await vim.keys("omine<Esc>:w<CR>")
    await is_closed(vim)


async def test_an_edited_text_that_is_not_written_is_kept(vim: Vim, project: Path) -> None:
    await accept_edited(vim, project / "a.txt")

    await vim.eval("claude_ide#diff#accepted#Settle(1, v:false)")

    await until(lambda: "a.txt: not written; your edits are kept in buffer" in vim.screen.text())


@pytest.mark.parametrize("is_written", [True, False])
async def test_an_edited_text_that_was_written_and_reverted_is_not_kept(
    vim: Vim, project: Path, is_written: bool
) -> None:
    path = project / "a.txt"
    path.write_text("old\n")
    os.utime(path, (1, 1))
    await accept_edited(vim, path)
    if is_written:
        path.write_text("a\nmine\n")
        path.write_text("old\n")

    await vim.command("call claude_ide#diff#accepted#SettleAll()")

    kept = await vim.eval("len(filter(getbufinfo(), {_, info -> info.name =~# '^claude-kept:'}))")
    assert kept == (0 if is_written else 1)


async def test_a_folder_is_refused(vim: Vim, vim_client: ClaudeCode, project: Path) -> None:
    asked = ask(vim_client, project, "a\n")

    result = await asked

    assert result["isError"]
    assert "not a file but a folder" in result["content"][0]["text"]


async def test_a_selection_of_claudes_delays_no_diff(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    await vim_client.call("openFile", {"filePath": str(path), "startText": "one", "endText": "two"})
    assert await vim.eval("mode()") == "v"

    asked = ask(vim_client, path, "1\n")
    await are_shown(vim, 1)

    assert await vim.eval("mode()") == "n"
    await vim.keys(":w<CR>")
    assert await answer(asked) == ["FILE_SAVED", "1\n"]
    await is_closed(vim)


async def test_a_long_message_arrives_whole_while_timers_run(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("call timer_start(1, {-> 0}, {'repeat': -1})")
    proposal = "".join(f"line {number}\n" for number in range(200_000))

    asked = await propose(vim, vim_client, project / "a.txt", proposal)
    await vim.keys(":w<CR>")

    assert await answer(asked) == ["FILE_SAVED", proposal]
