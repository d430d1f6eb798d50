"""`selection/sources.lua`: mentions of what netrw, the quickfix list and a user's own buffers list.

Lists that need another plugin are in `tests/editors/test_sources.py`.
"""

from pathlib import Path
from typing import Any

import pytest

from support.mentions import listed
from support.neovim import Neovim, NvimError, until

ADD = "require('claude_ide').add_source(...)"


async def names(nvim: Neovim, *lines: int) -> list[str]:
    """The names of the files that are mentioned, or the reason why none is."""
    return [
        Path(found["filePath"]).name if "filePath" in found else found["error"]
        for found in await listed(nvim, *lines)
    ]


@pytest.fixture
def files(project: Path) -> Path:
    for name in ("a.py", "b.py", "c d.py"):
        (project / name).write_text("1\n2\n3\n4\n")
    (project / "sub").mkdir()
    (project / "sub/deep.py").write_text("1\n")
    return project


@pytest.fixture
async def netrw(files: Path, nvim: Neovim) -> Neovim:
    await nvim.command("edit .")
    assert await nvim.eval("&filetype") == "netrw"
    return nvim


async def line_of(nvim: Neovim, text: str) -> int:
    return int(await nvim.eval(f"search('{text}', 'cw')"))


async def test_a_file_is_mentioned_in_other_buffers(nvim: Neovim, files: Path) -> None:
    await nvim.command("edit a.py")

    assert await listed(nvim) is None


@pytest.mark.parametrize("style", [0, 1, 2, 3])
async def test_the_entry_under_the_cursor_of_netrw(nvim: Neovim, files: Path, style: int) -> None:
    await nvim.command(f"let g:netrw_liststyle = {style} | edit .")
    for text, path in (("a.py", files / "a.py"), ("sub/", files / "sub")):
        await line_of(nvim, rf"\<{text}")
        before = await nvim.eval("winsaveview()")

        assert await listed(nvim) == [{"filePath": str(path)}]
        assert await nvim.eval("winsaveview()") == before


async def test_the_lines_of_a_range_of_netrw(netrw: Neovim, files: Path) -> None:
    last = int(await netrw.eval("line('$')"))

    found = [mention["filePath"] for mention in await listed(netrw, 1, last)]
    assert sorted(found) == sorted(
        [*(str(files / name) for name in ("a.py", "b.py", "sub")), f'"{files / "c d.py"}"']
    )


async def test_marked_files_of_netrw_come_before_the_cursor(netrw: Neovim) -> None:
    for name in ("a.py", "b.py"):
        await line_of(netrw, name)
        await netrw.keys("mf")
    await until(lambda: netrw.eval("type(netrw#Expose('netrwmarkfilelist')) == v:t_list"), "marked")
    await line_of(netrw, "sub/")

    assert sorted(await names(netrw)) == ["a.py", "b.py"]
    assert await names(netrw, *[await line_of(netrw, "sub/")] * 2) == ["sub"]


async def test_netrw_s_banner_is_no_file(netrw: Neovim) -> None:
    await netrw.command("1")

    assert await names(netrw) == ["there is no file under the cursor"]
    assert await names(netrw, 1, 2) == ["there is no file in these lines"]


ITEMS = """[
  {'filename': 'a.py', 'lnum': 2, 'end_lnum': 3, 'text': 'x'},
  {'filename': 'b.py', 'lnum': 4, 'text': 'y'},
  {'filename': 'b.py', 'lnum': 4, 'text': 'the same'},
  {'text': 'only words'}
]"""


@pytest.mark.parametrize(
    "open_list", ["call setqflist({}) | copen", "call setloclist(0, {}) | lopen"]
)
async def test_items_of_a_quickfix_or_location_list_are_mentioned_with_their_lines(
    nvim: Neovim, files: Path, open_list: str
) -> None:
    items = " ".join(ITEMS.split())
    await nvim.command(open_list.format(items))
    first = {"filePath": str(files / "a.py"), "lineStart": 1, "lineEnd": 2}
    second = {"filePath": str(files / "b.py"), "lineStart": 3, "lineEnd": 3}

    assert await listed(nvim) == [first]
    assert await listed(nvim, 1, 4) == [first, second]
    await nvim.command("4")
    assert await names(nvim) == ["there is no file under the cursor"]


async def test_a_private_file_is_not_mentioned_but_the_others_are(
    nvim: Neovim, files: Path
) -> None:
    (files / ".env").write_text("KEY=1\n")
    await nvim.command("call setqflist([{'filename': '.env', 'lnum': 1}, {'filename': 'a.py'}])")
    await nvim.command("copen")

    secret, plain = await listed(nvim, 1, 2)
    assert "stays in Neovim" in secret["error"]
    assert plain == {"filePath": str(files / "a.py")}


async def test_a_file_that_is_gone_is_named(nvim: Neovim, files: Path) -> None:
    await nvim.command("call setqflist([{'filename': 'gone.py', 'lnum': 1}]) | copen")

    assert await names(nvim) == [f"no such file: {files / 'gone.py'}"]


# The user's own sources.


@pytest.mark.parametrize(
    ("returned", "mentions"),
    [
        ("{ 'a.py' }", [{"filePath": "a.py"}]),
        ("{ { path = 'a.py', first = 2 } }", [{"filePath": "a.py", "lineStart": 1, "lineEnd": 1}]),
        ("{ 'sub', 'a.py', 'sub' }", [{"filePath": "sub"}, {"filePath": "a.py"}]),
        ("{ { path = 'sub', first = 2 } }", [{"filePath": "sub"}]),
        ("{}", [{"error": "there is no file under the cursor"}]),
        ("nil", [{"error": "no file from mine: it returned no list"}]),
        ("{ 3 }", [{"error": "no file from mine: an item has no path"}]),
    ],
)
async def test_a_user_can_add_a_source(
    nvim: Neovim, files: Path, returned: str, mentions: list[dict[str, Any]]
) -> None:
    await nvim.lua(f"require('claude_ide').add_source('mine', function() return {returned} end)")
    await nvim.command("setlocal filetype=mine")

    assert await listed(nvim) == [
        m | {"filePath": str(files / m["filePath"])} if "filePath" in m else m for m in mentions
    ]


async def test_a_source_gets_the_range_and_may_fail(nvim: Neovim, files: Path) -> None:
    source = "function(...) vim.g.got = { ... } error('odd') end"
    await nvim.lua(f"require('claude_ide').add_source('mine', {source})")
    await nvim.command("setlocal filetype=mine")

    (answer,) = await listed(nvim, 2, 3)

    assert answer["error"] == "no file from mine: odd"
    assert await nvim.eval("g:got") == [2, 3]


async def test_a_source_can_be_turned_off(netrw: Neovim) -> None:
    await netrw.lua(ADD, "netrw", False)

    assert await listed(netrw) is None


async def test_a_wrong_source_is_an_error_where_it_is_added(nvim: Neovim) -> None:
    with pytest.raises(NvimError, match="a function or false"):
        await nvim.lua(ADD, "mine", "no function")


@pytest.mark.parametrize(
    "filetype",
    [
        "DiffviewFileHistory",
        "DiffviewFiles",
        "NvimTree",
        "TelescopePrompt",
        "fern",
        "fugitive",
        "minifiles",
        "minipick",
        "neo-tree",
        "nerdtree",
        "oil",
        "snacks_picker_input",
        "snacks_picker_list",
        "trouble",
    ],
)
async def test_a_plugin_that_has_changed_is_one_line(
    nvim: Neovim, files: Path, filetype: str
) -> None:
    """The plugins are not installed, so that each of their functions is missing."""
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'M a.py' })")
    await nvim.command(f"setlocal filetype={filetype}")

    for lines in ([], [1, 1]):
        (answer,) = await listed(nvim, *lines)
        start, _, reason = answer["error"].partition(": ")
        assert start == f"no file from {filetype}"
        assert reason and "\n" not in reason
