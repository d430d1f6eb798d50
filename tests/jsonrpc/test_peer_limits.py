"""`jsonrpc/peer.py`: what a peer is asked at once has limits."""

import asyncio

import pytest

from claude_ide.jsonrpc import load
from claude_ide.jsonrpc import peer as peer_module
from claude_ide.jsonrpc.load import AT_ONCE, USER_PATIENCE
from claude_ide.jsonrpc.message import Request
from claude_ide.jsonrpc.peer import Peer
from support.neovim import until
from support.peers import Methods, Wire, answer, call, note

# Too much at once.


async def fill(peer: Peer, methods: Methods, count: int = AT_ONCE, first: int = 0) -> None:
    """Have this many requests wait."""
    for number in range(first, first + count):
        await peer.receive(call(f"w{number}", "wait"))
    await until(lambda: len(methods.waiting) == first + count, "they have begun")


async def test_as_many_requests_as_may_be_are_worked_on_and_the_next_waits_a_moment(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await fill(peer, methods)
    begun = asyncio.get_running_loop().time()

    told = await answer(peer, wire, call("next", "soon"))

    assert told["result"] == "soon"
    assert asyncio.get_running_loop().time() - begun > USER_PATIENCE / 2


async def test_a_request_that_is_held_back_comes_as_soon_as_another_has_ended(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "USER_PATIENCE", 3600)
    await fill(peer, methods)
    await peer.receive(call("next", "soon"))

    peer.cancel("w3")

    await until(lambda: wire.frames, "the next")
    assert wire.sent == [{"jsonrpc": "2.0", "id": "next", "result": "soon"}]


async def test_a_request_that_is_held_back_can_be_cancelled(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "USER_PATIENCE", 3600)
    await fill(peer, methods)
    for name in ("one", "two"):
        await peer.receive(call(name, "soon"))

    assert peer.cancel("one")
    assert not peer.cancel("one")

    methods.finish.set()
    await until(lambda: len(wire.frames) == AT_ONCE + 1)
    assert {item["id"] for item in wire.sent} == {"two", *(f"w{n}" for n in range(AT_ONCE))}


async def test_what_is_no_request_passes_those_that_are_held_back(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "USER_PATIENCE", 3600)
    await fill(peer, methods)
    await peer.receive(call("held", "soon"))
    asking = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames, "the ping")

    await peer.receive('{"jsonrpc":"2.0","id":1,"result":"pong"}')
    await peer.receive(note("known"))

    assert await asking == "pong"
    assert methods.noted == ["known"]


async def test_no_more_is_read_while_too_much_is_held_back(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "USER_PATIENCE", 3600)
    monkeypatch.setattr(peer_module, "MOST_QUEUED", 3)
    await fill(peer, methods)
    for number in range(3):
        await asyncio.wait_for(peer.receive(call(number, "soon")), 1)

    reading = asyncio.create_task(peer.receive(call(3, "soon")))
    await asyncio.wait([reading], timeout=0.05)
    assert not reading.done()

    methods.finish.set()
    await asyncio.wait_for(reading, 1)


async def test_more_requests_than_may_wait_are_refused(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "USER_PATIENCE", 0)
    monkeypatch.setattr(load, "MOST_STARTED", 20)
    await fill(peer, methods, 20)

    refused = await answer(peer, wire, call("more", "soon"))
    assert (refused["id"], refused["error"]["code"]) == ("more", -32000)

    peer.cancel("w0")
    await until(lambda: methods.cancelled)
    assert (await answer(peer, wire, call("more", "soon")))["result"] == "soon"


async def test_requests_that_are_too_large_together_are_refused_but_one_alone_is_not(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "MOST_STARTED_BYTES", 1000)
    await peer.receive(call("large", "wait", "x" * 2000))

    assert (await answer(peer, wire, call(1, "soon")))["error"]["code"] == -32000


async def test_nothing_is_begun_while_answers_are_not_read(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    reads = asyncio.Event()

    async def deliver(_frame: bytes) -> None:
        await reads.wait()

    wire.deliver = deliver
    for number in range(20):
        await peer.receive(call(number, "large", 100_000))
    assert len(wire.frames) < 6

    reads.set()
    await until(lambda: len(wire.frames) == 20)


async def test_what_is_held_back_is_dropped_when_the_other_side_has_left(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    batch = ",".join(call(number, "wait") for number in range(1_000))
    await peer.receive(f"[{batch}]")
    await peer.receive(call("held", "wait"))
    wire.cut = True

    await peer.receive("{")  # whose answer cannot be sent

    before = len(methods.waiting)
    methods.finish.set()
    await peer.settled(5)
    assert len(methods.waiting) <= before + 1
    assert "held" not in methods.waiting


async def test_a_request_that_comes_as_the_last_of_those_held_begins_is_not_forgotten(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await fill(peer, methods)
    for number in range(300):
        await peer.receive(call(number, "soon"))
        for _ in range(number % 7):
            await asyncio.sleep(0)

    await until(lambda: len(wire.frames) == 300, "all answers")


async def test_a_batch_creates_no_more_tasks_than_may_be(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    before = len(asyncio.all_tasks())
    most = 0

    async def count(_request: Request) -> str:
        nonlocal most
        most = max(most, len(asyncio.all_tasks()) - before)
        await asyncio.sleep(0)
        return "counted"

    methods.soon = count  # type: ignore[method-assign]
    await peer.receive(f"[{','.join(call(n, 'soon') for n in range(2_000))}]")

    def answered() -> bool:
        return sum(len(part) for part in wire.sent) == 2_000

    await until(answered, "all answers")
    assert most < 20
