"""`transport/jsonrpc.py`: limits on concurrent requests."""

import asyncio

import pytest

from claude_ide.transport import jsonrpc
from claude_ide.transport.jsonrpc import AT_ONCE, SLOT_SECONDS, Peer
from support.neovim import until
from support.peers import Methods, Wire, answer, call, note

# Too many requests at a time.


async def fill(peer: Peer, methods: Methods, count: int = AT_ONCE, first: int = 0) -> None:
    """Send this many requests that wait, until all of them have begun."""
    for number in range(first, first + count):
        await peer.receive(call(f"w{number}", "wait"))
    await until(lambda: len(methods.waiting) == first + count, "all requests have begun")


async def test_a_request_beyond_the_limit_starts_after_a_delay(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    begun = asyncio.get_running_loop().time()
    await fill(peer, methods)

    reply = await answer(peer, wire, call("next", "soon"))

    assert reply["result"] == "soon"
    assert asyncio.get_running_loop().time() - begun > SLOT_SECONDS / 2


async def test_a_queued_request_starts_when_another_has_ended(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "SLOT_SECONDS", 3600)
    await fill(peer, methods)
    await peer.receive(call("next", "soon"))

    peer.cancel("w3")

    await until(lambda: wire.frames, "the answer to the queued request")
    assert wire.sent == [{"jsonrpc": "2.0", "id": "next", "result": "soon"}]


async def test_a_queued_request_can_be_cancelled(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "SLOT_SECONDS", 3600)
    await fill(peer, methods)
    for name in ("one", "two"):
        await peer.receive(call(name, "soon"))

    assert peer.cancel("one")
    assert not peer.cancel("one")

    methods.finish.set()
    await until(lambda: len(wire.frames) == AT_ONCE + 1)
    assert {item["id"] for item in wire.sent} == {"two", *(f"w{n}" for n in range(AT_ONCE))}


async def test_responses_and_notifications_overtake_queued_requests(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "SLOT_SECONDS", 3600)
    await fill(peer, methods)
    await peer.receive(call("held", "soon"))
    asking = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames, "the ping")

    await peer.receive('{"jsonrpc":"2.0","id":1,"result":"pong"}')
    await peer.receive(note("known"))

    assert await asking == "pong"
    assert methods.noted == ["known"]


async def test_reading_pauses_while_the_queue_is_full(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "SLOT_SECONDS", 3600)
    monkeypatch.setattr(jsonrpc, "MOST_QUEUED", 3)
    await fill(peer, methods)
    for number in range(3):
        await asyncio.wait_for(peer.receive(call(number, "soon")), 1)

    reading = asyncio.create_task(peer.receive(call(3, "soon")))
    await asyncio.wait([reading], timeout=0.05)
    assert not reading.done()

    methods.finish.set()
    await asyncio.wait_for(reading, 1)


async def test_requests_beyond_the_limit_of_waiting_ones_are_rejected(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "SLOT_SECONDS", 0)
    monkeypatch.setattr(jsonrpc, "MOST_STARTED", 20)
    await fill(peer, methods, 20)

    refused = await answer(peer, wire, call("more", "soon"))
    assert (refused["id"], refused["error"]["code"]) == ("more", -32000)

    peer.cancel("w0")
    await until(lambda: methods.cancelled)
    assert (await answer(peer, wire, call("more", "soon")))["result"] == "soon"


async def test_requests_too_large_together_are_rejected_but_a_single_one_is_not(
    peer: Peer, wire: Wire, methods: Methods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "MOST_STARTED_BYTES", 1000)
    await peer.receive(call("large", "wait", "x" * 2000))

    assert (await answer(peer, wire, call(1, "soon")))["error"]["code"] == -32000


async def test_no_request_is_started_while_answers_are_not_read(
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


async def test_waiting_requests_are_dropped_when_the_peer_has_disconnected(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await fill(peer, methods)
    await peer.receive(call("held", "wait"))
    wire.cut = True

    await peer.receive("{")  # an invalid frame, whose answer cannot be sent

    methods.finish.set()
    await peer.drain(5)
    assert "held" not in methods.waiting


async def test_a_request_that_arrives_as_the_queue_empties_is_answered(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await fill(peer, methods)
    for number in range(300):
        await peer.receive(call(number, "soon"))
        for _ in range(number % 7):
            await asyncio.sleep(0)

    await until(lambda: len(wire.frames) == 300, "every answer")
