"""Sessions in the background, by the CLI's commands: begun, sent there, attached, removed."""

import asyncio
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from claude_ide.agents.stream_json.protocol import own_mode, shown, terminal_options
from claude_ide.agents.stream_json.running import RunningSession, is_alive
from claude_ide.base import git, program
from claude_ide.base.errors import UserError
from claude_ide.base.names import for_this_editor
from claude_ide.base.paths import nearest_folder
from claude_ide.editor.port.events import QuitAsked
from claude_ide.editor.port.terminals import Terminal
from claude_ide.hooks.registration import link_in, version
from claude_ide.sessions.collection import SessionCollection
from claude_ide.sessions.entry import WAITS, WORKS
from claude_ide.sessions.here import Watcher
from claude_ide.sessions.worktree import check_branch, unfit
from claude_ide.transport.process import Process

if TYPE_CHECKING:
    from claude_ide.sessions.here import AppServices

CHECKS = (2, 1, 330)
"""The first version that refuses a folder without trust, and to lose the work in a worktree."""

END_LOOKS, END_PAUSE_SECONDS = 400, 0.05
"""How often is looked whether a stopped session has ended, and the pause in between."""

USAGE = "usage: :ClaudeBackground[!] [--name=NAME] {prompt}"
STARTING = "Starting background service"
"""What the CLI says before a command that needs its service."""

SECONDS = 30.0
"""How long a command of the CLI may take; it may start its service first."""

SEND_AWAY = "/background"
NONE_RUNS = "no terminal of this Neovim runs Claude (:Claude opens one)"
SENT_SECONDS, SENT_PAUSE_SECONDS = 30.0, 0.2
"""How long the CLI may take to go on in the background, and how often that is looked at."""

BEGUN = "backgrounded"
"""The word with which the CLI says that a session has begun."""

NAME = "--name="
_GIVEN = re.compile(r"""(?:--name=("[^"]*"|'[^']*'|\S*)(?:\s+|$))?(.*)""", re.DOTALL)


class Beginning(NamedTuple):
    """A session to begin: its prompt, its name, and whether it gets a worktree of that name."""

    prompt: str
    name: str = ""
    has_worktree: bool = False

    @classmethod
    def parsed(cls, words: Sequence[str], *, has_worktree: bool) -> "Beginning":
        """Return what the arguments of `:ClaudeBackground` say. Raises `UserError`."""
        found = _GIVEN.fullmatch(" ".join(words).strip())
        name, prompt = found.groups() if found else ("", "")
        if name is not None:
            name = name.strip("'\"")
        if name == "" or not prompt:
            raise UserError(USAGE)
        if has_worktree and name and (problem := unfit(name)):
            raise UserError(problem)
        return cls(prompt, name or "", has_worktree)


class Background:
    """Runs the CLI of a command line; `app` starts it in a terminal."""

    def __init__(self, app: "AppServices") -> None:
        self._app = app
        self._editor = app.editor
        self._cmd = app.config.cmd
        self._is_warned = False

    async def begin(self, wanted: Beginning) -> str:
        """Begin a session in the working folder; return what the CLI says. Raises `UserError`."""
        folder = await self._editor.port.buffers.folder()
        is_in_git = git.find_repository(Path(folder).resolve()) is not None
        if wanted.has_worktree and not is_in_git:
            raise UserError(f"there is no git repository for a worktree: {folder}")
        is_trusted = self._app.trust.is_trusted(folder)
        if wanted.has_worktree and wanted.name:
            await check_branch(wanted.name, Path(folder), runs_hooks=is_trusted)
        if not is_trusted:
            await self._check_version("run untrusted hooks")
        first, *words = program.words(self._cmd)
        mode = self._app.config.terminal.mode
        options = await asyncio.to_thread(terminal_options, os.environ, words, mode)
        launch = await self._app.hooks.for_a_terminal((first, *words), has_environment=False)
        # A name of its own word could be taken for an option.
        named = [f"{NAME}{wanted.name}"] if wanted.name else []
        in_worktree = f"--worktree={wanted.name}" if wanted.name else "--worktree"
        worktree = [in_worktree] if wanted.has_worktree else []
        given = ["--bg", *worktree, *options, *launch.options, *named, "--", wanted.prompt]
        try:
            said = await self._run(given, folder)
        except BaseException:
            if launch.id:
                self._app.hooks.terminal_ended(launch.id)
            raise
        if launch.id:
            # Its record, which has the name, may come after its first permission.
            self._editor.terminals.in_background[launch.id] = wanted.name
        begun = next((line for line in said if line.startswith(BEGUN)), " ".join(said))
        asked = options[-1] if options else await asyncio.to_thread(own_mode, os.environ)
        parts = [begun, f"mode {shown(asked)}" if asked else ""]
        if is_in_git and not (wanted.has_worktree or self._is_warned):
            self._is_warned = True
            parts.append("it edits only once it has entered a worktree")
        return " · ".join(filter(None, parts))

    async def attach(self, id_: str) -> None:
        """Attach a terminal to a session; the CLI starts one that has ended again."""
        await self._app.open_terminal(["attach", id_])

    async def stop(self, running: RunningSession) -> None:
        """Stop a session, and wait for its end. Raises `UserError` with the CLI's words."""
        await self._run(["stop", running.id])
        for _ in range(END_LOOKS):
            if not is_alive(running.pid, ""):
                return
            await asyncio.sleep(END_PAUSE_SECONDS)
        raise UserError(f"{running.name or running.id} is stopped, but process {running.pid} runs")

    async def remove(self, id_: str, folder: str | None = None) -> str:
        """Remove a session with its worktree, unless work would be lost; return what the CLI says.

        The CLI runs in `folder`, by default the working folder. Raises `UserError` with its words.
        """
        await self._check_version("remove the worktree unchecked")
        return " ".join(await self._run(["rm", id_], folder))

    async def check_offered(self) -> None:
        """Raise `UserError` with the CLI's words if it has no sessions in the background.

        The setting `disableAgentView` turns them off.
        """
        await self._run(["agents", "--json"])

    async def _check_version(self, harm: str) -> None:
        """Raise `UserError` if the CLI is known to be too old to refuse what would do `harm`."""
        first, *_ = program.words(self._cmd)
        found = await asyncio.to_thread(version, first, os.environ.get("PATH", ""))
        if found and found < CHECKS:
            number, needed = (".".join(map(str, each)) for each in (found, CHECKS))
            raise UserError(f"CLI {number} would {harm}: {needed} or newer is needed")

    async def _run(self, words: Sequence[str], folder: str | None = None) -> list[str]:
        """Return the lines that a command of the CLI prints. Raises `UserError` if it fails."""
        said: list[bytes] = []
        environment = program.inherited(os.environ)
        first, *rest = program.words(self._cmd)
        path = program.required(first, environment.get("PATH", ""))
        where = nearest_folder(folder or await self._editor.port.buffers.folder())
        try:
            command = [path, *rest, *words]
            process = await Process.start(command, where, environment, said.append)
            code = await asyncio.wait_for(process.wait(), SECONDS)
        except TimeoutError:  # a kind of `OSError`
            raise UserError(f"{first} {words[0]} has not ended within {SECONDS:.0f} s") from None
        except OSError as error:
            raise UserError(f"{first} cannot run: {error.strerror}") from None
        lines = b"".join(said).decode("utf-8", "replace").splitlines()
        told = [" ".join(line.split()) for line in lines if not line.startswith(STARTING)]
        if code:
            raise UserError(" ".join(told) or f"{first} {words[0]} has failed with {code}")
        return told


class Leaving:
    """Sends the sessions of terminals to the background."""

    def __init__(
        self,
        app: "AppServices",
        background: Background,
        found: SessionCollection,
        watch: Watcher,
    ) -> None:
        self._editor = app.editor
        self._background = background
        self._found = found
        self._watch = watch

    async def send_away(self) -> None:
        """Send the session of the current terminal to the background; say where it goes on."""
        terminals = await self._editor.port.terminals.running()
        current = next((each for each in terminals if each.is_current), None)
        if current is None:
            raise UserError(for_this_editor(NONE_RUNS))
        if current.attached:
            raise UserError("this terminal shows a session that is in the background")
        await self._background.check_offered()
        sent = await self._sent(current)
        if sent is None:
            return self._editor.notify(f"{SEND_AWAY} is typed; :ClaudeSessions shows what runs")
        name = f" · {sent.name}" if sent.name else ""
        self._editor.notify(f"goes on in the background · {sent.id}{name}")

    async def _sent(self, terminal: Terminal) -> RunningSession | None:
        """Return the session in the background with which that of a terminal goes on."""
        await self._editor.typing.say(SEND_AWAY, 0, terminal.name)
        deadline = time.monotonic() + SENT_SECONDS
        while time.monotonic() < deadline:
            for each in self._found.running:
                link = link_in(each.settings) if each.id and each.pid else None
                if link is not None and link.name == terminal.launch:
                    return each
            self._watch.look()
            await asyncio.sleep(SENT_PAUSE_SECONDS)
        return None

    async def before_exit(self, asked: QuitAsked) -> str:
        """Do what the option `terminal.quit` says of CLIs that work; return why not to exit yet.

        If the exit is certain, it does what is possible.
        """
        working, is_certain = await self._working(), asked.is_certain
        if asked.how == "ask" or not working:
            return _words("works", working) if working else ""
        if not asked.is_drawn:
            return f"{_words('works', working)}: quit with :qa"
        ready = [each for each in working if await self._editor.typing.takes_text(each.name)]
        if len(ready) < len(working) and not is_certain:
            # A dialog would take the words as its answer, and a prompt of the user's would be lost.
            return _words("waits for you", [each for each in working if each not in ready])
        if ready:
            if not is_certain:
                await self._background.check_offered()
            self._editor.notify(f"{_words('goes on in the background', ready)} …")
        sent = await asyncio.gather(*map(self._sent, ready))
        left = [each for each, session in zip(ready, sent, strict=True) if session is None]
        return _words("has not gone to the background", left) if left else ""

    async def _working(self) -> list[Terminal]:
        """Return the terminals that end with the editor, and whose CLIs work, or wait for a yes."""
        terminals = await self._editor.port.terminals.running()
        ending = [each for each in terminals if not (each.pane or each.attached)]
        return [each for each in ending if self._found.of_terminal(each).state in (WAITS, WORKS)]


def _words(what: str, terminals: Sequence[Terminal]) -> str:
    names = ", ".join(each.name for each in terminals)
    return f"Claude {what} in terminal {names}"
