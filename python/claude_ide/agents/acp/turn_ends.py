"""Decides when a turn has ended, and why, for both versions of the protocol.

In version 1 the answer to the prompt ends the turn. In version 2 that answer only says that the
agent has accepted the prompt, and an update with the agent's state reports the end.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from claude_ide.agents.acp.connection import EndedError
from claude_ide.agents.events import TurnEndReason
from claude_ide.agents.fields import text
from claude_ide.errors import AgentError, LoginNeededError

logger = logging.getLogger(__name__)

BROKEN = "the turn was lost, see :ClaudeLog"
"""The message of a turn that has ended by an error of our own."""

STATE, RUNNING, IDLE = "state_update", "running", "idle"

REASONS = {
    "end_turn": TurnEndReason.COMPLETED,
    "max_tokens": TurnEndReason.ANSWER_TOO_LONG,
    "max_turn_requests": TurnEndReason.TOO_MANY_REQUESTS,
    "refusal": TurnEndReason.REFUSED,
    "cancelled": TurnEndReason.INTERRUPTED,
}


class End(NamedTuple):
    """How a turn has ended; `message` says what went wrong, `needs_login` that this helps."""

    why: TurnEndReason
    message: str = ""
    needs_login: bool = False


class TurnEnds:
    """The ends of one session's turns; `version` is the one that the agent speaks."""

    def __init__(self, version: int) -> None:
        self._reports_state = version > 1
        self._has_run = False
        self._reported: asyncio.Future[str | None] | None = None
        """The reason for the end of the turn; None if the agent has ended."""

    def follow(self, update: dict[str, Any]) -> None:
        """Follow an update of the session."""
        if update.get("sessionUpdate") != STATE:
            return
        self._reports_state = True
        state, why = update.get("state"), text(update.get("stopReason"))
        self._has_run |= state == RUNNING
        # The end of what the agent did by itself may arrive after the prompt was sent.
        if state == IDLE and (self._has_run or why):
            self._report(why)

    def agent_ended(self) -> None:
        """End the turn that runs, if there is one."""
        self._report(None)

    async def of(
        self, answering: Awaitable[dict[str, Any]], is_cancelled: Callable[[], bool]
    ) -> End | None:
        """Return how the turn ends that begins with a prompt; None if the agent has ended."""
        self._has_run = False
        self._reported = asyncio.get_running_loop().create_future()
        try:
            why: str | None = text((await answering).get("stopReason"))
            if not why and self._reports_state:
                why = await self._reported
        except EndedError:
            return None
        except LoginNeededError as error:
            return End(TurnEndReason.FAILED, str(error), needs_login=True)
        except AgentError as error:
            if is_cancelled():
                # Some agents end a turn that was cancelled with an error.
                logger.info("a cancelled turn ended with an error: %s", error)
                return End(TurnEndReason.INTERRUPTED)
            return End(TurnEndReason.FAILED, str(error))
        except Exception:
            # Without an end the chat would be busy for ever.
            logger.exception("a turn could not be followed to its end")
            return End(TurnEndReason.FAILED, BROKEN)
        return None if why is None else End(REASONS.get(why, TurnEndReason.COMPLETED))

    def _report(self, why: str | None) -> None:
        if self._reported is not None and not self._reported.done():
            self._reported.set_result(why)
