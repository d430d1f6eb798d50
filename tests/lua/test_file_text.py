"""`file/text.lua`: puts text into a buffer and gets it back, byte for byte."""

import base64
from pathlib import Path

import pytest

from support.neovim import Neovim, NvimError

TEXTS = {
    "empty": b"",
    "one line": b"a\n",
    "no final newline": b"a\nb",
    "one empty line": b"\n",
    "empty lines": b"\n\n\n",
    "empty last line": b"a\n\n",
    "CRLF": b"a\r\nb\r\n",
    "CRLF, no final newline": b"a\r\nb",
    "CRLF, a lone CR at the end": b"a\r\nb\r",
    "CRLF, empty line": b"\r\n",
    "CRLF, empty first line": b"\r\na\r\n",
    "CRLF, two CR": b"a\r\r\nb\r\n",
    "mixed": b"a\r\nb\nc\r\n",
    "mixed, LF first": b"\na\r\n",
    "lone CR": b"a\rb\n",
    "only CR": b"a\rb\r",
    "BOM": b"\xef\xbb\xbfa\n",
    "BOM and CRLF": b"\xef\xbb\xbfa\r\nb\r\n",
    "BOM alone": b"\xef\xbb\xbf",
    "BOM and a line feed": b"\xef\xbb\xbf\n",
    "two BOM": b"\xef\xbb\xbf\xef\xbb\xbfa\n",
    "BOM within": b"a\xef\xbb\xbf\n",
    "NUL": b"a\0b\n\0\n",
    "U+2028 and U+0085": "a\u2028b\u0085c\n".encode(),
    "emoji": "👩\u200d👩\u200d👧 ñ n\u0303\n".encode(),
    "tabs and form feed": b"\ta\f\x1a\n",
    "invalid UTF-8": b"\xff\xfe\n",
    "long line": b"x" * 200_000 + b"\n",
}

PUT = """
local encoded = ...
_G.bufnr = vim.api.nvim_create_buf(false, true)
require('claude_ide.file.text').put(_G.bufnr, vim.base64.decode(encoded))
"""
GET = "return vim.base64.encode(require('claude_ide.file.text').get(_G.bufnr))"


async def put(nvim: Neovim, text: bytes) -> None:
    await nvim.lua(PUT, base64.b64encode(text).decode())


async def get(nvim: Neovim) -> bytes:
    return base64.b64decode(await nvim.lua(GET))


async def show(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_win_set_buf(0, _G.bufnr)")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_get_returns_the_text_that_was_put(nvim: Neovim, text: bytes) -> None:
    await put(nvim, text)

    assert await get(nvim) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_writing_the_buffer_writes_the_text_that_was_put(
    nvim: Neovim, text: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "written"
    await put(nvim, text)
    await nvim.lua("vim.bo[_G.bufnr].buftype, vim.bo[_G.bufnr].fileencoding = '', 'utf-8'")
    await show(nvim)

    await nvim.command(f"write {path}")

    assert path.read_bytes() == text


async def test_ten_megabytes_survive_a_round_trip(nvim: Neovim) -> None:
    text = b"".join(b"line %d\n" % number for number in range(900_000))

    await put(nvim, text)

    assert await get(nvim) == text


async def test_crlf_lines_are_shown_without_carriage_returns(nvim: Neovim) -> None:
    await put(nvim, b"a\r\nb\r\n")

    assert await nvim.lua("return vim.api.nvim_buf_get_lines(_G.bufnr, 0, -1, true)") == ["a", "b"]
    assert await nvim.lua("return vim.bo[_G.bufnr].fileformat") == "dos"


async def test_a_text_that_was_put_is_unmodified_and_cannot_be_undone(nvim: Neovim) -> None:
    await put(nvim, b"a\nb\n")
    await show(nvim)

    await nvim.command("silent! undo | silent! earlier 100f")

    assert await get(nvim) == b"a\nb\n"
    assert await nvim.eval("&modified") == 0


async def test_undo_stops_at_the_text_that_was_put(nvim: Neovim) -> None:
    await put(nvim, b"a\nb\n")
    await show(nvim)
    await nvim.keys("ccx<Esc>")
    assert await get(nvim) == b"x\nb\n"

    await nvim.keys("uuu")

    assert await get(nvim) == b"a\nb\n"


async def test_deleting_every_line_leaves_an_empty_file(nvim: Neovim) -> None:
    await put(nvim, b"a\nb\n")
    await show(nvim)

    await nvim.keys("dG")

    assert await get(nvim) == b""


async def test_an_emptied_line_is_still_a_line(nvim: Neovim) -> None:
    await put(nvim, b"a\n")
    await show(nvim)

    await nvim.keys("D")

    assert await get(nvim) == b"\n"


async def test_a_line_typed_into_an_empty_text_ends_with_a_newline(nvim: Neovim) -> None:
    await put(nvim, b"")
    await show(nvim)

    await nvim.keys("ia<Esc>")

    assert await get(nvim) == b"a\n"


async def test_an_edit_adds_no_final_newline(nvim: Neovim) -> None:
    await put(nvim, b"a\nb")
    await show(nvim)

    await nvim.keys("ggAx<Esc>")

    assert await get(nvim) == b"ax\nb"


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("fileformat=unix", b"a\nb\n"),
        ("fileformat=mac", b"a\rb\r"),
        ("noendofline", b"a\r\nb"),
        ("bomb", b"\xef\xbb\xbfa\r\nb\r\n"),
    ],
)
async def test_options_set_by_the_user_are_respected(
    nvim: Neovim, option: str, text: bytes
) -> None:
    await put(nvim, b"a\r\nb\r\n")
    await show(nvim)

    await nvim.command(f"setlocal {option}")

    assert await get(nvim) == text


async def test_a_file_without_final_newline_gets_one_where_a_write_would_add_it(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.txt").write_bytes(b"a")
    await nvim.command("edit a.txt")
    await nvim.lua("_G.bufnr = vim.api.nvim_get_current_buf()")

    assert await get(nvim) == b"a\n"

    await nvim.command("setlocal binary")

    assert await get(nvim) == b"a"


async def test_a_buffer_that_is_not_loaded_has_no_text(nvim: Neovim) -> None:
    await nvim.lua("_G.bufnr = vim.fn.bufadd('nothing.txt')")

    with pytest.raises(NvimError, match="not loaded"):
        await get(nvim)
