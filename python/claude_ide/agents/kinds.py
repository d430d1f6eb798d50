"""The agents that the user can chat with, and their stored sessions in a folder."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from claude_ide.agents.agent import AgentKind, SessionSummary
from claude_ide.base.errors import AgentError, UnsupportedError, UserError
from claude_ide.base.trust import Trust

logger = logging.getLogger(__name__)


class Kinds:
    """The kinds of agents, the usual one first; `chosen` is the id of the user's choice, or ""."""

    def __init__(self, kinds: Sequence[AgentKind], chosen: str = "") -> None:
        self._kinds = {kind.id: kind for kind in kinds}
        self._chosen = chosen

    def __iter__(self) -> Iterator[AgentKind]:
        return iter(self._kinds.values())

    def find(self, id_: str) -> AgentKind:
        """Return the kind with this id, or the default for an empty one.

        Raises `UserError` if there is none.
        """
        if not id_:
            return self.default
        if id_ not in self._kinds:
            raise UserError(f'there is no agent "{id_}" (g:claude_ide.agents)')
        return self._kinds[id_]

    @property
    def to_choose(self) -> list[AgentKind]:
        """Those that are installed, if the user has chosen none and there are several."""
        found = [] if self._chosen else [kind for kind in self if not kind.missing()]
        return found if len(found) > 1 else []

    @property
    def default(self) -> AgentKind:
        """The user's choice; without a valid one, the first that is installed.

        Raises `UserError` if there are no agents.
        """
        if self._chosen in self._kinds:
            return self._kinds[self._chosen]
        if not self._kinds:
            raise UserError("there is no agent (g:claude_ide.agents)")
        first, *_ = self
        return next((kind for kind in self if not kind.missing()), first)


LISTED_SECONDS = 6.0
"""How long an agent that must be started may delay the list of all agents' sessions."""

ALONE_SECONDS = 60.0
"""How long it may take if it is the only one that is asked: some programs start slowly."""

MINUTE, HOUR, DAY = 60, 3600, 86400
OLD = 30 * DAY


class Stored(NamedTuple):
    """A stored session, and the agent that can resume it."""

    kind: AgentKind
    summary: SessionSummary

    @property
    def key(self) -> str:
        """A name that no other session has: two agents may use the same id."""
        return f"{self.kind.id} {self.summary.id}"


class StoredSessions:
    """Asks the agents; those that need trust only in a folder that the user trusts.

    `report` is called with the known sessions of a folder, without those of agents that keep them.
    """

    def __init__(
        self, kinds: Kinds, trust: Trust, report: Callable[[Path, list[str]], Awaitable[None]]
    ) -> None:
        self._kinds = kinds
        self._trust = trust
        self._report = report
        self._known: dict[Path, dict[str, AgentKind]] = {}
        """The agents of the sessions that were listed or that a chat has had, by folder and id."""
        self._unable: set[str] = set()
        """The agents that have said that they cannot list their sessions."""

    async def kept(self, folder: Path) -> list[Stored]:
        """Return the sessions of the agents that need no process to list them."""
        return await self._of((kind for kind in self._kinds if kind.keeps_sessions), folder)

    async def asked(self, folder: Path) -> list[Stored]:
        """Return the sessions of the other agents, which are asked at the same time."""
        return await self._of(self.slow(folder), folder)

    def slow(self, folder: Path) -> list[AgentKind]:
        """Return the agents that are started to list their sessions."""
        others = [kind for kind in self._kinds if not kind.keeps_sessions]
        return [kind for kind in others if self._may_ask(kind, folder)]

    async def all(self, folder: Path) -> list[Stored]:
        """Return the sessions of all agents, the latest first."""
        kept, asked = await asyncio.gather(self.kept(folder), self.asked(folder))
        return latest_first((*kept, *asked))

    async def of(self, kind: AgentKind, folder: Path) -> list[SessionSummary]:
        """Return one agent's sessions; none if it cannot list them, or not within `SECONDS`."""
        if not kind.keeps_sessions and not self._may_ask(kind, folder):
            return []
        try:
            return await self._listed(kind, folder, LISTED_SECONDS)
        except UnsupportedError:
            pass
        except AgentError as error:
            logger.info("%s does not list its sessions: %s", kind.id, error)
        return []

    async def of_one(self, kind: AgentKind, folder: Path) -> list[SessionSummary]:
        """Return the sessions of the only agent that is asked.

        Raises `AgentError` if it cannot list them, or not within `ALONE_SECONDS`.
        """
        return await self._listed(kind, folder, ALONE_SECONDS)

    def agent_of(self, session: str, folder: Path) -> AgentKind | None:
        """Return the agent of a session, if it is known without asking any."""
        return self._known.get(folder, {}).get(session)

    async def note(self, kind: AgentKind, folder: Path, session: str) -> None:
        """Remember a session that an agent, which perhaps cannot list it, has had."""
        if not kind.keeps_sessions and self.agent_of(session, folder) is not kind:
            await self._know(folder, {session: kind} | self._known.get(folder, {}))

    async def forget(self, folder: Path, session: str) -> None:
        """Forget a session that was deleted."""
        known = self._known.get(folder, {})
        if session in known:
            remaining = {id_: kind for id_, kind in known.items() if id_ != session}
            await self._know(folder, remaining)

    def cannot_list(self, kind: AgentKind) -> bool:
        """Return whether an agent has said that it cannot list its sessions."""
        return kind.id in self._unable

    def must_trust(self, kind: AgentKind, folder: Path) -> bool:
        """Return whether an agent is not asked because the user does not trust the folder."""
        return kind.needs_trust and not self._trust.is_trusted(folder)

    async def _remember(
        self, kind: AgentKind, folder: Path, found: Iterable[SessionSummary]
    ) -> None:
        if kind.keeps_sessions:
            return
        before = self._known.get(folder, {})
        others = {id_: other for id_, other in before.items() if other is not kind}
        known = {summary.id: kind for summary in found} | others
        if known != before:
            await self._know(folder, known)

    async def _know(self, folder: Path, known: dict[str, AgentKind]) -> None:
        self._known[folder] = known
        await self._report(folder, list(known))

    def _may_ask(self, kind: AgentKind, folder: Path) -> bool:
        if self.cannot_list(kind) or kind.missing():
            return False
        return not self.must_trust(kind, folder)

    async def _listed(self, kind: AgentKind, folder: Path, seconds: float) -> list[SessionSummary]:
        try:
            found = await asyncio.wait_for(kind.sessions(folder), seconds)
        except UnsupportedError:
            self._unable.add(kind.id)
            raise
        except TimeoutError:
            reason = f"{kind.name} has not listed its sessions within {seconds:.0f} s"
            raise AgentError(reason) from None
        await self._remember(kind, folder, found)
        return found

    async def _of(self, kinds: Iterable[AgentKind], folder: Path) -> list[Stored]:
        asked = list(kinds)
        answers = await asyncio.gather(*(self.of(kind, folder) for kind in asked))
        found = zip(asked, answers, strict=True)
        return [Stored(kind, summary) for kind, summaries in found for summary in summaries]


def latest_first(sessions: Iterable[Stored]) -> list[Stored]:
    """Return sessions in the order in which the user looks for them."""
    return sorted(sessions, key=lambda each: each.summary.changed, reverse=True)


def age_of(changed: datetime, now: datetime) -> str:
    """Return how long ago a session was changed."""
    seconds = (now - changed).total_seconds()
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h"
    return f"{seconds // DAY:.0f} d" if seconds < OLD else f"{changed.astimezone():%Y-%m-%d}"
