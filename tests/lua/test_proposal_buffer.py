"""A proposal's buffer resembles its file's buffer."""

from pathlib import Path

from support.chunks import chunk
from support.diffs import Diffs
from support.neovim import Neovim, until

FILE = "a.py"
OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"


async def test_a_proposal_has_the_filetype_of_its_file(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("filetype plugin indent on | syntax on")

    await diffs.open(path, NEW)

    assert await nvim.eval("&filetype") == "python"
    assert await nvim.eval("&syntax") == "python"


async def test_a_proposal_has_the_filetype_that_the_user_gave_its_file(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command(f"edit {path} | setfiletype lua | setlocal tabstop=3 shiftwidth=3")

    await diffs.open(path, NEW)

    assert await nvim.eval("[&filetype, &tabstop, &shiftwidth]") == ["lua", 3, 3]


async def test_a_proposal_for_a_new_file_has_a_filetype(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await diffs.open(project / "new.lua", "print(1)\n")

    assert await nvim.eval("&filetype") == "lua"


async def test_a_proposal_above_a_megabyte_has_no_filetype(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, "x = 1\n" * 200_000)

    assert await nvim.eval("&filetype") == ""


async def test_a_proposal_can_be_accepted_although_a_filetype_plugin_fails(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("filetype on | autocmd FileType python throw 'oops' | echo 1 | echo 2")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":w<CR>")

    assert (await diffs.decision(id_))["text"] == NEW


async def test_a_proposal_has_no_swap_file(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await nvim.command("set swapfile updatecount=1")
    await diffs.open(path, NEW)

    await nvim.keys("ochanged<Esc>")

    assert await nvim.eval("swapname('%')") == ""


FAKE_SERVER = chunk("proposal_buffer/fake_server")


async def test_no_language_server_stays_attached_to_a_proposal(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("filetype on")
    await nvim.lua(FAKE_SERVER)
    await diffs.open(path, NEW)

    async def attached() -> bool:
        return bool(await nvim.lua("return #_G.opened > 0"))

    await until(attached)
    proposal = await nvim.eval("bufnr()")
    await until(lambda: nvim.lua("return #vim.lsp.get_clients({ bufnr = ... }) == 0", proposal))
    file = await nvim.eval("bufnr('a.py')")
    assert await nvim.lua("return #vim.lsp.get_clients({ bufnr = ... })", file) == 1
