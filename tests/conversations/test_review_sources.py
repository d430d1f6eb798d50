"""Whatever an agent writes with is in the review, and what the user has accepted is not."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.acp import script as acp
from support.acp.chatting import Start, diff_is_open
from support.acp.script import Make, Step
from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, choose, configure, on_screen
from support.happenings import HookedCli, follow
from support.neovim import Neovim, until
from support.panel import Panel
from support.reviews import Agent, git, make_repository, prompted_cli

SLOW_GIT = """#!/bin/sh
case "$*" in *status*) while [ -e {held} ]; do sleep 0.05; done ;; esac
exec {git} "$@"
"""
MINUS = "\N{MINUS SIGN}"
BEFORE, AFTER = "one\ntwo\nthree\n", "one\nTWO\nthree\n"
WRITER = acp.result(
    {
        "protocolVersion": 1,
        "agentCapabilities": {},
        "agentInfo": {"name": "gemini-cli", "title": "Fake", "version": "1"},
    }
)
"""An agent that writes files through the editor."""


@pytest.fixture
def repository(path: Path) -> Path:
    """A repository with the file."""
    make_repository(path.parent)
    return path.parent


@pytest.fixture
async def agent(nvim: Editor, repository: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of `:Claude`."""
    cli = prompted_cli(tmp_path)
    await configure(nvim, cmd=str(cli))
    await follow(nvim)
    await nvim.command("Claude")
    started = await HookedCli.started(cli.with_name("cli-1.json"))
    await nvim.command("stopinsert | wincmd t")
    return Agent(started, repository)


async def waits(nvim: Editor, *expected: str) -> None:
    """Wait until these files wait, with their numbers of hunks."""

    async def found() -> bool:
        review: Any = await nvim.eval("claude_ide#review()")
        files = [f"{Path(each['path']).name} {len(each['hunks'])}" for each in review["files"]]
        return sorted(files) == sorted(expected)

    await until(found, f"{expected} wait")


async def says(nvim: Editor, words: str) -> None:
    await until(lambda: nvim.eval(f"execute('messages') =~ '{words}'"), words)


@BOTH
async def test_what_a_notebook_edit_and_a_subagent_write_is_listed(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    notebook = path.with_name("a.ipynb")
    notebook.write_text('{\n "cells": []\n}\n')
    git(path.parent, "add", "-A")
    git(path.parent, "commit", "-qm", "y")
    await agent.prompt()
    work = lambda: notebook.write_text('{\n "cells": [1]\n}\n')  # noqa: E731
    await agent.tool("NotebookEdit", work, notebook_path=str(notebook))
    tool = {"tool_name": "Edit", "tool_use_id": "s1", "tool_input": {"file_path": str(path)}}
    await agent.cli.send("PreToolUse", **tool, agent_id="sub")
    path.write_text(AFTER)
    await agent.cli.send("PostToolUse", **tool, agent_id="sub")
    await agent.cli.send("Stop")

    await waits(nvim, "a.ipynb 1", "a.py 1")


@BOTH
async def test_a_turn_that_the_user_stops_is_complete_after_the_next_prompt(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    other = path.with_name("b.txt")
    await agent.prompt()
    tool = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": str(path)}}
    await agent.cli.send("PreToolUse", **tool)
    path.write_text(AFTER)
    tool = {"tool_name": "Bash", "tool_use_id": "t2", "tool_input": {"command": "x"}}
    await agent.cli.send("PreToolUse", **tool)
    other.write_text("new\n")

    await agent.prompt()

    await waits(nvim, "a.py 1", "b.txt 1")


@BOTH
async def test_an_edit_without_a_question_after_a_rejected_one_is_listed(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.prompt()
    given = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}}
    await agent.cli.send("PreToolUse", tool_use_id="t1", **given)
    asked = agent.cli.send("PermissionRequest", tool_use_id="t1", **given)
    asking = asyncio.ensure_future(asked)
    await on_screen(nvim, "Edit")
    await agent.cli.send("PermissionDenied", tool_use_id="t1", **given)
    asking.cancel()
    await agent.tool("Edit", lambda: path.write_text(AFTER), file_path=str(path))

    await waits(nvim, "a.py 1")


@BOTH
async def test_what_a_command_may_have_written_elsewhere_is_said(
    nvim: Editor, agent: Agent, tmp_path: Path
) -> None:
    await agent.run(f"echo x > {tmp_path}/elsewhere")
    await until(lambda: nvim.eval("!empty(claude_ide#review().unknown)"), "the line")

    await nvim.command("ClaudeReview")
    line = f"commands may have changed files outside of this folder, such as {tmp_path}/elsewhere"
    await until(lambda: nvim.eval(f"map(getqflist(), 'v:val.text') ==# ['{line}']"), line)
    await nvim.command("cclose | ClaudeKeep all")
    await until(lambda: nvim.eval("empty(claude_ide#review().unknown)"), "it is decided")
    await nvim.command("ClaudeReview")
    await says(nvim, "nothing waits for review")


@BOTH
@pytest.mark.parametrize("tool", ["Bash", "Edit"])
async def test_what_a_tool_writes_before_a_slow_git_has_answered_is_listed(
    nvim: Editor, path: Path, repository: Path, tmp_path: Path, tool: str
) -> None:
    held, other, gone = tmp_path / "held", repository / "b.txt", repository / "gone"
    for each in (other, gone):
        each.write_text(BEFORE)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "y")
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text(SLOW_GIT.format(held=held, git=shutil.which("git")))
    slow.chmod(0o755)
    await nvim.command(f"let $PATH = '{slow.parent}:' .. $PATH")
    cli = prompted_cli(tmp_path)
    await configure(nvim, cmd=str(cli))
    await nvim.command("Claude")
    agent = Agent(await HookedCli.started(cli.with_name("cli-1.json")), repository)
    await agent.prompt()
    begun = {"tool_name": "Bash", "tool_use_id": "b", "tool_input": {"command": "x"}}
    edit = {"tool_name": "Edit", "tool_use_id": "e", "tool_input": {"file_path": str(path)}}

    held.touch()
    await agent.cli.send("PreToolUse", **begun)
    if tool == "Edit":
        await agent.cli.send("PreToolUse", **edit)
    path.write_text(AFTER)
    other.write_text(AFTER)
    gone.unlink()
    held.unlink()
    if tool == "Edit":
        await agent.cli.send("PostToolUse", **edit)
    await agent.cli.send("PostToolUse", **begun)

    await waits(nvim, "a.py 1", "b.txt 1", "gone 0")


@BOTH
async def test_what_cannot_be_saved_is_reviewed_and_said(
    nvim: Editor, path: Path, agent: Agent, tmp_path: Path
) -> None:
    state = tmp_path / "home/state/claude_ide"
    state.mkdir(parents=True, exist_ok=True)
    (state / "review").write_text("no folder")
    await agent.write({path: AFTER})

    await waits(nvim, "a.py 1")
    line = "the review cannot be saved and ends with this editor"
    await until(lambda: nvim.eval(f"string(claude_ide#review().unknown) =~ '{line}'"), line)
    await nvim.command("2ClaudeComment why?")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 1"), "the remark")
    await until(lambda: nvim.eval("getline(2) ==# 'TWO'"), "the file is read")
    await nvim.command("2ClaudeRevert")
    await waits(nvim)
    await until(lambda: path.read_text() == BEFORE, "it is reverted")


@BOTH
async def test_a_file_whose_stored_text_is_gone_is_listed_and_never_lost(
    nvim: Editor, path: Path, agent: Agent, tmp_path: Path
) -> None:
    await agent.write({path: AFTER})
    await waits(nvim, "a.py 1")
    for text in (tmp_path / "home/state/claude_ide/review").glob("*/texts/*"):
        text.unlink()

    await nvim.command("ClaudeRevert!")
    await says(nvim, "a.py: its earlier content is not known (its stored text is gone)")
    assert path.read_text() == AFTER
    await nvim.command("ClaudeKeep!")
    await waits(nvim)


@BOTH
async def test_what_has_no_lines_to_show_is_listed_and_never_lost(
    nvim: Editor, path: Path, agent: Agent, repository: Path, tmp_path: Path
) -> None:
    (repository / "link").symlink_to("a.py")
    outside = tmp_path / "outside"
    outside.write_text("mine\n")
    large = repository / "large"
    large.write_bytes(b"x\n" * 5_000_000)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "y")

    await agent.prompt()
    await agent.tool("Edit", lambda: large.write_bytes(b"y\n" * 5_000_000), file_path=str(large))
    await agent.tool("Edit", lambda: path.write_text(AFTER), file_path=str(repository / "link"))
    await agent.cli.send("Stop")
    await agent.run(f"ln -sfn {outside} link")
    await waits(nvim, "a.py 1", "large 0", "link 0")
    review: Any = await nvim.eval("claude_ide#review()")
    assert {"large: too large", "link: a link"} <= {*review["unknown"]}

    await until(lambda: nvim.eval(f"getbufline('{path}', 2) ==# ['TWO']"), "the file is read")
    await nvim.command("ClaudeRevert all")
    await says(nvim, "large: its earlier content is not known (too large) (and 1 more)")
    await waits(nvim, "large 0", "link 0")
    assert (path.read_text(), outside.read_text()) == (BEFORE, "mine\n")
    assert (repository / "link").readlink() == outside
    await nvim.command("ClaudeKeep all")
    await waits(nvim)


@BOTH
async def test_what_others_have_just_written_is_not_reverted(
    nvim: Editor, path: Path, agent: Agent, repository: Path
) -> None:
    other, theirs = repository / "b.py", "theirs\n" + AFTER + "theirs\n"
    other.write_text(BEFORE)
    git(repository, "add", "-A")
    await agent.write({path: AFTER, other: AFTER})
    await waits(nvim, "a.py 1", "b.py 1")
    await nvim.command("ClaudeReview")
    await until(lambda: nvim.eval("&buftype ==# 'quickfix' && line('$') == 2"), "the list")
    # The review looks at the folder only if git has written something, or at a command.
    other.write_text(theirs)
    await nvim.keys("Gx")
    await waits(nvim, "a.py 1")
    assert other.read_text() == theirs.replace("TWO", "two")

    await agent.write({other: theirs})
    await waits(nvim, "a.py 1", "b.py 1")
    # While a command runs, the review looks at no file: it may be the command's.
    await agent.cli.send(
        "PreToolUse", tool_name="Bash", tool_use_id="x", tool_input={"command": "x"}
    )
    other.write_text("more\n" + theirs)
    await nvim.command("cclose | ClaudeRevert all")
    await waits(nvim)
    assert other.read_text() == "more\n" + theirs.replace("TWO", "two")


@BOTH
async def test_what_has_come_where_a_revert_writes_or_deletes_is_not_lost(
    nvim: Editor, path: Path, agent: Agent, repository: Path
) -> None:
    moved, new = repository / "b.py", repository / "new.py"
    await agent.run("mv a.py b.py; echo x > new.py")
    await waits(nvim, "b.py 0", "new.py 1")
    path.write_text("mine\n")
    new.write_text("mine\n" * 600_000)

    await nvim.command(f"edit {moved} | ClaudeRevert!")
    await on_screen(nvim, "a.py is there again. Replace it?")
    await choose(nvim, 2)
    await nvim.command("ClaudeRevert all")
    await on_screen(nvim, "a.py is there again. Replace it?")
    await choose(nvim, 1)
    await says(nvim, "new.py: not reverted: too large")
    assert (path.read_text(), moved.exists()) == (BEFORE, False)
    assert new.stat().st_size == 3_000_000
    await nvim.command("ClaudeReview undo")
    await until(lambda: path.read_text() == "mine\n", "the user's file is back")
    assert moved.read_text() == BEFORE


@BOTH
async def test_what_a_client_writes_by_itself_is_listed(
    serving: Editor, claude: ClaudeCode, repository: Path
) -> None:
    await claude.request("writeFile", {"path": "a.py", "content": AFTER})

    await waits(serving, "a.py 1")


async def begin(start: Start, fake: Make, *steps: Step) -> Panel:
    """Have an agent of a chat take these steps in a turn."""
    panel = await start(fake(acp.Script(initialize=[WRITER], prompt=[*steps, acp.say("Done.")])))
    await panel.send("please")
    await panel.nvim.command("stopinsert")
    return panel


async def test_what_an_acp_agent_writes_through_the_editor_is_listed(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path
) -> None:
    new = path.with_name("new.txt")
    write = acp.ask("fs/write_text_file", path=str(path), content=AFTER)
    create = acp.ask("fs/write_text_file", path=str(new), content="new\n")
    done = acp.tool_update("t1", status="completed")
    panel = await begin(start, fake_agent, write, acp.tool("t1", kind="edit"), create, done)

    await waits(nvim, "a.py 1", "new.txt 1")
    await panel.shows("2 files +2")
    await nvim.command(f"edit {path} | 2ClaudeRevert")
    await waits(nvim, "new.txt 1")
    for prompt in ("/init", "go on"):
        await panel.send(prompt)
        await panel.shows(f"» {prompt}")
    shown = await panel.shows("fake now knows that you reverted 1 change in a.py")
    # A slash command tells the agent nothing of it.
    assert shown.index("» go on") < shown.index("now knows")


async def test_what_an_acp_agent_has_written_before_it_reports_it_is_listed(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path
) -> None:
    other, gone, new = (repository / name for name in ("b.txt", "gone", "new.txt"))
    for each in (other, gone):
        each.write_text(BEFORE)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "y")
    edit = {"kind": "edit", "status": "completed"}
    panel = await begin(
        *(start, fake_agent),
        *(acp.write_file(str(path), "one\nTWO\nthree\n"), acp.write_file(str(new), "new\n")),
        acp.tool("t1", **edit, content=[acp.diff(str(path), "two\n", "TWO\n")]),
        acp.tool("t2", **edit, locations=[{"path": str(new)}]),
        acp.write_file(str(path), "one\nTWO\nTHREE\n"),
        acp.tool("t3", **edit, content=[acp.diff(str(path), "three\n", "THREE\n")]),
        acp.write_file(str(other), AFTER),
        acp.tool("t4", kind="execute", status="completed", rawInput={"command": "sed"}),
        acp.delete_file(str(gone)),
        acp.tool("t5", kind="delete", status="completed", locations=[{"path": str(gone)}]),
    )

    await panel.shows(f"4 files +4 {MINUS}6")
    await waits(nvim, "a.py 1", "b.txt 1", "gone 0", "new.txt 1")
    review: Any = await nvim.eval("claude_ide#review()")
    (hunk,) = review["files"][0]["hunks"]
    assert (hunk["added"], hunk["removed"], hunk["text"]) == (2, 2, "TWO\nTHREE\n")
    await nvim.command("ClaudeRevert all")
    await waits(nvim)
    await until(lambda: not new.exists(), "the new file is deleted")
    assert [each.exists() and each.read_text() for each in (path, other, gone, new)] == [
        *(BEFORE, BEFORE, BEFORE, False)
    ]


async def test_what_the_user_has_written_meanwhile_is_not_an_acp_agents(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path, tmp_path: Path
) -> None:
    ready, other = tmp_path / "ready", repository / "mine.txt"
    tools = [
        acp.tool("t1", kind="execute", status="in_progress", rawInput={"command": "x"}),
        acp.tool_update("t1", status="completed"),
        acp.write_file(str(path), "mine\none\nTWO\nthree\n"),
        acp.tool("t2", kind="edit", status="completed", locations=[{"path": str(path)}]),
    ]
    panel = await begin(start, fake_agent, acp.say("Wait."), acp.until(ready), *tools)
    await panel.shows("Wait.")
    for each, text in ((path, f"mine\n{BEFORE}"), (other, "mine\n")):
        await nvim.command(f"split {each} | %d | 0put ={text!r} | $d | w".replace("'", '"'))
    ready.touch()

    await panel.shows("Done.")
    await waits(nvim, "a.py 1")


async def test_what_the_user_saves_just_before_an_acp_agent_writes_is_theirs(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path, tmp_path: Path
) -> None:
    ready, saved = tmp_path / "ready", "mine\n" + BEFORE
    theirs = saved.replace("two", "TWO")
    edit = {"kind": "edit", "status": "completed", "locations": [{"path": str(path)}]}
    tools = [acp.write_file(str(path), theirs), acp.tool("t1", **edit)]
    panel = await begin(start, fake_agent, acp.say("Wait."), acp.until(ready), *tools)
    await panel.shows("Wait.")
    await nvim.command(f"split {path} | 0put ='mine' | write | ClaudeKeep")
    # By then the host knows of the write.
    await says(nvim, "nothing waits for review in a.py")
    ready.touch()

    await panel.shows("Done.")
    await waits(nvim, "a.py 1")
    await nvim.command("ClaudeRevert all")
    await until(lambda: path.read_text() == saved, "only the agent's line is reverted")


@BOTH
async def test_what_the_user_saves_while_a_command_runs_is_theirs(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    saved = "mine\n" + BEFORE
    tool = {"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "x"}}
    await agent.prompt()
    await agent.cli.send("PreToolUse", **tool)
    await nvim.command("0put ='mine' | write")
    await until(lambda: path.read_text() == saved)
    # The host learns of the user's write before this tool.
    await agent.tool("Read", lambda: None, file_path=str(path))
    path.write_text(saved.replace("two", "TWO"))
    await agent.cli.send("PostToolUse", **tool)

    await waits(nvim, "a.py 1")
    await nvim.command("ClaudeRevert all")
    await until(lambda: path.read_text() == saved, "only the agent's line is reverted")


@pytest.mark.parametrize("is_told", [True, False])
async def test_the_end_of_a_turn_in_a_chat_is_told_as_in_a_terminal(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path, is_told: bool
) -> None:
    await configure(nvim, review={"notify": is_told})
    write = acp.ask("fs/write_text_file", path=str(path), content=AFTER)
    panel = await begin(start, fake_agent, write)
    await panel.shows(f"1 file +1 {MINUS}1 · gd")

    line = f"fake: done, 1 file +1 {MINUS}1 · :ClaudeReview"
    if is_told:
        return await says(nvim, line)
    await nvim.idle(300)
    assert line not in await nvim.eval("execute('messages')")


async def test_what_the_user_has_accepted_of_an_acp_agent_is_not_listed(
    nvim: Neovim, start: Start, fake_agent: Make, path: Path, repository: Path
) -> None:
    new = path.with_name("new.txt")
    content = [acp.diff(str(path), BEFORE, AFTER)]
    asked = acp.permission("t1", kind="edit", title="Edit", content=content)
    write = acp.ask("fs/write_text_file", path=str(path), content=AFTER)
    done = acp.tool_update("t1", status="completed", content=content)
    create = acp.ask("fs/write_text_file", path=str(new), content="new\n")
    panel = await begin(start, fake_agent, asked, write, done, create)
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")

    await panel.shows("Done.")
    await waits(nvim, "new.txt 1")
    assert path.read_text() == AFTER
