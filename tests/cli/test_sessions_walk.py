"""A random walk through sessions of the real CLI in the background, with a real git.

After each step the list agrees with `claude agents --json` and `git worktree list`; no line that
was written, in a commit or not, is lost unless the user gave it up; at the end nothing is left.
"""

import asyncio
import contextlib
import os
import re
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.claude_cli import CARET, environment
from support.either_editor import Editor, choose_item, configure, on_screen, type_answer
from support.fake_api import FakeApi, Request, Turn, text, tool_use
from support.listening import listening
from support.neovim import WAIT_SECONDS, Neovim, until
from support.permissions import enter, look
from support.vim import Vim
from support.worktrees import all_text, git, make_trunk

from .test_background import Cli, processes

SEED, STEPS = int(os.environ.get("SEED", "1")), int(os.environ.get("STEPS", "30"))
NAMES = ("fish", "bird")
STATES = {"busy": "works", "waiting": "waits", "idle": "idle"}
SECONDS = 60.0
COMMAND = re.compile(r"run: `([^`]+)`")
WAYS = ("Merge", "Squash", "Rebase", "Keep it for later", "Discard it")
WINDOWS = "len(filter(range(1, winnr('$')), {_, number -> win_gettype(number) ==# ''}))"
END = "claude-ide: (?!Claude )"
ABOUT_NONE = "aborted|conflict|staged|another|nothing is"
"""Messages after which nothing is asked, which do not name the worktree."""

QUESTIONS = {
    "Stop it?": ("Stop it", "Stop it", "Keep it"),
    "→ trunk": WAYS,
    "Commit it:": ("With a message of your own", "Not now"),
    "Remove the worktree": ("Remove them", "Keep them"),
    "Lose what": ("Lose it for good", "Keep it"),
    "is under way in": ("Go on", "Abort"),
}


def state_of(listed: dict[str, Any]) -> str:
    """Return what the list shows for the state of a session that the CLI lists."""
    # One that its service cannot begin again has failed.
    ended = "failed" if listed.get("state") == "failed" else "ended"
    return STATES.get(listed.get("status", ""), ended)


class Obedient(FakeApi):
    """A model that runs the command in each prompt."""

    def turns_of(self, request: Request) -> deque[Turn]:
        """Return what is said to the new text of a request."""
        found = COMMAND.findall(request.new_text)
        if found:
            return deque([[tool_use("Bash", command=found[-1], description="Write")]])
        return deque([[text("Done.")]])


@pytest.fixture
async def api(cli: Path) -> AsyncIterator[FakeApi]:
    """The stand-in for the model."""
    api = Obedient()
    async with listening(api._serve) as api.port:
        yield api


class Walk:
    """One editor at a time, two names of sessions, and the user."""

    def __init__(
        self,
        kind: type[Neovim] | type[Vim],
        random: Random,
        project: Path,
        given: dict[str, str],
        cli: Path,
    ) -> None:
        self.kind, self.random, self.project, self.cli = kind, random, project, cli
        self.given = given
        self.config = Path(given["CLAUDE_CONFIG_DIR"])
        self.command = Cli(cli, given, project)
        self.count = 0
        self.written: dict[str, str] = {}
        """Each line that was written, and the worktree in which it was."""
        self.asked: dict[str, str] = {}
        """The lines that sessions want to write, and the worktrees."""
        self.steps: list[str] = []
        self.editor: Editor

    async def start(self) -> None:
        given = {key: value for key, value in self.given.items() if key != "PATH"}
        self.editor = await self.kind.start(
            cwd=self.project, home=Path(given["HOME"]), env=given, columns=160, rows=40
        )
        await configure(self.editor, cmd=[str(self.cli)])
        await self.editor.command("ClaudeStart")
        await on_screen(self.editor, "ready (")
        await self.sessions()

    # What is there.

    def root(self, name: str) -> Path:
        return self.project / ".claude/worktrees" / name

    def rooted(self) -> list[str]:
        return [name for name in NAMES if (self.root(name) / ".git").exists()]

    async def sessions(self) -> list[dict[str, Any]]:
        if isinstance(self.editor, Vim):
            return list(await self.editor.eval("claude_ide#sessions()"))
        return list(await self.editor.lua("return require('claude_ide').sessions()"))

    async def running(self) -> dict[str, dict[str, Any]]:
        """Return what the CLI lists as running, by name; what it begins again has no process."""
        return {each["name"]: each for each in await self.command.sessions() if each.get("pid")}

    def everything(self) -> str:
        """Return all that is in a commit of a branch, or in a file of a worktree."""
        return all_text(self.project, map(self.root, NAMES))

    def line(self, where: str) -> str:
        self.count += 1
        return f"line-{self.count}-of-{where}"

    def choose(self, *of: str) -> str:
        return self.random.choice([*of])

    # The check.

    async def check(self) -> None:
        found = self.everything()
        for line in [line for line in self.asked if line in found]:
            self.written[line] = self.asked.pop(line)
        lost = [line for line in self.written if line not in found]
        assert not lost, (lost, self.steps)
        told: tuple[Any, Any] = ((), ())

        async def is_same() -> bool:
            nonlocal told
            listed = await self.command.sessions(ended=True)
            shown = [each for each in await self.sessions() if each["kind"] == "background"]
            told = (
                sorted((each["id"], state_of(each)) for each in listed),
                sorted((each["id"][:8], each["state"]) for each in shown),
            )
            trees = git(self.project, "worktree", "list", "--porcelain").splitlines()
            of_git = {each.removeprefix("worktree ") for each in trees}
            return told[0] == told[1] and all(each["worktree"] in of_git for each in shown)

        try:
            await self.until(is_same, "the same list")
        except AssertionError as error:
            error.add_note(str(told))
            raise
        branches = git(self.project, "branch", "--format=%(refname:short)").split()
        assert {*branches} <= {"trunk", *(f"worktree-{name}" for name in NAMES)}, branches

    async def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait for a condition; a failure has the steps and the screen."""
        try:
            return await until(condition, what, SECONDS)
        except AssertionError as error:
            error.add_note("\n".join([*self.steps, self.editor.screen.text()]))
            # At a question, Neovim tells none.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS):
                    error.add_note(str(await self.editor.eval("execute('messages')")))
            raise

    async def said(self, words: str) -> None:
        await self.until(lambda: words in self.editor.screen.text(), words)

    async def clear(self) -> None:
        """Remove messages, so that those of the next step are new."""
        is_vim = isinstance(self.editor, Vim)
        await self.editor.command("call popup_clear()" if is_vim else "echo ''")
        await self.editor.command("messages clear")
        await self.editor.command("redraw!")

    # Steps.

    async def begin(self) -> None:
        running = await self.running()
        free = [name for name in NAMES if name not in running]
        if not free:
            return
        name = self.choose(*free)
        line = self.line(name)
        self.steps.append(f"begin {name} {line}")
        prompt = f"run: `echo {line} >> {name}.txt`"
        has_branch = git(self.project, "branch", "--list", f"worktree-{name}")
        await self.clear()
        await self.editor.command(f"ClaudeBackground! --name={name} {prompt}")
        if has_branch and name not in self.rooted():
            return await self.said(f"would reset the branch worktree-{name}")
        await self.said("backgrounded · ")
        self.asked[line] = name

        async def has_asked() -> bool:
            return (await self.running()).get(name, {}).get("status") == "waiting"

        await self.until(has_asked, f"{name} asks")

    async def answer(self) -> None:
        """Answer what is in the float."""
        running = await self.running()
        if not any(each.get("status") == "waiting" for each in running.values()):
            return
        shown = await self.until(lambda: look(self.editor), "a float")
        key = self.choose("y", "y", "n")
        line = re.search(r"line-\d+-of-\w+", shown["text"])
        assert line is not None, shown
        self.steps.append(f"answer {key} {line[0]}")
        await enter(self.editor)
        now = (await look(self.editor))["text"]
        assert line[0] in now, (line[0], now)
        await self.editor.keys(key)
        name = self.asked[line[0]]
        if key == "y":
            await self.until(lambda: line[0] in self.everything(), "written")
        else:
            del self.asked[line[0]]

        async def goes_on() -> bool:
            return (await self.running()).get(name, {}).get("status") != "waiting"

        await self.until(goes_on, f"{name} goes on")
        if (await look(self.editor)).get("is_inside"):
            await self.editor.keys("q")

    async def attach(self) -> None:
        """Attach, have it write a line if it is idle, and detach."""
        running = await self.running()
        if not running:
            return
        name = self.choose(*running)
        types = running[name].get("status") == "idle" and self.random.random() < 0.6
        self.steps.append(f"attach {name} {types}")
        before = await self.editor.eval(WINDOWS)
        await self.editor.command(f"Claude attach {name}")
        await self.said(CARET)
        if types:
            line = self.line(name)
            self.steps.append(f"  type {line}")
            prompt = f"run: `echo {line} >> {name}.txt`"
            await self.editor.keys(prompt)
            await self.said(line)
            self.asked[line] = name
            await self.editor.keys("<CR>")

            async def has_asked() -> bool:
                return (await self.running()).get(name, {}).get("status") == "waiting"

            await self.until(has_asked, f"{name} asks")
        is_vim = isinstance(self.editor, Vim)
        await self.editor.keys("<C-w>:bwipeout!<CR>" if is_vim else r"<C-\><C-n>:bwipeout!<CR>")
        is_gone = f"{WINDOWS} == {before} && mode() ==# 'n'"
        await self.until(lambda: self.editor.eval(is_gone), "no terminal")
        assert name in await self.running(), self.steps

    async def press(self, key: str, name: str, *states: str) -> None:
        """Press a key of the list on a session, once it is in one of these states, if any."""
        await self.clear()
        await self.editor.command("ClaudeSessions")
        line = rf"(?:{'|'.join(states)}).*background  {name}"
        await self.until(lambda: re.search(line, self.editor.screen.text()), line)
        await self.editor.keys(f"gg/background  {name}<CR>{key}")

    async def stop(self) -> None:
        running = await self.running()
        if not running:
            return
        name = self.choose(*running)
        self.steps.append(f"stop {name}")
        # The service of the CLI begins one again that was killed.
        await self.press("s", name, *STATES.values())

        async def has_ended() -> bool:
            return name not in await self.running()

        await self.until(has_ended, f"{name} has ended")
        self.forget(name)
        await self.editor.keys("q")

    def forget(self, name: str) -> None:
        """What a session that has ended wanted to write is not written."""
        self.asked = {line: at for line, at in self.asked.items() if at != name}

    async def remove(self) -> None:
        listed = await self.command.sessions(ended=True)
        if not listed:
            return
        name = self.choose(*sorted({each["name"] for each in listed}))
        way = self.choose("Remove it", "Keep it")
        self.steps.append(f"remove {name} {way}")
        await self.press("d", name)
        await self.until(
            lambda: re.search(r"stop and remove it|with its worktree", self.editor.screen.text()),
            "a question",
        )
        await self.choose_until_gone(way, "Remove it")
        if way == "Remove it":
            await self.until(
                lambda: re.search(r"removed [0-9a-f]|kept [0-9a-f]", self.editor.screen.text()),
                "an answer",
            )
            if name not in await self.running():
                self.forget(name)
        await self.editor.keys("q")

    async def work(self) -> None:
        """Write to a worktree as its user."""
        if not self.rooted():
            return
        name = self.choose(*self.rooted())
        root = self.root(name)
        if (self.project / ".git/worktrees" / name / "rebase-merge").exists():
            return
        commits, file = self.random.random() < 0.6, self.choose("a.txt", "b.txt")
        line = self.line(name)
        self.steps.append(f"work {line} {file} {commits}")
        path = root / file
        path.write_text((path.read_text() if path.exists() else "") + line + "\n")
        self.written[line] = name
        if commits:
            git(root, "add", ".")
            git(root, "commit", "-qm", line)

    async def work_in_main(self) -> None:
        if git(self.project, "status", "--porcelain"):
            return
        line = self.line("main")
        self.steps.append(f"main {line}")
        path = self.project / "a.txt"
        path.write_text(path.read_text() + line + "\n")
        git(self.project, "commit", "-qam", line)
        self.written[line] = "main"

    async def merge(self) -> None:
        if not self.rooted():
            return
        await self.finish(self.choose(*self.rooted()), {})

    async def finish(self, name: str, wanted: dict[str, str]) -> None:
        """Run `:ClaudeMerge`, and answer what it asks, some of it as wanted."""
        self.steps.append(f"merge {name}")
        await self.clear()
        await self.editor.command(f"ClaudeMerge {name}")
        last = ""
        for _ in range(12):
            asked = await self.until(
                lambda: self.question(name, last),  # noqa: B023
                "a question, or the end,",
            )
            if asked == "end":
                break
            if asked == "Message":
                await type_answer(self.editor, "<CR>")
                if last == "Commit it:":
                    await self.until(lambda: not git(self.root(name), "status", "-s"), "a commit")
                    # The same question is then about the squash.
                    asked = "" if self.steps[-2] == "  → trunk Squash" else asked
            else:
                chosen = wanted.get(asked) or self.choose(*QUESTIONS[asked])
                self.steps.append(f"  {asked} {chosen}")
                if chosen == "Stop it":
                    self.forget(name)
                if chosen == "Lose it for good":
                    self.written = {line: at for line, at in self.written.items() if at != name}
                await self.choose_until_gone(chosen, asked)
                if chosen in ("Keep it", "Keep it for later", "Not now", "Keep them"):
                    break
            last = asked
        await self.until(lambda: self.question(name, "") in ("", "end"), "no question")

    async def choose_until_gone(self, beginning: str, question: str) -> None:
        """Choose an item: on a busy machine a question discards keys for longer than expected."""

        async def is_gone() -> bool:
            # One that has discarded keys is drawn again.
            if question not in self.editor.screen.text():
                await self.editor.idle(300)
            return question not in self.editor.screen.text()

        for _ in range(5):
            await choose_item(self.editor, beginning)
            with contextlib.suppress(AssertionError):
                await until(is_gone, question, 5.0)
                return

    def question(self, name: str, last: str) -> str:
        """Return what is asked about a worktree, unless it is `last`; "end" after a message."""
        shown = self.editor.screen.text()
        if "Message of the commit" in shown:
            found = "Message"
        else:
            found = next((words for words in QUESTIONS if words in shown), "")
        if not found and re.search(f"{END}[^\n]*({name}|{ABOUT_NONE})", shown):
            found = "end"
        return "" if found == last else found

    async def kill(self) -> None:
        """Kill a session, the CLI's service, or the editor."""
        running = await self.running()
        what = self.choose("editor", "service", *running)
        self.steps.append(f"kill {what}")
        if what in running:
            os.kill(running[what]["pid"], signal.SIGKILL)
            self.forget(what)
        elif what == "service":
            for pid, command in processes(self.config).items():
                if "daemon run" in command:
                    os.kill(pid, signal.SIGKILL)
        else:
            self.editor.process.kill()
            await self.editor.stop()
            await self.start()

    async def end(self) -> None:
        """Give up all that is left, by the commands for it."""
        wanted = {
            "Stop it?": "Stop it",
            "→ trunk": "Discard it",
            "Lose what": "Lose it for good",
            "is under way in": "Abort",
            "Remove the worktree": "Remove them",
        }
        # What one has under way in the main worktree stops the other one.
        for name in NAMES * 4:
            if name in self.rooted():
                await self.finish(name, wanted)
        assert not self.rooted(), "\n".join([*self.steps, self.editor.screen.text()])
        for each in await self.command.sessions(ended=True):
            self.steps.append(f"end {each['name']}")
            await self.press("d", each["name"])
            await self.choose_until_gone("Remove it", "Keep it")
            await self.said(f"removed {each['id']}")
            await self.editor.keys("q")
        await self.check()
        links = Path(self.given["HOME"])
        await self.until(lambda: not [*links.rglob("claude_ide/hooks/????????")], "no link is left")


@asynccontextmanager
async def walking(*given: Any) -> AsyncIterator[Walk]:
    walk = Walk(*given)
    await walk.start()
    try:
        yield walk
    finally:
        await walk.editor.stop()
        await walk.command.run("daemon", "stop", "--any")


@pytest.mark.parametrize("kind", [Neovim, Vim])
async def test_the_list_agrees_and_nothing_is_lost_or_left(
    kind: type[Neovim] | type[Vim],
    cli: Path,
    api: FakeApi,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
) -> None:
    (project / "a.txt").write_text("first\n")
    (project / ".gitignore").write_text(".claude\n")
    make_trunk(project)
    given = environment(api, tmp_path / "home", config_folder)
    async with walking(kind, Random(SEED), project, given, cli) as walk:
        ways = [
            *(walk.begin, walk.begin, walk.answer, walk.answer, walk.answer, walk.attach),
            *(walk.stop, walk.remove, walk.work, walk.work_in_main, walk.merge, walk.kill),
        ]
        for _ in range(STEPS):
            await walk.random.choice(ways)()
            await walk.check()
        print("\n".join(walk.steps))
        await walk.end()
    await until(lambda: not processes(config_folder), "no process of the CLI's is left")
    assert git(project, "branch", "--format=%(refname:short)") == "trunk"
    assert len(git(project, "worktree", "list").splitlines()) == 1
    assert [*(tmp_path / "home").rglob("claude_ide/hooks/*")] == []
