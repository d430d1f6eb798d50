"""`:ClaudeCommit`: a message for the staged changes, in the style of the latest messages."""

import asyncio
import logging
import os
import re
from pathlib import Path

import msgspec

from claude_ide.agents.stream_json.headless import Format, HeadlessQuestion, HeadlessResult
from claude_ide.base import git
from claude_ide.base.errors import EditorError, UserError
from claude_ide.base.names import for_this_editor
from claude_ide.base.trust import Trust, shown
from claude_ide.editor.editor import Editor
from claude_ide.editor.git_changes import Changes
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import Gate, Guard, retry, step, tick
from claude_ide.editor.port.prompts import CommitRequest, QuestionPort
from claude_ide.headless.agent import Needs
from claude_ide.headless.run import Run, structured, without_fence
from claude_ide.ui.text import lines

logger = logging.getLogger(__name__)

MOST_PATCH_BYTES = 200_000
"""Bytes."""

STAGED = "--cached"
ONLY_PRIVATE = "only files that stay in Neovim are staged (:help claude-ide-privacy)"

SLOW_SECONDS = 1.0
"""After which the user is told that a commit is running: hooks may take minutes."""

UNTRUSTED = "This folder is not trusted: commit, and run its git hooks?"

DEFAULT_COMMENT = "#"
BLANK, TRAILER = re.compile(r"\s*\Z"), re.compile(r"[A-Z][A-Za-z0-9-]*: \S")

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
not plain from the change. No trailers, no quotes, no code fence, no line that begins with
`{comment}`; say nothing of how the message was made.

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


class CommitMessage(msgspec.Struct, frozen=True):
    """The model's answer, as the schema describes it."""

    message: str


class Git(Changes):
    """The repository of a commit message."""

    def __init__(self, request: CommitRequest) -> None:
        environment = git.environment(os.environ)
        options: tuple[str, ...] = ()
        folder = Path(request.path).parent
        if request.path and (folder / "HEAD").is_file():
            options = (f"--git-dir={folder}",)
            _use_index(environment, folder)
        super().__init__(request.cwd, environment, options)


def _use_index(environment: dict[str, str], folder: Path) -> None:
    # `git commit -a` and `git commit FILE` use a temporary index. They pass its path relative to
    # their own folder, and Neovim may be in another one now.
    named = environment.pop("GIT_INDEX_FILE", "")
    index = folder / Path(named).name
    if named and index.is_file():
        environment["GIT_INDEX_FILE"] = str(index.absolute())


async def write(run: Run, request: CommitRequest) -> str | None:
    """Return the message; None if it was inserted into the buffer of the request."""
    repository = Git(request)
    # Outside a repository `git diff` would compare files.
    await repository.read("rev-parse", "--git-dir")
    shared = await repository.shared(run.editor, STAGED)
    diff = ("diff", STAGED, *git.DIFF)
    patch = await repository.read(*diff, *shared, most=MOST_PATCH_BYTES)
    if not patch:
        raise UserError(for_this_editor(ONLY_PRIVATE) if shared else "nothing is staged")
    stat = await repository.read(*diff, "--stat=100", *shared)
    log = await repository.try_read("log", "-n", "20", "--no-show-signature", "--format=%s")
    comment = await repository.try_read("config", "core.commentChar")
    comment = comment if len(comment) == 1 else DEFAULT_COMMENT
    result = await run.ask(
        Needs(request.cwd),
        HeadlessQuestion(
            PROMPT.format(log=log, stat=stat, patch=patch, comment=comment), Format.TEXT, SCHEMA
        ),
    )
    message = _message(result, comment, run.name)
    if not request.bufnr:
        return message
    try:
        await retry(lambda: _insert(run.editor.port, request.bufnr, message, comment))
    except EditorError:
        raise UserError("the commit message can no longer be changed") from None
    return None


async def _insert(port: Port, bufnr: int, message: str, comment: str) -> None:
    found = await port.question.look(bufnr)
    texts = inserted(found.lines, lines(message), comment)
    guard = Guard(Gate.CHANGEABLE, (tick(bufnr, found.tick),))
    await port.batch([step(QuestionPort.replace, bufnr, texts)], guard)


def inserted(lines: list[str], message: list[str], comment: str) -> list[str]:
    """Return lines with a message below the user's text, above trailers and comments.

    The scissors line is a comment of git's, too.
    """
    last = next((row for row, line in enumerate(lines) if line.startswith(comment)), len(lines))
    for pattern in BLANK, TRAILER, BLANK:
        while last and pattern.match(lines[last - 1]):
            last -= 1
    rest = lines[last:]
    while rest and BLANK.match(rest[0]):
        del rest[0]
    written = [*lines[:last], ""] if last else []
    return [*written, *message, *([""] if rest else []), *rest]


async def commit(editor: Editor, trust: Trust, cwd: str, message: str) -> str:
    """Commit what is staged as the user's own `git commit` would; return what git says, in a line.

    Git runs the programs that the repository names, its hooks above all. If its folder is not
    trusted, the user is asked first; empty if they refuse. Raises `UserError`.
    """
    if not message.strip():
        raise UserError("not committed: the message is empty")
    repository = Git(CommitRequest(id=0, cwd=cwd))
    top = await repository.read("rev-parse", "--show-toplevel")
    ways = ["No", f"Yes, in {shown(top)}"]
    if not trust.is_trusted(top) and await editor.select(UNTRUSTED, ways) != 1:
        return ""
    loop = asyncio.get_running_loop()
    notice = loop.call_later(SLOW_SECONDS, editor.notify, "git commit is running")
    try:
        return await _commit(cwd, message)
    finally:
        notice.cancel()


async def _commit(cwd: str, message: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *git.users_command("commit", "-F", "-"),
        cwd=cwd,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # A program that asks for a password must not draw on the editor's screen.
        start_new_session=True,
    )
    output, _ = await process.communicate(message.encode("utf-8", "surrogateescape"))
    said = output.decode("utf-8", "replace").strip()
    level = logging.WARNING if process.returncode else logging.INFO
    logger.log(level, "git commit ended with %s:\n%s", process.returncode, said)
    lines = [line for line in said.splitlines() if line.strip()] or ["git says nothing"]
    if process.returncode != 0:
        failed = (line for line in lines if line.startswith(("fatal: ", "error: ")))
        raise UserError(f"not committed: {next(failed, lines[-1])} (:ClaudeLog)")
    return next((line for line in lines if line.startswith("[")), lines[-1])


def _message(result: HeadlessResult, comment: str, name: str) -> str:
    """Return the message, whose lines Git does not regard as comments."""
    message = without_fence(structured(result, CommitMessage, name).message.strip())
    lines = message.split("\n")
    return "\n".join(f" {line}" if line.startswith(comment) else line for line in lines)
