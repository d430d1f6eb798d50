"""What neither the user nor the model says: notices, attempts, ends. Each becomes rows."""

from collections.abc import Sequence

from claude_ide.agents.events import Compacted, Dead, Notice, Retry, TurnEnded, TurnEndReason
from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import as_printed, lines, one_line
from claude_ide.chat.page.rows import Row, all_in, row
from claude_ide.chat.page.view import View

LEVELS = {
    "error": "ClaudeChatError",
    "warn": "ClaudeChatWarning",
    "warning": "ClaudeChatWarning",
}
META, KEY = "ClaudeChatMeta", "ClaudeChatKey"
LOG_IN = row(("L", KEY), (" opens a terminal to log in", META))
RESUMES = row(("R", KEY), (" resumes", META))
RESUMED = row(("── resumed", META))
STDERR_LINES = 10


class Told(View):
    """Rows that stand as they are until they are told anew; `export` is what is kept of them."""

    def __init__(self, part: Part, rows: Sequence[Row], export: str = "") -> None:
        super().__init__(part)
        self._rows = list(rows)
        self._export = export

    def tell(self, rows: Sequence[Row]) -> None:
        """Show something else."""
        self._rows = list(rows)

    def rows(self) -> list[Row]:
        """Return what was told."""
        return self._rows

    def markdown(self) -> str:
        """Return what an export keeps."""
        return self._export


def cleared(name: str) -> Row:
    """Return the line below a conversation that the agent no longer knows."""
    return row((f"── the conversation was cleared: {name} does not see the text above", META))


def notice(event: Notice) -> list[Row]:
    """Return the rows of a notice that is no Markdown."""
    group = LEVELS.get(event.level, "ClaudeChatNotice")
    rows = all_in(group, lines(as_printed(event.text)))
    return [*rows, LOG_IN] if event.reason == "authentication_failed" else rows


def retry(event: Retry, *, over: bool) -> Row:
    """Return the one line of all attempts."""
    status = f" ({event.status})" if event.status is not None else ""
    reason = f": {one_line(event.reason.replace('_', ' '))}{status}" if event.reason else status
    if over:
        times = "once" if event.attempt == 1 else f"{event.attempt} times"
        return row((f"retried {times}{reason}", META))
    most = f"/{event.most}" if event.most else ""
    wait = f" in {amounts.duration(event.seconds)}" if event.seconds else ""
    return row((f"retry {event.attempt}{most}{wait}{reason}", "ClaudeChatWarning"))


def compacted(event: Compacted) -> Row:
    """Return the line between what was summarized and what follows."""
    sizes = [f"{tokens:,}" for tokens in (event.before, event.after) if tokens is not None]
    told = f": {' → '.join(sizes)} tokens" if sizes else ""
    return row((f"── the conversation was compacted{told}", META))


def turn_ended(event: TurnEnded, cost: float | None, *, told: bool) -> list[Row]:
    """Return the line at a turn's end; `told` if a notice has said already what went wrong."""
    meta = [] if event.milliseconds is None else [amounts.duration(event.milliseconds / 1000)]
    meta += [amounts.money(cost)] if cost else []
    said, group = _WHYS[event.why]
    message = [] if told else lines(event.message)
    if said:
        return [
            row((said, group), *((f" · {each}", META) for each in meta)),
            *all_in("ClaudeChatError", message),
        ]
    return [row((f"── {' · '.join(meta)}", META))] if meta else []


_WHYS = {
    TurnEndReason.COMPLETED: ("", ""),
    TurnEndReason.INTERRUPTED: ("interrupted", "ClaudeChatWarning"),
    TurnEndReason.REDIRECTED: ("interrupted by your next prompt", META),
    TurnEndReason.TOO_LONG: (
        "the conversation is too long for the model: /compact or /clear",
        "ClaudeChatError",
    ),
    TurnEndReason.ANSWER_TOO_LONG: ("the answer was too long and was cut off", "ClaudeChatWarning"),
    TurnEndReason.TOO_MANY_REQUESTS: ("too many requests in this turn", "ClaudeChatWarning"),
    TurnEndReason.REFUSED: ("the model refused to continue", "ClaudeChatWarning"),
    TurnEndReason.FAILED: ("failed", "ClaudeChatError"),
}


def dead(event: Dead, name: str, *, over: bool) -> list[Row]:
    """Return what is left of an agent; `over` if it is back."""
    code = f" (exit code {event.code})" if event.code else ""
    group = "ClaudeChatError" if event.code else META
    last = lines(as_printed(event.stderr.strip()))[-STDERR_LINES:]
    return [
        row((f"{name} has ended{code}", group)),
        *all_in("ClaudeChatDetail", last),
        RESUMED if over else RESUMES,
    ]
