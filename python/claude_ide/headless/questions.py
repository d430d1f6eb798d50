"""The questions that are being answered, each in its own task, by the id from the editor."""

from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError
from claude_ide.headless import ask, commit, requests, rewriting
from claude_ide.headless.following import following
from claude_ide.headless.requests import AskRequest, CommitRequest, Request
from claude_ide.headless.run import Run
from claude_ide.trust.trust import Trust

FAILED = "the question failed; see :ClaudeLog"


class Questions:
    """Answers the questions of `question/init.lua`, and reports the end of each once."""

    def __init__(self, editor: Editor, config: Config, trust: Trust, state: Path) -> None:
        """Prepare to answer; `state` is our folder, here for files that exist during a question."""
        self._editor = editor
        self._config = config
        self._follow = partial(following, trust=trust, state=state)
        self._running: dict[int, Run] = {}

    def answer(self, payload: dict[str, Any]) -> Coroutine[Any, Any, None]:
        """Handle `question_asked`; the caller runs the returned coroutine in a task."""
        run = Run(payload["id"], self._editor, self._config, self._follow)
        # Not in the task: the question may be cancelled before its task starts.
        self._running[run.id] = run
        return self._answer(run, payload)

    def cancel(self, payload: dict[str, Any]) -> None:
        """Handle `question_cancelled`."""
        if payload["id"] in self._running:
            self._running[payload["id"]].cancel()

    async def _answer(self, run: Run, payload: dict[str, Any]) -> None:
        ended: dict[str, Any] = {"error": FAILED}
        try:
            async with run:
                ended = {"result": await _answer(run, requests.decode(payload))}
        except ClaudeIdeError as error:
            ended = {"error": str(error)}
        finally:
            del self._running[run.id]
            if not (run.cancelled or run.finished):
                await self._editor.run("question.finish", run.id, ended)


async def _answer(run: Run, request: Request) -> Any:
    if isinstance(request, AskRequest):
        return await ask.ask(run, request)
    if isinstance(request, CommitRequest):
        return await commit.write(run, request)
    return await rewriting.rewrite(run, request)
