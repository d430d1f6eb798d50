"""Sessions in the background, by the CLI's own commands: attached to, stopped, removed."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from claude_ide import program
from claude_ide.editor.editor import Editor
from claude_ide.editor_name import editor_name
from claude_ide.errors import UserError
from claude_ide.hooks.registration import version
from claude_ide.transport.process import Process

CHECKS_WORKTREES = (2, 1, 330)
"""The first version whose `rm` keeps a worktree with work that would be lost."""

SECONDS = 30.0
"""How long a command of the CLI may take; it may start its service first."""


class Background:
    """Runs the CLI of a command line; `open_terminal` starts it in a terminal."""

    def __init__(
        self,
        editor: Editor,
        cmd: str | Sequence[str],
        open_terminal: Callable[[list[str], dict[str, str]], Awaitable[None]],
    ) -> None:
        self._editor = editor
        self._cmd = cmd
        self._open_terminal = open_terminal
        self._is_explained = False

    async def attach(self, id_: str) -> None:
        """Attach a terminal to a session; the CLI starts one that has ended again."""
        note = {} if self._is_explained else {"note": f"/ide connects it to {editor_name()}"}
        self._is_explained = True
        await self._open_terminal(["attach", id_], note)

    async def stop(self, id_: str) -> None:
        """Stop a session. Raises `UserError` with the CLI's words."""
        await self.run("stop", id_)

    async def remove(self, id_: str) -> None:
        """Remove a session with its worktree, unless work would be lost."""
        first, *_ = program.words(self._cmd)
        found = await asyncio.to_thread(version, first, os.environ.get("PATH", ""))
        if found and found < CHECKS_WORKTREES:
            shown = ".".join(map(str, found))
            raise UserError(
                f"CLI {shown} would remove the worktree unchecked: 2.1.330 or newer is needed"
            )
        self._editor.notify(await self.run("rm", id_))

    async def run(self, *words: str) -> str:
        """Return what a command of the CLI says, in one line. Raises `UserError` if it fails."""
        said: list[bytes] = []
        environment = program.inherited(os.environ)
        first, *rest = program.words(self._cmd)
        path = program.required(first, environment.get("PATH", ""))
        try:
            process = await Process.start(
                [path, *rest, *words], Path.cwd(), environment, said.append
            )
            code = await asyncio.wait_for(process.wait(), SECONDS)
        except OSError as error:
            raise UserError(f"{first} cannot run: {error.strerror}") from None
        except TimeoutError:
            raise UserError(f"{first} {words[0]} has not ended within {SECONDS:.0f} s") from None
        shown = " ".join(b"".join(said).decode("utf-8", "replace").split())
        if code:
            raise UserError(shown or f"{first} {words[0]} has failed with {code}")
        return shown
