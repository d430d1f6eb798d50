"""`editor/remote.py`: how calls of the port cross, and how their results come back."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port.binding import Payload, notification, operation, request, tool
from claude_ide.editor.remote import implement
from support.pocket import PocketChannel


class Inner(Payload, frozen=True):
    flag: bool = False


class Outer(Payload, frozen=True):
    names: list[str]
    more: dict[str, int]
    inner: Inner | None = None
    each: list[Inner] = msgspec.field(default_factory=list)


class Noun(Protocol):
    @request("room.outer")
    async def outer(self, given: Outer, more: int = ..., last: str = ...) -> Outer: ...

    @request("room.text")
    async def text(self) -> str | None: ...

    @notification("room.tell")
    def tell(self, given: Sequence[str]) -> None: ...

    @operation("room.ask", "room.close")
    async def ask(self, what: str, *, token: int = 0) -> Inner: ...

    @tool("room.tool")
    async def use(self, fields: Mapping[str, Any] = ...) -> Any: ...


class Wired:
    """A noun whose calls are recorded, and answered with `result`."""

    def __init__(self, *bound: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.result: Any = None
        self.events = Events(EditorState())
        channel = PocketChannel(self._answer, self._record)
        operations = Operations(channel, self.events)
        self.noun: Noun = implement(Noun, channel, operations, *bound)

    def _record(self, *call: Any) -> None:
        self.calls.append(call)

    async def _answer(self, *call: Any) -> Any:
        self.calls.append(call)
        return self.result


@pytest.fixture
def wired() -> Wired:
    return Wired()


async def test_structs_cross_without_their_defaults(wired: Wired) -> None:
    wired.result = {"names": ["a"], "more": {"b": 1}, "inner": {"flag": True}, "new": 1}

    outer = await wired.noun.outer(Outer([], {}, each=[Inner(True), Inner()]))

    assert wired.calls == [("room.outer", {"names": [], "more": {}, "each": [{"flag": True}, {}]})]
    assert outer == Outer(["a"], {"b": 1}, Inner(True))


async def test_keywords_take_their_place_and_the_bound_come_first() -> None:
    wired = Wired(7)
    wired.result = {"names": {}, "more": []}

    await wired.noun.outer(Outer([], {}), last="z", more=2)

    assert wired.calls == [("room.outer", 7, {"names": [], "more": {}}, 2, "z")]


@pytest.mark.parametrize(
    ("result", "outer"),
    [
        ({"names": {}, "more": [], "inner": []}, Outer([], {}, Inner())),
        ({"names": [], "more": {}, "each": {}}, Outer([], {})),
        (
            {"names": [], "more": {}, "each": [[], {"flag": 1}]},
            Outer([], {}, each=[Inner(), Inner(True)]),
        ),
    ],
)
async def test_an_empty_table_and_a_number_get_the_expected_type(
    wired: Wired, result: Any, outer: Outer
) -> None:
    wired.result = result

    assert await wired.noun.outer(Outer([], {})) == outer


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"error": "no such file"}, "no such file"),
        ({"names": 3, "more": {}}, r"room\.outer .* Expected `array`, got `int` - at `\$\.names`"),
    ],
)
async def test_an_error_has_one_sentence(wired: Wired, result: Any, words: str) -> None:
    wired.result = result

    with pytest.raises(EditorError, match=words):
        await wired.noun.outer(Outer([], {}))


async def test_nothing_is_none(wired: Wired) -> None:
    assert await wired.noun.text() is None


async def test_calls_are_sent_in_order_before_they_are_awaited(wired: Wired) -> None:
    waiting = [wired.noun.text()]
    wired.noun.tell(["a"])
    waiting.append(wired.noun.text())

    await asyncio.gather(*waiting)

    assert sorted(call[0] for call in wired.calls) == ["room.tell", "room.text", "room.text"]


async def test_an_operation_ends_with_the_event_of_its_token(wired: Wired) -> None:
    asking = asyncio.ensure_future(wired.noun.ask("what", token=4))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    wired.events.dispatch("answered", {"token": 4, "flag": 1})

    assert await asking == Inner(True)
    assert wired.calls == [("room.ask", 4, "what")]


async def test_cancelling_an_operation_closes_it(wired: Wired) -> None:
    asking = asyncio.ensure_future(wired.noun.ask("what"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])

    assert wired.calls[-1] == ("room.close", 1)
