"""The shell commands of a chat: `!command` as a prompt runs it, and the next prompt has the result.

The agent need not be running for this, and it starts no turn.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from claude_ide import git, program
from claude_ide.agents.agent import ShellResult
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript.shell_command import Ran
from claude_ide.errors import UserError
from claude_ide.transport.process import Process, shell

SIGN = "!"
ESCAPED = f"\\{SIGN}"
"""A prompt that begins with this is sent, without the backslash."""

LONGEST_CHIP = 30
TICK_SECONDS = 1.0


def is_command(prompt: str) -> bool:
    """Return whether a prompt is a command for the shell."""
    return prompt.startswith(SIGN)


def unescaped(prompt: str) -> str:
    """Return a prompt without the backslash of a `!` that begins it."""
    return prompt.removeprefix("\\") if prompt.startswith(ESCAPED) else prompt


def chip(result: ShellResult) -> str:
    """Return a result's label below the prompt that includes it."""
    return f"{SIGN}{one_line(result.command, LONGEST_CHIP)}"


class Shell(ChatPart):
    """Runs commands in the folder of a chat, one at a time.

    In a folder that is not trusted, git runs no program that the folder names, as for the agent.
    """

    def __init__(
        self,
        chat: ChatContext,
        is_trusted: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(chat)
        self._root = Path(chat.root)
        self._is_trusted = is_trusted
        self._clock = clock
        self._process: Process | None = None
        self._running = asyncio.Lock()
        self._is_stopped = False
        self._results: list[ShellResult] = []

    def close(self) -> None:
        """End the command."""
        self.stop()

    def take(self) -> list[ShellResult]:
        """Return the results that no prompt has included yet; a prompt will include them."""
        taken, self._results = self._results, []
        return taken

    def give_back(self, results: list[ShellResult]) -> None:
        """Have the next prompt include the results that `take` returned."""
        self._results = [*results, *self._results]

    async def run(self, prompt: str, begun: Callable[[], object] = bool) -> None:
        """Run the command that a prompt is, and show its output; `begun` is called when it runs.

        Raises `UserError` if it cannot be run.
        """
        command = prompt.removeprefix(SIGN).strip()
        if not command:
            raise UserError("there is no command after the !")
        if self._running.locked():
            raise UserError("a command is still running (CTRL-C ends it)")
        async with self._running:
            self._is_stopped = False
            view = self._chat.sheet.add("shell", lambda part: Ran(part, command, self._clock))
            self._chat.refresh()
            try:
                await self._run(command, view, begun)
            except OSError as error:
                self._chat.sheet.remove(view)
                raise UserError(f"the command cannot be run: {error.strerror}") from None
            finally:
                self._process = None
                self._chat.refresh()

    def stop(self) -> bool:
        """End the command that is running or starting; return whether there is one."""
        self._is_stopped = self._running.locked()
        if self._process is not None:
            self._process.stop()
        return self._is_stopped

    async def _run(self, command: str, view: Ran, begun: Callable[[], object]) -> None:
        def redraw() -> None:
            self._chat.sheet.changed(view)
            self._chat.refresh()

        def add(piece: bytes) -> None:
            view.output.add(piece)
            redraw()

        ticking = asyncio.create_task(_every(TICK_SECONDS, redraw))
        try:
            environment = await asyncio.to_thread(self._environment)
            arguments = (shell(environment), "-c", command)
            self._process = await Process.start(arguments, self._root, environment, add)
            begun()
            if self._is_stopped:
                self._process.stop()
            code = await self._process.wait()
        finally:
            ticking.cancel()
        view.end("interrupted" if self._is_stopped else _outcome(code))
        self._results.append(ShellResult(command, view.text, failed=bool(view.outcome)))
        redraw()

    def _environment(self) -> dict[str, str]:
        given = program.inherited(os.environ)
        return given if self._is_trusted() else git.guarded(given, self._root)


def _outcome(code: int) -> str:
    if code < 0:
        return f"ended by signal {-code}"
    return f"exit {code}" if code else ""


async def _every(seconds: float, act: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(seconds)
        act()
