"""The conversation as the panel shows it: events come in, frames for the editor leave. Pure.

A chat is used like this:

    transcript = Transcript(agent.name, root=project)
    transcript.take_history(await agent.history(session))     # when a session is resumed
    transcript.said(await agent.prompt(prompt), text, chips)  # what the user has sent
    urgent = transcript.take(event)                           # each event of the agent
    frame = transcript.sheet.frame()                          # by the `Painter`, until it is None

`part` and `offset` are what Lua tells of a key press: a part's id and the row in it.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Row, row
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.page.view import Action, Place
from claude_ide.chat.transcript import notices
from claude_ide.chat.transcript.notices import Told
from claude_ide.chat.transcript.prompts import Prompts
from claude_ide.chat.transcript.prose import Prose
from claude_ide.chat.transcript.talk import Talk
from claude_ide.chat.transcript.tool import ToolUse
from claude_ide.chat.transcript.tools import Tools
from claude_ide.chat.transcript.turns import Queued, Turn

URGENT = (
    events.TurnEnded,
    events.Dead,
    events.RequestWithdrawn,
    events.ToolStarted,
)
"""What is drawn at once: the user waits for it, or is waited for."""

ANSWERS = (
    events.TextDelta,
    events.Text,
    events.ThinkingDelta,
    events.Thinking,
    events.ThinkingTokens,
    events.ToolStarted,
    events.Notice,
    events.TurnEnded,
)
BEGINS = (*ANSWERS, events.Waiting, events.Retry, events.Compacting, events.Cleared)
"""What only happens in a turn, so that the first of them begins one."""


class Transcript:
    """One conversation with the agent of this name.

    `clock` gives seconds; paths below `root` are shown from there.
    """

    def __init__(
        self, name: str, *, clock: Callable[[], float] = time.monotonic, root: str = ""
    ) -> None:
        self.name = name
        self._clock: Callable[[], float] | None = clock
        self.root = root
        self.sheet = Sheet()
        self._prompts = Prompts(self.sheet)
        self._tools = Tools(self.sheet, self._now, root)
        self._talk = Talk(self.sheet, self._tools.find, self._now)
        self._retry: tuple[Told, events.Retry] | None = None
        self._death: tuple[Told, events.Dead] | None = None
        self._running = False
        self._error = ""
        self._cost: float | None = 0.0
        self._cost_before: float | None = 0.0
        """What the session had cost before this turn; None where nobody knows."""

    # What happens.

    def take(self, event: Event) -> bool:
        """Take an event; return whether it is to be drawn at once."""
        self._begin_turn(event)
        match event:
            case events.TextDelta() | events.Text():
                self._talk.text(event)
            case events.ThinkingDelta() | events.Thinking():
                self._talk.thinking(event)
            case events.ThinkingTokens():
                self._talk.tokens(event)
            case (
                events.ToolStarted() | events.ToolInput() | events.ToolOutput() | events.ToolEnded()
            ):
                self._take_tool(event)
            case events.PreviewVoided():
                self._talk.void(event)
                self._tools.void(event)
            case _:
                self._take_other(event)
        return isinstance(event, URGENT)

    def take_history(self, told: Iterable[Event]) -> None:
        """Show what was said before; nobody knows how long anything took, or what it cost."""
        clock, self._clock = self._clock, None
        for event in told:
            self.take(event)
        self._settle(all_=True)
        self._clock = clock
        self._cost = self._cost_before = None

    def said(self, prompt: str, text: str, chips: Sequence[str] = ()) -> None:
        """Show the user's own prompt: at the end, until the agent begins with it.

        `chips` name what was sent beside the text. It does not matter whether the agent has told
        of this prompt before.
        """
        at_once = not self._running and not self._prompts.queued
        self._prompts.said(prompt, text, chips, at_once=at_once)

    def is_edit(self, tool: str) -> bool:
        """Whether a use of a tool edits a file."""
        use = self._tools.find(tool)
        return use is not None and use.kind == "edit"

    def answered(self, tool: str, label: str, how: str) -> None:
        """Show in one line how the user has answered, such as `allowed` or `no: use httpx`.

        `label` says what was asked about a tool that is not shown.
        """
        self._tools.runs(tool)
        below = self._tools.find(tool)
        said = one_line(how if below else f"{label}: {how}")
        rows = [row((f"↳ {said}", "ClaudeChatMeta"))]
        self.sheet.add("notice", lambda part: Told(part, rows, f"- *{said}*"), below=below)

    def note(self, kind: str, words: str) -> None:
        """Show in one line what has become of a question."""
        self._tell(kind, [row((f"↳ {words}", "ClaudeChatMeta"))])

    # What is shown.

    @property
    def lines(self) -> list[str]:
        """Everything that is shown, as the editor has it after the last frame."""
        self.sheet.draw()
        return self.sheet.page.lines

    @property
    def queued(self) -> dict[str, str]:
        """The prompts that wait in line, with what the user typed; by their ids."""
        return self._prompts.queued

    @property
    def prompts(self) -> dict[str, str]:
        """The prompts that have begun and are still shown, in one line each; by their ids."""
        turns = (view for view in self.sheet.views() if type(view) is Turn)
        return {turn.prompt: one_line(turn.text) for turn in turns if turn.prompt}

    def changes_since(self, prompt: str) -> list[events.Change]:
        """Return what tools have changed since a turn has begun with this prompt."""
        after = itertools.dropwhile(
            lambda view: not (isinstance(view, Turn) and view.prompt == prompt),
            self.sheet.views(),
        )
        ended = (view.ended for view in after if isinstance(view, ToolUse))
        return [change for end in ended if end is not None for change in end.changes]

    def story(self) -> list[str]:
        """Return each part as Markdown, for `export`."""
        return [told for view in self.sheet.views() if (told := view.markdown())]

    # What the user does with it.

    def press(self, part: int, offset: int) -> Action | None:
        """Open or close a part; return what is left to be done for it."""
        view = self.sheet.find(part)
        if view is None:
            return None
        action = view.press(offset)
        self.sheet.changed(view)
        return action

    def place(self, part: int, offset: int, column: int) -> Place | None:
        """Return the path and line under the cursor; `column` is a 0-based byte."""
        view = self.sheet.find(part)
        return view.place(offset, column) if view else None

    def withdraw(self, part: int) -> str | None:
        """Return which prompt waits there; it goes when the agent tells that it is cancelled."""
        view = self.sheet.find(part)
        return view.prompt if isinstance(view, Queued) else None

    # How it is done.

    def _now(self) -> float | None:
        return self._clock() if self._clock else None

    def _begin_turn(self, event: Event) -> None:
        if getattr(event, "parent", ""):
            return
        if isinstance(event, ANSWERS):
            self._retried()
        if not self._running and isinstance(event, BEGINS):
            self._running = True
            self._prompts.begin_next()

    def _take_tool(self, event: "_OfTool") -> None:
        if isinstance(event, events.ToolStarted) and not event.parent:
            self._talk.thinking_over()
        self._tools.take(event)

    def _take_other(self, event: Event) -> None:
        match event:
            case events.Ready():
                self._running = False
                self._revived()
            case events.PromptChanged(prompt, stage):
                self._running = self._prompts.take(prompt, stage) or self._running
            case events.UserMessage(text, prompt):
                self._prompts.turn(prompt, text)
            case events.Notice():
                self._notice(event)
            case events.Retry():
                self._retrying(event)
            case events.Compacted():
                self._tell("notice", [notices.compacted(event)])
            case events.Cleared():
                self._settle(all_=False)
                self._running = True
                self._tell("notice", [notices.cleared(self.name)])
            case events.Usage(cost) if cost is not None:
                self._cost = cost
            case events.TurnEnded():
                self._end_turn(event)
            case events.Dead():
                self._settle(all_=True)
                self._death = (
                    self._tell("notice", notices.dead(event, self.name, over=False)),
                    event,
                )

    def _notice(self, event: events.Notice) -> None:
        if event.level == "error":
            self._error = event.text
        if event.level in notices.LEVELS or event.reason:
            self._tell("notice", notices.notice(event), event.text)
        else:
            self.sheet.add("notice", Prose).replace(event.text)

    def _retrying(self, event: events.Retry) -> None:
        rows = [notices.retry(event, over=False)]
        shown = self._retry[0] if self._retry else self._tell("notice", rows)
        shown.tell(rows)
        self.sheet.changed(shown)
        self._retry = (shown, event)

    def _retried(self) -> None:
        if self._retry is not None:
            shown, retry = self._retry
            shown.tell([notices.retry(retry, over=True)])
            self.sheet.changed(shown)
            self._retry = None

    def _revived(self) -> None:
        if self._death is not None:
            shown, death = self._death
            shown.tell(notices.dead(death, self.name, over=True))
            self.sheet.changed(shown)
            self._death = None

    def _end_turn(self, event: events.TurnEnded) -> None:
        self._prompts.begin(event.prompts)
        told = bool(event.message) and event.message == self._error
        cost = None
        if self._cost is not None and self._cost_before is not None:
            cost = self._cost - self._cost_before if self._cost >= self._cost_before else self._cost
        rows = notices.turn_ended(event, cost, told=told)
        self._settle(all_=False)
        self._tell("end", rows)
        self._cost_before = self._cost

    def _settle(self, *, all_: bool) -> None:
        self._talk.settle()
        self._tools.settle(all_=all_)
        self._retried()
        self._running = False
        self._error = ""

    def _tell(self, kind: str, rows: Sequence[Row], export: str = "") -> Told:
        return self.sheet.add(kind, lambda part: Told(part, rows, export))


_OfTool = events.ToolStarted | events.ToolInput | events.ToolOutput | events.ToolEnded
