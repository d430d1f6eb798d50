"""`transport/jsonrpc.py`: frames in, frames out, and two peers that talk to each other."""

import asyncio
import gc
import json
from typing import Any

import pytest

from claude_ide.base.errors import RpcError, TransportClosed
from claude_ide.transport import jsonrpc
from claude_ide.transport.jsonrpc import Peer
from support.neovim import until
from support.peers import SECRET, Methods, Wire, answer, call, note

# Incoming requests.


@pytest.mark.parametrize("id_", [0, "", "a", 7, None])
async def test_a_request_is_answered_with_its_id(peer: Peer, wire: Wire, id_: Any) -> None:
    assert await answer(peer, wire, call(id_, "echo", 1, 2)) == {
        "jsonrpc": "2.0",
        "id": id_,
        "result": [1, 2],
    }


async def test_a_waiting_request_does_not_block_another(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call(1, "wait"))
    assert (await answer(peer, wire, call(2, "soon")))["id"] == 2

    methods.finish.set()

    await until(lambda: len(wire.frames) == 2)
    assert wire.sent[1] == {"jsonrpc": "2.0", "id": 1, "result": "waited"}


@pytest.mark.parametrize("method", ["nothing", "refuse"])
async def test_an_rpc_error_is_answered_unchanged(peer: Peer, wire: Wire, method: str) -> None:
    expected = {
        "nothing": {"code": -32601, "message": "Method not found: nothing"},
        "refuse": {"code": -32602, "message": "refuse: always"},
    }

    assert (await answer(peer, wire, call(1, method)))["error"] == expected[method]


@pytest.mark.parametrize("method", ["fail", "fail_at_once"])
async def test_an_exception_is_logged_and_answered_without_details(
    peer: Peer, wire: Wire, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    reply = await answer(peer, wire, call(1, method))

    assert reply["error"] == {"code": -32603, "message": "Internal error"}
    (record,) = caplog.records
    assert record.getMessage() == f"{method} failed"
    assert record.exc_info
    assert SECRET in str(record.exc_info[1])


async def test_the_message_of_an_editor_error_is_answered(peer: Peer, wire: Wire) -> None:
    reply = await answer(peer, wire, call(1, "editor"))

    assert reply["error"] == {"code": -32603, "message": "E37: no"}


@pytest.mark.parametrize("method", ["latin_1", "editor_latin_1"])
async def test_text_that_is_not_unicode_is_an_error_and_the_next_request_works(
    peer: Peer, wire: Wire, method: str
) -> None:
    reply = await answer(peer, wire, call(1, method))

    assert reply["error"] == {
        "code": -32603,
        "message": "The answer holds text that is not valid UTF-8",
    }
    assert (await answer(peer, wire, call(2, "soon")))["result"] == "soon"


async def test_an_answer_too_large_for_the_client_is_replaced(
    peer: Peer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "ANSWER_BYTES", 1000)

    kept = await answer(peer, wire, call(1, "large", 950))
    replaced = await answer(peer, wire, call(2, "large", 1000))

    assert kept["result"] == "x" * 950
    assert replaced["result"] == "large: 1036 bytes"


@pytest.mark.parametrize(
    "frame", ["{", "[]", f"[{call(1, 'soon')}]", "5", '{"jsonrpc": "2.0", "id": 5, "method": []}']
)
async def test_an_invalid_frame_is_answered_with_an_error(
    peer: Peer, wire: Wire, frame: str
) -> None:
    reply = await answer(peer, wire, frame)

    assert reply["error"]["code"] == (-32700 if frame == "{" else -32600)
    assert reply["id"] == (5 if frame.startswith("{") and len(frame) > 1 else None)


@pytest.mark.parametrize("method", ["known", "fail"])
async def test_a_notification_is_never_answered(
    peer: Peer, wire: Wire, methods: Methods, method: str
) -> None:
    await peer.receive(note(method))

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1
    assert methods.noted == ([method] if method == "known" else [])


@pytest.mark.parametrize(
    "response",
    [
        '{"jsonrpc":"2.0","id":77,"result":{}}',
        '{"jsonrpc":"2.0","id":77,"error":{"code":-32600,"message":"what?"}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
    ],
)
async def test_an_unexpected_response_is_not_answered(
    peer: Peer, wire: Wire, response: str
) -> None:
    """Otherwise two peers could report the same error to each other forever."""
    await peer.receive(response)

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1


# Cancelling and closing.


async def test_a_cancelled_request_is_stopped_and_never_answered(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call("1", "wait"))
    await until(lambda: methods.waiting)

    assert peer.cancel("1")

    await until(lambda: methods.cancelled == ["1"])
    assert (await answer(peer, wire, call(2, "soon")))["id"] == 2
    assert not peer.cancel("1")


async def test_cancel_returns_whether_a_request_was_cancelled(peer: Peer) -> None:
    await peer.receive(call(1, "wait"))

    assert not peer.cancel("1")
    assert not peer.cancel(None)
    assert peer.cancel(1)


async def test_close_stops_incoming_and_outgoing_requests(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call(1, "wait"))
    calling = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames and methods.waiting)

    await peer.close()

    assert methods.cancelled == ["1"]
    with pytest.raises(TransportClosed):
        await calling
    assert len(wire.frames) == 1


@pytest.mark.parametrize("turns", range(6))
async def test_a_failure_after_the_peer_is_closed_is_not_reported(peer: Peer, turns: int) -> None:
    reports: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: reports.append(context))
    await peer.receive(call(1, "refuse_later"))
    for _ in range(turns):
        await asyncio.sleep(0)

    await peer.close()

    await asyncio.sleep(0)  # the loop still holds the last awaitable
    gc.collect()
    assert reports == []


async def test_drain_waits_for_answers_but_not_forever(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call(1, "soon"))
    await peer.drain(5)
    assert len(wire.frames) == 1

    await peer.receive(call(2, "wait"))
    await peer.drain(0.01)
    assert len(wire.frames) == 1


# Outgoing requests.


async def test_a_request_is_sent_with_a_new_id_and_returns_its_result(
    peer: Peer, wire: Wire
) -> None:
    first = asyncio.create_task(peer.request("ping"))
    second = asyncio.create_task(peer.request("roots/list", {"a": 1}))
    await until(lambda: len(wire.frames) == 2)
    ids = [message.pop("id") for message in wire.sent]
    assert wire.sent[1]["params"] == {"a": 1}
    assert len(set(ids)) == 2

    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": ids[1], "result": "second"}))
    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": ids[0], "result": "first"}))

    assert (await first, await second) == ("first", "second")


async def test_an_error_response_is_raised(peer: Peer, wire: Wire) -> None:
    calling = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames)
    error = {"code": -32601, "message": "what is a ping?"}

    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": wire.sent[0]["id"], "error": error}))

    with pytest.raises(RpcError, match="what is a ping") as raised:
        await calling
    assert raised.value.code == -32601


async def test_an_invalid_request_does_not_answer_a_request_with_the_same_id(
    peer: Peer, wire: Wire
) -> None:
    calling = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames)
    id_ = wire.sent[0]["id"]

    reply = await answer(peer, wire, json.dumps({"jsonrpc": "2.0", "id": id_, "method": 5}))

    assert reply["error"]["code"] == -32600
    assert not calling.done()
    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": id_, "result": {}}))
    assert await calling == {}


async def test_a_request_to_a_disconnected_peer_raises(peer: Peer, wire: Wire) -> None:
    wire.cut = True

    with pytest.raises(TransportClosed):
        await peer.request("ping")


async def test_a_late_answer_is_ignored(peer: Peer, wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(peer.request("ping"), 0.01)

    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": wire.sent[0]["id"], "result": {}}))

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1


async def test_two_peers_can_send_requests_to_each_other_at_the_same_time() -> None:
    one, other = Wire(), Wire()
    left, right = Peer(one, Methods()), Peer(other, Methods())
    one.deliver, other.deliver = right.receive, left.receive

    asked = [left.request("echo", [1]), right.request("soon"), left.request("editor")]
    answers = await asyncio.gather(*asked, return_exceptions=True)

    assert answers[:2] == [[1], "soon"]
    assert isinstance(answers[2], RpcError)
    assert str(answers[2]) == "E37: no"
