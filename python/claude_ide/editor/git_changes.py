"""Reads changes from git, without those of files that stay in the editor."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from claude_ide.base import git
from claude_ide.base.errors import UserError
from claude_ide.base.names import editor_name
from claude_ide.editor.editor import Editor

MOST_LIST_BYTES = 20_000
MOST_NAMES_BYTES = 10_000_000
"""Bytes."""

NOT_UTF8 = "\ufffd"
CUT = "\n(cut)"


class Changes:
    """Reads from the repository of a folder; `options` are those of `git` itself."""

    def __init__(
        self, folder: str, environment: Mapping[str, str], options: Sequence[str] = ()
    ) -> None:
        self._folder = folder
        self._environment = environment
        self._options = options

    async def read(self, *arguments: str, most: int = MOST_LIST_BYTES) -> str:
        """Return git's output, cut after `most` bytes. Raises `UserError` if git fails."""
        try:
            process = await asyncio.create_subprocess_exec(
                *git.command(*self._options, *arguments),
                cwd=self._folder,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise UserError(f"git cannot be run: {error.strerror}") from None
        assert process.stdout is not None and process.stderr is not None
        # In parallel: git would block for ever on a full pipe with many warnings.
        errors = asyncio.create_task(process.stderr.read())
        try:
            output = await _read_at_most(process.stdout, most)
            if len(output) > most:
                return output[:most].rpartition(b"\n")[0].decode("utf-8", "replace") + CUT
            if await process.wait() != 0:
                message = (await errors).decode("utf-8", "replace")
                lines = message.strip().splitlines() or ["git failed"]
                fatal = (line for line in lines if line.startswith("fatal: "))
                raise UserError(next(fatal, lines[0]).removeprefix("fatal: "))
        finally:
            errors.cancel()
            if process.returncode is None:
                process.kill()
                await process.wait()
        return output.decode("utf-8", "replace").strip("\n")

    async def try_read(self, *arguments: str) -> str:
        """Return git's output, or the empty string if git fails."""
        try:
            return await self.read(*arguments)
        except UserError:
            return ""

    async def shared(self, editor: Editor, *diff: str) -> Sequence[str]:
        """Return the arguments that leave out of a `git diff` the files that stay in the editor.

        `diff` are its other arguments.
        """
        names = (*diff, "--name-only", "-z", "--no-relative", "--no-renames")
        listed = await self.read("diff", *git.DIFF, *names, most=MOST_NAMES_BYTES)
        if listed.endswith(CUT):
            raise UserError("too many files have changed")
        top = await self.try_read("rev-parse", "--show-toplevel") or self._folder
        changed = {str(Path(top, name)): name for name in listed.split("\0") if name}
        private = await editor.private(changed)
        if any(NOT_UTF8 in path for path in private):
            stays = f"a changed file that stays in {editor_name()}"
            raise UserError(f"{stays} has a name that is not UTF-8")
        excluded = [f":(top,exclude,literal){changed[path]}" for path in private]
        return ("--", ":(top)", *excluded) if excluded else ()


async def _read_at_most(stream: asyncio.StreamReader, most: int) -> bytes:
    output = bytearray()
    while len(output) <= most and (piece := await stream.read(65536)):
        output += piece
    return bytes(output)
