"""A random walk through sessions in worktrees, with a real editor and git, and records of a CLI.

After each step the list of sessions agrees with that of the CLI, and the worktrees in it with those
of git; no line that was written, in a commit or not, is lost unless the user gave it up by name.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from support import background_cli
from support.either_editor import Editor, choose_item, configure, on_screen, type_answer
from support.neovim import Neovim, until
from support.session_records import Records
from support.vim import Vim
from support.worktrees import all_text, git, make_trunk

NAMES = ("fish", "bird")
numbers = st.integers(0, 1)
answers = st.lists(st.integers(0, 1), min_size=8, max_size=8)
WRITES = "With a message of your own"
WAYS = ("Merge", "Squash", "Rebase", "Keep it for later", "Discard it", "Review")
DONE = "claude-ide: "
"""A message of ours ends a command, unless a question does."""

QUESTIONS = {
    "Stop it?": ("Stop it", "Keep it"),
    "→ trunk": WAYS,
    "Commit it:": (WRITES, "Not now"),
    "Remove the worktree": ("Remove them", "Keep them"),
    "Lose what": ("Lose it for good", "Keep it"),
    "is under way in": ("Go on", "Abort"),
}
LAST = ("Keep it", "Keep it for later", "Not now", "Keep them", "Review")
"""Answers after which nothing else comes."""

ROUNDS, STEPS = int(os.environ.get("ROUNDS", "3")), 12
"""As in `make soak`; `SEED` takes others than the usual rounds."""


class Walk(RuleBasedStateMachine):
    """One editor at a time, two names of sessions, agents that write, and the user."""

    kind: type[Neovim] | type[Vim]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.temporary = Path(tempfile.mkdtemp(prefix="walk-"))
        self.project, self.config = self.temporary / "project", self.temporary / "config"
        for folder in (self.project, self.config, self.temporary / "home"):
            folder.mkdir()
        (self.project / "a.txt").write_text("first\n")
        (self.project / ".gitignore").write_text(".claude\n")
        make_trunk(self.project)
        self.script = self.temporary / "claude"
        shutil.copy(background_cli.__file__, self.script)
        self.script.chmod(0o755)
        self.count = 0
        self.written: dict[str, str] = {}
        """Each line that was written, and the worktree in which it was."""
        self.steps: list[str] = []
        self.editor: Editor = self.runner.run(self.started())

    async def started(self) -> Editor:
        given = {"CLAUDE_CONFIG_DIR": str(self.config)}
        editor = await self.kind.start(
            cwd=self.project, home=self.temporary / "home", env=given, columns=140
        )
        await configure(editor, cmd=[sys.executable, "-I", "-S", str(self.script)], hooks=False)
        await editor.command("ClaudeStart")
        await on_screen(editor, "ready (")
        await self.sessions(editor)
        return editor

    def teardown(self) -> None:
        self.runner.run(self.editor.stop())
        for each in self.running():
            os.kill(each["pid"], 9)
        self.runner.close()
        shutil.rmtree(self.temporary, ignore_errors=True)

    # Helpers.

    def root(self, name: str) -> Path:
        return self.project / ".claude/worktrees" / name

    def running(self) -> list[dict[str, Any]]:
        """Return what the CLI itself lists."""
        listed = subprocess.run(
            [sys.executable, "-I", "-S", str(self.script), "agents", "--json"],
            env={**os.environ, "CLAUDE_CONFIG_DIR": str(self.config)},
            capture_output=True,
            check=True,
        )
        return list(json.loads(listed.stdout))

    def records(self) -> dict[str, dict[str, Any]]:
        """Return the records of what runs, by name."""
        return {each["name"]: each for each in background_cli.running(self.config)}

    def rooted(self) -> list[str]:
        return [name for name in NAMES if self.root(name).exists()]

    async def sessions(self, editor: Editor) -> list[dict[str, Any]]:
        if isinstance(editor, Vim):
            return list(await editor.eval("claude_ide#sessions()"))
        return list(await editor.lua("return require('claude_ide').sessions()"))

    async def clear(self) -> None:
        is_vim = isinstance(self.editor, Vim)
        await self.editor.command("call popup_clear()" if is_vim else "echo ''")
        await self.editor.command("redraw!")
        await until(lambda: DONE not in self.editor.screen.text(), "no message")

    def everything(self) -> str:
        """Return all that is in a commit of a branch, or in a file of a worktree."""
        return all_text(self.project, map(self.root, NAMES))

    def check(self) -> None:
        self.runner.run(self.agrees())
        found = self.everything()
        lost = [line for line in self.written if line not in found]
        assert not lost, (lost, self.steps)

    async def agrees(self) -> None:
        def of_cli() -> list[tuple[str, str]]:
            return sorted((each["jobId"], each["status"]) for each in self.running())

        async def is_same() -> bool:
            found = [
                each
                for each in await self.sessions(self.editor)
                if each["kind"] == "background" and each["pid"]
            ]
            states = {"busy": "works", "waiting": "waits", "idle": "idle"}
            listed = sorted((each["id"][:8], each["state"]) for each in found)
            trees = set(git(self.project, "worktree", "list").split())
            assert all(each["worktree"] in trees for each in found), found
            return listed == [(id_, states[status]) for id_, status in of_cli()]

        await until(is_same, f"the same list after {self.steps}")

    async def merge(self, name: str, answers: list[int], ways: list[str]) -> None:
        """Run `:ClaudeMerge`, and answer what it asks."""
        await self.clear()
        await self.editor.command(f"ClaudeMerge {name}")
        for answer in answers:
            asked = await until(self.question, f"a question, or the end, after {self.steps}")
            if asked == DONE:
                return
            if asked == "Message":
                await type_answer(self.editor, "<CR>")
                if self.steps[-2:] == ["  → trunk Squash", "  Commit it: " + WRITES]:
                    self.steps.append("  the squash")
                    # The same question is then about the squash.
                    await until(lambda: not git(self.root(name), "status", "-s"), "a commit")
                    continue
            else:
                choices = QUESTIONS[asked]
                chosen = ways[0] if asked == "→ trunk" else choices[answer % len(choices)]
                if chosen == "Lose it for good":
                    self.written = {line: at for line, at in self.written.items() if at != name}
                self.steps.append(f"  {asked} {chosen}")
                await choose_item(self.editor, chosen)
                if chosen in LAST:
                    break
            await until(lambda: self.question() != asked, "the next question")  # noqa: B023
        await self.leave()

    def question(self) -> str:
        shown = self.editor.screen.text()
        if "Message of the commit" in shown:
            return "Message"
        found = next((words for words in QUESTIONS if words in shown), "")
        return found or (DONE if DONE in shown else "")

    async def leave(self) -> None:
        """Answer nothing any more."""
        await until(lambda: self.question() in ("", DONE), "no question")

    # Steps. A number chooses one of those that are possible.

    @precondition(lambda self: len(self.records()) < len(NAMES))
    @rule(number=numbers)
    def begin(self, number: int) -> None:
        free = [name for name in NAMES if name not in self.records()]
        name = free[number % len(free)]
        self.steps.append(f"begin {name}")

        async def run() -> None:
            await self.clear()
            await self.editor.command(f"ClaudeBackground! --name={name} do it")
            begun = "backgrounded · "
            await until(lambda: begun in self.editor.screen.text(), f"{begun}after {self.steps}")

        self.runner.run(run())
        self.check()

    @precondition(lambda self: self.rooted())
    @rule(number=numbers, commits=st.booleans(), file=st.sampled_from(["a.txt", "b.txt"]))
    def work(self, number: int, commits: bool, file: str) -> None:
        name = self.rooted()[number % len(self.rooted())]
        root = self.root(name)
        if (self.project / ".git/worktrees" / name / "rebase-merge").exists():
            return
        self.count += 1
        line = f"line-{self.count}-of-{name}"
        self.steps.append(f"work {line} {file} {commits}")
        path = root / file
        path.write_text((path.read_text() if path.exists() else "") + line + "\n")
        self.written[line] = name
        if commits:
            git(root, "add", ".")
            git(root, "commit", "-qm", line)
        self.check()

    @precondition(lambda self: not git(self.project, "status", "--porcelain"))
    @rule()
    def work_in_main(self) -> None:
        self.count += 1
        line = f"line-{self.count}-of-main"
        self.steps.append(f"main {line}")
        path = self.project / "a.txt"
        path.write_text(path.read_text() + line + "\n")
        git(self.project, "commit", "-qam", line)
        self.written[line] = "main"
        self.check()

    @precondition(lambda self: self.records())
    @rule(number=numbers, status=st.sampled_from(["waiting", "idle", "busy"]))
    def asks(self, number: int, status: str) -> None:
        record = [*self.records().values()][number % len(self.records())]
        self.steps.append(f"{status} {record['name']}")
        Records(self.config).process(**{"session": "", **record, "status": status})
        self.check()

    @precondition(lambda self: self.records())
    @rule(number=numbers)
    def attach_and_detach(self, number: int) -> None:
        record = [*self.records().values()][number % len(self.records())]
        self.steps.append(f"attach {record['name']}")

        async def run() -> None:
            # A review leaves its list open.
            before = await self.editor.eval("winnr('$')")
            await self.editor.command(f"Claude attach {record['jobId']}")
            await on_screen(self.editor, "attached to ")
            keys = "<C-w>:bwipeout!<CR>" if isinstance(self.editor, Vim) else r"<C-\><C-n>:bw!<CR>"
            await self.editor.keys(keys)
            is_gone = f"winnr('$') == {before} && mode() ==# 'n'"
            await until(lambda: self.editor.eval(is_gone), f"no terminal after {self.steps}")

        self.runner.run(run())
        assert record["name"] in self.records()
        self.check()

    @precondition(lambda self: self.records())
    @rule(number=numbers, by_force=st.booleans())
    def end(self, number: int, by_force: bool) -> None:
        record = [*self.records().values()][number % len(self.records())]
        self.steps.append(f"end {record['name']} {by_force}")
        os.kill(record["pid"], 9 if by_force else 15)
        self.check()

    @precondition(lambda self: self.rooted())
    @rule(number=numbers, answers=answers, ways=st.permutations(WAYS))
    def merge_or_discard(self, number: int, answers: list[int], ways: list[str]) -> None:
        name = self.rooted()[number % len(self.rooted())]
        self.steps.append(f"merge {name}")
        self.runner.run(self.merge(name, answers, ways))
        self.check()

    @precondition(lambda self: len(self.steps) > 3 and self.steps[-1] != "kill")
    @rule()
    def kill_the_editor(self) -> None:
        self.steps.append("kill")

        async def run() -> None:
            self.editor.process.kill()
            await self.editor.stop()
            self.editor = await self.started()

        self.runner.run(run())
        self.check()


@pytest.mark.parametrize("kind", [Neovim, Vim])
def test_no_line_is_lost_and_the_list_agrees(kind: type[Neovim] | type[Vim]) -> None:
    of_kind = type(f"{kind.__name__}Walk", (Walk,), {"kind": kind})
    run_state_machine_as_test(
        of_kind,
        settings=settings(
            max_examples=ROUNDS,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize="SEED" not in os.environ,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
