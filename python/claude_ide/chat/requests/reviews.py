"""Reviews of requests in other windows: an edit as a diff, a plan in a buffer, questions in a form.

If the user closes a review without an answer, the request continues to wait.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from claude_ide.agents.answer import Allow, Answer, Reject, Reply
from claude_ide.agents.events import (
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Replacement,
    ToolStatus,
)
from claude_ide.chat.panel import Panel
from claude_ide.chat.requests import change, form, proposal
from claude_ide.chat.requests.proposal import Proposal
from claude_ide.chat.requests.requests import Waiting
from claude_ide.chat.requests.sight import Sight
from claude_ide.chat.requests.view import always
from claude_ide.config import Config
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError

ALLOWED, REJECTED = "allowed", "rejected"

Respond = Callable[[Waiting, Answer, str], Awaitable[None]]
"""Answers a request; the last argument describes the answer in the transcript."""


class Reviews:
    """The reviews of one chat whose agent has this name.

    `run` starts a task and shows its errors to the user in one line.
    """

    def __init__(
        self,
        name: str,
        editor: Editor,
        panel: Panel,
        config: Config,
        sight: Sight,
        run: Callable[[Awaitable[Any]], "asyncio.Task[None]"],
        respond: Respond,
    ) -> None:
        self._name = name
        self._editor = editor
        self._panel = panel
        self._config = config
        self._sight = sight
        self._run = run
        self._respond = respond
        self._accepted: dict[str, Diff] = {}
        """Accepted diffs whose text the tool may not have written yet, by the tools' ids."""

    def begin(self, waiting: Waiting) -> None:
        """Start the review of a request, unless it is already open."""
        if waiting.review is not None and not waiting.review.done():
            return
        match waiting.asked:
            case PermissionAsked(kind="edit"):
                waiting.proposed = proposal.of(waiting.asked)
                if waiting.proposed is not None:
                    waiting.view.propose(change.unified(waiting.proposed))
                    self._sight.review(waiting, True)
                    waiting.review = self._run(self._while_reviewed(waiting, waiting.proposed))
            case QuestionAsked():
                waiting.review = self._run(self._review_questions(waiting, waiting.asked))
            case PlanProposed(plan=plan) if plan:
                waiting.review = self._run(self._review_plan(waiting, waiting.asked))

    def settle(self, tool: str, status: ToolStatus | None = None) -> None:
        """Settle the accepted diff of a tool; its text is kept if the tool has not written it."""
        if diff := self._accepted.pop(tool, None):
            is_written = None if status is None else status is ToolStatus.COMPLETED
            self._editor.diffs.settle(diff, is_written=is_written)

    def clear(self) -> None:
        """Settle all accepted diffs: their tools will not report results any more."""
        for tool in list(self._accepted):
            self.settle(tool)

    async def _while_reviewed(self, waiting: Waiting, proposed: Proposal) -> None:
        try:
            await self._review_edit(waiting, proposed)
        finally:
            self._sight.review(waiting, False)

    async def _review_edit(self, waiting: Waiting, proposed: Proposal) -> None:
        asked, diffs, layout = waiting.asked, self._editor.diffs, self._config.diff.layout
        diff = await diffs.show(
            *(asked.request, proposed.path, proposed.text, self._name, layout),
            is_reported=bool(asked.tool),
        )
        waiting.diff = diff
        try:
            decision = await diff.decision
        except EditorError:
            # The request can still be answered with the keys in the transcript.
            return
        finally:
            waiting.diff = None
            diffs.close(diff)
        if decision.accepted:
            await self._accept(waiting, proposed, diff, decision.text)
        else:
            summary = f"{REJECTED}: {decision.reason}" if decision.reason else REJECTED
            await self._respond(waiting, Reject(decision.reason), summary)

    async def _accept(self, waiting: Waiting, proposed: Proposal, diff: Diff, text: str) -> None:
        tool = waiting.asked.tool
        self._accepted[tool] = diff
        try:
            changed = await self._changed(proposed, text)
            summary = ALLOWED if changed is None else f"{ALLOWED}, with your changes"
            await self._respond(waiting, Allow(edit=changed), summary)
        except BaseException:
            self.settle(tool)
            raise

    async def _changed(self, proposed: Proposal, text: str) -> Replacement | None:
        """Return the edit for an accepted text, merged with changes of the file since then.

        None if it is the proposed edit.
        """
        old, now = proposed.original, proposed.now()
        if text == proposed.text or old == now.original or old is None or now.original is None:
            return now.accepted(text)
        merged = await self._panel.merge(old, text, now.original)
        # On a conflict the agent refuses the edit, since it no longer fits the file.
        return proposed.accepted(text) if merged is None else now.replacing(merged)

    async def _review_questions(self, waiting: Waiting, asked: QuestionAsked) -> None:
        shown = form.of(asked, self._name)
        answered = await self._panel.ask_questions(shown, self._token(waiting))
        if answered.get("declined"):
            await self._respond(waiting, Reject(), "declined")
        elif (given := answered.get("answers")) is not None:
            answers = form.values(asked, given)
            await self._respond(waiting, Reply(answers), form.summary(asked, answers))

    async def _review_plan(self, waiting: Waiting, asked: PlanProposed) -> None:
        plan = {"title": f"{self._name}'s plan", "text": asked.plan}
        reviewed = await self._panel.ask_plan(plan, self._token(waiting))
        text, decision = str(reviewed.get("text", "")), reviewed.get("decision")
        edited = text not in ("", asked.plan)
        if decision == "revise":
            reason = _revision(text if edited else "", str(reviewed.get("comments") or ""))
            await self._respond(waiting, Reject(reason), "keep planning")
        elif decision in ("approve", "approve_edits"):
            accepting = always(asked)[:1] if decision == "approve_edits" else []
            options = tuple(option.id for option in accepting)
            summary = "approved" + (", edits accepted" if options else "")
            await self._respond(waiting, Allow(options, plan=text if edited else ""), summary)

    def _token(self, waiting: Waiting) -> int:
        """Return the token of a request, which is the same for each of its reviews."""
        waiting.token = waiting.token or self._editor.new_token()
        return waiting.token


def _revision(text: str, comments: str) -> str:
    """Return the reason that the model reads when the user has not approved its plan."""
    if text:
        return f"Keep planning. The user has annotated the plan; it now reads:\n\n{text}"
    return f"Keep planning. {comments}".strip() if comments else ""
