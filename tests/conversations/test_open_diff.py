"""`openDiff` from the socket to the keys and back."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, the_lock
from support.either_editor import BOTH, Editor, configure, diffs, edit, on_screen
from support.neovim import until

pytestmark = BOTH


async def diff_is_ready(editor: Editor) -> None:
    """Wait until a proposal is on the screen and accepts keys."""

    async def is_shown() -> bool:
        return any(diff["shown"] for diff in await diffs(editor))

    await until(is_shown, "a diff")


async def accepted(editor: Editor, claude: ClaudeCode, path: Path, text: str) -> dict[str, Any]:
    """Propose a text for a file, accept it with `:w`, and return the answer."""
    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": text}
    )
    await diff_is_ready(editor)
    await editor.keys(":w<CR>")
    answer: dict[str, Any] = await asked
    return answer


async def test_w_accepts_the_diff_and_answers_with_the_text(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "greet.py"
    path.write_text("print('hi')\n")
    _, asked = claude.start_call(
        "openDiff",
        {
            "old_file_path": str(path),
            "new_file_path": str(path),
            "new_file_contents": "print('hello')\n",
            "tab_name": "t",
        },
    )
    await diff_is_ready(serving)

    await serving.keys(":w<CR>")

    result = await asked
    assert [block["text"] for block in result["content"]] == ["FILE_SAVED", "print('hello')\n"]
    assert path.read_text() == "print('hi')\n"
    await until(lambda: serving.eval("tabpagenr('$') == 1"))


async def test_an_accepted_file_can_be_edited_and_saved_after_the_write(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("one\n")
    await edit(serving, path)
    await accepted(serving, claude, path, "two\n")
    path.write_text("two\n")
    await until(
        lambda: serving.eval(f"getbufline('{path}', 1) == ['two']"), "the buffer is reloaded"
    )
    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")

    await serving.keys("othree<Esc>")
    await until(lambda: serving.eval("&modified && mode() == 'n'"), "the buffer is edited")
    result = await claude.call("saveDocument", {"filePath": str(path)})

    assert not result.get("isError"), result
    assert path.read_text() == "two\nthree\n"


async def test_unsaved_lines_survive_an_accepted_diff_and_can_be_saved(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("one\ntwo\n")
    await serving.command(f"edit {path} | call append('$', 'mine')")
    result = await accepted(serving, claude, path, "ONE\ntwo\n")
    assert result["content"][1]["text"] == "ONE\ntwo\n"
    path.write_text("ONE\ntwo\n")
    lines = "['ONE', 'two', 'mine']"
    await until(
        lambda: serving.eval(f"getbufline('{path}', 1, '$') == {lines}"), "the write is merged"
    )

    assert await claude.request("readFile", {"path": "notes.txt"}) == "ONE\ntwo\nmine\n"
    dirty = await claude.json("checkDocumentDirty", {"filePath": str(path)})
    assert dirty["isDirty"] is True
    result = await claude.call("saveDocument", {"filePath": str(path)})

    assert not result.get("isError"), result
    assert path.read_text() == "ONE\ntwo\nmine\n"


async def texts(editor: Editor) -> list[list[str]]:
    """Return the lines of each window of the current tabpage."""
    found: list[list[str]] = await editor.eval(
        "map(range(1, winnr('$')), 'getbufline(winbufnr(v:val), 1, \"$\")')"
    )
    return found


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("seconds", [0, 500])
@pytest.mark.parametrize("layout", ["tab", "vertical"])
async def test_with_noautoread_a_diff_compares_what_another_program_has_written(
    serving: Editor, claude: ClaudeCode, project: Path, layout: str, seconds: int, is_shown: bool
) -> None:
    path = project / "notes.txt"
    path.write_text("one\ntwo\n")
    await configure(serving, diff={"layout": layout})
    await serving.command(f"set noautoread hidden | edit {path}")
    if not is_shown:
        await serving.command("enew")
    path.write_text("one\n2\n!\n" if seconds else "one\n2.0\n")
    os.utime(path, (path.stat().st_mtime + seconds,) * 2)

    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "one\nTWO\n"}
    )
    await diff_is_ready(serving)

    shown = await texts(serving)
    assert path.read_text().splitlines() in shown
    assert ["one", "TWO"] in shown
    assert await serving.mode() == {"mode": "n", "blocking": False}
    await serving.keys(":w<CR>")
    await asked
    # The agent takes a while to write, and the earlier change must not be taken for that.
    await serving.idle(300)
    path.write_text("one\nTWO\n")
    await until(lambda: serving.eval(f"getbufline('{path}', 1, '$') == ['one', 'TWO']"), "reloaded")
    assert await serving.mode() == {"mode": "n", "blocking": False}
    await serving.command(f"buffer {path} | undo")
    assert await serving.eval("getline(1, '$')") == ["one", "two"]


async def test_a_file_that_stays_empty_for_a_while_before_it_is_written_empties_no_buffer(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("one\ntwo\n")
    await serving.command(f"set noautoread | edit {path}")
    await accepted(serving, claude, path, "one\nTWO\n")

    path.write_text("")
    await serving.idle(200)

    lines = f"getbufline('{path}', 1, '$')"
    assert await serving.eval(lines) == ["one", "two"]
    path.write_text("one\nTWO\n")
    await until(lambda: serving.eval(f"{lines} == ['one', 'TWO']"), "the written text")


async def test_a_buffer_that_follows_its_file_is_compared_as_it_is_on_disk(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("one\ntwo\n")
    await serving.command(f"set hidden | edit {path} | enew")
    path.write_text("one\n2\n")

    claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": "1\n2\n"})
    await diff_is_ready(serving)

    await until(lambda: serving.eval("getbufline(winbufnr(1), 1, '$') == ['one', '2']"), "both")


async def test_a_new_file_that_was_created_in_the_meantime_is_not_overwritten(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "new.txt"
    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "one\n"}
    )
    await diff_is_ready(serving)
    path.write_text("theirs\n")

    await serving.keys("Gomine<Esc>:w<CR>")

    result = await asked
    assert result["content"][0]["text"] == "DIFF_REJECTED"
    await until(
        lambda: serving.eval("getbufline(bufnr('Kept ('), 1, '$') == ['one', 'mine']"),
        "the text is kept",
    )
    messages = await serving.eval("execute('messages')")
    assert "not accepted: new.txt already exists" in messages


async def test_an_accepted_text_is_kept_if_the_host_dies_before_the_write(
    serving: Editor, claude: ClaudeCode, project: Path, config_folder: Path
) -> None:
    path = project / "notes.txt"
    path.write_text("one\n")
    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "two\n"}
    )
    await diff_is_ready(serving)
    await serving.keys("Gomine<Esc>:w<CR>")
    await asked

    os.kill((await the_lock(config_folder))[1]["hostPid"], 9)

    await until(
        lambda: serving.eval("getbufline(bufnr('Kept ('), 1, '$') == ['two', 'mine']"),
        "the text is kept",
    )


async def test_a_diff_of_a_link_to_a_missing_file_is_marked_and_is_for_that_file_only(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    home, path = Path(await serving.eval("$HOME")), project / "notes.md"
    path.symlink_to(home / ".bash_profile")
    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "new\n"}
    )
    await diff_is_ready(serving)
    await on_screen(serving, "runs at login")
    path.unlink()
    path.symlink_to(home / ".bashrc")

    await serving.keys(":w<CR>")

    assert (await asked)["content"][0]["text"] == "DIFF_REJECTED"
    await on_screen(serving, "a link on its path has changed")


async def test_an_accepted_edit_that_is_not_written_causes_no_question_when_the_file_opens(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("old\n")
    await serving.command("set noautoread hidden")
    await edit(serving, path)
    await serving.command("enew")
    path.write_text("newer\n")
    await accepted(serving, claude, path, "newest\n")
    await until(lambda: serving.eval("tabpagenr('$') == 1"))

    _, asked = claude.start_call("openFile", {"filePath": str(path)})
    await until(asked.done, "an answer")

    assert (await serving.mode())["blocking"] is False
    assert await serving.eval("[expand('%:t'), getline(1)]") == ["a.txt", "old"]


async def test_a_diff_waits_until_the_command_line_window_is_closed(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("old\n")
    await edit(serving, path)
    await serving.keys("q:")
    await until(lambda: serving.eval("getcmdwintype() !=# ''"))

    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "new\n"}
    )
    await until(lambda: diffs(serving), "the diff waits")
    assert not asked.done()
    await serving.keys(":quit<CR>")

    await diff_is_ready(serving)
    await serving.keys(":w<CR>")
    assert (await asked)["content"][0]["text"] == "FILE_SAVED"
