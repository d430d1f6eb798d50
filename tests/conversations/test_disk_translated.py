"""Buffers whose text a plugin makes from the file: only the editor itself reads the file again."""

import gzip
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, edit, run
from support.neovim import until

pytestmark = BOTH

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"

UPPER = """
autocmd BufReadCmd *.upper call setline(1, map(readfile(expand('<amatch>')), 'toupper(v:val)'))
 \\ | setlocal nomodified buftype=
autocmd BufWriteCmd *.upper let g:written = 1 | setlocal nomodified
"""


@pytest.fixture
async def archive(serving: Editor, project: Path) -> Path:
    """A compressed file that is open."""
    path = project / "a.txt.gz"
    path.write_bytes(gzip.compress(OLD.encode()))
    await edit(serving, path)
    assert await text(serving) == OLD
    return path


async def text(editor: Editor) -> str:
    return "".join(f"{line}\n" for line in await editor.eval("getline(1, '$')"))


async def shows(editor: Editor, wanted: str) -> None:
    async def is_shown() -> bool:
        return await text(editor) == wanted

    await until(is_shown, f"{wanted!r} is shown")


async def test_a_compressed_file_that_changes_is_read_by_its_filter(
    serving: Editor, archive: Path
) -> None:
    content = gzip.compress(NEW.encode())
    archive.write_bytes(content)

    await shows(serving, NEW)

    assert await serving.eval("&modified") == 0
    assert archive.read_bytes() == content
    await serving.keys("u")
    await shows(serving, OLD)


async def test_such_a_file_keeps_what_the_user_has_written(serving: Editor, archive: Path) -> None:
    def is_saved() -> bool:
        try:
            return gzip.decompress(archive.read_bytes()).decode() == f"mine\n{OLD[4:]}"
        except (OSError, EOFError):  # the filter compresses it after the write
            return False

    await serving.keys("ccmine<Esc>:w<CR>")
    await until(is_saved, "it is written")
    await serving.keys("Gomore<Esc>")
    archive.write_bytes(gzip.compress(NEW.encode()))

    await until(lambda: "unsaved changes kept" in serving.screen.text(), "the message")

    assert await text(serving) == f"mine\n{OLD[4:]}more\n"
    assert await serving.eval("&modified") == 1


async def test_a_file_that_a_plugin_reads_is_neither_read_nor_written_for_it(
    serving: Editor, project: Path
) -> None:
    await serving.command("set hidden")
    for command in UPPER.replace("\n \\", "").strip().splitlines():
        await serving.command(command)
    path, other = project / "a.upper", project / "b.txt"
    for each in (path, other):
        each.write_text(OLD)
        await edit(serving, each)
    assert await serving.eval(f"getbufline('{path}', 1, '$')") == OLD.upper().splitlines()

    path.write_text(NEW)
    for content in (NEW, OLD, NEW):
        other.write_text(content)
        await shows(serving, content)

    # Whether the editor itself follows depends on its version.
    found = await serving.eval(f"getbufline('{path}', 1, '$')")
    assert found in [each.upper().splitlines() for each in (OLD, NEW)]
    assert await serving.eval("exists('g:written')") == 0
    assert path.read_text() == NEW


@pytest.mark.parametrize("name", ["a.txt.gz", "a.tar", "a.zip"])
async def test_a_client_makes_no_plugin_read_a_file(
    serving: Editor, claude: ClaudeCode, project: Path, name: str
) -> None:
    path = project / name
    path.write_bytes(gzip.compress(OLD.encode()))

    answer = await run(serving, "file.open.open_file", {"path": str(path)})
    assert "a plugin handles such files itself" in answer["error"]
    refused = await claude.call("openFile", {"filePath": str(path)})
    assert "a plugin handles such files itself" in str(refused)
    assert await serving.eval(f"bufexists('{path}')") == 0


async def test_a_diff_of_such_a_file_is_refused_although_it_is_open(
    serving: Editor, claude: ClaudeCode, archive: Path
) -> None:
    arguments = {"old_file_path": str(archive), "new_file_contents": NEW}

    refused = await claude.call("openDiff", arguments)

    assert "a plugin handles such files itself (*.gz)" in str(refused)
    assert await text(serving) == OLD
