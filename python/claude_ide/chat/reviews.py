"""A request that waits, and its review in another window: as a diff, a plan in a buffer, a form.

If the user closes a review without an answer, the request continues to wait.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.agents.requests import (
    Allow,
    Option,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    Replacement,
    Reply,
)
from claude_ide.base.errors import EditorError, UserError
from claude_ide.base.paths import normalized
from claude_ide.base.text_diff import merge
from claude_ide.chat.chat_context import ChatContext
from claude_ide.editor.attention import diff_place
from claude_ide.editor.diffs import Decision, Diff, Offer
from claude_ide.editor.port.events import FormPressed
from claude_ide.editor.port.panel import Proposed, Reviewed
from claude_ide.review.recorder import Recorder
from claude_ide.ui import form, permission, proposal
from claude_ide.ui.form import Form
from claude_ide.ui.permission import LANGUAGE
from claude_ide.ui.proposal import Proposal, ProposalBase
from claude_ide.ui.request import ALLOWED, REJECTED, PendingRequest

KERNEL = "the Jupyter kernel"
"""Where code runs; the kernel is chosen after the user's answer."""

SENT_AS_PROMPT = "changes go into a prompt"


@dataclass(kw_only=True, eq=False)
class ChatRequest(PendingRequest):
    """A request of a chat, and its review in another window."""

    token: int = 0
    """The token of its plan or form in Lua; 0 if it has had none."""
    form: Form | None = None
    """The answers so far, if it has questions whose form was shown."""
    review: "asyncio.Task[None] | None" = None
    proposed: tuple[Proposal, ...] = ()
    diff: Diff | None = None
    """The diff on the screen; several are shown one after the other."""
    accepts_all: bool = False
    """Whether the user has accepted the diffs that were not shown yet."""
    choosing: "asyncio.Task[Any] | None" = None
    """The task that shows a list of answers."""
    answering: "asyncio.Task[Any] | None" = None
    """The task that sends the answer."""
    comments: list[str] = field(default_factory=list)
    """What the user has said about the accepted diffs; the agent's next prompt."""
    why: str = ""
    """What the agent has said before, in one sentence."""
    is_opened: bool = False
    """Whether its address has been opened; a second key opens it no more."""


class _Version(NamedTuple):
    """The text that the user accepts for a file, and its edit, if it is not the proposed one."""

    proposed: Proposal
    edit: Replacement | None
    text: str


class Reviews:
    """The reviews of one chat; `respond` answers a request (`Answers.respond`)."""

    def __init__(
        self, chat: ChatContext, recorder: Recorder, respond: Callable[..., Awaitable[None]]
    ) -> None:
        self._chat = chat
        self._recorder = recorder
        self._editor = chat.editor
        self._respond = respond
        self._accepted: dict[str, list[Diff]] = {}
        """Accepted diffs whose text the tool may not have written yet, by the tools' ids."""

    def begin(self, waiting: ChatRequest) -> None:
        """Start the review of a request, unless it is already open."""
        if waiting.review is not None and not waiting.review.done():
            return
        match waiting.asked:
            case PermissionAsked(is_edit=True) as asked:
                for edit in asked.edits:
                    self._recorder.asked(str(Path(self._chat.root, edit.path)), asked.tool)
                waiting.accepts_all, waiting.way = False, None
                if self._has_editor_files:
                    waiting.review = self._chat.run(self._review_as_open(waiting, asked))
                elif self._propose(waiting, self._of_disk(asked)):
                    waiting.review = self._chat.run(self._review_edit(waiting))
            case PermissionAsked(code=code) if code:
                waiting.review = self._chat.run(self._review_code(waiting, code))
            case QuestionAsked():
                waiting.review = self._chat.run(self._review_questions(waiting, waiting.asked))
            case PlanProposed(plan=plan) if plan:
                waiting.review = self._chat.run(self._review_plan(waiting, waiting.asked))

    def settle(self, tool: str, *, is_written: bool | None = None) -> None:
        """Settle the accepted diffs of a tool; a text that the agent has not got is kept."""
        for diff in self._accepted.pop(tool, ()):
            self._editor.diffs.settle(diff, is_written=is_written)

    def clear(self) -> None:
        """Settle all accepted diffs: their tools will not report results any more."""
        for tool in list(self._accepted):
            self.settle(tool)

    @property
    def _has_editor_files(self) -> bool:
        return self._chat.has("editor_files")

    async def _buffers(self, *paths: str) -> dict[str, str]:
        """Return the texts of the files that are open, for an agent that reads and writes these."""
        found: dict[str, str] = {}
        for path in paths if self._has_editor_files else ():
            with contextlib.suppress(EditorError):
                buffer = await self._editor.port.disk.look(path, True)
                if buffer and buffer.text is not None and not (buffer.is_gone or buffer.is_behind):
                    found[path] = buffer.text
        return found

    def _of_disk(self, asked: PermissionAsked) -> tuple[Proposal, ...]:
        """Return the proposals of an agent that reads the disk, whatever the editor has."""
        return tuple(
            replace(each, base=ProposalBase.BESIDE) if self._is_unsaved(each) else each
            for each in proposal.of(asked)
        )

    def _is_unsaved(self, proposed: Proposal) -> bool:
        known = self._editor.state.editor(proposed.path)
        return proposed.original is not None and known is not None and known["isDirty"]

    def _propose(self, waiting: ChatRequest, proposed: tuple[Proposal, ...]) -> bool:
        """Show what a request would change; False if that is not known."""
        waiting.proposed = proposed
        if proposed:
            changes = proposal.of_files(proposed, self._chat.root)
            waiting.view.propose(changes, proposal.note(proposed))
            self._show_reviewed(waiting, True)
        return bool(proposed)

    def _show_reviewed(self, waiting: ChatRequest, is_reviewed: bool) -> None:
        """Show whether a request can be read in another window."""
        if waiting.view.reviewed is not is_reviewed:
            waiting.view.reviewed = is_reviewed
            if not waiting.is_over:
                self._chat.sheet.changed(waiting.view)
            self._chat.painter.now()

    async def _review_as_open(self, waiting: ChatRequest, asked: PermissionAsked) -> None:
        """Review edits of texts that may be unsaved."""
        paths = map(normalized, asked.paths)
        proposed = proposal.of(asked, await self._buffers(*paths))
        if self._propose(waiting, proposed):
            await self._review_edit(waiting)

    async def _review_edit(self, waiting: ChatRequest) -> None:
        """Show a diff of each file, one after the other; one answer is for all of them."""
        texts: list[str] = []
        try:
            for number, proposed in enumerate(waiting.proposed, 1):
                if waiting.accepts_all:
                    texts.append(proposed.text)
                    continue
                decision = await self._decision(waiting, proposed, number)
                if decision is None:
                    # The request can still be answered with the keys in the transcript.
                    return
                if not decision.accepted:
                    summary = f"{REJECTED}: {decision.reason}" if decision.reason else REJECTED
                    return await self._respond(waiting, Reject(decision.reason), summary)
                texts.append(decision.text)
            await self._accept(waiting, texts)
        except BaseException:
            self.settle(waiting.asked.tool)
            raise
        finally:
            self._show_reviewed(waiting, False)

    async def _decision(
        self, waiting: ChatRequest, proposed: Proposal, number: int
    ) -> Decision | None:
        """Return the user's decision about one file; None if its diff could not be shown."""
        asked, diffs, layout = waiting.asked, self._editor.diffs, self._chat.config.diff.layout
        hints = [f"{number} of {len(waiting.proposed)}"] * (len(waiting.proposed) > 1)
        hints += [SENT_AS_PROMPT] * (not self._chat.has("change_proposal"))
        label = self._chat.label()
        diff = await diffs.show(
            *(asked.request, proposed.path, proposed.text, self._chat.name, layout),
            is_reported=bool(asked.tool),
            is_unsaved=proposed.base is ProposalBase.UNSAVED,
            agent=self._chat.name,
            hint=", ".join(hints),
            why=waiting.why,
            **({"label": label} if label else {}),
        )
        waiting.diff = diff
        if waiting.call is not None:
            waiting.call.opens(diff_place(diff.id))
        if name := permission.lasting_name(asked):
            diffs.offer(diff, Offer(name, partial(waiting.choose_lasting, self._editor)))
        try:
            decision = await diff.decision
        except EditorError:
            return None
        finally:
            waiting.diff = None
            diffs.close(diff)
        if decision.accepted:
            self._accepted.setdefault(asked.tool, []).append(diff)
            waiting.comments += [decision.words] if decision.words else []
        return decision

    async def _accept(self, waiting: ChatRequest, texts: Sequence[str]) -> None:
        pairs = zip(waiting.proposed, texts, strict=True)
        versions = [await self._version(*pair) for pair in pairs]
        edits = tuple(version.edit for version in versions if version.edit)
        unsaved = proposal.over_unsaved((each.proposed, each.text) for each in versions)
        way = waiting.way
        answer = Allow((way.id,) if way else (), edits=edits, unsaved=unsaved)
        allowed = way.name if way else ALLOWED
        if not edits:
            return await self._respond(waiting, answer, allowed)
        instead = proposal.instead_of_files(waiting.proposed, texts, self._chat.root)
        await self._respond(waiting, answer, f"{allowed}, with your changes", instead)

    async def _version(self, proposed: Proposal, text: str) -> "_Version":
        """Return the user's version of a file, merged with changes of the file since then."""
        if text == proposed.text:
            return _Version(proposed, None, text)
        old, now = proposed.original, proposed.now(await self._buffers(proposed.path))
        if old == now.original or old is None or now.original is None:
            return _Version(now, now.accepted(text), text)
        merged = await asyncio.to_thread(merge, old, text, now.original)
        if merged is None:
            # The agent, or the editor, refuses an edit that no longer fits the file.
            return _Version(proposed, proposed.accepted(text), text)
        return _Version(now, now.replacing(merged), merged)

    async def _review_questions(self, waiting: ChatRequest, asked: QuestionAsked) -> None:
        filled = waiting.form = waiting.form or Form(asked, self._chat.name)
        # The agent may not have got the answers that were submitted before.
        filled.is_submitted = False
        token = self._token(waiting)

        def press(pressed: FormPressed) -> None:
            self._editor.port.forms.show(token, filled.press(pressed))

        forms = self._editor.port.forms
        if (await forms.fill_in(filled.page(), token=token, step=press)).declined:
            waiting.form = None
            await self._respond(waiting, Reject(), "declined")
        elif filled.is_submitted:
            answers = filled.values
            await self._respond(waiting, Reply(answers), form.summary(asked, answers))

    async def _review_code(self, waiting: ChatRequest, code: str) -> None:
        shown = Proposed.code(self._chat.name, code, KERNEL, LANGUAGE)
        reviewed = await self._editor.port.forms.review(shown, token=self._token(waiting))
        text = reviewed.text or code
        if reviewed.decision == "approve":
            changed = text if text != code else ""
            summary = f"{ALLOWED}, with your changes" if changed else ALLOWED
            await self._respond(waiting, Allow(code=changed), summary)
        else:
            reason = reviewed.comments
            summary = f"{REJECTED}: {reason}" if reason else REJECTED
            await self._respond(waiting, Reject(reason), summary)

    async def _review_plan(self, waiting: ChatRequest, asked: PlanProposed) -> None:
        text = asked.plan
        is_answered = False
        while not (is_answered or waiting.is_over):
            plan = self._plan(asked, text)
            reviewed = await self._editor.port.forms.review(plan, token=self._token(waiting))
            text = reviewed.text or text
            is_answered = await self._decide_plan(waiting, text, reviewed)

    def _plan(self, asked: PlanProposed, text: str) -> Proposed:
        name, ways_to_approve = self._chat.name, _approvals(asked)
        more = ways_to_approve[0].name if len(ways_to_approve) == 1 else "other ways"
        more = more if ways_to_approve else ""
        return Proposed("plan", f"{name} plan", f"{name}'s plan", text, "markdown", more)

    async def _decide_plan(self, waiting: ChatRequest, text: str, reviewed: Reviewed) -> bool:
        """Send a decision about a plan; False if the user has not chosen how to approve it."""
        asked = waiting.asked
        assert isinstance(asked, PlanProposed)
        edited = text if text != asked.plan else ""
        if reviewed.decision == "reject":
            revision = _revision(edited, reviewed.comments)
            await self._respond(waiting, Reject(revision), "keep planning")
        elif reviewed.decision in ("approve", "approve_more"):
            option: Option | None = None
            if reviewed.decision == "approve_more" and (more := _approvals(asked)):
                option = await permission.chosen(self._editor, "Approve:", more)
                if option is None:
                    return False
            answer = Allow((option.id,) if option else (), plan=edited)
            summary = f"approved: {option.name}" if option else "approved"
            changed = f"I have changed your plan. It now reads:\n\n{edited}"
            instead = changed if edited else ""
            try:
                await self._respond(waiting, answer, summary, instead)
            except UserError as error:
                # Their version is shown again.
                self._editor.notify(str(error), "warn")
                return False
        return True

    def _token(self, waiting: ChatRequest) -> int:
        """Return the token of a request, which is the same for each of its reviews."""
        waiting.token = waiting.token or self._editor.new_token()
        return waiting.token


def _approvals(asked: PlanProposed) -> list[Option]:
    """Return the ways to approve a plan beside a plain yes."""
    return [option for option in permission.others(asked) if option.kind in permission.ALLOWING]


def _revision(text: str, comments: str) -> str:
    """Return the reason that the model reads when the user has not approved its plan."""
    if text:
        return f"Keep planning. The user has annotated the plan; it now reads:\n\n{text}"
    return f"Keep planning. {comments}".strip() if comments else ""
