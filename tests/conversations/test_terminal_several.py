"""Several CLIs: `:ClaudeNew`, `:ClaudeSwitch`, `terminal.per`, and the tab page of each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code
from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, configure, pid_of
from support.neovim import WAIT_SECONDS, Neovim, until
from support.permissions import NOTICED
from support.vim import Vim


async def is_typing_in(nvim: Editor, name: str) -> bool:
    """Whether the user types in the terminal with this name."""
    return bool(await nvim.eval(f"[bufname(), mode()] == ['{name}', 't']"))


async def per(nvim: Editor, what: str) -> None:
    """Set the option."""
    await configure(nvim, terminal={"per": what})


def new(nvim: Editor) -> str:
    """The command that starts another CLI: in Vim `:Claude` with arguments does."""
    return "Claude --verbose" if isinstance(nvim, Vim) else "ClaudeNew"


async def test_a_new_one_takes_the_window_and_the_names_lead_back(
    nvim: Neovim, program: Path
) -> None:
    await open_claude(nvim)
    await nvim.keys('<C-\\><C-n>:ClaudeNew "unit tests"<CR>')
    await until(lambda: is_typing_in(nvim, "Claude (unit tests)"))
    assert await nvim.eval("winnr('$')") == 2
    given = "getline(1, '$')->join('')"
    await until(lambda: nvim.eval(f"{given} =~ '--name=unit tests'"), "its session's name")

    await nvim.keys("<C-\\><C-n>:ClaudeSwitch<CR>")
    await until(lambda: is_typing_in(nvim, "Claude"))
    await nvim.keys("<C-\\><C-n>:ClaudeSwitch un<Tab><CR>")
    await until(lambda: is_typing_in(nvim, "Claude (unit tests)"))

    assert await nvim.eval("winnr('$')") == 2
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.keys(":Claude<CR>")
    await until(lambda: is_typing_in(nvim, "Claude (unit tests)"))


async def test_a_name_with_blanks_is_completed_to_its_end(nvim: Neovim, program: Path) -> None:
    await open_claude(nvim)
    await nvim.command("ClaudeNew a b")
    await until(lambda: is_typing_in(nvim, "Claude (a b)"))
    await nvim.command("ClaudeNew a c/d é")
    await until(lambda: is_typing_in(nvim, "Claude (a c\u2215d é)"))

    for words, found in [("a", ["a b", "a c/d é"]), ("a c/d", ["c/d é"]), ("b", [])]:
        completed = await nvim.eval(f"getcompletion('ClaudeSwitch {words}', 'cmdline')")
        assert completed == found, words

    await nvim.keys("<C-\\><C-n>:ClaudeSwitch a b<Tab><CR>")
    await until(lambda: is_typing_in(nvim, "Claude (a b)"))


async def test_of_three_the_user_chooses_one(nvim: Neovim, program: Path) -> None:
    await open_claude(nvim)
    await nvim.command("ClaudeNew b")
    await until(lambda: is_typing_in(nvim, "Claude (b)"))
    await nvim.command("ClaudeNew c")
    await until(lambda: is_typing_in(nvim, "Claude (c)"))
    await nvim.lua(
        "vim.ui.select = function(items, _, answer) _G.items = items answer(items[1], 1) end"
    )

    await nvim.command("ClaudeSwitch")

    await until(lambda: is_typing_in(nvim, "Claude"))
    assert await nvim.lua("return _G.items") == ["1", "b"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("ClaudeSwitch", "only one Claude runs (:ClaudeNew starts another)"),
        ('ClaudeSwitch "x"', 'no Claude is named "x" (1)'),
        ("ClaudeNew '1'", 'there is a Claude named "1" (:ClaudeSwitch goes there)'),
    ],
)
async def test_one_line_says_why_there_is_no_other(
    nvim: Neovim, program: Path, command: str, answer: str
) -> None:
    await open_claude(nvim)

    await nvim.keys(f"<C-\\><C-n>:{command}<CR>")

    await until(lambda: answer in nvim.screen.text())


@BOTH
async def test_when_one_ends_the_other_is_meant(nvim: Editor, program: Path) -> None:
    await open_claude(nvim)
    # Hidden, because `:ClaudeNew` replaces its window, and Vim's command opens another.
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    await nvim.keys(f":{new(nvim)}<CR>")
    await until(lambda: is_typing_in(nvim, "Claude 2"))
    await nvim.keys("quit<CR>")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))

    await nvim.keys(":Claude<CR>")

    await until(lambda: is_typing_in(nvim, "Claude"))


@BOTH
async def test_each_tab_page_can_have_its_own(nvim: Editor, program: Path) -> None:
    await per(nvim, "tab")
    await open_claude(nvim)
    await nvim.command("stopinsert | tabnew")
    await nvim.keys(":Claude<CR>")
    await until(lambda: is_typing_in(nvim, "Claude 2"))
    assert await nvim.eval("tabpagenr()") == 2

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.command("tabfirst | Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.keys(":Claude<CR>")
    await until(lambda: is_typing_in(nvim, "Claude"))

    if isinstance(nvim, Neovim):
        await nvim.command("ClaudeSwitch 2")
        await until(lambda: is_typing_in(nvim, "Claude 2"))


@BOTH
async def test_each_worktree_can_have_its_own(nvim: Editor, program: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / ".git").write_text("gitdir: elsewhere\n")
    await per(nvim, "worktree")
    await nvim.command(f"tcd {tmp_path}/one")
    await open_claude(nvim)
    await nvim.command(f"stopinsert | tabnew | tcd {tmp_path}/two")
    await nvim.keys(":Claude<CR>")
    await until(lambda: is_typing_in(nvim, "Claude 2"))

    await nvim.command(f"stopinsert | tabnew | tcd {tmp_path}/one/deep")
    await nvim.keys(":Claude<CR>")

    await until(lambda: is_typing_in(nvim, "Claude"))
    assert await nvim.eval("tabpagenr()") == 3


SIZES = """gettabinfo(2)[0].windows->map("[winwidth(v:val), winheight(v:val)]")"""


@pytest.fixture
def layout() -> str:
    """The layout of diffs."""
    return "tab"


@pytest.fixture
def focus() -> bool:
    """Whether diffs take the focus."""
    return True


@pytest.fixture
async def both(
    nvim: Editor, program: Path, project: Path, config_folder: Path, layout: str, focus: bool
) -> AsyncIterator[tuple[ClaudeCode, ClaudeCode]]:
    """The clients in the terminals of two tab pages; the user is in a file in the first."""
    await configure(nvim, diff={"layout": layout, "focus": focus})
    (project / "a.py").write_text("one\n")
    (project / "b.py").write_text("two\n")
    await nvim.command("edit a.py")
    await open_claude(nvim)
    pids = [await pid_of(nvim)]
    await nvim.command(f"stopinsert | tabnew b.py | {new(nvim)}")
    await until(lambda: is_typing_in(nvim, "Claude 2"))
    pids.append(await pid_of(nvim))
    await nvim.command("stopinsert | wincmd p | tabfirst | wincmd p")
    await until(lambda: nvim.eval("[expand('%:t'), mode()] == ['a.py', 'n']"))
    async with AsyncExitStack() as stack:
        first, second = [
            await stack.enter_async_context(claude_code(config_folder, pid=pid)) for pid in pids
        ]
        # It comes when the pause after the last ping is over, and mentions come from then on.
        await until(
            lambda: all(client.notifications_of("selection_changed") for client in (first, second)),
            "both are welcomed",
        )
        yield first, second


@BOTH
async def test_a_mention_goes_to_the_one_of_this_tab_page(
    nvim: Editor, both: tuple[ClaudeCode, ClaudeCode]
) -> None:
    first, second = both
    await second.texts("closeAllDiffTabs")
    await nvim.command("ClaudeSend")
    await until(lambda: first.notifications_of("at_mentioned"))
    await first.texts("closeAllDiffTabs")
    await nvim.command("tablast | ClaudeSend")

    await until(lambda: second.notifications_of("at_mentioned"))

    assert len(first.notifications_of("at_mentioned")) == 1
    assert len(second.notifications_of("at_mentioned")) == 1


@BOTH
async def test_from_another_tab_page_a_mention_goes_to_the_last_active_one(
    nvim: Editor, both: tuple[ClaudeCode, ClaudeCode]
) -> None:
    first, second = both
    await nvim.command("tabnew b.py")
    await first.texts("closeAllDiffTabs")
    await second.texts("closeAllDiffTabs")

    await nvim.command("ClaudeSend")

    await until(lambda: second.notifications_of("at_mentioned"))
    assert first.notifications_of("at_mentioned") == []


@BOTH
@pytest.mark.parametrize(("layout", "tabpage"), [("horizontal", 2), ("tab", 3)])
async def test_a_diff_opens_where_its_cli_belongs_and_leads_back(
    nvim: Editor, both: tuple[ClaudeCode, ClaudeCode], project: Path, layout: str, tabpage: int
) -> None:
    _, second = both
    path = str(project / "b.py")
    sizes = await nvim.eval(SIZES)
    _, answer = second.start_call(
        "openDiff", {"old_file_path": path, "new_file_path": path, "new_file_contents": "TWO\n"}
    )
    await until(lambda: nvim.eval(f"[tabpagenr(), &diff] == [{tabpage}, 1]"))
    shown = await nvim.eval("tabpagebuflist()->map('bufname(v:val)')")
    assert ("Claude 2" in shown) == (layout == "horizontal")

    await until(lambda: nvim.eval("&modifiable"))
    await nvim.keys(":w<CR>")

    assert (await answer)["content"][0]["text"] == "FILE_SAVED"
    await until(lambda: nvim.eval("tabpagenr('$') == 2"))
    await until(lambda: nvim.eval("[tabpagenr(), expand('%:t')] == [1, 'a.py']"))
    assert await nvim.eval(SIZES) == sizes


@BOTH
@pytest.mark.parametrize(("layout", "focus"), [("horizontal", False)])
async def test_a_diff_that_takes_no_focus_opens_where_its_cli_belongs(
    nvim: Editor, both: tuple[ClaudeCode, ClaudeCode], project: Path
) -> None:
    _, second = both
    path = str(project / "new.py")
    await nvim.command("tabnext | wincmd b | belowright 3new | wincmd t | tabfirst")
    sizes = await nvim.eval(SIZES)

    _, answer = second.start_call(
        "openDiff", {"old_file_path": path, "new_file_path": path, "new_file_contents": "TWO\n"}
    )
    await until(lambda: nvim.eval("tabpagewinnr(2, '$') == 5"))
    await nvim.keys("ix")
    await until(lambda: nvim.eval("[expand('%:t'), getline(1), mode()] == ['a.py', 'xone', 'i']"))
    await nvim.keys("<Esc>")
    await nvim.idle(NOTICED)
    await nvim.keys(":ClaudeAccept<CR>")

    saved = await asyncio.wait_for(answer, WAIT_SECONDS)
    assert saved["content"][0]["text"] == "FILE_SAVED"
    await until(lambda: nvim.eval("tabpagewinnr(2, '$') == 3"))
    assert await nvim.eval("[tabpagenr(), expand('%:t')]") == [1, "a.py"]
    assert await nvim.eval(SIZES) == sizes


@BOTH
async def test_a_diff_of_the_cli_of_this_tab_page_stays_here(
    nvim: Editor, both: tuple[ClaudeCode, ClaudeCode], project: Path
) -> None:
    first, _ = both
    path = str(project / "a.py")

    first.start_call(
        "openDiff", {"old_file_path": path, "new_file_path": path, "new_file_contents": "ONE\n"}
    )

    await until(lambda: nvim.eval("[tabpagenr(), tabpagenr('$'), &diff] == [2, 3, 1]"))
