"""Sessions of the real CLI in the background: begun, answered, attached to, removed."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET, cli_path, environment, older_cli_path, wait_until_saved
from support.either_editor import (
    BOTH_WITH_CLI,
    Editor,
    choose,
    choose_item,
    configure,
    hidden,
    on_screen,
    record_diffs,
    type_answer,
)
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import until
from support.permissions import entered, shown
from support.vim import Vim
from support.worktrees import git, make_trunk

from .conftest import PRESSES, diff_opened


class Cli:
    """The CLI with the configuration of the editor's, without a terminal."""

    def __init__(self, program: Path, given: dict[str, str], folder: Path) -> None:
        self._program, self._given, self._folder = program, given, folder

    async def run(self, *arguments: str) -> str:
        """Return what a command prints."""
        process = await asyncio.create_subprocess_exec(
            str(self._program),
            *arguments,
            cwd=self._folder,
            env=self._given,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        return said.decode()

    async def sessions(self, *, ended: bool = False) -> list[dict[str, Any]]:
        """Return the sessions in the background as the CLI lists them, with those that `ended`."""
        listed = json.loads(await self.run("agents", "--json", *["--all"] * ended))
        return [each for each in listed if each["kind"] == "background"]


def processes(config: Path) -> dict[int, str]:
    """Return the CLIs that run with this configuration, by their command lines."""
    found = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            given = (each / "environ").read_bytes()
            if f"CLAUDE_CONFIG_DIR={config}\0".encode() in given and each.name != str(os.getpid()):
                command = (each / "cmdline").read_bytes().decode()
                found[int(each.name)] = command.replace("\0", " ")
        except OSError:
            continue
    return found


async def connect(nvim: Editor) -> None:
    """Type `/ide` into the CLI in the current terminal, and choose this editor."""
    await nvim.keys("/ide")
    await on_screen(nvim, "/ide")
    await nvim.idle(500)
    await nvim.keys("<CR>")
    await on_screen(nvim, "Esc to cancel")
    for _ in range(PRESSES):
        if re.search(rf"{CARET}.*[Vv]im", nvim.screen.text()):
            break
        await nvim.keys("<Up>")
        await nvim.idle(300)
    # It may ask another question, and ignores keys while that appears.
    for _ in range(PRESSES):
        if "Connected to " not in nvim.screen.text():
            await nvim.keys("<CR>")
            await nvim.idle(1000)
    await on_screen(nvim, "Connected to ")


async def merge(nvim: Editor, name: str, *answers: str) -> None:
    """Run `:ClaudeMerge`, and give these answers; one with a `<CR>` is typed."""
    await nvim.command(f"ClaudeMerge {name}")
    for answer in answers:
        question, _, given = answer.partition(" > ")
        await on_screen(nvim, question)
        if given.endswith("<CR>"):
            await type_answer(nvim, given)
        else:
            await choose_item(nvim, given)


@pytest.fixture
def path(path: Path) -> Path:
    """The same, in a repository."""
    make_trunk(path.parent)
    return path


@pytest.fixture
async def command(
    cli: Path, nvim_with_cli: Editor, api: FakeApi, tmp_path: Path, config_folder: Path, path: Path
) -> AsyncIterator[Cli]:
    """The CLI; its service and all sessions in the background end with the test."""
    given = environment(api, tmp_path / "home", config_folder)
    # The service of 2.1.197 does not pass it on.
    at = {"env": {"ANTHROPIC_BASE_URL": api.url}}
    (config_folder / "settings.json").write_text(json.dumps(at))
    command = Cli(cli, given, path.parent)
    yield command
    await command.run("daemon", "stop", "--any")


@BOTH_WITH_CLI
async def test_a_session_in_a_worktree_is_answered_and_removed(
    nvim_with_cli: Editor, each_cli: Path, command: Cli, api: FakeApi, path: Path
) -> None:
    nvim = nvim_with_cli
    worktree = path.parent / ".claude/worktrees/fish"
    api.script([tool_use("Bash", command="mkdir made", description="Make")], [text("Made.")])

    await nvim.command("ClaudeBackground! --name=fish Make a folder")

    await on_screen(nvim, "· fish · mode manual")
    await shown(nvim, "mkdir made")
    await entered(nvim, "mkdir made")
    await on_screen(nvim, "Claude (fish) asks")
    await nvim.keys("y")
    await until((worktree / "made").is_dir, "the folder")

    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "background  fish")
    await on_screen(nvim, "worktree-fish")
    await on_screen(nvim, "idle ")
    (listed,) = await command.sessions()
    assert (listed["name"], listed["status"]) == ("fish", "idle")
    await nvim.keys("/background  fish<CR>d")
    await on_screen(nvim, "“fish” is running: stop and remove it?")
    await choose(nvim, 1)

    if each_cli == older_cli_path():
        await on_screen(nvim, "2.1.197 would remove the worktree unchecked")
        assert worktree.exists()
        assert len(await command.sessions()) == 1
        return
    await on_screen(nvim, "removed ")
    assert not worktree.exists()
    assert await command.sessions() == []


@BOTH_WITH_CLI
async def test_an_untrusted_folder_is_refused(
    nvim_with_cli: Editor, each_cli: Path, command: Cli, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nvim = nvim_with_cli
    await nvim.command(f"cd {tmp_path_factory.mktemp('other')}")

    await nvim.command("ClaudeBackground Make a folder")

    is_older = each_cli == older_cli_path()
    refusal = "2.1.197 would run untrusted hooks" if is_older else "Workspace not trusted"
    await on_screen(nvim, refusal)
    assert await command.sessions() == []


@BOTH_WITH_CLI
async def test_attaching_shows_the_session_and_ending_the_terminal_leaves_it(
    nvim_with_cli: Editor, command: Cli, api: FakeApi
) -> None:
    nvim = nvim_with_cli
    api.script([text("The word is swordfish.")])
    await nvim.command("ClaudeBackground --name=fish Which word?")
    await on_screen(nvim, "· fish")
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "idle ")

    await nvim.keys("/background  fish<CR><CR>")

    await on_screen(nvim, "The word is swordfish.")
    await nvim.keys(r"<C-\><C-n>:bwipeout!<CR>")
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "background  fish")
    (listed,) = await command.sessions()
    assert listed["pid"]


@BOTH_WITH_CLI
async def test_the_session_of_a_terminal_goes_on_in_the_background(
    nvim_with_cli: Editor, command: Cli, api: FakeApi
) -> None:
    nvim = nvim_with_cli
    api.script([text("The word is swordfish.")])
    await nvim.command("Claude")
    await on_screen(nvim, CARET)
    await nvim.keys("Which word?")
    await on_screen(nvim, "Which word?")
    await nvim.keys("<CR>")
    await on_screen(nvim, "The word is swordfish.")
    # In its Normal mode, a terminal of Vim shows nothing new.
    await nvim.keys("<C-w>p" if isinstance(nvim, Vim) else r"<C-\><C-n><C-w>p")

    await nvim.command("ClaudeBackground")

    await on_screen(nvim, "goes on in the background · ")
    (listed,) = await command.sessions()
    await until(lambda: nvim.eval("winnr('$') == 1"), "the terminal is closed")
    assert "has not got your words" not in nvim.screen.text()
    api.script([tool_use("Bash", command="mkdir made", description="Make")], [text("Made.")])
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "background  ")
    await nvim.keys("/background<CR><CR>")
    await on_screen(nvim, "The word is swordfish.")
    assert listed["id"]


@BOTH_WITH_CLI
async def test_quitting_waits_until_a_session_that_works_is_in_the_background(
    nvim_with_cli: Editor, command: Cli, api: FakeApi, path: Path
) -> None:
    nvim = nvim_with_cli
    await configure(nvim, terminal={"quit": "background"})
    go = path.parent / "go"
    wait = f"for i in $(seq 900); do [ -e {go} ] && break; sleep 0.1; done; touch made"
    api.script([tool_use("Bash", command=wait, description="Wait")], [text("Made.")])
    await nvim.command("Claude --allowedTools Bash")
    await on_screen(nvim, CARET)
    await nvim.keys("Do it")
    await on_screen(nvim, "Do it")
    await nvim.keys("<CR>")
    await on_screen(nvim, "Wait")
    await nvim.keys("<C-w>p" if isinstance(nvim, Vim) else r"<C-\><C-n><C-w>p")
    assert await command.sessions() == []

    await nvim.keys(":qa<CR>")

    await until(lambda: nvim.process.returncode is not None, "the end")
    (listed,) = await command.sessions()
    assert listed["pid"]


@BOTH_WITH_CLI
async def test_the_next_editor_in_the_folder_answers_what_nobody_has_answered(
    nvim_with_cli: Editor,
    command: Cli,
    api: FakeApi,
    path: Path,
    tmp_path: Path,
    config_folder: Path,
) -> None:
    first = nvim_with_cli
    early = tool_use("Bash", command="mkdir early", description="Begin")
    make = tool_use("Bash", command="mkdir made", description="Make")
    api.script([early], [make], [text("Made.")])
    await first.command("ClaudeBackground! --name=fish Make a folder")
    await shown(first, "mkdir early")
    await entered(first, "mkdir early")
    await first.keys("y")
    await hidden(first, "mkdir early")
    first.process.kill()

    given = environment(api, tmp_path / "home", config_folder)
    del given["PATH"]
    next_ = await type(first).start(
        cwd=path.parent, home=tmp_path / "home", env=given, columns=160, rows=40
    )
    try:
        await configure(next_, cmd=[str(cli_path())])
        await next_.command("ClaudeStart")
        await shown(next_, "mkdir made")
        await entered(next_, "mkdir made")
        await next_.keys("y")
        made = path.parent / ".claude/worktrees/fish/made"
        await until(made.is_dir, "the folder")
    finally:
        await next_.stop()


@BOTH_WITH_CLI
async def test_a_session_that_was_sent_away_still_asks_here(
    nvim_with_cli: Editor, command: Cli, api: FakeApi, path: Path
) -> None:
    nvim = nvim_with_cli
    make = tool_use("Bash", command="mkdir made", description="Make")
    api.script([text("The word is swordfish.")])
    await nvim.command("Claude")
    await on_screen(nvim, CARET)
    await nvim.keys("Which word?")
    await on_screen(nvim, "Which word?")
    await nvim.keys("<CR>")
    await on_screen(nvim, "The word is swordfish.")
    leave = "<C-w>p" if isinstance(nvim, Vim) else r"<C-\><C-n><C-w>p"
    await nvim.keys(leave)
    await nvim.command("ClaudeBackground")
    await on_screen(nvim, "goes on in the background · ")
    (listed,) = await command.sessions()

    api.script([make], [text("Made.")])
    await nvim.command(f"Claude attach {listed['id']}")
    await on_screen(nvim, CARET)
    await nvim.keys("Make it")
    await on_screen(nvim, "Make it")
    await nvim.keys("<CR>")

    # Its own dialog asks the user, who is in its terminal.
    await on_screen(nvim, "mkdir made")
    await nvim.keys(leave)
    await shown(nvim, "mkdir made")
    assert (await command.sessions())[0]["status"] == "waiting"


@BOTH_WITH_CLI
async def test_the_work_of_a_session_is_merged_and_nothing_is_left(
    nvim_with_cli: Editor,
    each_cli: Path,
    command: Cli,
    api: FakeApi,
    path: Path,
    config_folder: Path,
) -> None:
    nvim = nvim_with_cli
    worktree = path.parent / ".claude/worktrees/fish"
    make = "echo fish > made.txt"
    api.script([tool_use("Bash", command=make, description="Make")], [text("Made.")])
    await nvim.command("ClaudeBackground! --name=fish Make a file")
    await shown(nvim, make)
    await entered(nvim, make)
    await nvim.keys("y")
    await until((worktree / "made.txt").is_file, "the file")
    await on_screen(nvim, "one")

    await nvim.command("ClaudeMerge fish")
    await on_screen(nvim, "“fish” runs in fish. Stop it?")
    await choose(nvim, 1)
    await on_screen(nvim, "1 uncommitted file (made.txt)")
    await choose(nvim, 2)
    await on_screen(nvim, "Commit it:")
    await choose(nvim, 2)
    await on_screen(nvim, "Message of the commit:")
    await type_answer(nvim, "<CR>")
    await on_screen(nvim, "Remove the worktree")
    await choose(nvim, 1)

    await on_screen(nvim, "fish is removed with its branch")
    assert (path.parent / "made.txt").read_text() == "fish\n"
    assert not worktree.exists()
    has_record = any(config_folder.glob("jobs/*/state.json"))
    assert has_record == (each_cli == older_cli_path()), "2.1.197 is not asked to remove it"
    assert await command.sessions() == []


async def test_the_chat_takes_over_a_session_after_a_question(
    nvim_with_cli: Editor, command: Cli, api: FakeApi, config_folder: Path
) -> None:
    nvim = nvim_with_cli
    api.script([text("The word is swordfish.")])
    await nvim.command("ClaudeBackground --name=fish Which word?")
    await on_screen(nvim, "· fish")
    # It is idle also before it begins.
    await wait_until_saved("swordfish", config_folder)
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "idle ")
    await nvim.keys("q")
    (listed,) = await command.sessions()

    question = "“fish” runs in the background. Stop it, and go on here?"
    for number in (2, 1):
        await nvim.command(f"ClaudeChat resume {listed['sessionId']}")
        await on_screen(nvim, question)
        await choose(nvim, number)
        await hidden(nvim, question)

    await on_screen(nvim, "The word is swordfish.")
    assert await command.sessions() == []


async def said(nvim: Editor, words: str) -> None:
    """Wait for a message, which that of a file that has changed on disk may follow at once."""
    await until(lambda: nvim.eval(f"execute('messages') =~# '{words}'"), words)


@BOTH_WITH_CLI
async def test_nothing_is_lost_and_nothing_is_left(
    nvim_with_cli: Editor,
    each_cli: Path,
    command: Cli,
    api: FakeApi,
    path: Path,
    tmp_path: Path,
    config_folder: Path,
) -> None:
    project, first = path.parent, nvim_with_cli
    fish, bird = (project / ".claude/worktrees" / name for name in ("fish", "bird"))
    (project / ".gitignore").write_text(".claude\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "ignore")
    make = "echo fish > made.txt"
    api.script_agent(
        "of fish", [tool_use("Bash", command=make, description="Make")], [text("Made.")]
    )
    api.script_agent("of bird", [text("The word is swordfish.")])

    await first.command("ClaudeBackground! --name=fish Do the work of fish")
    await on_screen(first, "· fish · mode")
    await first.command("ClaudeBackground! --name=bird Do the work of bird")
    await on_screen(first, "· bird · mode")
    await shown(first, make)
    first.process.kill()

    given = environment(api, tmp_path / "home", config_folder)
    del given["PATH"]
    nvim = await type(first).start(
        cwd=project, home=tmp_path / "home", env=given, columns=160, rows=40
    )
    try:
        await configure(nvim, cmd=[str(each_cli)])
        await record_diffs(nvim)
        await nvim.command(f"edit {path}")
        await nvim.command("ClaudeStart")
        # A permission that nobody has answered, in the float.
        await shown(nvim, make)
        await entered(nvim, make)
        await nvim.keys("y")
        await until((fish / "made.txt").is_file, "the file")

        # The other one attached and connected: its edit is a diff here.
        await nvim.command("Claude attach bird")
        await on_screen(nvim, "The word is swordfish.")
        await connect(nvim)
        target = bird / path.name
        old = target.read_text()
        api.script_agent("of bird", *edit(target, old, "bird = 1\n", then="Written."))
        await nvim.keys("Change it")
        await on_screen(nvim, "Change it")
        await nvim.keys("<CR>")
        await diff_opened(nvim)
        await nvim.command("ClaudeAccept")
        await until(lambda: target.read_text() == "bird = 1\n", "the edit is written")
        await on_screen(nvim, "Written.")
        await nvim.keys("<C-w>:bwipeout!<CR>" if isinstance(nvim, Vim) else r"<C-\><C-n>:bw!<CR>")
        listed = await command.sessions()
        assert sorted(each["name"] for each in listed) == ["bird", "fish"]

        # One without a conflict.
        await merge(
            nvim,
            "fish",
            "Stop it? > Stop it",
            "→ trunk: > Merge",
            "Commit it: > With a message of your own",
            "Message of the commit: > <CR>",
            "Remove the worktree > Remove them",
        )
        await said(nvim, "fish is removed with its branch")
        assert (project / "made.txt").read_text() == "fish\n"

        # And one with.
        path.write_text("main = 1\n")
        git(project, "commit", "-qam", "change it here")
        await merge(
            nvim,
            "bird",
            "Stop it? > Stop it",
            "→ trunk > Merge",
            "Commit it: > With a message of your own",
            "Message of the commit: > <CR>",
        )
        await said(nvim, "1 in conflict")
        assert "<<<<<<< " in path.read_text()
        path.write_text("main = 1\nbird = 1\n")
        await merge(nvim, "bird", "A merge is under way > Go on")
        await said(nvim, "the merge is done")
        await merge(nvim, "bird", "Remove the worktree > Remove them")
        await said(nvim, "bird is removed with its branch")
        assert path.read_text() == "main = 1\nbird = 1\n"

        assert await command.sessions() == []
        assert git(project, "worktree", "list").splitlines() == [
            line for line in git(project, "worktree", "list").splitlines() if "[trunk]" in line
        ]
        assert git(project, "branch", "--format=%(refname:short)") == "trunk"
        assert git(project, "status", "--porcelain") == ""
        # 2.1.197 is not asked to remove its records.
        has_records = any(config_folder.glob("jobs/*/state.json"))
        assert has_records == (each_cli == older_cli_path())
    finally:
        await nvim.stop()
    await command.run("daemon", "stop", "--any")
    await until(lambda: not processes(config_folder), "no process of the CLI's is left")
    assert [*(tmp_path / "home").rglob("claude_ide/hooks/*")] == []
