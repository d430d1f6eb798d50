"""The question of trust in a chat: on its page, and in the way of an agent that needs an answer."""

from collections.abc import Awaitable, Callable, Sized

from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.requests.trust_question import TrustLine
from claude_ide.chat.trusting import Trusting
from claude_ide.errors import AgentError


class Consent:
    """Shows the question, and holds back the agent's start until the user agrees.

    `missing` returns why the agent cannot be started, or "". `changed` is called when the question
    appears or disappears.
    """

    def __init__(
        self,
        trusting: Trusting,
        sheet: Sheet,
        requests: Sized,
        missing: Callable[[], str],
        changed: Callable[[], None],
    ) -> None:
        self._trusting = trusting
        self._line = TrustLine(sheet)
        self._requests = requests
        self._missing = missing
        self._changed = changed

    def __len__(self) -> int:
        """Return the number of requests that wait for the user, the question included."""
        return len(self._requests) + self._trusting.holds_back

    @property
    def is_asked(self) -> bool:
        """Whether the question is on the page."""
        return self._line.is_shown

    async def admit(self) -> None:
        """Return when the agent may start; raises `AgentError` if it may not, or is missing."""
        if reason := self._missing():
            raise AgentError(reason)
        await self._trusting.admit(self.show)

    async def show(self) -> None:
        """Show the question as it is now."""
        self._line.show(await self._trusting.asked())
        self._changed()

    async def key(self, part: int, key: str) -> None:
        """Answer the question, if it is still in this part of the transcript."""
        if self._line.is_at(part):
            await self._trusting.key(key)

    async def choose(self) -> None:
        """Have the user choose an answer from a list."""
        await self._trusting.choose()

    async def follow(
        self,
        *,
        is_running: bool,
        busy: bool,
        note: Callable[[str], None],
        relaunch: Callable[[], Awaitable[None]],
    ) -> None:
        """Follow the user's decision about the folder: restart an agent that is outdated."""
        self._trusting.decided()
        await self.show()
        if is_running and self._trusting.is_outdated:
            note(self._trusting.news(later=busy))
            await relaunch()

    @property
    def may_start(self) -> bool:
        """Whether the user trusts the folder after they had declined to."""
        return self._trusting.may_start
