"""Rows from neither the user nor the model: notices, retries, the end of a turn or an agent."""

import signal
from collections.abc import Collection

from claude_ide.agents import events
from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.ui.page import DETAIL, KEY, META, WARNING, Part, Row, all_in, row
from claude_ide.ui.sheet import Action, OpenOutput, View
from claude_ide.ui.text import as_printed, counted, duration, lines, money, one_line

LEVELS = {"error": "ClaudeChatError", "warn": WARNING, "warning": WARNING}
LOG_IN = row(("L", KEY), (" opens a terminal to log in", META))
COMMANDS = ("compact", "compress", "clear")
"""Commands that shorten a conversation, as far as an agent has them."""
NEW = ":ClaudeChat new"
STDERR_LINES = 10


def cleared(name: str) -> Row:
    """Return the line below a conversation that was cleared."""
    return row((f"── the conversation was cleared: {name} does not see the text above", META))


def notice(event: events.Notice) -> list[Row]:
    """Return the rows of a notice that is not Markdown."""
    group = LEVELS.get(event.level, "ClaudeChatNotice")
    rows = all_in(group, lines(as_printed(event.text)))
    return [*rows, LOG_IN] if event.reason == "authentication_failed" else rows


def servers_failed(event: events.ServersFailed) -> Row:
    """Return the line about MCP servers that cannot be used."""
    server = "MCP server" if len(event.names) == 1 else "MCP servers"
    names = one_line(", ".join(event.names), 200)
    words = (f"{server} not connected: {names}", WARNING)
    return row(words, (" · ", META), (":ClaudeChat mcp", KEY), (" shows why", META))


def retry(event: events.Retry, *, over: bool) -> Row:
    """Return the single line for all retries; `over` if no further one follows."""
    status = f" ({event.status})" if event.status is not None else ""
    reason = f": {one_line(event.reason.replace('_', ' '))}{status}" if event.reason else status
    if over:
        times = "once" if event.attempt == 1 else f"{event.attempt} times"
        return row((f"retried {times}{reason}", META))
    most = f"/{event.most}" if event.most else ""
    wait = f" in {duration(event.seconds)}" if event.seconds else ""
    return row((f"retry {event.attempt}{most}{wait}{reason}", WARNING))


def compacted(event: events.Compacted) -> Row:
    """Return the line below the summarized conversation."""
    sizes = [f"{tokens:,}" for tokens in (event.before, event.after) if tokens is not None]
    reported = f": {' → '.join(sizes)} tokens" if sizes else ""
    return row((f"── the conversation was compacted{reported}", META))


def turn_ended(
    event: events.TurnEnded,
    cost: float | None,
    commands: Collection[str] = (),
    *,
    is_reported: bool,
) -> list[Row]:
    """Return the line at a turn's end; `is_reported` if a notice has already shown the error.

    `commands` are the names of the agent's slash commands.
    """
    meta = [] if event.milliseconds is None else [duration(event.milliseconds / 1000)]
    meta += [money(cost)] if cost else []
    reason, group = _REASONS[event.why]
    if event.why is TurnEndReason.TOO_LONG:
        offered = [f"/{each}" for each in COMMANDS if each in commands]
        reason = f"{reason}: {' or '.join(offered or [NEW])}"
    message = [] if is_reported else lines(event.message)
    if reason:
        return [
            row((reason, group), *((f" · {each}", META) for each in meta)),
            *all_in("ClaudeChatError", message),
        ]
    return [row((f"── {' · '.join(meta)}", META))] if meta else []


_REASONS = {
    TurnEndReason.COMPLETED: ("", ""),
    TurnEndReason.INTERRUPTED: ("interrupted", WARNING),
    TurnEndReason.REDIRECTED: ("interrupted by your next prompt", META),
    TurnEndReason.TOO_LONG: ("the conversation is too long for the model", "ClaudeChatError"),
    TurnEndReason.ANSWER_TOO_LONG: ("the answer was too long and was cut off", WARNING),
    TurnEndReason.TOO_MANY_REQUESTS: ("too many requests in this turn", WARNING),
    TurnEndReason.REFUSED: ("the model refused to continue", WARNING),
    TurnEndReason.FAILED: ("failed", "ClaudeChatError"),
}


def dead(event: events.Dead, name: str, *, over: bool, resumes: bool = True) -> list[Row]:
    """Return the rows for an agent that has ended; `over` if it runs again.

    An agent that never `resumes` a session starts a new one.
    """
    code = f" ({_cause(event.code)})" if event.code else ""
    group = "ClaudeChatError" if event.code else META
    last = lines(as_printed(event.stderr.strip()))[-STDERR_LINES:]
    return [
        row((f"{name} has ended{code}", group)),
        *all_in(DETAIL, last),
        _resuming(over=over, resumes=resumes),
    ]


def _cause(code: int) -> str:
    """Return an exit code in words; it is negative for a signal."""
    if -code in {each.value for each in signal.Signals}:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _resuming(*, over: bool, resumes: bool) -> Row:
    if over:
        return row(("── resumed" if resumes else "── started again, in a new session", META))
    return row(("R", KEY), (" resumes" if resumes else " starts a new session", META))


GROUPS = {"notice": META, "warning": WARNING}
"""The highlight groups of the levels; other notices are no remarks."""

FOLDED_LINES, MOST_REMARK_LINES = 3, 200
LONGEST_LINE = 300
"""Longer lines are cut while the remark is folded."""


class Comment(View):
    """The words of an agent or a hook; `Enter` shows all of long ones."""

    def __init__(self, part: Part, text: str, level: str) -> None:
        super().__init__(part)
        self._text = text
        self._group = GROUPS.get(level, GROUPS["notice"])
        self._lines = lines(as_printed(text.strip()))
        self._open = False

    def rows(self) -> list[Row]:
        if self._open:
            shown = self._lines[:MOST_REMARK_LINES]
        else:
            shown = [
                f"{line[: LONGEST_LINE - 1]}…" if _is_cut(line) else line
                for line in self._lines[:FOLDED_LINES]
            ]
        more = len(self._lines) - len(shown)
        rows = all_in(self._group, shown)
        return [*rows, row((f"… {counted(more, 'more line')}", META))] if more else rows

    def press(self, offset: int) -> Action | None:
        """Open or close it; a very long one opens elsewhere."""
        if len(self._lines) > MOST_REMARK_LINES:
            return OpenOutput("notice", self._text)
        self._open = not self._open and self._is_long
        return None

    def markdown(self) -> str:
        return "\n".join(f"> {line}".rstrip() for line in self._lines)

    @property
    def _is_long(self) -> bool:
        return len(self._lines) > FOLDED_LINES or any(map(_is_cut, self._lines))


def is_remark(event: Event) -> bool:
    """Return whether an event is a remark, which neither starts a turn nor is part of it."""
    return isinstance(event, events.Notice) and event.level in GROUPS and not event.reason


def blocked(event: events.PromptBlocked) -> str:
    """Return the words below a prompt that was blocked."""
    by = f" by {event.by}" if event.by else ""
    return f"this prompt was blocked{by}" + (f": {event.reason}" if event.reason else "")


def _is_cut(line: str) -> bool:
    return len(line) > LONGEST_LINE
