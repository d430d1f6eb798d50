"""`diff/init.lua`: a diff closes without losing edits, in every situation."""

from pathlib import Path

from support.diffs import MODULE, Diffs
from support.neovim import Neovim, until

OLD = "one\ntwo\n"


NEW = "one\nTWO\n"


async def test_several_diffs_are_decided_independently(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    """They include the same file twice, and another file with the same name."""
    (project / "sub").mkdir()
    paths = [project / "a.txt", project / "sub" / "a.txt", project / "a.txt"]
    ids = [await diffs.open(path, f"{number}\n") for number, path in enumerate(paths)]
    assert await nvim.eval("tabpagenr('$')") == 4

    for id_ in ids:
        await nvim.lua(f"{MODULE}.accept(...)", id_)

    assert [(await diffs.decision(id_))["text"] for id_ in ids] == ["0\n", "1\n", "2\n"]
    for id_ in ids:
        await diffs.closed(id_)
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_edits_are_kept_when_the_host_closes_a_diff(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("Goprecious<Esc>")
    await until(lambda: nvim.eval("getline('$') ==# 'precious'"))

    await diffs.close(id_)

    await diffs.closed(id_)
    [kept] = await nvim.eval("filter(getbufinfo({'buflisted': 1}), 'v:val.name =~ \"kept\"')")
    assert "a.txt" in kept["name"]
    assert await nvim.eval(f"getbufline({kept['bufnr']}, 1, '$')") == ["one", "TWO", "precious"]
    await until(lambda: f"buffer {kept['bufnr']}" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]


async def test_a_diff_closes_although_something_has_removed_our_autocommands(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command(f"edit {path}")
    id_ = await diffs.open(path, NEW, "vertical")
    await nvim.lua(
        "local wanted = { event = { 'WinEnter', 'WinClosed', 'QuitPre', 'BufWinLeave' } }"
        " for _, each in ipairs(vim.api.nvim_get_autocmds(wanted)) do"
        " vim.api.nvim_clear_autocmds({ event = each.event, group = each.group }) end"
    )

    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["accepted"]
    await diffs.closed(id_)
    assert await nvim.eval("[winnr('$'), &diff]") == [1, 0]


async def test_an_unedited_proposal_is_not_kept(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)

    await diffs.close(id_)

    await diffs.closed(id_)
    assert len(await nvim.eval("getbufinfo({'buflisted': 1})")) == 1


async def test_a_diff_does_not_close_while_the_user_types_in_it(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("Goprecious")
    await until(lambda: nvim.eval("getline('$') ==# 'precious'"))

    await diffs.close(id_)
    await nvim.keys(" words")
    await until(lambda: nvim.eval("getline('$') ==# 'precious words'"))
    await nvim.keys("<Esc>")

    await diffs.closed(id_)
    [kept] = await nvim.eval("filter(getbufinfo({'buflisted': 1}), 'v:val.name =~ \"kept\"')")
    assert await nvim.eval(f"getbufline({kept['bufnr']}, '$')") == ["precious words"]


async def test_accepting_too_late_is_reported(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await diffs.close(id_)

    await nvim.keys("<Cmd>write<CR>")

    await until(lambda: nvim.eval("execute('messages') =~ 'no longer waiting'"))
    assert not diffs.of("diff_decided", id_)


async def test_a_failing_user_autocommand_causes_one_message(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("autocmd User ClaudeDiff* call Nosuch()")

    id_ = await diffs.open(path, NEW)

    await until(lambda: "ClaudeDiffOpened" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]
    await nvim.keys(":w<CR>")
    assert (await diffs.decision(id_))["accepted"]


async def test_keys_typed_while_a_diff_closes_are_ignored(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("edit a.txt")
    id_ = await diffs.open(path, NEW)
    await diffs.close(id_)
    await diffs.closed(id_)

    await nvim.keys("dd")

    await nvim.lua("vim.defer_fn(function() vim.g.waited = 1 end, 300)")
    await until(lambda: nvim.eval("get(g:, 'waited')"))
    assert await nvim.eval("getline(1, '$')") == ["one", "two"]


async def test_a_diff_in_another_tabpage_closes_while_the_user_types(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gti")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await diffs.close(id_)

    await diffs.closed(id_)
    await nvim.keys("typed")
    await until(lambda: nvim.eval("getbufline(1, 1) == ['typed']"))
