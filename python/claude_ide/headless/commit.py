"""A commit message is written for what is staged, in the style of the messages before it."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from claude_ide import git
from claude_ide.agents.stream_json.headless import Format, Question
from claude_ide.errors import AgentError, UserError
from claude_ide.headless.launching import launch
from claude_ide.headless.requests import CommitRequest
from claude_ide.headless.run import Run

MOST_OF_PATCH = 200_000
MOST_OF_LIST = 20_000
"""Bytes."""

DEFAULT_COMMENT = "#"

SCHEMA = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": "The whole commit message"}},
    "required": ["message"],
    "additionalProperties": False,
}

PROMPT = """\
Write the commit message for the change below, which is what is staged. Follow the style of the
latest commits: language, mood, prefixes, length, whether there is a body. If they show none: an
imperative subject of at most 50 characters, and a body, wrapped at 72, only where the reason is
not plain from the change. No trailers, no quotes, no code fence; say nothing of how the message
was made.

<latest-commits>
{log}
</latest-commits>

<summary>
{stat}
</summary>

<change>
{patch}
</change>
"""


class Written(msgspec.Struct, frozen=True):
    """The model's answer, by the schema."""

    message: str


class Git:
    """The repository that a commit message is for."""

    def __init__(self, request: CommitRequest) -> None:
        self._cwd = request.cwd
        self._environment = git.environment(os.environ)
        self._options: list[str] = []
        folder = Path(request.path).parent
        if request.path and (folder / "HEAD").is_file():
            self._options.append(f"--git-dir={folder}")
            self._use_index(folder)

    def _use_index(self, folder: Path) -> None:
        # `git commit -a` and `git commit FILE` fill an index of their own and name it, seen from
        # the folder in which they began; Neovim may be elsewhere by now.
        named = self._environment.pop("GIT_INDEX_FILE", "")
        index = folder / Path(named).name
        if named and index.is_file():
            self._environment["GIT_INDEX_FILE"] = str(index.absolute())

    async def read(self, *arguments: str, most: int = MOST_OF_LIST) -> str:
        """Return what git says, cut after `most` bytes. Raises `UserError` if it refuses."""
        try:
            process = await asyncio.create_subprocess_exec(
                *git.command(*self._options, *arguments),
                cwd=self._cwd,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise UserError(f"git cannot be run: {error.strerror}") from None
        assert process.stdout is not None and process.stderr is not None
        # Beside the rest: git would wait for ever to be rid of many warnings.
        complaining = asyncio.create_task(process.stderr.read())
        try:
            said = await _read_at_most(process.stdout, most)
            if len(said) > most:
                return said[:most].rpartition(b"\n")[0].decode("utf-8", "replace") + "\n(cut)"
            if await process.wait() != 0:
                complaint = (await complaining).decode("utf-8", "replace")
                lines = complaint.strip().splitlines() or ["git failed"]
                fatal = (line for line in lines if line.startswith("fatal: "))
                raise UserError(next(fatal, lines[0]).removeprefix("fatal: "))
        finally:
            complaining.cancel()
            if process.returncode is None:
                process.kill()
                await process.wait()
        return said.decode("utf-8", "replace").strip("\n")

    async def ask(self, *arguments: str) -> str:
        """Return what git says, or nothing if it refuses."""
        try:
            return await self.read(*arguments)
        except UserError:
            return ""


async def write(run: Run, request: CommitRequest) -> dict[str, str]:
    """Return the message, and with what the repository's comments begin."""
    repository = Git(request)
    # `git diff` compares files where there is none.
    await repository.read("rev-parse", "--git-dir")
    patch = await repository.read(*_diff(), most=MOST_OF_PATCH)
    if not patch:
        raise UserError("nothing is staged")
    stat = await repository.read(*_diff("--stat=100"))
    log = await repository.ask("log", "-n", "20", "--no-show-signature", "--format=%s")
    comment = await repository.ask("config", "core.commentChar")
    result = await run.ask(
        launch(run.config, request.cwd, ()),
        Question(PROMPT.format(log=log, stat=stat, patch=patch), Format.TEXT, SCHEMA),
    )
    return {
        "message": _message(result.structured),
        "comment": comment if len(comment) == 1 else DEFAULT_COMMENT,
    }


def _diff(*options: str) -> Sequence[str]:
    return ("diff", "--cached", *git.DIFF, *options)


async def _read_at_most(stream: asyncio.StreamReader, most: int) -> bytes:
    said = bytearray()
    while len(said) <= most and (piece := await stream.read(65536)):
        said += piece
    return bytes(said)


def _message(structured: Any) -> str:
    try:
        return msgspec.convert(structured, Written).message.strip()
    except msgspec.ValidationError:
        raise AgentError("Claude's answer could not be used; try again") from None
