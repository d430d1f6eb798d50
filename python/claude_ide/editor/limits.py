"""What this editor knows of the plan's limits: one place, whichever agent has told it."""

import asyncio
import time
from collections.abc import Callable, Iterable

import msgspec

from claude_ide.base.limits import Limit
from claude_ide.editor.port import Port

WARN_FROM = 90
"""The percentage from which the user is warned."""
SHOW_ABOVE = 75
"""The percentage above which bars and status lines show a limit, unless the user has set it."""
LOOK_SECONDS = 60
"""How late the end of a window may be noticed after the computer has slept."""
MOST_SOURCES = 50


class Limits:
    """The limits, and when each resets.

    Idle agents repeat old reports, so one counts only if its source has not told the same before.
    """

    def __init__(self, port: Port, show_above: float = SHOW_ABOVE) -> None:
        self._port = port
        self._show_above = show_above
        self._known: dict[str, Limit] = {}
        self._told: dict[str, dict[str, Limit]] = {}
        """By source: what it has told last."""
        self._warned: dict[str, int | None] = {}
        """By limit: when the window resets about which the user was warned."""
        self._changed: list[Callable[[], object]] = []
        self._looking: asyncio.TimerHandle | None = None

    @property
    def known(self) -> list[Limit]:
        """All limits."""
        return sorted(self._known.values(), key=lambda each: each.order)

    @property
    def shown(self) -> list[Limit]:
        """Those that the user has nearly used up, for bars and status lines."""
        return [each for each in self.known if each.is_over(self._show_above)]

    def subscribe(self, changed: Callable[[], object]) -> None:
        """Call a function after each change."""
        self._changed.append(changed)

    def learn(self, source: str, limits: Iterable[Limit]) -> None:
        """Take over what a source tells, by the id of a terminal's launch, or of a chat."""
        told = self._told.pop(source, {})
        self._told[source] = told
        while len(self._told) > MOST_SOURCES:
            del self._told[next(iter(self._told))]
        news = [each for each in limits if told.get(each.name) != each]
        told.update({each.name: each for each in news})
        before = dict(self._known)
        for each in news:
            known = self._known.get(each.name)
            is_same_window = known is not None and known.resets == each.resets
            if each.used is None and is_same_window:
                continue
            if not _is_over(each):
                self._known[each.name] = each
        self._follow(before)

    def _follow(self, before: dict[str, Limit]) -> None:
        """Pass on what has changed."""
        self._look_later()
        if self._known == before:
            return
        self._port.windows.set_limits([msgspec.to_builtins(each) for each in self.known])
        for changed in self._changed:
            changed()
        for each in self.known:
            self._warn(each)

    def _warn(self, limit: Limit) -> None:
        """Warn about a limit, once in each window."""
        if not limit.is_over(WARN_FROM - 1):
            return
        if limit.name in self._warned and self._warned[limit.name] == limit.resets:
            return
        self._warned[limit.name] = limit.resets
        until = f" (resets {limit.reset_time()})" if limit.resets else ""
        words = f"{limit.used}% of Claude's {limit.label} limit is used{until}"
        self._port.windows.notify(words, "warn")

    def _look_later(self) -> None:
        """Look again at the next end of a window."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        ends = [each.resets for each in self._known.values() if each.resets is not None]
        if ends:
            wait = min(max(min(ends) - time.time(), 0), LOOK_SECONDS)
            self._looking = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        """Forget the windows that have ended: nothing is known of the next ones."""
        before = dict(self._known)
        self._known = {name: each for name, each in before.items() if not _is_over(each)}
        self._follow(before)


def _is_over(limit: Limit) -> bool:
    return limit.resets is not None and limit.resets <= time.time()
