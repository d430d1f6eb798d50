"""The requests of one chat that wait, and the user's answers: by a key, from a list, in a review.

A request is answered once. It continues to wait if a list or a review closes without an answer.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from claude_ide.agents.agent import Words
from claude_ide.agents.events import Dead, Event, Notice, ToolEnded, ToolStatus
from claude_ide.agents.requests import (
    Allow,
    Answer,
    Asked,
    Dismiss,
    Option,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    RequestWithdrawn,
    UrlAsked,
)
from claude_ide.base.errors import AgentError, UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.reviews import ChatRequest, Reviews
from claude_ide.editor.attention import APPROVAL_PLACE
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.review.recorder import Recorder
from claude_ide.ui import form, permission, proposal
from claude_ide.ui.permission import capitalized
from claude_ide.ui.request import (
    ALLOWED,
    LINE,
    REJECTED,
    SHOWN,
    WIDTH,
    Answering,
    RequestView,
    can_open,
)
from claude_ide.ui.sheet import Sheet
from claude_ide.ui.text import counted, last_sentence, one_line

logger = logging.getLogger(__name__)

CANCELLED, DECLINED = "cancelled", "declined"
EXISTS = "the file already exists"
APPEARED = "{} did not exist when this was proposed, but does now. It was not changed: read it."
NO_BROWSER = "No browser could be started (:ClaudeLog). The address is in the transcript."
DECLINE = {"n": "Decline", "N": "Cancel"}
SHOW, NO = "d", {"n": "No", "N": "No, because…"}


MARGIN = 6
"""Columns of the screen that a list of choices needs for numbers and a border."""


class Requests:
    """The only registry of the requests of the agent with this name that wait, the oldest first.

    Paths below `root` are relative to it. `changed` is called whenever their number changes.
    """

    def __init__(
        self, sheet: Sheet, name: str, root: str = "", changed: Callable[[], object] = bool
    ) -> None:
        self._sheet = sheet
        self._name = name
        self._root = root
        self._changed = changed
        self._waiting: dict[str, ChatRequest] = {}
        self._width, self._room = WIDTH, LINE

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self._waiting)

    def __iter__(self) -> Iterator[ChatRequest]:
        """Iterate over a copy, so that the loop may remove requests."""
        return iter(list(self._waiting.values()))

    def add(self, asked: Asked) -> ChatRequest:
        """Show a request; it replaces an earlier one with the same id."""
        self.remove(asked.request)
        view = self._sheet.add(
            "request",
            lambda part: RequestView(part, asked, self._root, self._name, self._width, self._room),
            tail=True,
        )
        waiting = self._waiting[asked.request] = ChatRequest(view=view)
        self._changed()
        return waiting

    def apply(self, event: Event) -> None:
        """Remove the requests that an event ends."""
        match event:
            case RequestWithdrawn(request):
                self.remove(request)
            case ToolEnded(tool) if tool:
                for waiting in self:
                    if waiting.asked.tool == tool:
                        self.remove(waiting.asked.request)
            case Dead():
                self.clear()

    def remove(self, request: str) -> ChatRequest | None:
        """Remove a request with its view and its review; return it, or None if it is unknown."""
        waiting = self._waiting.pop(request, None)
        if waiting is None:
            return None
        waiting.is_over = True
        if waiting.call is not None:
            waiting.call.end(is_answered=waiting.answering is not None)
        self._sheet.remove(waiting.view)
        for task in (waiting.review, waiting.choosing):
            # A task that sends the answer ends by itself.
            if task is not None and task is not waiting.answering:
                task.cancel()
        self._changed()
        return waiting

    def clear(self) -> None:
        """Remove all requests."""
        for waiting in self:
            self.remove(waiting.asked.request)

    def find(self, request: str) -> ChatRequest | None:
        """Return a request by its id."""
        return self._waiting.get(request)

    def at(self, part: int) -> ChatRequest | None:
        """Return the request in a part of the transcript."""
        return next((waiting for waiting in self if waiting.view.part.id == part), None)

    def redraw(self, waiting: ChatRequest) -> None:
        """Have the next frame draw a request that has changed."""
        if not waiting.is_over:
            self._sheet.changed(waiting.view)

    def resize(self, width: int, columns: int) -> None:
        """Fit the requests into a window of this width; `columns` is the width of the screen."""
        self._width, self._room = width, min(LINE, columns - MARGIN)
        for waiting in self:
            waiting.view.resize(self._width, self._room)
            self.redraw(waiting)


class Answers(ChatPart, Answering[ChatRequest]):
    """Shows the requests of one chat to the user, and sends the answers to the agent."""

    def __init__(self, chat: ChatContext, recorder: Recorder) -> None:
        super().__init__(chat)
        self.requests = Requests(chat.sheet, chat.name, chat.root, chat.count)
        chat.requests = self.requests
        self._reviews = Reviews(chat, recorder, self.respond)

    def ask(self, asked: Asked) -> None:
        """Show a request, and start its review if it is an edit or a plan."""
        waiting = self.requests.add(asked)
        waiting.why = last_sentence(self._transcript.last_text())
        self._chat.painter.now()
        match asked:
            case PlanProposed() | PermissionAsked(is_edit=True):
                self._reviews.begin(waiting)
        self._call(waiting)
        if isinstance(asked, PermissionAsked) and asked.path:
            self._locate(waiting)

    def _call(self, waiting: ChatRequest) -> None:
        """Have the user called. A review opens when it does not interrupt them."""
        place = [APPROVAL_PLACE] * isinstance(waiting.asked, PlanProposed)
        what = f"{waiting.view.label} · :ClaudeChat answer"
        call = waiting.call = self._editor.attention.asked(
            self._chat.session, what, *place, is_held=waiting.review is not None
        )
        if waiting.review is not None:
            waiting.review.add_done_callback(lambda _: call.appears())

    def apply(self, event: Event) -> None:
        """Handle an event that ends requests, or reports the result of an accepted edit."""
        self.requests.apply(event)
        match event:
            case ToolEnded(tool, status):
                self._reviews.settle(tool, is_written=status is ToolStatus.COMPLETED)
            case Dead():
                self._reviews.clear()

    def close(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all requests: the agent no longer waits for answers."""
        self.requests.clear()
        self._reviews.clear()

    def review(self, request: str) -> None:
        """Start the review of a request, by its id."""
        if waiting := self.requests.find(request):
            waiting.see()
            self._reviews.begin(waiting)

    @handles(panel.RequestAnswered)
    async def answered(self, answered: panel.RequestAnswered) -> None:
        """Handle a key on a request."""
        await self.key(answered.part, answered.key, answered.kind, answered.reason)

    async def key(self, part: int, key: str, kind: str, reason: str = "") -> None:
        """Handle a key of the request in a part of the transcript, as `act` does."""
        if waiting := self.requests.at(part):
            waiting.see()
            await self._answer(waiting, key, kind, reason)

    async def _answer(self, waiting: ChatRequest, key: str, kind: str, reason: str = "") -> None:
        """Handle a key. After the last answer the transcript shows what follows."""
        await self.act(waiting, key, kind, reason)
        if waiting.is_over and not self.requests:
            await self._panel.follow()

    async def act(self, waiting: ChatRequest, key: str, kind: str, reason: str = "") -> None:
        asked = waiting.asked
        match key:
            case "y" | "d" if isinstance(asked, QuestionAsked):
                self._reviews.begin(waiting)
            case "d" if isinstance(asked, PlanProposed):
                self._reviews.begin(waiting)
            case "c" if isinstance(asked, PermissionAsked) and asked.code:
                self._reviews.begin(waiting)
            case "y" if permission.has_yes(asked) and _has_one_diff(waiting):
                await self._accept_diff(waiting)
            case "n" if is_for_program(asked):
                await self.respond(waiting, Reject(), DECLINED)
            case "N" if is_for_program(asked):
                await self.respond(waiting, Dismiss(), CANCELLED)
            case _:
                await super().act(waiting, key, kind, reason)

    async def allow(self, waiting: ChatRequest) -> None:
        asked = waiting.asked
        if isinstance(asked, UrlAsked):
            await self._open(waiting, asked)
        elif waiting.diff is not None and waiting.diff.shown.is_set():
            waiting.accepts_all = True
            await self._accept_diff(waiting)
        else:
            if isinstance(asked, PermissionAsked) and asked.is_edit:
                for path in asked.paths:
                    await self._editor.port.disk.expect_write(path)
            await super().allow(waiting)

    def _locate(self, waiting: ChatRequest) -> None:
        waiting.view.locate()
        self._redraw(waiting)

    def _redraw(self, waiting: ChatRequest) -> None:
        self.requests.redraw(waiting)
        self._chat.painter.now()

    async def redraw(self, waiting: ChatRequest) -> None:
        self._redraw(waiting)

    async def covers(self, waiting: ChatRequest, key: str) -> bool:
        if key == "a" and not waiting.view.shows_always:
            return False
        if isinstance(waiting.asked, PlanProposed):
            return await self._editor.port.forms.is_read(waiting.token)
        return _has_one_diff(waiting)

    async def show_rest(self, waiting: ChatRequest, key: str) -> None:
        await self._lead(waiting, key, key)

    async def _lead(self, waiting: ChatRequest, key: str, pressed: str = "") -> None:
        """Show all that a key allows, scroll there, and say why a `pressed` one did no more."""
        if waiting.is_over:
            return
        waiting.view.unfold(key)
        self._redraw(waiting)
        await self._chat.painter.drawn()
        await self._panel.lead(waiting.view.part.id, pressed)

    async def _accept_diff(self, waiting: ChatRequest) -> None:
        """Accept the diff on the screen, including the user's changes in it."""
        assert waiting.diff is not None
        await self._editor.port.diffs.accept(waiting.diff.id)

    async def _open(self, waiting: ChatRequest, asked: UrlAsked) -> None:
        """Open an address in the user's browser; without a browser the user may do so elsewhere."""
        if not can_open(asked.url):
            raise UserError(f"this address cannot be opened from here: {one_line(asked.url)}")
        if waiting.is_opened:
            return
        waiting.is_opened = True
        opened = "opened"
        if failure := await self._editor.port.windows.browse(asked.url):
            logger.info("an address could not be opened: %s", failure)
            if await self._editor.select(NO_BROWSER, ["I have opened it elsewhere", "Later"]) != 0:
                waiting.is_opened = False
                return
            opened = "opened elsewhere"
        await self.respond(waiting, Allow(), opened)

    async def choose(self) -> None:
        """Have the user choose an answer to the oldest request from a list."""
        waiting = next(iter(self.requests), None)
        if waiting is None:
            return
        waiting.see()
        if isinstance(waiting.asked, QuestionAsked):
            return self._reviews.begin(waiting)
        self._locate(waiting)
        if waiting.is_over:
            return
        view = waiting.view
        listed = view.line or view.whole
        kind = view.kind_in_line if listed else await self._panel.seen(view.part.id)
        is_shown = kind in SHOWN["y"] or await self.covers(waiting, "y")
        choices = _answers(waiting.asked) if is_shown else _choices_before_sight(view)
        if waiting.choosing is not None:
            waiting.choosing.cancel()
        waiting.choosing = asyncio.current_task()
        try:
            key = await self._choose_key(listed or view.title, choices)
        finally:
            if waiting.choosing is asyncio.current_task():
                waiting.choosing = None
        if key == SHOW:
            # `a` shows the most: also what "always" would allow.
            await self._lead(waiting, "a")
        elif key:
            await self._answer(waiting, key, kind)

    async def _choose_key(self, message: str, meanings: dict[str, str]) -> str:
        """Return the key that the user presses in a form; empty if they close it."""
        page = form.of_keys(f"Answer {self._agent.name}", message, meanings)
        token = self._editor.new_token()
        return (await self._editor.port.forms.fill_in(page, token=token)).answer

    async def respond(
        self, waiting: ChatRequest, answer: Answer, summary: str, instead: str = ""
    ) -> None:
        """Send an answer, unless the request already has one; show its `summary`.

        `instead` has the user's changes of the proposal, for an agent that cannot accept them.
        """
        if waiting.is_over or waiting.answering is not None:
            return
        if isinstance(answer, Allow):
            answer, summary = await self._acceptable(waiting, answer, summary, instead)
            if waiting.is_over or waiting.answering is not None:
                return
        if isinstance(answer, Allow) and waiting.proposed and not answer.unsaved:
            proposed = ((each, each.text) for each in waiting.proposed)
            answer = replace(answer, unsaved=proposal.over_unsaved(proposed))
        appeared = next((each for each in waiting.proposed if each.file_appeared), None)
        if isinstance(answer, Allow) and appeared:
            # Otherwise the agent might overwrite a file that the user has never seen.
            answer = Reject(APPEARED.format(appeared.path))
            summary = f"{REJECTED}: {EXISTS}"
        waiting.answering = asyncio.current_task()
        try:
            if isinstance(answer, Allow) and answer.is_changed:
                self._chat.require_capability("change_proposal")
            await self._agent.answer(waiting.asked.request, answer)
        except BaseException:
            waiting.answering = None
            raise
        if isinstance(answer, Reject) and instead and answer.reason == instead:
            self._reviews.settle(waiting.asked.tool, is_written=True)
        if not waiting.is_over:
            self.requests.remove(waiting.asked.request)
            self._transcript.answered(waiting.asked.tool, waiting.view.label, summary)
        unread = list(waiting.comments)
        if isinstance(answer, Reject) and not self._chat.has("reject_with_reason"):
            unread.insert(0, answer.reason)
        for words in filter(None, unread):
            await self._send(words)
        self._chat.painter.now()

    async def _acceptable(
        self, waiting: ChatRequest, answer: Allow, summary: str, instead: str
    ) -> tuple[Answer, str]:
        """Return an answer that the agent can carry out, with its summary.

        Raises `UserError` if the user does not want one; the request then continues to wait.
        """
        name = self._agent.name
        is_carried = answer.is_changed and self._chat.has("change_proposal")
        if instead and not is_carried:
            choices = ["Reject, and send my changes as a prompt", "Allow it without my changes"]
            asked = f"{name} cannot accept changes to its proposals:"
            chosen = await self._editor.select(asked, choices)
            if chosen is None:
                raise UserError(f"{name} cannot accept your changes; it still waits for an answer")
            if chosen == 0:
                return Reject(instead), f"{REJECTED}, with your changes"
            self._reviews.settle(waiting.asked.tool, is_written=False)
            answer, summary = Allow(answer.options), f"{ALLOWED}, without your changes"
        if permission.has_yes(waiting.asked) or answer.options or answer.rule:
            return answer, summary
        way = await permission.choose_way(self._editor, waiting.asked)
        if not isinstance(way, Option):
            raise UserError(f"{name} offers no plain yes; it still waits for an answer")
        chosen_way = permission.answer(way)
        if isinstance(chosen_way, Allow):
            chosen_way = replace(answer, options=chosen_way.options)
        return chosen_way, way.name

    async def _send(self, words: str) -> None:
        """Send words that the answer could not carry as the next prompt."""
        try:
            prompt = await self._agent.prompt([Words(words)])
        except AgentError:
            await self.keep(words)
            raise
        self._transcript.queue.add(prompt, words)

    async def keep(self, reason: str) -> None:
        """Put words that were not sent into the prompt window, or else show them."""
        if await self._panel.put_if_empty(reason):
            return self._editor.notify("not sent: your words are in the prompt", "warn")
        self._transcript.apply(Notice(f"not sent: {reason}", "warning"))
        self._chat.painter.now()


def _has_one_diff(waiting: ChatRequest) -> bool:
    """Return whether one diff shows all that a request would change."""
    return len(waiting.proposed) == 1 and bool(waiting.diff and waiting.diff.shown.is_set())


def is_for_program(asked: Asked) -> bool:
    """Return whether the answer to a request goes to a program rather than to the model."""
    return isinstance(asked, UrlAsked) or (isinstance(asked, QuestionAsked) and bool(asked.asker))


def _answers(asked: Asked) -> dict[str, str]:
    """Return the keys that answer a request, with their meanings."""
    if isinstance(asked, UrlAsked):
        yes = {"y": "Open it in the browser"} if can_open(asked.url) else {}
        return yes | DECLINE
    others = permission.others(asked)
    has_more = bool(others) or permission.has_rules(asked)
    plain_yes = "Yes, once" if has_more and isinstance(asked, PermissionAsked) else "Yes"
    more = "Always…" if permission.are_lasting(others) else "Other answers…"
    if isinstance(asked, PlanProposed) and len(others) == 1:
        # A plan is approved once; its option switches the mode afterwards.
        more = capitalized(others[0].name)
    return {
        **({"y": permission.yes(asked, plain_yes)} if permission.has_yes(asked) else {}),
        **({"a": more} if has_more else {}),
        **NO,
        "n": permission.no(asked, NO["n"]),
    }


def _choices_before_sight(view: RequestView) -> dict[str, str]:
    """Return the choices while the user has not seen all of a request."""
    no = DECLINE if is_for_program(view.asked) else NO
    lines = f" ({counted(len(view.body), 'line')})" if view.body else ""
    return {SHOW: f"Show it all{lines}"} | no
