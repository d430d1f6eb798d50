"""Deciding about what an agent has written in its file, in either editor."""

import contextlib
from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, choose, configure, on_screen
from support.neovim import until
from support.reviewing import drawn
from support.reviews import Agent, git, make_repository, put, start_cli

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
AFTER = "one\nTWO\nthree\nfour\nFIVE\n"
BOTH_HUNKS = "2-two", "2+1", "5-five", "5+1"


@pytest.fixture
async def agent(nvim: Editor, path: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in the file, in a repository."""
    put(path, BEFORE)
    make_repository(path.parent)
    return Agent(await start_cli(nvim, tmp_path), path.parent)


async def has_map(nvim: Editor, key: str, mode: str = "n") -> bool:
    """Return whether the buffer has a map."""
    return bool(await nvim.eval(f"get(maparg('{key}', '{mode}', 0, 1), 'buffer', 0)"))


async def reads(path: Path, text: str | None) -> None:
    """Wait until a file has a text, or is gone."""

    def found() -> str | None:
        # It may be deleted at any time.
        with contextlib.suppress(FileNotFoundError):
            return path.read_text()
        return None

    await until(lambda: found() == text, f"{text!r}")


KEYS = {"keep": "gk", "revert": "<leader>|", "next": "]h", "previous": "[h", "show": "gs"}


async def test_keys_exist_only_where_something_waits(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.command("nnoremap <buffer> gs :mine<CR>")
    await configure(nvim, review={"keys": KEYS})
    assert not await has_map(nvim, "gk")

    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    assert await has_map(nvim, "gk", "x")
    assert await nvim.eval("maparg('gs', 'n')") == ":mine<CR>"
    await nvim.keys("gg]h\\|")
    await drawn(nvim, "5-five", "5+1")
    await nvim.keys("G[h]hgk")

    await drawn(nvim)
    assert not await has_map(nvim, "gk")
    assert not await has_map(nvim, "gk", "x")
    assert await nvim.eval("maparg('gs', 'n')") == ":mine<CR>"
    await reads(path, BEFORE.replace("five", "FIVE"))


async def test_the_maps_go_by_the_text_of_now(nvim: Editor, path: Path, agent: Agent) -> None:
    async def leads(change: str, keys: str, line: int) -> None:
        # At once, before anything is drawn again.
        await nvim.command(f"{change} | normal {keys}")
        assert await nvim.eval("line('.')") == line

    await configure(nvim, review={"keys": KEYS})
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)

    await leads("0put ='mine'", "]h", 3)
    await leads("1delete", "gg]h", 2)
    await leads("let &undolevels = &undolevels | 0put =['a', 'b', 'c']", "]h]h", 8)
    await leads("undo", "G[h", 2)
    await leads("silent! redo", "G[h", 5)
    # Under another name, the text is another file's.
    await nvim.keys(f":file {path.with_name('other')}\r")
    await drawn(nvim)
    assert not await has_map(nvim, "gk")


async def test_bad_keys_break_nothing(nvim: Editor, path: Path, agent: Agent) -> None:
    await configure(nvim, review={"keys": {"keep": 1, "revert": "", "nothing": "gn"}})
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    assert not await has_map(nvim, "gn")


async def test_without_an_overlay_the_maps_still_know_the_hunks(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await configure(nvim, review={"overlay": False, "keys": KEYS})
    await agent.write({path: AFTER})
    await until(lambda: has_map(nvim, "gk"))
    await drawn(nvim)

    await nvim.keys("gg]h")
    assert await nvim.eval("line('.')") == 2
    await nvim.keys("gs")
    await drawn(nvim, "2-two", "2+1")
    await nvim.keys("gs")
    await drawn(nvim)
    await nvim.keys("]h]h")
    await on_screen(nvim, "this is the last hunk")
    assert await nvim.eval("line('.')") == 5
    await nvim.keys("gk")
    await until(lambda: nvim.eval("claude_ide#review().files[0].hunks->len() == 1"))


async def test_suggested_keys_decide_about_hunks_and_files(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.command("let g:mapleader = ','")
    await nvim.command("call claude_ide#suggested_keys#Define()")
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.keys("gg,a]")
    assert await nvim.eval("line('.')") == 2
    await nvim.keys(",ax")
    await reads(path, BEFORE.replace("five", "FIVE"))
    await nvim.keys("u")
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.keys(",aX")
    await drawn(nvim)
    await nvim.keys("u")
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.keys(",aV")
    await drawn(nvim)


async def test_undo_brings_the_last_hunk_of_a_file_back(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    text = BEFORE.replace("two", "TWO")
    await agent.write({path: text})
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("2ClaudeRevert")
    await drawn(nvim)
    await reads(path, BEFORE)
    await until(lambda: nvim.eval("empty(claude_ide#review().files)"))

    await nvim.keys("u")
    await drawn(nvim, "2-two", "2+1")
    await nvim.keys(":w\r")
    await until(lambda: nvim.eval("len(claude_ide#review().files) == 1"))
    assert path.read_text() == text


async def test_what_only_the_buffer_has_is_kept_at_once(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: BEFORE.replace("two", "TWO")})
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("2ClaudeRevert")
    await reads(path, BEFORE)
    await until(lambda: nvim.eval("empty(claude_ide#review().files)"))
    await nvim.keys("u")
    await drawn(nvim, "2-two", "2+1")

    await nvim.command("2ClaudeKeep")
    await drawn(nvim)
    await nvim.command("ClaudeReview undo")
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("ClaudeKeep!")
    await drawn(nvim)
    await nvim.keys(":w\r")
    await reads(path, BEFORE.replace("two", "TWO"))
    await drawn(nvim)
    assert await nvim.eval("claude_ide#review().files") == []


async def test_a_file_in_another_encoding_keeps_its_bytes(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    latin = path.with_name("latin.py")
    latin.write_bytes(b"\xe9\ntwo\n\xe8\n")
    git(path.parent, "add", "-A")
    git(path.parent, "commit", "-qm", "y")
    await nvim.command(f"edit ++enc=latin1 {latin}")
    await agent.prompt()
    changed = b"\xea\ntwo\nthree\n"
    await agent.tool("Edit", lambda: latin.write_bytes(changed), file_path=str(latin))
    await agent.cli.send("Stop")
    both = "1-é", "1+1", "3-è", "3+1"
    await drawn(nvim, *both)

    await nvim.command("1ClaudeRevert")
    await drawn(nvim, "3-è", "3+1")
    await until(lambda: latin.read_bytes() == b"\xe9\ntwo\nthree\n", "it is reverted")
    await nvim.keys("u:w\r")
    await drawn(nvim, *both)
    await until(lambda: latin.read_bytes() == changed, "it is written")
    await nvim.command("1ClaudeKeep")
    await drawn(nvim, "3-è", "3+1")
    await agent.prompt()
    await agent.tool("Edit", lambda: latin.write_bytes(b"e\ntwo\n3\n"), file_path=str(latin))
    await agent.cli.send("Stop")
    # Without such a character the editor takes it for UTF-8.
    await nvim.command("edit! ++enc=utf-8")
    await drawn(nvim, "1-ê", "1+1", "3-è", "3+1")
    await nvim.command("ClaudeRevert!")
    await drawn(nvim)
    await until(lambda: latin.read_bytes() == b"\xea\ntwo\n\xe8\n", "it is reverted")


async def test_a_range_a_count_and_a_repetition(nvim: Editor, path: Path, agent: Agent) -> None:
    await configure(nvim, review={"keys": KEYS})
    await agent.write({path: "ONE\ntwo\nTHREE\nfour\nFIVE\n"})
    three = "1-one", "1+1", "3-three", "3+1", "5-five", "5+1"
    await drawn(nvim, *three)

    await nvim.command("2,5ClaudeRevert")
    await reads(path, BEFORE.replace("one", "ONE"))
    await nvim.keys("u:w\r")
    await drawn(nvim, *three)
    await nvim.keys("gg2gk")
    await drawn(nvim, "5-five", "5+1")
    await nvim.command("ClaudeReview undo")
    await drawn(nvim, *three)
    await nvim.keys("gggk")
    await drawn(nvim, *three[2:])
    await nvim.keys("3G.")
    await drawn(nvim, *three[4:])
    await nvim.command("ClaudeKeep all | let g:after = 1")
    await drawn(nvim)
    assert await nvim.eval("g:after") == 1


async def test_a_count_goes_by_the_text_and_by_no_old_selection(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await configure(nvim, review={"keys": KEYS})
    await agent.write({path: "ONE\nTWO\nthree\nFOUR\n\nFIVE\n"})
    both = "1-one", "1-two", "1+2", "4-four", "4-five", "4+3"
    await drawn(nvim, *both)
    await nvim.keys("ggV\x1b")

    # At once: nothing has drawn the hunks that are back, or brought the keys back.
    await nvim.command("nmap gz <Plug>(claude-hunk-keep)")
    await nvim.keys(":ClaudeRevert!\r")
    await reads(path, BEFORE)
    await nvim.keys("ugg2gz")
    await drawn(nvim)
    await nvim.command("ClaudeReview undo")
    await drawn(nvim, *both)
    # Not only the line that was selected once; more than there are is all; on an empty line.
    await nvim.keys("gggk")
    await drawn(nvim, *both[3:])
    await nvim.keys("gg9gk")
    await drawn(nvim)
    await nvim.command("ClaudeReview undo")
    await drawn(nvim, *both[3:])
    await nvim.keys("5Ggk")
    await drawn(nvim)


async def test_a_repetition_of_selected_lines_means_as_many_lines(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await configure(nvim, review={"keys": KEYS})
    await agent.write({path: BEFORE.replace("two\n", "A\nB\nC\nD\ntwo\n")})
    await drawn(nvim, "2+4")

    await nvim.keys("2GVgk")
    await drawn(nvim, "3+3")
    await nvim.keys("4G.")
    await drawn(nvim, "3+1", "5+1")
    await nvim.command("5ClaudeRevert lines")
    await drawn(nvim, "3+1")
    await reads(path, BEFORE.replace("two\n", "A\nB\nC\ntwo\n"))


async def test_removed_lines_beyond_a_changed_one_are_reverted_at_the_line_below(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: BEFORE.replace("two\nthree\nfour\n", "A\n")})
    await drawn(nvim, "2-two", "2-three", "2-four", "2+1")

    await nvim.keys("3GV:ClaudeRevert\r")
    await reads(path, BEFORE.replace("two", "A"))
    await drawn(nvim, "2-two", "2+1")


@pytest.mark.parametrize("how", ["all", "in the list", "by a commit"])
async def test_what_is_kept_at_once_is_taken_back_at_once(
    nvim: Editor, path: Path, agent: Agent, how: str
) -> None:
    text = BEFORE.replace("two", "TWO")
    await agent.write({path: text, path.with_name("b.txt"): "new\n"})
    await drawn(nvim, "2-two", "2+1")
    if how == "all":
        await nvim.command("ClaudeKeep all")
    elif how == "in the list":
        await nvim.keys(":ClaudeReview\r")
        await on_screen(nvim, "b.txt|1|")
        await nvim.keys("Vjs")
    else:
        git(path.parent, "add", "-A")
        git(path.parent, "commit", "-qm", "y")
    await until(lambda: nvim.eval("empty(claude_ide#review().files)"), "nothing waits")

    await nvim.keys(":ClaudeReview undo\r")

    await on_screen(nvim, "2 files wait for review again")
    await until(lambda: nvim.eval("len(claude_ide#review().files) == 2"), "both wait")


@pytest.mark.parametrize("format_", ["dos", "bom", "open end"])
async def test_a_revert_brings_the_bytes_back(
    nvim: Editor, path: Path, agent: Agent, format_: str
) -> None:
    def encode(text: str) -> bytes:
        text = text.replace("\n", "\r\n") if format_ == "dos" else text
        text = text[:-1] if format_ == "open end" else text
        return text.encode("utf-8-sig" if format_ == "bom" else "utf-8")

    path.write_bytes(encode(BEFORE))
    await nvim.command("edit!")
    await nvim.command("autocmd BufWritePre * silent! %s/three/formatted/")
    await agent.prompt()
    given = {"file_path": str(path)}
    await agent.tool("Edit", lambda: path.write_bytes(encode(AFTER)), **given)
    await drawn(nvim, *BOTH_HUNKS)

    await nvim.command("2ClaudeRevert")
    await until(lambda: path.read_bytes() == encode(BEFORE.replace("five", "FIVE")), "reverted")
    await nvim.command("ClaudeRevert!")
    await until(lambda: path.read_bytes() == encode(BEFORE), "all is reverted")
    assert not await nvim.eval("&modified")


@pytest.mark.parametrize("option", ["nomodifiable", "readonly"])
async def test_a_buffer_that_cannot_change_is_not_reverted(
    nvim: Editor, path: Path, agent: Agent, option: str
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.command(f"setlocal {option}")

    await nvim.keys(":2ClaudeRevert\r")
    # On the screen, the report of the agent's write may follow it.
    await until(lambda: nvim.eval("execute('messages') =~# 'not changed: .readonly. or'"))

    assert path.read_text() == AFTER
    assert await nvim.eval("getline(1, '$')") == AFTER.splitlines()
    await drawn(nvim, *BOTH_HUNKS)


async def test_what_waits_is_counted_as_the_buffer_has_it(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    async def wait(count: int) -> None:
        counted = "reduce(claude_ide#review().files, {sum, each -> sum + len(each.hunks)}, 0)"
        await until(lambda: nvim.eval(f"{counted} == {count}"), f"{count} hunks wait")
        await until(lambda: nvim.eval(f"len(getqflist()) == {count}"), f"{count} are listed")

    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.command("ClaudeReview")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list")
    await nvim.command("wincmd p")
    await wait(2)

    await nvim.command("2ClaudeRevert")
    await wait(1)
    await nvim.keys("u")
    await wait(2)
    # An unsaved line moves what the list names.
    await nvim.keys("ggOmine\x1b")
    await drawn(nvim, "3-two", "3+1", "6-five", "6+1")
    await nvim.command("wincmd p")
    await nvim.keys("ggx")
    await wait(1)
    await nvim.command("wincmd p")
    await drawn(nvim, "6-five", "6+1")
    assert await nvim.eval("[getline(1), getline(3), &modified]") == ["mine", "two", 1]

    await nvim.command("edit!")
    await drawn(nvim, *BOTH_HUNKS[2:])
    await wait(1)
    await reads(path, BEFORE.replace("five", "FIVE"))


async def listed(nvim: Editor, *expected: str) -> None:
    """Wait until the list has these items: line and label; `review()` the same lines."""

    async def is_listed() -> bool:
        found = await nvim.eval("getqflist()->map({_, each -> each.lnum .. ' ' .. each.text})")
        found = [each.replace("\N{MINUS SIGN}", "-") for each in found]
        firsts = "flatten(map(claude_ide#review().files, {_, f -> map(f.hunks, 'v:val.first')}))"
        rows = [int(each.split()[0]) for each in expected if "file" not in each]
        return found == [*expected] and (await nvim.eval(firsts) == rows or len(rows) == 0)

    await until(is_listed, f"the list has {expected}")


async def show_list(nvim: Editor) -> None:
    await nvim.keys(":ClaudeReview\r")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list")


async def test_hunks_that_move_and_grow_are_told_as_the_buffer_has_them(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await show_list(nvim)
    await nvim.command("wincmd p")

    await nvim.keys("ggOmine\x1bGomine\x1bk0ix\x1b")
    await listed(nvim, "3 +1 -1  TWO", "6 +2 -1  xFIVE")
    await nvim.command("edit!")
    await listed(nvim, "2 +1 -1  TWO", "5 +1 -1  FIVE")
    await nvim.keys("ggOmine\x1b:ClaudeRevert!\r")
    await listed(nvim)
    await nvim.command("enew! | bdelete! #")
    await listed(nvim, "2 +1 -1  TWO", "5 +1 -1  FIVE")
    assert path.read_text() == AFTER


async def test_keys_live_as_long_as_their_buffer(nvim: Editor, path: Path, agent: Agent) -> None:
    await configure(nvim, review={"keys": KEYS})
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.command(f"enew | bdelete # | edit {path}")
    await until(lambda: has_map(nvim, "gk"), "the keys are back")
    # At once: the file may not be drawn again yet.
    await nvim.command("edit! | ClaudeKeep!")
    await drawn(nvim)
    await until(lambda: nvim.eval("empty(maparg('gk', 'n'))"), "the keys are gone")


async def test_what_undo_has_just_brought_back_is_kept_and_listed(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: BEFORE.replace("two", "TWO")})
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("2ClaudeRevert")
    await drawn(nvim)

    await nvim.keys("u:ClaudeReview\r")
    await listed(nvim, "2 +1 -1  TWO")
    await nvim.keys("s")
    await listed(nvim)
    # The list is empty now, and its key still takes the keep back.
    await nvim.keys("u")
    await listed(nvim, "2 +1 -1  TWO")
    await nvim.command("wincmd p")
    await nvim.keys("\x12u:ClaudeKeep all\r")
    await listed(nvim)
    assert path.read_text() == BEFORE


async def test_a_deleted_file_waits_beside_unsaved_changes(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.keys("ggOmine\x1b")
    await agent.run(f"rm {path.name}")
    await until(lambda: nvim.eval("len(claude_ide#review().files) == 1"), "it waits")
    await show_list(nvim)
    await listed(nvim, "1 +0 -5  deleted file")

    await nvim.keys("x")
    await listed(nvim)
    await reads(path, BEFORE)
    await nvim.keys("u")
    await listed(nvim, "1 +0 -5  deleted file")
    await reads(path, None)
    await nvim.command("wincmd p")
    assert await nvim.eval("[getline(1, 2), &modified]") == [["mine", "one"], 1]


async def has(nvim: Editor, path: Path, text: str | None, *lines: str) -> None:
    """Wait until a file has a text, or is gone, and its buffer has these lines."""
    await reads(path, text)
    found = f"getbufline('{path}', 1, '$') ==# {[*lines]!r}"
    await until(lambda: nvim.eval(found), f"the buffer has {lines}")


async def waits(nvim: Editor, *names: str) -> None:
    """Wait until these files wait."""
    found = "map(claude_ide#review().files, 'fnamemodify(v:val.path, '':t'')')"
    await until(lambda: nvim.eval(f"sort({found}) ==# {sorted(names)!r}"), f"{names} wait")


@pytest.fixture
async def new(nvim: Editor, agent: Agent) -> Path:
    """A file that the agent has made, and that the user looks at."""
    new = agent.folder / "new.py"
    await agent.write({new: "new\n"})
    await nvim.command(f"edit {new}")
    await drawn(nvim, "1+1")
    return new


async def test_a_new_file_goes_with_its_buffer_and_both_come_back(
    nvim: Editor, agent: Agent, new: Path
) -> None:

    await nvim.command("ClaudeRevert!")
    await has(nvim, new, None, "")
    await drawn(nvim)
    await waits(nvim)
    assert not await nvim.eval("&modified")
    await nvim.keys("u")
    await drawn(nvim, "1+1")
    await nvim.keys("\x12")
    await waits(nvim)
    await nvim.command("ClaudeReview undo")
    await has(nvim, new, "new\n", "new")
    await drawn(nvim, "1+1")
    assert not await nvim.eval("&modified")

    await nvim.command("ClaudeRevert!")
    await has(nvim, new, None, "")
    assert str(await agent.prompt()).count("-new") == 1
    await nvim.command("write")
    await reads(new, "")
    await waits(nvim)


async def test_a_new_file_with_unsaved_changes_is_reverted_without_them(
    nvim: Editor, new: Path
) -> None:
    await nvim.keys("Omine\x1b")
    await drawn(nvim, "1+2")
    await nvim.keys(":ClaudeRevert!\r")
    await on_screen(nvim, "new.py has changed since. Revert it as a whole?")
    await choose(nvim, 2)
    await has(nvim, new, "new\n", "mine", "new")

    await nvim.keys(":ClaudeRevert!\r")
    await on_screen(nvim, "new.py has changed since. Revert it as a whole?")
    await choose(nvim, 1)
    await has(nvim, new, None, "mine")
    await waits(nvim)
    await nvim.keys(":ClaudeReview undo\r")
    await has(nvim, new, "new\n", "mine", "new")
    await waits(nvim, "new.py")
    await nvim.keys(":w\r")
    await reads(new, "mine\nnew\n")
    assert await nvim.eval("tabpagenr('$')") == 1
    assert not await nvim.eval("&modified")


async def test_what_comes_back_below_unsaved_changes_is_not_merged_into_them(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.keys("Omine\x1b")
    await agent.write({path: None})
    await waits(nvim, path.name)

    await nvim.keys(":ClaudeRevert!\r")
    await has(nvim, path, BEFORE, "mine", *BEFORE.split())
    await waits(nvim)
    await nvim.keys(":w\r")
    await reads(path, f"mine\n{BEFORE}")
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_all_is_decided_also_in_buffers_with_unsaved_changes(
    nvim: Editor, path: Path, agent: Agent, tmp_path: Path
) -> None:
    await agent.run(f"echo x > {tmp_path}/elsewhere")
    await until(lambda: nvim.eval("!empty(claude_ide#review().unknown)"), "the line")
    await agent.write({path: AFTER})
    await drawn(nvim, *BOTH_HUNKS)
    await nvim.keys("Omine\x1b")

    await nvim.command("ClaudeRevert all")

    await has(nvim, path, AFTER, "mine", *BEFORE.split())
    await until(lambda: nvim.eval("empty(claude_ide#review().unknown)"), "it is decided")
