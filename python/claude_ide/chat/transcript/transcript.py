"""The conversation as the panel shows it: turns events into frames for the editor, without I/O.

Usage:

    transcript = Transcript(agent.name, root=project)
    transcript.load_history(await agent.history(session))  # when a session is resumed
    held = transcript.queue.hold(text, is_ready=True)  # for each prompt
    transcript.queue.sent(held, await agent.prompt(prompt), chips)
    urgent = transcript.apply(event)  # for each event of the agent
    frame = transcript.sheet.frame()  # called by the `Painter` until it returns None

`part` and `offset` describe a key press in Lua: a part's id and a row in it.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event
from claude_ide.agents.requests import RequestWithdrawn
from claude_ide.chat.transcript import notices
from claude_ide.chat.transcript.detail import Summary, at_end
from claude_ide.chat.transcript.notices import Comment
from claude_ide.chat.transcript.prompts import OwnTurn, PromptQueue, Queued, Ran, StartedPrompt
from claude_ide.chat.transcript.talk import Prose, Talk
from claude_ide.chat.transcript.tool import Tools, ToolUse
from claude_ide.ui.page import META, Row, row
from claude_ide.ui.sheet import Action, Announcement, Location, Sheet, ShowEarlier, View
from claude_ide.ui.text import one_line

URGENT = (events.TurnEnded, events.Dead, RequestWithdrawn, events.ToolStarted)
"""Events that are drawn immediately: the user waits for them, or must react to them."""

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
"""Events that occur only in a turn, so the first of them starts one."""


CLEARED = "cleared"
"""The kind of the part below a conversation that was cleared."""


class Transcript:
    """One conversation with the agent of this name.

    `clock` returns seconds; paths below `root` are relative to it.
    """

    def __init__(
        self, name: str, *, clock: Callable[[], float] = time.monotonic, root: str = ""
    ) -> None:
        self.name = name
        self._clock: Callable[[], float] | None = clock
        self.root = root
        self.sheet = Sheet()
        self.queue = PromptQueue(self.sheet)
        self._tools = Tools(self.sheet, self._now, root)
        self._talk = Talk(self.sheet, self._tools.find, self._now)
        self._retry: tuple[Announcement, events.Retry] | None = None
        self._death: tuple[Announcement, events.Dead] | None = None
        self._error = ""
        self._commands: frozenset[str] = frozenset()
        """The names of the agent's slash commands."""
        self.resumes: Callable[[], bool] = lambda: True
        """Whether the agent can resume its session after its end."""
        self.end: Announcement | None = None
        """The line at the end of the last turn."""
        self._cost: float | None = 0.0
        self._cost_before: float | None = 0.0
        """The session's cost before this turn in dollars; None if unknown."""

    def apply(self, event: Event) -> bool:
        """Apply an event; return whether it should be drawn immediately."""
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
                if isinstance(event, events.ToolStarted) and not event.parent:
                    self._talk.thinking_over()
                self._tools.apply(event)
            case events.PreviewVoided():
                self._talk.void(event)
                self._tools.void(event)
            case _:
                self._apply_other(event)
        return isinstance(event, URGENT)

    def load_history(self, history: Iterable[Event]) -> None:
        """Show an earlier conversation, whose durations and costs are unknown."""
        clock, self._clock = self._clock, None
        for event in history:
            self.apply(event)
        self._settle(all_=True)
        self._clock = clock
        self._cost = self._cost_before = None

    def tick(self) -> bool:
        """Update the seconds of the running tools; return whether any has changed."""
        return self._tools.tick()

    def is_edit(self, tool: str) -> bool:
        """Return whether a use of a tool edits a file."""
        use = self._tools.find(tool)
        return use is not None and use.kind == "edit"

    def awaits(self, tool: str) -> bool:
        """Return whether a use of a tool has not ended yet."""
        use = self._tools.find(tool)
        return use is not None and use.ended is None

    def tool_at(self, part: int) -> ToolUse | None:
        """Return the use of a tool in a part."""
        view = self.sheet.find(part)
        return view if isinstance(view, ToolUse) else None

    def work_of(self, tool: str) -> list[str]:
        """Return what the subagent of a tool has said and done, as Markdown."""
        use = self._tools.find(tool)
        return [text for view in use.below() if (text := view.markdown())] if use else []

    def answered(self, tool: str, label: str, summary: str) -> None:
        """Show the user's answer to a request in one line, such as `allowed` or `no: use httpx`.

        `label` names the request if its tool is not shown.
        """
        self._tools.restart_clock(tool)
        below = self._tools.find(tool)
        line = one_line(summary if below else f"{label}: {summary}")
        rows = [row((f"↳ {line}", META))]
        self.sheet.add("notice", lambda part: Announcement(part, rows, f"- *{line}*"), below=below)

    def note(self, kind: str, words: str) -> None:
        """Show the result of a question in one line."""
        self._announce(kind, [row((f"↳ {words}", META))])

    @property
    def lines(self) -> list[str]:
        """All lines, as in the buffer after the last frame."""
        self.sheet.draw()
        return self.sheet.page.lines

    @property
    def prompts(self) -> dict[str, str]:
        """One line for each prompt that has started and is still shown, by their ids."""
        turns = (view for view in self.sheet.views() if type(view) is StartedPrompt)
        return {turn.prompt: one_line(turn.text) for turn in turns if turn.prompt}

    def story(self, begin: View | None = None) -> list[str]:
        """Return each part as Markdown, for `export`; those above `begin` are left out."""
        shown = itertools.dropwhile(
            lambda view: begin is not None and view is not begin, self.sheet.views()
        )
        return [text for view in shown if (text := view.markdown())]

    def mark_edited(self, prompt: str) -> None:
        """Show that the user is editing this prompt; no other one is marked then."""
        for view in self.sheet.views():
            if isinstance(view, StartedPrompt) and view.is_edited != (view.prompt == prompt != ""):
                view.is_edited = not view.is_edited
                self.sheet.changed(view)

    def cut(self, prompt: str) -> None:
        """Remove the turn that started with this prompt, and everything after it."""
        self._settle(all_=True)
        for view in self.since(prompt):
            if not view.part.tail:
                self.sheet.remove(view)

    @property
    def prompt(self) -> str:
        """The text of the prompt of the current turn."""
        turns = (view for view in self.sheet.views() if type(view) is StartedPrompt)
        return next((turn.text for turn in turns if turn.prompt == self.queue.current), "")

    def show_changes(self, end: Announcement, summary: Summary) -> None:
        """Show what a turn has changed in the line at its end."""
        self._show(end, at_end(end.rows(), summary))

    def press(self, part: int, offset: int) -> Action | None:
        """Open or close a part; return the action that remains for the panel."""
        view = self.sheet.find(part)
        if view is None:
            first = self.sheet.page.earlier
            return ShowEarlier() if first is not None and first.id == part else None
        action = view.press(offset)
        self.sheet.all_changed(view)
        return action

    def location(self, part: int, offset: int, column: int) -> Location | None:
        """Return the path and line under the cursor; `column` is a 0-based byte."""
        view = self.sheet.find(part)
        return view.location(offset, column) if view else None

    def prompt_in(self, part: int) -> str:
        """Return the id of the prompt in a part; empty if there is none, or it is unknown."""
        view = self.sheet.find(part)
        return view.prompt if isinstance(view, StartedPrompt) else ""

    def queued_at(self, part: int) -> Queued | None:
        """Return the prompt in a part if it waits; its id is empty until the agent has it.

        The part is removed when the agent reports that the prompt is cancelled.
        """
        view = self.sheet.find(part)
        return view if isinstance(view, Queued) else None

    def since(self, prompt: str) -> list[View]:
        """Return the turn that started with this prompt, and all views after it."""
        turns = itertools.dropwhile(
            lambda view: not (isinstance(view, StartedPrompt) and view.prompt == prompt),
            self.sheet.views(),
        )
        return list(turns)

    def changes_since(self, prompt: str) -> list[Change]:
        """Return the changes of tools since the turn that started with this prompt."""
        ended = (view.ended for view in self.since(prompt) if isinstance(view, ToolUse))
        return [change for end in ended if end is not None for change in end.changes]

    def commands_since(self, prompt: str) -> list[str]:
        """Return the commands that were run since the turn that started with this prompt."""
        tools = (view for view in self.since(prompt) if isinstance(view, ToolUse))
        return [tool.title for tool in tools if tool.kind == "execute" and tool.ended is not None]

    def prompt_like(self, text: str) -> str:
        """Return the text of the last prompt that has started and that `text` ends with.

        If `text` is empty, that is the last prompt.
        """
        turns = [view.text for view in self.sheet.views() if type(view) is StartedPrompt]
        matching = (each for each in reversed(turns) if not text or text.endswith(each.strip()))
        return next(filter(str.strip, matching), text)

    def last_text(self) -> str:
        """Return the agent's last text in the current turn; empty if it has said nothing yet."""
        views = list(self.sheet.views())
        for view in reversed(views):
            if type(view) is StartedPrompt:
                break
            if isinstance(view, Prose) and view.above is None:
                return view.markdown()
        return ""

    def turn_at(self, part: int) -> str | None:
        """Return the prompt of the turn to which a part belongs; None before the first turn."""
        prompt = None
        for view in self.sheet.views():
            if type(view) is StartedPrompt:
                prompt = view.prompt
            if view.part.id == part:
                return prompt
        return None

    def _now(self) -> float | None:
        return self._clock() if self._clock else None

    def _begin_turn(self, event: Event) -> None:
        if getattr(event, "parent", ""):
            return
        if isinstance(event, ANSWERS):
            self._end_retry()
        if not self.queue.is_running and isinstance(event, BEGINS) and not notices.is_remark(event):
            self.queue.is_running = True
            self.queue.begin_next()

    def _apply_other(self, event: Event) -> None:
        match event:
            case events.Ready(commands):
                self._commands = frozenset(command.name for command in commands)
                self.queue.is_running = False
                if self._death is not None:
                    shown, death = self._death
                    self._show(shown, self._dead(death, over=True))
                    self._death = None
            case events.PromptChanged(prompt, stage):
                self.queue.apply(prompt, stage)
            case events.UserMessage(text, prompt):
                self.queue.turn(prompt, text)
            case events.ShellRan(command, output):
                ran = self.sheet.add("shell", lambda part: Ran(part, command, self._now))
                ran.output.add(output.encode())
                ran.end("")
            case events.Notice():
                self._notice(event)
            case events.PromptBlocked():
                self._remark(notices.blocked(event), "warning")
            case events.ServersFailed():
                self._announce("notice", [notices.servers_failed(event)])
            case events.CommandsChanged(commands):
                self._commands = frozenset(command.name for command in commands)
            case events.Retry():
                self._retrying(event)
            case events.Compacted():
                self._announce("notice", [notices.compacted(event)])
            case events.Cleared():
                self._settle(all_=False)
                self.queue.is_running = True
                self._announce(CLEARED, [notices.cleared(self.name)])
            case events.Usage(cost) if cost is not None:
                self._cost = cost
            case events.TaskChanged(task):
                self._tools.follow(task)
            case events.TurnBegun(ended):
                self.queue.is_running = True
                self.sheet.add("turn", lambda part: OwnTurn(part, ended))
            case events.TurnEnded():
                self._end_turn(event)
            case events.Dead():
                self._settle(all_=True)
                self._death = (self._announce("notice", self._dead(event, over=False)), event)

    def _notice(self, event: events.Notice) -> None:
        if event.level == "error":
            self._error = event.text
        if notices.is_remark(event):
            self._remark(event.text, event.level, event.parent)
        elif event.level in notices.LEVELS or event.reason:
            self._announce("notice", notices.notice(event), event.text)
        else:
            self.sheet.add("notice", Prose).replace(event.text)

    def _remark(self, text: str, level: str, parent: str = "") -> None:
        below = self._tools.find(parent) if parent else None
        self.sheet.add("remark", lambda part: Comment(part, text, level), below=below)

    def _retrying(self, event: events.Retry) -> None:
        rows = [notices.retry(event, over=False)]
        shown = self._retry[0] if self._retry else self._announce("notice", rows)
        self._show(shown, rows)
        self._retry = (shown, event)

    def _end_retry(self) -> None:
        if self._retry is not None:
            shown, retry = self._retry
            self._show(shown, [notices.retry(retry, over=True)])
            self._retry = None

    def _dead(self, death: events.Dead, *, over: bool) -> list[Row]:
        return notices.dead(death, self.name, over=over, resumes=self.resumes())

    def _end_turn(self, event: events.TurnEnded) -> None:
        self.queue.begin(event.prompts)
        is_reported = bool(event.message) and event.message == self._error
        cost = None
        if self._cost is not None and self._cost_before is not None:
            cost = self._cost - self._cost_before if self._cost >= self._cost_before else self._cost
        rows = notices.turn_ended(event, cost, self._commands, is_reported=is_reported)
        self._settle(all_=False)
        self.end = self._announce("end", rows)
        self._cost_before = self._cost

    def _settle(self, *, all_: bool) -> None:
        self._talk.turn_ended()
        self._tools.turn_ended(all_=all_)
        self._end_retry()
        self.queue.is_running = False
        self._error = ""

    def _show(self, shown: Announcement, rows: Sequence[Row]) -> None:
        shown.show(rows)
        self.sheet.changed(shown)

    def _announce(self, kind: str, rows: Sequence[Row], export: str = "") -> Announcement:
        return self.sheet.add(kind, lambda part: Announcement(part, rows, export))
