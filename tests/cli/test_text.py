"""The real CLI writes exactly the bytes that the user accepts in a real Neovim."""

from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli
from support.either_editor import BOTH, Editor
from support.fake_api import FakeApi, edit, text, tool_use

from .conftest import diff_opened, in_new_file

pytestmark = BOTH


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"one\r\ntwo\r\n", b"one\r\nTWO\r\n", id="CRLF"),
        pytest.param(b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\nTWO\n", id="BOM"),
        pytest.param(b"one\ntwo", b"one\nTWO", id="no final newline"),
        pytest.param(b"two", b"TWO", id="one line without a newline"),
        pytest.param("é\U0001f980two\n".encode(), "é\U0001f980TWO\n".encode(), id="emoji"),
    ],
)
async def test_an_accepted_edit_preserves_all_other_bytes(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, project: Path, before: bytes, after: bytes
) -> None:
    path = project / "b.txt"
    path.write_bytes(before)
    api.script(*edit(path, "two", "TWO", then="All done."))

    await claude.prompt("Shout")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")

    await claude.shows("● All done.")
    assert path.read_bytes() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"one\n", b"", id="emptied"),
        pytest.param(b"", b"one\n", id="filled"),
        pytest.param(b"", b"one", id="filled without a newline"),
    ],
)
async def test_an_accepted_text_replaces_a_file_exactly(
    nvim: Editor,
    claude: ClaudeCli,
    each_cli: Path,
    api: FakeApi,
    project: Path,
    before: bytes,
    after: bytes,
) -> None:
    path = project / "b.txt"
    path.write_bytes(before)
    api.script(
        [tool_use("Read", file_path=str(path))],
        [tool_use("Write", file_path=str(path), content=after.decode())],
        [text("All done.")],
    )

    await claude.prompt("Write")
    await diff_opened(nvim)
    await nvim.keys(":w<CR>")

    await claude.shows("● All done.")
    assert path.read_bytes() == (after if before else in_new_file(each_cli, after))
