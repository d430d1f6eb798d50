"""The questions that are being answered, each in its own task, by the id from the editor."""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.agent import OpenFile, Prompt, Selection, Words
from claude_ide.agents.kinds import Kinds
from claude_ide.agents.stream_json import protocol
from claude_ide.agents.stream_json.headless import Format, HeadlessConversation, HeadlessQuestion
from claude_ide.base.errors import ClaudeIdeError, UserError
from claude_ide.base.trust import Trust, shown
from claude_ide.config import Config
from claude_ide.editor.contexts import expanded, shared_lines
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.prompts import (
    AskedLines,
    AskRequest,
    CommitAsked,
    CommitRequest,
    HeadlessAsked,
    QuestionCancelled,
    QuestionClosed,
    QuestionContinued,
    RewriteRequest,
)
from claude_ide.headless import commit, rewriting
from claude_ide.headless.agent import Needs
from claude_ide.headless.run import CLAUDE_ID, Run, following

FAILED = "the question failed; see :ClaudeLog"
NOT_KEPT = "this answer cannot be continued: the Python host has ended since"
NO_ANSWER = "there is no answer to continue"

AT_NAME = re.compile(r"\s*@(?P<name>[\w@-]*)[,:]?(?:\s+|$)")
"""What begins a prompt, and names an agent: a mention of a file has a dot or a slash."""

NO_NAME = "@ is not followed by the name of an agent (<Tab> lists them)"

NO_WORDS = "@{}: what is it to do?"
ONLY_NAME = ":ClaudeCommit takes only @ and the name of an agent"
NOT_TRUSTED = "{} follows the settings of {}, which is not trusted (:ClaudeTrust yes)"

Resume = Callable[[int, str, Path, Callable[[], Awaitable[str]]], Awaitable[None]]
"""Takes over a chat with an agent in a folder, with the session whose id the function returns."""


class Questions:
    """Answers the questions of `headless/init.lua`, and reports the end of each once."""

    def __init__(
        self,
        editor: Editor,
        config: Config,
        trust: Trust,
        state: Path,
        resume: Resume,
        kinds: Callable[[], Kinds],
    ) -> None:
        """Prepare to answer; `state` is our folder, here for files that exist during a question."""
        self._kinds = kinds
        self._editor = editor
        self._config = config
        self._follow = partial(following, trust=trust, state=state)
        self._trust = trust
        self._is_committing = False
        self._resume = resume
        self._running: dict[int, Run] = {}
        self._kept: dict[int, Run] = {}
        """The questions that the user can still continue, also after their end."""

    def answer(self, asked: HeadlessAsked) -> Coroutine[Any, Any, None]:
        """Answer a request; the caller runs the returned coroutine in a task."""
        run = Run(asked.id, self._editor, self._config, self._follow)
        # Not in the task: the question may be cancelled before its task starts.
        self._running[run.id] = run
        if isinstance(asked, AskRequest) and asked.is_kept:
            self._kept[run.id] = run
        return self._answer(run, asked)

    def cancel(self, event: QuestionCancelled) -> None:
        """Cancel a request, unless it has ended."""
        if event.id in self._running:
            self._running[event.id].cancel()

    def forget(self, event: QuestionClosed) -> None:
        """Forget an answer, which is no longer on the screen."""
        self._kept.pop(event.id, None)

    async def continue_(self, event: QuestionContinued) -> None:
        """Continue an answer in a chat, which Lua has opened.

        Raises `UserError` or `AgentError`; then the answer stays on the screen.
        """
        run = self._kept.get(event.id)
        agent = run.kind.id if run and run.kind else CLAUDE_ID
        await self._resume(event.chat, agent, Path(event.cwd), partial(self._store, event.id))
        await self._editor.port.question.close_answer(event.id)

    async def commit(self, asked: CommitAsked) -> None:
        """Commit what is staged, and close the window of the message.

        Raises `UserError`; then the message stays on the screen.
        """
        if self._is_committing:
            raise UserError("git commit is still running")
        self._is_committing = True
        try:
            said = await commit.commit(self._editor, self._trust, asked.cwd, asked.text)
        finally:
            self._is_committing = False
        if said:
            self._editor.notify(f"committed: {said}")
            await self._editor.port.question.close_answer(asked.id)

    async def commit_message(self, cwd: str) -> str:
        """Return the message of `:ClaudeCommit` for what is staged in a folder.

        Raises `UserError` or `AgentError`.
        """
        request = CommitRequest(0, cwd=cwd)
        run = Run(request.id, self._editor, self._config, self._follow)
        async with run:
            run.kind = answering(request, self._kinds(), self._config.headless.agent, self._trust)
            return await commit.write(run, request) or ""

    async def _store(self, id_: int) -> str:
        """Store a conversation as a session, and return its id."""
        run = self._kept.get(id_)
        if run is None:
            raise UserError(NOT_KEPT)
        if run.kind is not None:
            return run.session
        if run.conversation is None or not run.conversation.has_answer:
            raise UserError(NO_ANSWER)
        return await asyncio.to_thread(run.conversation.store, os.environ)

    async def _shared(self, request: HeadlessAsked) -> HeadlessAsked:
        """Return a request, without the file if that is private; raises `UserError` for its lines.

        The editor has judged it, too, if it knew the rules.
        """
        match request:
            case AskRequest(lines=AskedLines(paths=[_, *_]) as about):
                kept = await shared_lines(self._editor, about.text.split("\n"), about.paths)
                return replace(request, lines=replace(about, text="\n".join(kept)))
            case AskRequest():
                name = request.lines.name if request.lines is not None else request.file
            case RewriteRequest():
                name = request.name
            case _:
                return request
        if not (Path(name).is_absolute() and (refusal := await self._editor.refusal(name))):
            return request
        if isinstance(request, AskRequest) and request.lines is None:
            return replace(request, file="")
        raise UserError(refusal)

    async def _expanded(self, request: HeadlessAsked) -> HeadlessAsked:
        """Return a request with what its placeholders say; raises `UserError`."""
        if not isinstance(request, AskRequest | RewriteRequest) or request.facts is None:
            return request
        if isinstance(request, AskRequest):
            name, text, has_lines = "prompt", request.prompt, request.lines is not None
        else:
            name, text, has_lines = "instruction", request.instruction, True
        given = self._editor, text, request.facts
        words = await expanded(*given, folder=request.cwd, is_typed=True, has_lines=has_lines)
        return replace(request, **{name: words})

    async def _answer(self, run: Run, asked: HeadlessAsked) -> None:
        ended: dict[str, Any] = {"error": FAILED}
        try:
            async with run:
                request = addressed(asked)
                usual = self._config.headless.agent
                kinds = self._kinds()
                run.kind = answering(request, kinds, usual, self._trust)
                has_chat = run.kind is not None or CLAUDE_ID in (kind.id for kind in kinds)
                run.is_kept = isinstance(request, AskRequest) and request.is_kept and has_chat
                result = await self._result(run, await self._expanded(await self._shared(request)))
                ended = {"text" if isinstance(result, str) else "result": result}
        except ClaudeIdeError as error:
            ended = {"error": str(error)}
        finally:
            del self._running[run.id]
            if not (run.cancelled or run.finished):
                await self._editor.port.question.finish(run.id, ended)
                if run.said:
                    self._editor.notify(run.said)

    async def _result(self, run: Run, request: HeadlessAsked) -> Any:
        match request:
            case AskRequest():
                return await ask(run, request)
            case CommitRequest():
                return await commit.write(run, request)
            case RewriteRequest(refines=id_) if id_:
                opened = self._running.get(id_)
                if opened is None or opened.rewrite is None:
                    raise UserError("the diff is no longer open")
                return await rewriting.refine(run, request, opened.rewrite)
            case RewriteRequest():
                return await rewriting.rewrite(run, request)
        raise TypeError(request)


async def ask(run: Run, request: AskRequest) -> Any:
    """Return the text of the answer or, with a JSON format, the CLI's whole result."""
    format_ = Format(request.format)
    schema = json.loads(request.schema) if request.schema else None
    content = prompt(request)
    if run.is_kept and run.kind is None:
        run.conversation = HeadlessConversation(Path(request.cwd), content)
    result = await run.ask(
        Needs(request.cwd, request.tools, request.model),
        HeadlessQuestion(protocol.words(content), format_, schema),
        wants_events=request.wants_events,
    )
    return result.text if format_ is Format.TEXT else result.raw


def prompt(request: AskRequest) -> Prompt:
    """Return the prompt: the lines or the file if there are any, then the question."""
    words = Words(request.prompt)
    if request.lines is not None:
        about = request.lines
        return [Selection(about.name, about.first, about.last, about.text), words]
    return [OpenFile(request.file), words] if request.file else [words]


def addressed(request: HeadlessAsked) -> HeadlessAsked:
    """Return a request without the name at its beginning, and with that as its agent.

    Where a caller names the agent, the whole prompt is for it.
    """
    match request:
        case AskRequest(agent=""):
            agent, words = _split(request.prompt)
            return replace(request, prompt=words, agent=agent) if agent else request
        case RewriteRequest():
            agent, words = _split(request.instruction)
            return replace(request, instruction=words, agent=agent) if agent else request
        case CommitRequest() if request.typed:
            found = AT_NAME.fullmatch(request.typed)
            if found is None:
                raise UserError(ONLY_NAME)
            return replace(request, agent=_name(found))
    return request


def _split(words: str) -> tuple[str, str]:
    found = AT_NAME.match(words)
    return (_name(found), words[found.end() :]) if found else ("", words)


def _name(found: re.Match[str]) -> str:
    if not found["name"]:
        raise UserError(NO_NAME)
    return found["name"]


def answering(request: HeadlessAsked, kinds: Kinds, usual: str, trust: Trust) -> Acp | None:
    """Return the agent that answers; None for Claude, whose CLI needs no other way.

    Raises `UserError` if there is no such agent, or if it may not start in this folder.
    """
    assert isinstance(request, AskRequest | RewriteRequest | CommitRequest)
    id_ = request.agent or usual or CLAUDE_ID
    kind = None if id_ == CLAUDE_ID else kinds.find(id_)
    words = request.instruction if isinstance(request, RewriteRequest) else None
    words = request.prompt if isinstance(request, AskRequest) else words
    if words is not None and not words.strip():
        raise UserError(NO_WORDS.format(id_))
    if not isinstance(kind, Acp):
        return None
    folder = Path(request.cwd)
    if not folder.is_dir():
        raise UserError(f"no such folder: {folder}")
    if not trust.is_trusted(folder):
        raise UserError(NOT_TRUSTED.format(kind.name, shown(str(folder))))
    return kind
