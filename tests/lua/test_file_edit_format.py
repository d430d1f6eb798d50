"""`file/edit.lua`: a buffer has the format and the encoding of its file."""

from pathlib import Path
from typing import Any

import pytest

from support.edits import OLD, adopt, lines, write
from support.neovim import Neovim

FORMATS = {
    "CRLF": (b"a\r\nB\r\n", "a,B", {"fileformat": "dos", "endofline": 1, "bomb": 0}),
    "no final newline": (b"a\nB", "a,B", {"fileformat": "unix", "endofline": 0, "bomb": 0}),
    "BOM": (b"\xef\xbb\xbfa\nB\n", "a,B", {"fileformat": "unix", "bomb": 1}),
    "empty": (b"", "", {"endofline": 1}),
    "NUL": (b"a\0\n", "a\n", {"endofline": 1}),
}


@pytest.mark.parametrize(("data", "text", "options"), FORMATS.values(), ids=FORMATS)
async def test_the_buffer_adopts_the_format_of_the_file(
    nvim: Neovim, project: Path, data: bytes, text: str, options: dict[str, Any]
) -> None:
    path = project / "a.txt"
    write(path, OLD)
    await nvim.command("edit a.txt")
    path.write_bytes(data)

    await adopt(nvim)

    assert ",".join(await lines(nvim)) == text
    for name, value in options.items():
        assert await nvim.eval(f"&{name}") == value
    await nvim.command("silent write")
    if data:
        assert path.read_bytes() == data or not options.get("endofline", 1)


@pytest.mark.parametrize(
    ("encoding", "before"),
    [("latin1", b"caf\xe9\n"), ("utf-16le", b"\xff\xfe" + "café\n".encode("utf-16-le"))],
)
async def test_the_encoding_is_kept(
    nvim: Neovim, project: Path, encoding: str, before: bytes
) -> None:
    file = project / "b.txt"
    file.write_bytes(before)
    await nvim.command("edit b.txt")
    assert await nvim.eval("&fileencoding") == encoding
    codec = "utf-16-le" if encoding == "utf-16le" else encoding
    after = before.replace("c".encode(codec), "C".encode(codec))
    file.write_bytes(after)

    await adopt(nvim)

    assert await lines(nvim) == ["Café"]
    assert await nvim.eval("&fileencoding") == encoding
    await nvim.command("silent write")
    assert file.read_bytes() == after


async def test_a_binary_buffer_stays_binary(nvim: Neovim, project: Path) -> None:
    file = project / "b.bin"
    file.write_bytes(b"a\r\n\xff")
    await nvim.command("edit ++bin b.bin")
    file.write_bytes(b"b\r\n\xff")

    await adopt(nvim)

    await nvim.command("silent write")
    assert file.read_bytes() == b"b\r\n\xff"
