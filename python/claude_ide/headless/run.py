"""One question that is being answered, with its progress in the editor."""

import asyncio
import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.events import LimitsTold
from claude_ide.agents.fields import mapping
from claude_ide.agents.stream_json.headless import (
    FENCED,
    Ask,
    HeadlessConversation,
    HeadlessQuestion,
    HeadlessResult,
)
from claude_ide.agents.stream_json.protocol import CliLaunch, Frame, command
from claude_ide.base import files, folder_settings, program
from claude_ide.base.errors import AgentError, UserError
from claude_ide.base.trust import Trust
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import check_private
from claude_ide.headless.agent import AgentQuestion, Needs
from claude_ide.headless.answer import Answer, AnswerFrames

if TYPE_CHECKING:
    from claude_ide.headless.rewriting import Rewrite

S = TypeVar("S", bound=msgspec.Struct)

CLAUDE, CLAUDE_ID = "Claude", "claude"

QUESTION = "question"
"""What tells limits: the last of all questions."""

PLEASE, LOGIN = " · Please run /login", "Run :Claude, then /login"

ALONE = ("--strict-mcp-config", "--no-session-persistence")
"""No MCP servers, and no saved session."""

READS_MEMORY = {"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"}
"""Has the CLI read CLAUDE.md and the rules in folders that `--add-dir` names."""

FOLLOWED = (*folder_settings.HELPERS, "model")
FOLDER = "settings"

Follow = Callable[[CliLaunch], AbstractContextManager[CliLaunch]]


class Run:
    """One question by its id; a context that is open while its task answers it."""

    def __init__(self, id_: int, editor: Editor, config: Config, follow: Follow) -> None:
        """Prepare a question; `follow` adds the settings of a trusted folder to a launch."""
        self.id = id_
        self._follow = follow
        self.editor = editor
        self.config = config
        self.cancelled = False
        self.finished = False
        """Whether the editor has ended the question, so that no end must be reported."""
        self.said = ""
        """A message for the user, once the editor has ended the question."""
        self.kind: Acp | None = None
        """The agent that answers, unless that is Claude."""
        self.conversation: HeadlessConversation | None = None
        """What to continue in the chat, if the user may do that."""
        self.rewrite: Rewrite | None = None
        """What is rewritten, once it is asked for."""
        self.session = ""
        """The same in another agent: its session."""
        self.is_kept = False
        """Whether the user may continue the answer in a chat."""
        self._asking: Ask | AgentQuestion | None = None
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        self._task = asyncio.current_task()
        if self.cancelled:
            raise asyncio.CancelledError

    async def __aexit__(self, *_exception: object) -> None:
        self._task = None

    @property
    def name(self) -> str:
        """The name of who answers."""
        return self.kind.name if self.kind else CLAUDE

    async def ask(
        self, needs: Needs, question: HeadlessQuestion, *, wants_events: bool = False
    ) -> HeadlessResult:
        """Ask, and send the growing answer to the editor.

        Raises `AgentError` with one line, and `UserError` if the prompt mentions a private file.
        """
        await check_private(self.editor, question.prompt, [needs.cwd])
        answer = Answer(self.name)
        frames = AnswerFrames(answer, partial(self.editor.port.question.update, self.id))
        if (kind := self.kind) is not None:

            def keep(session: str) -> None:
                self.session, answer.chat = session, kind.id

            kept = keep if self.is_kept else None
            asking = AgentQuestion(kind, needs, question, self.editor.refusal, kept)
            return await self._followed(asking, answer, frames)
        answer.chat = CLAUDE_ID if self.is_kept else ""

        def on_frame(frame: Frame) -> None:
            if self.conversation is not None:
                self.conversation.note(frame)
            if wants_events:
                frames.put_event(frame)

        launched = launch(self.config, needs.cwd, needs.tools, needs.model)
        with self._follow(launched) as followed:
            return await self._followed(Ask(followed, question, on_frame), answer, frames)

    async def _followed(
        self, asking: Ask | AgentQuestion, answer: Answer, frames: AnswerFrames
    ) -> HeadlessResult:
        self._asking = asking
        frames.changed()
        async with frames.running(), contextlib.aclosing(asking.events()) as events:
            async for event in events:
                if isinstance(event, LimitsTold):
                    self.editor.limits.learn(QUESTION, event.limits)
                answer.apply(event)
                frames.changed()
        try:
            return asking.result()
        except AgentError as error:
            line = str(error).strip().partition("\n")[0]
            is_login = answer.error is not None and answer.error.reason == "authentication_failed"
            if is_login and self.kind is None:
                line = f"{line.removesuffix(PLEASE).rstrip('.')}. {LOGIN}"
            raise AgentError(line) from None

    def cancel(self) -> None:
        """Cancel the question and end the CLI."""
        self.cancelled = True
        if self._asking is not None:
            self._asking.cancel()
        if self._task is not None:
            self._task.cancel()


def structured(result: HeadlessResult, type_: type[S], name: str = CLAUDE) -> S:
    """Return an answer as the schema describes it. Raises `AgentError` if it has another shape."""
    try:
        return msgspec.convert(result.structured, type_)
    except msgspec.ValidationError:
        raise AgentError(f"{name}'s answer could not be used; try again") from None


def without_fence(text: str, replaced: str = "") -> str:
    """Return a text without the code fence around it, unless the text that it replaces has one."""
    fenced = FENCED.fullmatch(text.strip())
    if fenced is None or replaced.lstrip().startswith("```"):
        return text
    return fenced["text"]


# How the CLI is started: with limited tools and without a session. It has no option that ignores a
# project's hooks but keeps the user's, which may protect files. It therefore reads only the user's
# settings. In a trusted folder, safe ones of the project are added: CLAUDE.md, helpers and
# environment.


def launch(config: Config, cwd: str, tools: Sequence[str], model: str = "") -> CliLaunch:
    """Return how to start the CLI in `cwd` with only these tools.

    Raises `AgentError` if there is no CLI, `UserError` if there is no such folder.
    """
    words = command(config.cmd)
    if not Path(cwd).is_dir():
        raise UserError(f"no such folder: {cwd}")
    return CliLaunch(
        words,
        Path(cwd),
        os.environ,
        model=model or config.ask.model,
        arguments=(*ALONE, "--tools", ",".join(tools)),
    )


@contextlib.contextmanager
def following(launch: CliLaunch, trust: Trust, state: Path) -> Iterator[CliLaunch]:
    """Yield a launch with the settings of its folder, if trusted, in a private file in `state`."""
    if not trust.is_trusted(launch.cwd):
        yield launch
        return
    arguments = ["--add-dir", str(launch.cwd)]
    given = {} if launch.names("--settings") else settings(launch.cwd)
    with _private(given, state / FOLDER) as path:
        if path is not None:
            arguments += ["--settings", str(path)]
        yield replace(
            launch,
            environment={**launch.environment, **READS_MEMORY},
            arguments=(*arguments, *launch.arguments),
        )


def settings(folder: Path) -> dict[str, Any]:
    """Return a folder's settings without hooks, servers, plugins and granted permissions."""
    merged: dict[str, Any] = {}
    environment: dict[str, Any] = {}
    denied: list[Any] = []
    for _, given in folder_settings.settings(folder):
        found = given or {}
        merged |= {key: found[key] for key in FOLLOWED if key in found}
        environment |= mapping(found.get("env"))
        rules = mapping(found.get("permissions")).get("deny")
        denied += rules if isinstance(rules, list) else []
    merged |= {"env": environment} if environment else {}
    return merged | ({"permissions": {"deny": denied}} if denied else {})


@contextlib.contextmanager
def _private(given: Mapping[str, Any], folder: Path) -> Iterator[Path | None]:
    """Yield the path of a private file with the settings, which may be secret; None if empty."""
    if not given:
        yield None
        return
    _sweep(folder)
    path = folder / f"{os.getpid()}-{secrets.token_hex(8)}.json"
    files.write_private(path, json.dumps(given).encode())
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove files that killed hosts have left."""
    for path in folder.glob("*.json"):
        pid = path.name.partition("-")[0]
        if pid.isdecimal() and not program.lives(int(pid)):
            path.unlink(missing_ok=True)
