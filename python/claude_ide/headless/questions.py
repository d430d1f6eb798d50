"""The questions that are being answered, each in its own task, by the id from the editor."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError, UserError
from claude_ide.headless import ask, commit, requests, rewriting
from claude_ide.headless.following import following
from claude_ide.headless.requests import AskRequest, CommitRequest, RefineRequest, Request
from claude_ide.headless.run import Run
from claude_ide.trust.trust import Trust

FAILED = "the question failed; see :ClaudeLog"
NOT_KEPT = "this answer cannot be continued: the Python host has ended since"
NO_ANSWER = "there is no answer to continue"

Resume = Callable[[int, Path, Callable[[], Awaitable[str]]], Awaitable[None]]
"""Takes over a chat in a folder, with the session whose id the function returns."""


class Questions:
    """Answers the questions of `question/init.lua`, and reports the end of each once."""

    def __init__(
        self, editor: Editor, config: Config, trust: Trust, state: Path, resume: Resume
    ) -> None:
        """Prepare to answer; `state` is our folder, here for files that exist during a question."""
        self._editor = editor
        self._config = config
        self._follow = partial(following, trust=trust, state=state)
        self._trust = trust
        self._is_committing = False
        self._resume = resume
        self._running: dict[int, Run] = {}
        self._kept: dict[int, Run] = {}
        """The questions that the user can still continue, also after their end."""

    def answer(self, payload: dict[str, Any]) -> Coroutine[Any, Any, None]:
        """Handle `question_asked`; the caller runs the returned coroutine in a task."""
        run = Run(payload["id"], self._editor, self._config, self._follow)
        # Not in the task: the question may be cancelled before its task starts.
        self._running[run.id] = run
        if payload.get("is_kept"):
            self._kept[run.id] = run
        return self._answer(run, payload)

    def cancel(self, payload: dict[str, Any]) -> None:
        """Handle `question_cancelled`."""
        if payload["id"] in self._running:
            self._running[payload["id"]].cancel()

    def forget(self, payload: dict[str, Any]) -> None:
        """Handle `question_closed`: the answer is no longer on the screen."""
        self._kept.pop(payload["id"], None)

    async def continue_(self, payload: dict[str, Any]) -> None:
        """Handle `question_continued`: the answer goes on in a chat, which Lua has opened.

        Raises `UserError` or `AgentError`; then the answer stays on the screen.
        """
        id_ = payload["id"]
        await self._resume(payload["chat"], Path(payload["cwd"]), partial(self._store, id_))
        await self._editor.port.question.close_answer(id_)

    async def commit(self, payload: dict[str, Any]) -> None:
        """Handle `commit_asked`: commit what is staged, and close the window of the message.

        Raises `UserError`; then the message stays on the screen.
        """
        if self._is_committing:
            raise UserError("git commit is still running")
        self._is_committing = True
        try:
            given = self._editor, self._trust, payload["cwd"], payload["text"]
            said = await commit.commit(*given)
        finally:
            self._is_committing = False
        if said:
            self._editor.notify(f"committed: {said}")
            await self._editor.port.question.close_window(payload["window"])

    async def _store(self, id_: int) -> str:
        """Store a conversation as a session, and return its id."""
        run = self._kept.get(id_)
        if run is None:
            raise UserError(NOT_KEPT)
        if run.conversation is None or not run.conversation.has_answer:
            raise UserError(NO_ANSWER)
        return await asyncio.to_thread(run.conversation.store, os.environ)

    async def _shared(self, request: Request) -> Request:
        """Return a request, without the file if that is private; raises `UserError` for its lines.

        The editor has judged it, too, if it knew the rules.
        """
        if isinstance(request, CommitRequest):
            return request
        if isinstance(request, AskRequest):
            name = request.lines.name if request.lines is not None else request.file
        else:
            name = request.name
        if not (Path(name).is_absolute() and (refusal := await self._editor.refusal(name))):
            return request
        if isinstance(request, AskRequest) and request.lines is None:
            return msgspec.structs.replace(request, file="")
        raise UserError(refusal)

    async def _answer(self, run: Run, payload: dict[str, Any]) -> None:
        ended: dict[str, Any] = {"error": FAILED}
        try:
            async with run:
                result = await _answer(run, await self._shared(requests.decode(payload)))
                ended = {"text" if isinstance(result, str) else "result": result}
        except ClaudeIdeError as error:
            ended = {"error": str(error)}
        finally:
            del self._running[run.id]
            if not (run.cancelled or run.finished):
                await self._editor.port.question.finish(run.id, ended)


async def _answer(run: Run, request: Request) -> Any:
    if isinstance(request, AskRequest):
        return await ask.ask(run, request)
    if isinstance(request, CommitRequest):
        return await commit.write(run, request)
    if isinstance(request, RefineRequest):
        return await rewriting.refine(run, request)
    return await rewriting.rewrite(run, request)
