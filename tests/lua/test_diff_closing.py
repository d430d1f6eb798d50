"""`diff/init.lua`: a diff goes, whoever closes it and whatever the user does."""

from pathlib import Path

from support.diffs import MODULE, Diffs
from support.neovim import Neovim, until

OLD = "one\ntwo\n"


NEW = "one\nTWO\n"


async def test_several_at_once_are_decided_each_on_its_own(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    """Among them the same file twice, and another of the same name."""
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


async def test_edits_are_kept_when_somebody_else_closes_it(
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


async def test_nothing_is_kept_of_what_was_not_edited(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)

    await diffs.close(id_)

    await diffs.closed(id_)
    assert len(await nvim.eval("getbufinfo({'buflisted': 1})")) == 1


async def test_a_diff_is_not_taken_away_from_under_the_users_fingers(
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


async def test_an_accept_that_comes_too_late_is_said_so(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await diffs.close(id_)

    await nvim.keys("<Cmd>write<CR>")

    await until(lambda: nvim.eval("execute('messages') =~ 'no longer waiting'"))
    assert not diffs.of("diff_decided", id_)


async def test_an_autocommand_of_the_users_that_fails_is_one_message(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("autocmd User ClaudeDiff* call Nosuch()")

    id_ = await diffs.open(path, NEW)

    await until(lambda: "ClaudeDiffOpened" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]
    await nvim.keys(":w<CR>")
    assert (await diffs.decision(id_))["accepted"]


async def test_what_is_typed_while_it_goes_reaches_nothing(
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


async def test_a_diff_in_another_tabpage_goes_while_the_user_types(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gti")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await diffs.close(id_)

    await diffs.closed(id_)
    await nvim.keys("typed")
    await until(lambda: nvim.eval("getbufline(1, 1) == ['typed']"))
