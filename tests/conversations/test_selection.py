"""The selection: what a client hears of it, and when."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, run
from support.happenings import follow, the
from support.neovim import until
from support.selections import TEXT

pytestmark = BOTH

Selection = dict[str, Any]
ORIGIN = {"line": 0, "character": 0}
NOTHING = {
    "text": "",
    "filePath": "",
    "fileUrl": "",
    "selection": {"start": ORIGIN, "end": ORIGIN, "isEmpty": True},
}
SELECTION_CHANGED = "selection_changed"


@pytest.fixture
async def editor(serving: Editor, claude: ClaudeCode, project: Path) -> Editor:
    """An editor that shows `a.txt` and reports its selection to `claude`."""
    (project / "a.txt").write_text(TEXT, encoding="utf-8")
    await serving.command("edit a.txt")
    await reported(claude, lambda last: last["filePath"] == str(project / "a.txt"))
    return serving


async def reported(client: ClaudeCode, condition: Callable[[Selection], bool]) -> Selection:
    """Wait until the last selection that the client has heard of meets a condition."""

    def is_met() -> bool:
        return any(map(condition, client.notifications_of(SELECTION_CHANGED)[-1:]))

    await until(is_met, "the selection is reported")
    last: Selection = client.notifications_of(SELECTION_CHANGED)[-1]
    return last


def text(expected: str) -> Callable[[Selection], bool]:
    return lambda selection: selection["text"] == expected


def cursor(line: int, character: int) -> Callable[[Selection], bool]:
    end = {"line": line, "character": character}
    return lambda selection: selection["text"] == "" and selection["selection"]["end"] == end


async def current(editor: Editor) -> Any:
    return await run(editor, "selection.current")


async def pause(editor: Editor) -> None:
    """Let the editor run for several periods, in which an event would be sent."""
    await editor.idle(200)


# What is selected.


async def test_characters_beyond_the_bmp_count_as_two(
    editor: Editor, claude: ClaudeCode, project: Path
) -> None:
    await editor.keys("jwv")

    assert await reported(claude, text("😀")) == {
        "text": "😀",
        "filePath": str(project / "a.txt"),
        "fileUrl": f"file://{project}/a.txt",
        "selection": {
            "start": {"line": 1, "character": 4},
            "end": {"line": 1, "character": 6},
            "isEmpty": False,
        },
    }


@pytest.mark.parametrize(
    ("keys", "selected"),
    [
        pytest.param("v2l", "one", id="v"),
        pytest.param("vj", "one é\nt", id="v over lines"),
        pytest.param("v$", "one é\n", id="v to the end of the line"),
        pytest.param("jVj", "two 😀 two\n\tthree", id="V"),
        pytest.param("<C-v>jl", "on\ntw", id="CTRL-V"),
        pytest.param("4l<C-v>j$", "é\n😀 two", id="CTRL-V and $"),
        pytest.param("3G0v", "\t", id="a tab"),
        pytest.param("gH", "one é", id="Select mode, lines"),
        pytest.param("v2l<C-g>", "one", id="Select mode from Visual mode"),
        pytest.param("i<C-o>v2l", "one", id="Visual mode from Insert mode"),
    ],
)
async def test_the_selection_is_the_visual_area(
    editor: Editor, claude: ClaudeCode, keys: str, selected: str
) -> None:
    await editor.keys(keys)

    await reported(claude, text(selected))


async def test_bytes_that_are_no_text_arrive_as_such(
    editor: Editor, claude: ClaudeCode, project: Path
) -> None:
    (project / "odd").write_bytes(b"a\0b\xffc\xf0\x9f\x98\x80d\n")
    await editor.command("edit ++enc=utf-8 ++bad=keep odd")

    await editor.keys("V")

    odd = await reported(claude, lambda selection: "d" in selection["text"])
    assert odd["text"] == "a\0b\ufffdc😀d"
    assert odd["selection"]["end"] == {"line": 0, "character": 8}


async def test_the_path_is_encoded_in_the_url(editor: Editor, project: Path) -> None:
    await editor.command(r"edit b\ \%e%CC%81é.txt".replace("%CC%81", "\u0301"))

    now = await current(editor)

    assert now["filePath"] == str(project / "b %e\u0301é.txt")
    assert now["fileUrl"] == f"file://{project}/b%20%25e%cc%81%c3%a9.txt"


async def test_a_huge_selection_is_reported_in_part(editor: Editor, claude: ClaudeCode) -> None:
    await editor.command("call setline(1, repeat(['é😀c'], 300000))")
    await editor.keys("VG")

    last = await reported(
        claude, lambda selection: selection["selection"]["end"] == {"line": 299999, "character": 4}
    )
    assert 2**20 - 4 <= len(last["text"].encode()) <= 2**20
    assert set(last["text"]) == set("é😀c\n")


async def test_a_buffer_without_a_file_has_no_selection(editor: Editor) -> None:
    await editor.command("copen")

    assert await current(editor) is None


# When it is reported.


async def test_every_way_to_extend_a_selection_is_reported(
    editor: Editor, claude: ClaudeCode
) -> None:
    for keys, selected in [
        ("v", "o"),
        ("2l", "one"),
        ("o", "one"),
        ("oV", "one é"),
        ("j", "one é\ntwo 😀 two"),
        ("<C-v>", "one\ntwo"),
        ("$", "one é\ntwo 😀 two"),
    ]:
        await editor.keys(keys)
        await reported(claude, text(selected))


async def test_typing_is_reported(editor: Editor, claude: ClaudeCode) -> None:
    await editor.keys("i漢")
    await reported(claude, cursor(0, 1))
    await editor.keys("😀")
    await reported(claude, cursor(0, 3))


async def test_keys_that_arrive_faster_than_the_editor_handles_them_are_reported(
    editor: Editor, claude: ClaudeCode
) -> None:
    """While typed keys wait, the editor runs no timers: a held key would starve them."""
    await editor.command("call setline(1, range(5000))")

    await editor.keys("V")
    await editor.keys("j" * 4999)

    await reported(claude, lambda last: last["selection"]["end"]["line"] == 4999)
    rows = [each["selection"]["end"]["line"] for each in said(claude)]
    assert len([row for row in rows if 0 < row < 4999]) > 1
    assert len(rows) < 500


def said(client: ClaudeCode) -> list[Selection]:
    return list(client.notifications_of(SELECTION_CHANGED))


async def test_an_unchanged_selection_is_not_reported_again(
    editor: Editor, claude: ClaudeCode
) -> None:
    await editor.keys("l")
    await reported(claude, cursor(0, 1))
    count = len(said(claude))

    await editor.keys("zza<Esc>l:<Esc>:echo<CR>")
    await editor.command("doautocmd CursorMoved | doautocmd BufEnter")
    await editor.command("call setline(4, 'elsewhere')")
    await editor.keys("i")
    await pause(editor)

    states = [each for each in said(claude)[count:] if not cursor(0, 1)(each)]
    assert all(cursor(0, 2)(each) for each in states)


async def test_a_change_of_the_selected_text_is_reported(
    editor: Editor, claude: ClaudeCode
) -> None:
    await editor.keys("Vj")
    await reported(claude, text("one é\ntwo 😀 two"))

    await editor.command("call setline(1, '1 é') | call feedkeys(\"\\<Ignore>\", 'n')")

    await reported(claude, text("1 é\ntwo 😀 two"))


async def test_another_buffer_and_another_window_are_reported(
    editor: Editor, claude: ClaudeCode, project: Path
) -> None:
    await editor.command("edit b.txt")
    await reported(claude, lambda last: last["filePath"] == str(project / "b.txt"))

    await editor.command("split | edit a.txt | normal! 3G0")
    await reported(claude, cursor(2, 0))
    await editor.command("file c.txt")
    await reported(claude, lambda last: last["filePath"] == str(project / "c.txt"))


@pytest.mark.parametrize(
    "command", ["terminal cat", "copen", "help", "edit .", "new", "edit b | setl bt=acwrite"]
)
async def test_a_buffer_without_a_file_leaves_the_last_selection_in_force(
    editor: Editor, claude: ClaudeCode, command: str
) -> None:
    await editor.keys("wh")
    before = await reported(claude, cursor(0, 3))

    await editor.command("runtime plugin/netrwPlugin.vim")
    await editor.command(f"split | noautocmd {command} | doautocmd BufEnter")
    await editor.keys("jj")
    await pause(editor)

    assert said(claude)[-1] == before
    assert await claude.json("getLatestSelection") == {"success": True, **before}


async def test_nothing_is_reported_while_a_command_is_typed(
    editor: Editor, claude: ClaudeCode
) -> None:
    await editor.keys("vj")
    await reported(claude, text("one é\nt"))

    await editor.keys(":s/one")
    await pause(editor)

    assert said(claude)[-1]["text"] == "one é\nt"

    await editor.keys("<C-c>")
    await reported(claude, cursor(0, 0))


# A selection is kept while the user is elsewhere.


@pytest.mark.parametrize(
    ("keys", "selected"),
    [
        ("jvj", "two 😀 two\n\t"),
        ("Vj", "one é\ntwo 😀 two"),
        ("<C-v>jl", "on\ntw"),
        ("<C-v>j$", "one é\ntwo 😀 two"),
        ("jv0gg", "one é\nt"),
    ],
)
@pytest.mark.parametrize("wait", [True, False], ids=["in their own time", "in one go"])
async def test_leaving_visual_mode_for_a_terminal_keeps_the_selection(
    editor: Editor, claude: ClaudeCode, keys: str, selected: str, wait: bool
) -> None:
    await editor.command("botright vertical terminal cat")
    await editor.command("wincmd p")

    await editor.keys(keys)
    if wait:
        await reported(claude, text(selected))
    await editor.keys("<C-w>l")
    await until(lambda: editor.eval("&buftype == 'terminal'"))
    await pause(editor)

    await reported(claude, text(selected))
    assert (await claude.json("getLatestSelection"))["text"] == selected


async def test_a_script_that_enters_the_terminal_keeps_the_selection(
    editor: Editor, claude: ClaudeCode
) -> None:
    await editor.command("botright vertical terminal cat")
    await editor.command("wincmd p")
    await editor.keys("Vj")

    await editor.command("call win_gotoid(win_getid(winnr('$')))")
    await pause(editor)

    await reported(claude, text("one é\ntwo 😀 two"))


async def test_acting_in_the_file_again_ends_it(editor: Editor, claude: ClaudeCode) -> None:
    await editor.command("botright vertical terminal cat")
    await editor.command("wincmd p")
    await editor.keys("Vj<C-w>l")
    await until(lambda: editor.eval("&buftype == 'terminal'"))
    await reported(claude, text("one é\ntwo 😀 two"))
    await pause(editor)

    await editor.keys("<C-w>h")
    await pause(editor)
    assert said(claude)[-1]["text"] == "one é\ntwo 😀 two"
    await editor.keys("gg")

    await reported(claude, cursor(0, 0))


# What stays in the editor.


async def test_entering_a_private_file_clears_the_selection(
    editor: Editor, claude: ClaudeCode, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\nOTHER=2\n")
    await editor.keys("v")
    await reported(claude, text("o"))

    await editor.keys("<Esc>:edit .env<CR>")
    await reported(claude, lambda last: last == NOTHING)
    count = len(said(claude))
    await editor.keys("ggVjyjx")
    await pause(editor)

    assert len(said(claude)) == count
    assert ".env" not in str(said(claude))
    assert "KEY" not in str(said(claude))
    assert await current(editor) is None

    await editor.command("edit! a.txt | 2")
    await reported(claude, cursor(1, 0))


async def test_new_settings_clear_the_selection(
    editor: Editor, claude: ClaudeCode, project: Path
) -> None:
    await editor.keys("v")
    await reported(claude, text("o"))
    settings = project / ".claude/settings.json"
    settings.parent.mkdir()

    settings.write_text('{"permissions": {"deny": ["Read(./a.txt)"]}}')
    await reported(claude, lambda last: last == NOTHING)

    settings.unlink()
    await reported(claude, text("o"))


async def test_nothing_is_reported_until_the_selection_is_shared_again(
    editor: Editor, claude: ClaudeCode
) -> None:
    await editor.keys("j")
    await reported(claude, cursor(1, 0))

    await editor.keys(":ClaudeShare off<CR>")
    await reported(claude, lambda last: last == NOTHING)
    await until(lambda: "the selection stays in " in editor.screen.text(), "it is said")
    await editor.keys("Vj")
    await pause(editor)
    assert said(claude)[-1] == NOTHING
    assert await current(editor) is None

    await editor.command("ClaudeShare on")
    await reported(claude, text("two 😀 two\n\tthree"))


async def test_sharing_can_be_toggled_with_a_key(editor: Editor, claude: ClaudeCode) -> None:
    await follow(editor, "ClaudeShared")
    await editor.command("nmap gs <Plug>(claude-share)")

    await editor.keys("gs")
    await reported(claude, lambda last: last == NOTHING)
    await editor.keys("gs")

    await reported(claude, cursor(0, 0))
    assert (await the(editor, "ClaudeShared"))["shared"] is False
    assert (await the(editor, "ClaudeShared", 2))["shared"] is True
    await editor.keys(":ClaudeShare of<CR>")
    await until(lambda: "not off, on or toggle: of" in editor.screen.text(), "the reason")
    assert await editor.eval("getcompletion('ClaudeShare o', 'cmdline')") == ["off", "on"]
