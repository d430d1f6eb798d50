"""`Requests`: what waits for the user, and what goes with it when it is over."""

import asyncio

from claude_ide.agents.events import Dead, ToolEnded, ToolStatus
from claude_ide.agents.requests import PermissionAsked, RequestWithdrawn
from claude_ide.chat.answers import Requests
from claude_ide.ui.sheet import Sheet


def asked(request: str, tool: str = "") -> PermissionAsked:
    return PermissionAsked(request, tool, "paddle", {}, ())


async def test_a_request_that_is_over_ends_its_review_but_not_its_own_answer() -> None:
    requests = Requests(Sheet(), "Otter")
    waiting = requests.add(asked("r"))
    review, answering = (asyncio.ensure_future(asyncio.sleep(60)) for _ in range(2))
    waiting.review, waiting.choosing, waiting.answering = review, answering, answering

    requests.remove("r")
    await asyncio.sleep(0)

    assert waiting.is_over
    assert review.cancelled()
    assert not answering.done()
    answering.cancel()


def test_events_end_requests() -> None:
    requests = Requests(Sheet(), "Otter")
    for request, tool in (("r1", "t1"), ("r2", "t2"), ("r3", ""), ("r4", "t4")):
        requests.add(asked(request, tool))

    def left() -> list[str]:
        return [waiting.asked.request for waiting in requests]

    requests.apply(RequestWithdrawn("r1"))
    assert left() == ["r2", "r3", "r4"]
    requests.apply(ToolEnded("t2", ToolStatus.COMPLETED))
    requests.apply(ToolEnded("", ToolStatus.COMPLETED))
    assert left() == ["r3", "r4"]
    requests.apply(Dead(0))
    assert left() == []
