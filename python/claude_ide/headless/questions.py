"""All questions that are being answered, each in a task, under the id that the editor gave it."""

from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError
from claude_ide.headless import asking, commit, requests, rewriting
from claude_ide.headless.following import following
from claude_ide.headless.requests import AskRequest, CommitRequest, Request
from claude_ide.headless.run import Run
from claude_ide.trust.trust import Trust

FAILED = "the question failed; see :ClaudeLog"


class Questions:
    """Answers what `question/init.lua` asks; each question is told once how it has ended."""

    def __init__(self, editor: Editor, config: Config, trust: Trust, state: Path) -> None:
        """Answer no question yet; `state` is our folder for files that outlive no question."""
        self._editor = editor
        self._config = config
        self._follow = partial(following, trust=trust, state=state)
        self._running: dict[int, Run] = {}

    def answer(self, payload: dict[str, Any]) -> Coroutine[Any, Any, None]:
        """Take a question (`question_asked`); what is returned answers it, in a task of its own."""
        run = Run(payload["id"], self._editor, self._config, self._follow)
        # At once: it may be cancelled before its task has begun.
        self._running[run.id] = run
        return self._answer(run, payload)

    def cancel(self, payload: dict[str, Any]) -> None:
        """End a question that nobody waits for any more (`question_cancelled`)."""
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
        return await asking.ask(run, request)
    if isinstance(request, CommitRequest):
        return await commit.write(run, request)
    return await rewriting.rewrite(run, request)
