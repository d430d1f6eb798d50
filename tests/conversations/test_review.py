"""The review of what agents have written, in the files and in the quickfix list."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.buffers import edit
from support.happenings import HookedCli, follow, recorder
from support.neovim import Neovim, until
from support.reviewing import drawn, drawn_also
from support.reviews import Agent, git, make_repository, put

CONFIGURE = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)"
CHOOSE = """
local index = ...
vim.ui.select = function(items, options, done)
  vim.g.asked = options.prompt
  done(items[index], index)
end
"""
COUNT_REDRAWS = """
vim.g.redraws = 0
vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace('test'), {
  on_start = function()
    vim.g.redraws = vim.g.redraws + 1
  end,
})
"""
MINUS = "\N{MINUS SIGN}"
BEFORE = "one\ntwo\nthree\nfour\nfive\n"
BEGINNINGS = {
    "!touch made;/a.py": "./!touch made;/a.py",
    " !touch made;#.py": "./ !touch made;#.py",
    " /clear all.py": "./ /clear all.py",
    "#a.py": "./#a.py",
    "@a.py": "./@a.py",
    "-a.py": "./-a.py",
    "a!.py": "a!.py",
    "_a/b c.py": "_a/b c.py",
    ".a/b.py": ".a/b.py",
}
"""How the paths of files begin a prompt."""
AFTER = "one\nTWO\nthree\nfour\nFIVE\n"


@pytest.fixture
def record(tmp_path: Path) -> tuple[Path, Path]:
    """A program that records its arguments, and its record."""
    return recorder(tmp_path)


@pytest.fixture
def repository(path: Path) -> Path:
    """A repository with the file, which is open."""
    path.write_text(BEFORE)
    make_repository(path.parent)
    return path.parent


@pytest.fixture
async def agent(nvim: Neovim, record: tuple[Path, Path], repository: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in the file."""
    await nvim.lua(CONFIGURE, {"cmd": str(record[0])})
    await follow(nvim)
    await nvim.command("Claude")
    cli = await HookedCli.started(record[1])
    await nvim.command("stopinsert | wincmd t | checktime")
    await until(lambda: nvim.eval("line('$') == 5"), "the file is read")
    return Agent(cli, repository)


async def listed(nvim: Neovim, command: str = "ClaudeReview") -> list[str]:
    """Run the command in a window with a file, and return the list as `file:line text`."""
    await nvim.command("cclose | stopinsert | wincmd t | call setqflist([])")
    await nvim.command(command)
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")
    return await items(nvim)


async def items(nvim: Neovim) -> list[str]:
    found = await nvim.eval(
        "map(getqflist(), {_, v -> [fnamemodify(bufname(v.bufnr), ':t'), v.lnum, v.text]})"
    )
    return [f"{name}:{line} {words}" for name, line, words in found]


async def says(nvim: Neovim, words: str) -> None:
    await until(lambda: nvim.eval(f"execute('messages') =~ '{words}'"), words)


async def reads(path: Path, text: str | None) -> None:
    await until(lambda: (path.read_text() if path.exists() else None) == text, f"{path} has {text}")


async def test_what_was_written_is_shown_in_the_file_and_a_turn_says_so(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})

    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await says(nvim, f"Claude: done, 1 file +2 {MINUS}2 · :ClaudeReview")


async def test_hunks_are_kept_and_reverted_at_the_cursor(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")

    await nvim.command("2 | ClaudeRevert")
    await drawn(nvim, "5-five", "5+1")
    await reads(path, AFTER.replace("TWO", "two"))
    await nvim.command("undo")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.command("5 | ClaudeKeep")
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("ClaudeReview undo")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.command("ClaudeKeep!")
    await drawn(nvim)


async def test_the_only_hunk_is_back_after_an_undo(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: BEFORE.replace("two", "TWO")})
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("2ClaudeRevert")
    await drawn(nvim)
    await reads(path, BEFORE)

    await nvim.command("normal! u")

    await drawn(nvim, "2-two", "2+1")


async def test_what_undoes_a_revert_at_once_is_not_saved(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.command("autocmd TextChanged <buffer> ++once undo")
    await nvim.command("2ClaudeRevert")

    await until(lambda: nvim.eval("&modified"), "it is undone")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    assert path.read_text() == AFTER.replace("TWO", "two")


async def test_only_the_selected_lines_of_a_hunk_are_reverted(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: BEFORE.replace("two\n", "two\nA\nB\nC\n")})
    await drawn(nvim, "3+3")

    await nvim.keys("4GV:ClaudeRevert<CR>")
    await drawn(nvim, "3+2")
    await reads(path, BEFORE.replace("two\n", "two\nA\nC\n"))
    await nvim.command("3ClaudeKeep")
    await drawn(nvim)


async def test_hunks_that_are_out_of_sight_do_not_redraw_the_screen(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    lines = [f"line {number}\n" for number in range(2000)]
    path.write_text("".join(lines))
    await nvim.command("checktime")
    lines[1] = lines[1500] = "changed\n"
    await agent.write({path: "".join(lines)})
    await drawn(nvim, "2-line 1", "2+1")

    await nvim.lua(COUNT_REDRAWS)
    await nvim.idle(500)
    assert await nvim.eval("g:redraws") < 10
    await nvim.keys("1501G")
    await drawn(nvim, "2-line 1", "2+1", "1501-line 1500", "1501+1")


async def test_a_new_file_is_one_hunk(nvim: Neovim, path: Path, agent: Agent) -> None:
    new = path.with_name("new.py")
    await agent.write({new: "one\ntwo\n"})
    await edit(nvim, new)

    await drawn(nvim, "1+2")
    review: Any = await nvim.eval("claude_ide#review()")
    (file,) = review["files"]
    hunk = {"first": 1, "last": 2, "added": 2, "removed": 0, "text": "one\ntwo\n"}
    assert [file["status"], *file["hunks"]] == ["created", hunk]

    await nvim.command("ClaudeKeep")
    await drawn(nvim)
    assert new.read_text() == "one\ntwo\n"


async def test_maps_go_on_to_the_next_file_and_repeat(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    other = path.with_name("b.txt")
    await agent.write({path: AFTER, other: "new\n"})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    for key, name in (("]h", "next"), ("[h", "previous"), ("gk", "keep")):
        await nvim.command(f"nmap {key} <Plug>(claude-hunk-{name})")

    await nvim.keys("gg]h")
    assert await nvim.eval("line('.')") == 2
    await nvim.keys("gk")
    await drawn(nvim, "5-five", "5+1")
    await nvim.keys("]h.")
    await drawn(nvim)
    await nvim.keys("]h")
    await until(lambda: nvim.eval("expand('%:t') == 'b.txt'"), "the next file is shown")
    await nvim.keys("]h")
    await says(nvim, "this is the last hunk")


async def test_everything_that_a_command_changes_is_listed(
    nvim: Neovim, path: Path, agent: Agent, repository: Path
) -> None:
    for name in ("gone", "moved", "sed"):
        (repository / name).write_text(f"{name}\n")
    (repository / ".gitignore").write_text("*.o\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "y")

    await agent.run(
        "rm gone; mv moved there; sed -i s/sed/SED/ sed; chmod +x a.py; echo x > new; echo > a.o"
    )

    assert sorted(await listed(nvim)) == [
        f"a.py:1 +0 {MINUS}0  mode 644 → 755",
        f"gone:1 +0 {MINUS}1  deleted file",
        f"new:1 +1 {MINUS}0  new file",
        f"sed:1 +1 {MINUS}1  SED",
        f"there:1 +0 {MINUS}0  renamed from moved",
    ]
    await nvim.command("ClaudeRevert all")
    await until(lambda: not os.access(path, os.X_OK), "the mode is that of before")
    await reads(repository / "gone", "gone\n")
    await reads(repository / "moved", "moved\n")
    await reads(repository / "sed", "sed\n")
    await until(lambda: not (repository / "new").exists() and not (repository / "there").exists())


async def test_what_a_command_in_the_background_writes_is_listed_as_perhaps(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.prompt()
    given = {"command": "make &", "run_in_background": True}
    await agent.tool("Bash", lambda: None, **given)
    path.write_text(AFTER)
    await agent.cli.send("Stop")

    assert (await listed(nvim))[0] == f"{path.name}:2 +1 {MINUS}1  perhaps: TWO"


async def test_the_keys_of_the_list(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: AFTER})
    assert await listed(nvim) == [
        f"{path.name}:2 +1 {MINUS}1  TWO",
        f"{path.name}:5 +1 {MINUS}1  FIVE",
    ]
    assert (
        await nvim.eval("getqflist({'title': 0}).title") == f"Claude: 1 file +2 {MINUS}2 · g? keys"
    )

    await nvim.keys("x")
    await reads(path, AFTER.replace("TWO", "two"))
    await until(lambda: nvim.eval("len(getqflist()) == 1"), "one hunk is left")
    await nvim.keys("u")
    await reads(path, AFTER)
    await until(lambda: nvim.eval("len(getqflist()) == 2"), "it is back")
    await nvim.keys("Vjs")
    await until(lambda: nvim.eval("len(getqflist()) == 0"), "all are kept")


async def test_the_turn_and_the_session_are_listed_with_what_was_kept(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER.replace("FIVE", "five")})
    await nvim.command("ClaudeKeep!")
    await agent.write({path: AFTER})

    assert await listed(nvim) == [f"{path.name}:5 +1 {MINUS}1  FIVE"]
    assert await listed(nvim, "ClaudeReview turn") == [f"{path.name}:5 +1 {MINUS}1  FIVE"]
    assert len(await listed(nvim, "ClaudeReview!")) == 2


async def test_what_has_no_hunks_is_listed_of_a_turn_until_it_is_kept(
    nvim: Neovim, path: Path, agent: Agent, repository: Path
) -> None:
    (repository / "old").write_text("one\n")
    (repository / "a.gz").write_bytes(b"\0a")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "y")
    await agent.run("mv old new; printf '\\0b' > a.gz; chmod +x a.py")

    expected = [
        f"a.gz:1 +0 {MINUS}0  binary",
        f"a.py:1 +0 {MINUS}0  mode 644 → 755",
        f"new:1 +0 {MINUS}0  renamed from old",
    ]
    assert await listed(nvim, "ClaudeReview turn") == expected
    await nvim.keys("s")
    await until(lambda: nvim.eval("len(getqflist()) == 2"), "it is kept")
    assert await listed(nvim, "ClaudeReview!") == expected[1:]


async def test_files_are_compared_with_a_commit(
    nvim: Neovim, path: Path, agent: Agent, repository: Path
) -> None:
    await agent.write({path: AFTER})
    await nvim.command("ClaudeKeep!")
    await drawn(nvim)

    assert len(await listed(nvim, "ClaudeReview base HEAD")) == 2
    await nvim.command("wincmd p")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.command("2ClaudeRevert")
    await drawn(nvim, "5-five", "5+1")
    await nvim.command("ClaudeReview base nothing")
    await says(nvim, "git knows no nothing")


async def test_the_agent_learns_what_was_reverted(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: AFTER})
    await nvim.command("2ClaudeRevert")
    await reads(path, AFTER.replace("TWO", "two"))

    told = await agent.prompt()

    note = json.loads(told)["hookSpecificOutput"]["additionalContext"]
    assert f"{path.name}:\n-TWO\n+two" in note
    assert "reverted" not in str(await agent.prompt())
    await says(nvim, f"Claude now knows that you reverted 1 change in {path.name}")


async def test_what_the_user_writes_is_theirs(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")

    await nvim.keys("ggOmine<Esc>")
    await drawn(nvim, "3-two", "3+1", "6-five", "6+1")
    await nvim.command("write")
    await nvim.command("ClaudeRevert!")
    await reads(path, f"mine\n{BEFORE}")


async def test_lines_of_the_agent_that_the_user_has_changed_are_asked_for(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.lua(CHOOSE, 1)
    await nvim.command("2 | normal! A!")
    await nvim.command("write")

    await nvim.command("ClaudeRevert")

    await reads(path, AFTER.replace("TWO", "two"))
    assert "you have changed lines of this" in await nvim.eval("g:asked")


async def test_a_commit_keeps_what_it_contains(
    nvim: Neovim, path: Path, agent: Agent, repository: Path
) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")

    git(repository, "commit", "-qam", "z")

    await drawn(nvim)
    await says(nvim, f"reviewed by the commit: {path.name}")


async def test_an_edit_that_the_user_was_asked_about_is_not_listed(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER.replace("FIVE", "five")})
    await drawn(nvim, "2-two", "2+1")
    tool = {"tool_name": "Edit", "tool_use_id": "t9", "tool_input": {"file_path": str(path)}}
    await agent.prompt()
    await agent.cli.send("PreToolUse", **tool)
    asking = asyncio.ensure_future(agent.cli.send("PermissionRequest", **tool))
    await until(lambda: nvim.eval("len(filter(getwininfo(), 'v:val.wincol')) > 2"), "it is asked")
    path.write_text(AFTER)
    await agent.cli.send("PostToolUse", **tool)
    asking.cancel()

    await drawn(nvim, "2-two", "2+1")


async def test_remarks_are_shown_and_sent_together(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")

    await nvim.command("2ClaudeComment why?")
    await nvim.command("4ClaudeComment and this?")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1", "2» why?", "4» and this?")
    await nvim.command("4ClaudeComment!")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1", "2» why?")
    await nvim.command("ClaudeReview yank")
    await says(nvim, "the remarks are yanked")
    assert await nvim.eval("getreg('\"')") == f"{path.name}:2\n```\nTWO\n```\nwhy?\n"


async def test_the_path_of_a_remark_begins_no_command(
    nvim: Neovim, repository: Path, agent: Agent
) -> None:
    for name in BEGINNINGS:
        path = repository / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("one\n")
        await edit(nvim, path)
        await nvim.command("1ClaudeComment look")
    await until(lambda: nvim.eval(f"len(claude_ide#review().remarks) == {len(BEGINNINGS)}"))

    await nvim.command("ClaudeReview yank")

    await says(nvim, "the remarks are yanked")
    parts = [f"{BEGINNINGS[name]}:1\n```\none\n```\nlook" for name in sorted(BEGINNINGS)]
    assert await nvim.eval("getreg('\"')") == "\n\n".join(parts) + "\n"


async def test_a_remark_without_words_is_written_in_a_buffer(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await nvim.command("3ClaudeComment")
    await until(lambda: nvim.eval("bufname() =~ '^Remark'"), "a buffer opens")
    await nvim.keys("Why?<Esc>")
    await nvim.command("write")
    await until(lambda: nvim.eval("bufname() !~ '^Remark'"), "the buffer closes")

    await drawn(nvim, "3» Why?")


async def test_without_anything_to_review_a_line_says_so(nvim: Neovim, agent: Agent) -> None:
    for command in ("ClaudeReview", "ClaudeKeep", "ClaudeRevert all", "ClaudeReview send"):
        await nvim.command("messages clear")
        await nvim.command(command)
        await says(nvim, "nothing waits for review\\|there is no remark")
    assert not [*agent.folder.glob("claude*")]


async def test_keys_are_there_as_long_as_something_waits(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    await nvim.lua(CONFIGURE, {"review": {"keys": {"keep": "gk", "next": "]h"}}})
    assert await nvim.eval("maparg('gk')") == ""

    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.keys("gg]hgk]hgk")

    await drawn(nvim)
    assert await nvim.eval("maparg('gk')") == ""


async def test_scripts_see_what_waits(nvim: Neovim, path: Path, agent: Agent) -> None:
    await agent.write({path: AFTER})
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1")
    await nvim.command("2ClaudeComment why?")
    await drawn(nvim, "2-two", "2+1", "5-five", "5+1", "2» why?")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks)"))

    value = await nvim.lua("return require('claude_ide').review()")

    assert value == {
        "files": [
            {
                "path": str(path),
                "status": "modified",
                "hunks": [
                    {"first": 2, "last": 2, "added": 1, "removed": 1, "text": "TWO\n"},
                    {"first": 5, "last": 5, "added": 1, "removed": 1, "text": "FIVE\n"},
                ],
            }
        ],
        "remarks": [{"path": str(path), "first": 2, "last": 2, "words": "why?", "state": "open"}],
        "unknown": [],
    }
    status = await nvim.lua("return require('claude_ide').statusline()")
    assert "review 1 file, 2 hunks, 1 remark" in status


async def test_a_private_file_gets_no_remark(nvim: Neovim, project: Path) -> None:
    (project / ".env").write_text("TOKEN=1\n")
    await edit(nvim, project / ".env")

    await nvim.command("ClaudeComment look")

    await says(nvim, ".env stays in Neovim")
    assert not await nvim.eval("claude_ide#review().remarks")


async def test_without_git_remarks_below_the_working_folder_are_sent_with_paths_from_there(
    nvim: Neovim, project: Path
) -> None:
    (project / "sub").mkdir()
    for count, path in enumerate((project / "sub" / "b.py", project / "a.py"), 1):
        path.write_text("one\n")
        await edit(nvim, path)
        await nvim.command("1ClaudeComment look")
        remarked = f"len(claude_ide#review().remarks) == {count}"
        await until(lambda condition=remarked: nvim.eval(condition), path.name)  # type: ignore[misc]

    await nvim.command("ClaudeReview yank")

    await says(nvim, "the remarks are yanked")
    parts = [f"{name}:1\n```\none\n```\nlook" for name in ("a.py", "sub/b.py")]
    assert await nvim.eval("getreg('\"')") == "\n\n".join(parts) + "\n"


async def test_hunks_are_drawn_where_the_user_gets_to_them(
    nvim: Neovim, path: Path, agent: Agent
) -> None:
    lines = [f"{number}" for number in range(1, 1001)]
    put(path, "\n".join(lines) + "\n")
    await until(lambda: nvim.eval("line('$') == 1000"))
    changed = [f"{line}!" if int(line) in (2, 500, 1000) else line for line in lines]
    await agent.write({path: "\n".join(changed) + "\n"})
    await drawn(nvim, "2-2", "2+1")

    await nvim.keys("500G")
    await drawn_also(nvim, "500-500", "500+1")
    await nvim.keys("G")
    await drawn_also(nvim, "1000-1000", "1000+1")
