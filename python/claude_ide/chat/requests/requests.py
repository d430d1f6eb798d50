"""What waits for the user: shown where it can be judged, answered once, or withdrawn.

An edit is shown as a diff, a plan as a buffer, questions as a form; keys on the request in the
transcript answer as well. Whatever closes without an answer keeps waiting.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from claude_ide.agents.answer import Allow, Answer, Reject, Reply
from claude_ide.agents.events import (
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Replacement,
    ToolStatus,
)
from claude_ide.chat.page import amounts
from claude_ide.chat.requests import proposal
from claude_ide.chat.requests.sight import Sight
from claude_ide.chat.transcript.asking import ALWAYS, SHOWN, Asked, Request, way
from claude_ide.config import Config
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError

ALLOWED, REJECTED = "allowed", "rejected"
EXISTS = "the file exists by now"
OVERTAKEN = "{} did not exist when this was proposed, but does now. It was not changed: read it."
SHOW, NO = "show", {"n": "No", "N": "No, because…"}

Send = Callable[[str, Answer, str], Awaitable[None]]
"""Sends the answer to a request; the last argument says in words what it was."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One request. `review` is what shows it to the user beside the transcript."""

    asked: Asked
    token: int
    proposed: proposal.Proposal | None = None
    review: "asyncio.Task[None] | None" = None
    diff: Diff | None = None
    answering: bool = field(default=False)


class Requests:
    """The requests of one chat. `run` starts a task whose errors are told to the user.

    `count` is called with how many there are, each time that this changes. `name` is the
    agent's.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        sight: Sight,
        send: Send,
        run: Callable[[Awaitable[Any]], "asyncio.Task[None]"],
        count: Callable[[int], None],
        name: str,
    ) -> None:
        self._editor = editor
        self._config = config
        self._sight = sight
        self._send = send
        self._run = run
        self._count = count
        self._name = name
        self._waiting: dict[str, Waiting] = {}
        self._accepted: dict[str, Diff] = {}

    def take(self, asked: Asked) -> None:
        """Take a request, and show what there is to see of it."""
        self.drop(asked.request)
        waiting = Waiting(asked, self._editor.new_token())
        self._waiting[asked.request] = waiting
        self._count(len(self._waiting))
        if not isinstance(asked, QuestionAsked):
            self._review(waiting)
        self._run(self._sight.locate(asked))

    def drop(self, request: str) -> None:
        """Take note that a request was answered or withdrawn: what shows it goes."""
        waiting = self._waiting.pop(request, None)
        if waiting is None:
            return
        self._count(len(self._waiting))
        # A review that has led to the answer ends by itself.
        if waiting.review is not None and waiting.review is not asyncio.current_task():
            waiting.review.cancel()

    def clear(self) -> None:
        """Drop them all: nobody waits for an answer any more."""
        for request in list(self._waiting):
            self.drop(request)
        for tool in list(self._accepted):
            self._settle(tool)

    def ended(self, tool: str, status: ToolStatus) -> None:
        """Take note of what became of a tool: the user's text is kept if it was not written."""
        self._settle(tool, is_written=status is ToolStatus.COMPLETED)

    def _settle(self, tool: str, *, is_written: bool | None = None) -> None:
        if diff := self._accepted.pop(tool, None):
            self._editor.diffs.settle(diff, is_written=is_written)

    def review(self, request: str) -> None:
        """Show a request where there is room for it."""
        if waiting := self._waiting.get(request):
            self._review(waiting)

    async def key(self, request: str, key: str, kind: str) -> None:
        """Answer by one of the keys that the transcript shows.

        `kind` says how much of the request the user had seen (`asking.SHOWN`): what allows more
        than that shows it.
        """
        waiting = self._waiting.get(request)
        if waiting is None:
            return
        match key:
            case "y" if isinstance(waiting.asked, QuestionAsked):
                self._review(waiting)
            case "y" if waiting.diff is not None and waiting.diff.shown:
                # With whatever the user has made of it by now.
                await self._editor.run("diff.accept", waiting.diff.id)
            case "y" | "a" if not await self._is_shown(waiting, key, kind):
                await self._sight.lead(request, key)
            case "y":
                if isinstance(waiting.asked, PermissionAsked) and waiting.asked.kind == "edit":
                    await self._editor.expect_write(waiting.asked.path)
                await self._answer(waiting, Allow(), ALLOWED)
            case "a":
                await self._always(waiting)
            case "n":
                await self._answer(waiting, Reject(), REJECTED)
            case "N":
                reason = await self._editor.input("Why not? ")
                if reason is not None:
                    said = f"{REJECTED}: {reason}" if reason else REJECTED
                    await self._answer(waiting, Reject(reason), said)

    async def choose(self) -> None:
        """Have the user choose an answer to the request that waits longest, from a list."""
        waiting = next(iter(self._waiting.values()), None)
        if waiting is None:
            return
        if isinstance(waiting.asked, QuestionAsked):
            return self._review(waiting)
        await self._sight.locate(waiting.asked)
        view = self._sight.find(waiting.asked.request)
        if view is None:
            return
        asked = waiting.asked.request
        kind = view.kind_in_line if view.line else await self._sight.kind(asked)
        is_shown = await self._is_shown(waiting, "y", kind)
        ways = _answers(waiting.asked) if is_shown else _ways_to_see(view)
        chosen = await self._editor.select(view.line or view.title, list(ways.values()))
        if chosen is None:
            return
        key = list(ways)[chosen]
        if key == SHOW:
            # Whatever of it there is.
            await self._sight.lead(asked, "a")
        else:
            await self.key(asked, key, kind)

    async def _is_shown(self, waiting: Waiting, key: str, kind: str) -> bool:
        """Whether the user has seen all that a key allows."""
        view = self._sight.find(waiting.asked.request)
        if kind in SHOWN[key] or view is None:
            return kind in SHOWN[key]
        return (key == "y" or view.shows_always) and await self._is_shown_beside(waiting)

    async def _is_shown_beside(self, waiting: Waiting) -> bool:
        """Whether a request is in a diff or a buffer that the user can read."""
        if isinstance(waiting.asked, PlanProposed):
            return bool(await self._editor.run("chat.plan.is_open", waiting.token))
        return waiting.diff is not None and waiting.diff.shown

    async def _always(self, waiting: Waiting) -> None:
        if isinstance(waiting.asked, QuestionAsked):
            return
        options = _always(waiting.asked)
        if not options:
            return
        chosen: int | None = 0
        if len(options) > 1:
            names = [way(option) for option in options]
            # One by one, each with its scope: to send them all back would change more than wanted.
            chosen = await self._editor.select("Allow always:", names)
        if chosen is not None:
            option = options[chosen]
            if option.kind is OptionKind.REJECT_ALWAYS:
                await self._answer(waiting, Reject(option=option.id), option.name)
            else:
                await self._answer(waiting, Allow(options=(option.id,)), option.name)

    async def _answer(self, waiting: Waiting, answer: Answer, said: str) -> None:
        request = waiting.asked.request
        if self._waiting.get(request) is not waiting or waiting.answering:
            return
        if isinstance(answer, Allow) and waiting.proposed and waiting.proposed.is_overtaken:
            # The agent might replace it, whatever it holds.
            answer, said = Reject(OVERTAKEN.format(waiting.proposed.path)), f"{REJECTED}: {EXISTS}"
        waiting.answering = True
        try:
            await self._send(request, answer, said)
        finally:
            waiting.answering = False
        self.drop(request)

    def _review(self, waiting: Waiting) -> None:
        if waiting.review is not None and not waiting.review.done():
            return
        match waiting.asked:
            case PermissionAsked():
                waiting.proposed = proposed = proposal.of(waiting.asked)
                if proposed is not None:
                    self._sight.reviewed(waiting.asked.request, True)
                    waiting.review = self._run(self._while_reviewed(waiting, proposed))
            case QuestionAsked():
                waiting.review = self._run(self._review_questions(waiting, waiting.asked))
            case PlanProposed():
                waiting.review = self._run(self._review_plan(waiting, waiting.asked))

    async def _while_reviewed(self, waiting: Waiting, proposed: proposal.Proposal) -> None:
        try:
            await self._review_edit(waiting, proposed)
        finally:
            self._sight.reviewed(waiting.asked.request, False)

    async def _review_edit(self, waiting: Waiting, proposed: proposal.Proposal) -> None:
        asked, diffs, layout = waiting.asked, self._editor.diffs, self._config.diff.layout
        diff = await diffs.show(
            *(asked.request, proposed.path, proposed.text, self._name, layout),
            is_reported=bool(asked.tool),
        )
        waiting.diff = diff
        try:
            decision = await diff.decision
        except EditorError:
            # The keys in the transcript are left, and say what is wanted as well.
            return
        finally:
            waiting.diff = None
            diffs.close(diff)
        if not decision.accepted:
            said = f"{REJECTED}: {decision.reason}" if decision.reason else REJECTED
            return await self._answer(waiting, Reject(decision.reason), said)
        self._accepted[asked.tool] = diff
        try:
            changed = await self._changed(proposed, decision.text)
            said = ALLOWED if changed is None else f"{ALLOWED}, with your changes"
            await self._answer(waiting, Allow(edit=changed), said)
        except BaseException:
            self._settle(asked.tool)
            raise

    async def _changed(self, proposed: proposal.Proposal, text: str) -> Replacement | None:
        """The edit for an accepted text, on top of what others have written by now."""
        old, now = proposed.original, proposed.now()
        if text == proposed.text or old == now.original or old is None or now.original is None:
            return now.accepted(text)
        merged = await self._editor.run("file.rebase.merge_texts", old, text, now.original)
        # The agent refuses what no longer fits.
        return proposed.accepted(text) if merged is None else now.replacing(merged)

    async def _review_questions(self, waiting: Waiting, asked: QuestionAsked) -> None:
        questions = [
            {
                "text": question.text,
                "header": question.header,
                "multiple": question.multiple,
                "choices": [
                    {"label": choice.label, "description": choice.description}
                    for choice in question.choices
                ],
            }
            for question in asked.questions
        ]
        told = await self._editor.ask(
            "chat.form",
            {"title": f"{self._name} asks", "questions": questions},
            token=waiting.token,
        )
        if told.get("declined"):
            await self._answer(waiting, Reject(), "declined")
        elif answers := told.get("answers"):
            multiple = {question.text: question.multiple for question in asked.questions}
            chosen = {
                answer["question"]: answer["chosen"]
                if multiple.get(answer["question"])
                else ", ".join(answer["chosen"])
                for answer in answers
            }
            said = "; ".join(", ".join(answer["chosen"]) for answer in answers)
            await self._answer(waiting, Reply(chosen), said)

    async def _review_plan(self, waiting: Waiting, asked: PlanProposed) -> None:
        if not asked.plan:
            return
        told = await self._editor.ask(
            "chat.plan", {"title": f"{self._name}'s plan", "text": asked.plan}, token=waiting.token
        )
        text, decision = str(told.get("text", "")), told.get("decision")
        edited = text not in ("", asked.plan)
        if decision == "revise":
            reason = _revision(text if edited else "", str(told.get("comments") or ""))
            return await self._answer(waiting, Reject(reason), "keep planning")
        if decision in ("approve", "approve_edits"):
            accepting = _always(asked)[:1] if decision == "approve_edits" else []
            options = tuple(option.id for option in accepting)
            said = "approved" + (", edits accepted" if options else "")
            await self._answer(waiting, Allow(options, plan=text if edited else ""), said)


def _answers(asked: PermissionAsked | PlanProposed) -> dict[str, str]:
    """The keys that answer a request, with what they mean."""
    always = _always(asked)
    if isinstance(asked, PlanProposed):
        # A plan is approved once; what is offered with it is what comes after.
        yes = {"y": "Yes"} | ({"a": always[0].name} if always else {})
    else:
        yes = {"y": "Yes, once", "a": "Always…"} if always else {"y": "Yes"}
    return yes | NO


def _ways_to_see(view: Request) -> dict[str, str]:
    """What there is to choose before all of a request was seen."""
    return {SHOW: f"Show it all ({amounts.count(len(view.body), 'line')})"} | NO


def _always(asked: PermissionAsked | PlanProposed) -> list[Option]:
    return [option for option in asked.options if option.kind in ALWAYS]


def _revision(text: str, comments: str) -> str:
    """What the model reads when the user does not approve of its plan yet."""
    if text:
        return f"Keep planning. The user has annotated the plan; it now reads:\n\n{text}"
    return f"Keep planning. {comments}".strip() if comments else ""
