"""The table that `make real` prints."""

from collections.abc import Iterable, Sequence

from real.measure import QUICK, Outcome, item_of
from real.scene import Scene

ENOUGH = 0.9
COLUMNS = (
    *(("servers", 18), ("mode", 11), ("focus", 8), ("in time", 7), ("late", 4), ("never", 5)),
    *(("false", 5), ("stale", 5), ("answer", 11), ("wait", 11)),
)
HEAD = " ".join(f"{name:<{width}}" for name, width in COLUMNS).rstrip()


def line(scene: Scene, mode: str, focus: str, outcomes: Sequence[Outcome]) -> str:
    """Return one line of the table."""
    due = [outcome for outcome in outcomes if outcome.expected]
    right = sum(outcome.is_right() for outcome in due)
    never = sum(outcome.reported_in() is None for outcome in due)
    answers = [o.answered - o.written for o in due if o.answered]
    waits = [wait for outcome in outcomes if (wait := outcome.wait()) is not None]
    cells = (
        *(scene.name, mode, focus, f"{right}/{len(due)}", len(due) - right - never, never),
        *(sum(len(o.false()) for o in outcomes), sum(bool(o.stale) for o in outcomes)),
        *(spread(answers), spread(waits)),
    )
    widths = [width for _, width in COLUMNS]
    return " ".join(f"{cell!s:<{w}}" for cell, w in zip(cells, widths, strict=True)).rstrip()


def row(servers: str, mode: str, focus: str, result: str) -> str:
    """Return a line for a cell that could not be measured."""
    return f"{servers:<18} {mode:<11} {focus:<8} {result}"


def spread(seconds: Iterable[float]) -> str:
    """Return the median and the maximum."""
    ordered = sorted(seconds)
    return f"{ordered[len(ordered) // 2]:.2f} {ordered[-1]:.2f} s" if ordered else "-"


def passes(outcomes: Sequence[Outcome]) -> bool:
    """Return whether nothing wrong was reported, and nine of ten edits were reported in time."""
    if any(outcome.false() for outcome in outcomes):
        return False
    return sum(outcome.is_right() for outcome in outcomes) >= ENOUGH * len(outcomes)


def details(outcomes: Sequence[Outcome]) -> str:
    """Return a description of each edit's outcome."""
    return "\n".join(text for outcome in outcomes for text in _lines(outcome))


def _lines(outcome: Outcome) -> Iterable[str]:
    number = outcome.reported_in()
    answer = outcome.answered
    result = "no answer" if answer is None else f"answer {answer - outcome.written:.2f} s"
    slow = " (slow)" if answer and answer - outcome.written > QUICK else ""
    when = {None: "never reported", 0: "nothing to report", 1: "reported in the next request"}.get(
        number, f"reported in request {number}"
    )
    mark = " " if outcome.is_right() else "!"
    yield f"  {mark} {outcome.edit.name}: {when}, {result}{slow}, wait {outcome.wait() or 0:.2f} s"
    for false in outcome.false():
        yield f"      false: {false}"
    for stale in outcome.stale:
        yield f"      stale in Neovim: {stale}"
    if outcome.is_right():
        return
    for at, _ in outcome.requests:
        yield f"      request after {at - outcome.written:.3f} s"
    for state in outcome.states:
        found = [item_of(item) for item in state["findings"]]
        briefly = ", ".join(f"{item.file}:{item.line} {item.message[:30]!r}" for item in found)
        yield f"      Neovim after {state['at'] - outcome.written:.3f} s: {briefly or 'nothing'}"
