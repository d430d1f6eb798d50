"""`jsonrpc/peer.py`: frames in, frames out; and two peers that talk to each other."""

import asyncio
import gc
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from claude_ide.errors import EditorError, RpcError, TransportClosed
from claude_ide.jsonrpc import load
from claude_ide.jsonrpc import peer as peer_module
from claude_ide.jsonrpc.load import AT_ONCE, USER_PATIENCE
from claude_ide.jsonrpc.message import Notification, Request
from claude_ide.jsonrpc.peer import Peer
from support.neovim import until

SECRET = "the text of a file"


@dataclass
class Wire:
    """Collects what a peer sends, or passes it on to another peer in memory."""

    frames: list[bytes] = field(default_factory=list)
    deliver: Callable[[bytes], Awaitable[None]] | None = None
    cut: bool = False

    async def send(self, frame: bytes) -> None:
        if self.cut:
            raise TransportClosed("cut")
        self.frames.append(frame)
        if self.deliver is not None:
            await self.deliver(frame)

    @property
    def sent(self) -> list[Any]:
        return [json.loads(frame) for frame in self.frames]


@dataclass
class Methods:
    """A dialect with one method for each way that a request can go."""

    finish: asyncio.Event = field(default_factory=asyncio.Event)
    noted: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def on_request(self, request: Request) -> Any:
        method = getattr(self, request.method, None)
        if method is None:
            raise RpcError.method_not_found(request.method)
        return method(request)

    def on_notification(self, notification: Notification) -> None:
        if notification.method == "fail":
            raise KeyError(SECRET)
        self.noted.append(notification.method)

    def waits(self, request: Request) -> bool:
        return request.method == "wait"

    def oversized(self, request: Request, size: int) -> Any:
        return f"{request.method}: {size} bytes"

    def echo(self, request: Request) -> Any:
        return request.params

    def fail_at_once(self, _request: Request) -> Any:
        raise KeyError(SECRET)

    async def wait(self, request: Request) -> Any:
        self.waiting.append(str(request.id))
        try:
            await self.finish.wait()
        except asyncio.CancelledError:
            self.cancelled.append(str(request.id))
            raise
        return "waited"

    async def soon(self, _request: Request) -> Any:
        return "soon"

    async def refuse(self, _request: Request) -> Any:
        raise RpcError.invalid_params("refuse: always")

    async def refuse_later(self, _request: Request) -> Any:
        await asyncio.sleep(0)
        raise RpcError.invalid_params("refuse: always")

    async def fail(self, _request: Request) -> Any:
        raise KeyError(SECRET)

    async def editor(self, _request: Request) -> Any:
        raise EditorError("E37: no")

    async def latin_1(self, _request: Request) -> Any:
        return "\udce9"

    async def editor_latin_1(self, _request: Request) -> Any:
        raise EditorError("\udce9")

    async def large(self, request: Request) -> Any:
        return "x" * request.params[0]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def methods() -> Methods:
    return Methods()


@pytest.fixture
def peer(wire: Wire, methods: Methods) -> Peer:
    return Peer(wire, methods)


def call(id_: Any, method: str, *params: Any) -> str:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message)


def note(method: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method})


async def answer(peer: Peer, wire: Wire, frame: str) -> Any:
    """Give `frame` to the peer and return the one answer to it."""
    before = len(wire.frames)
    await peer.receive(frame)
    await until(lambda: len(wire.frames) > before, "an answer")
    assert len(wire.frames) == before + 1
    return wire.sent[-1]


# Requests that come in.


@pytest.mark.parametrize("id_", [0, "", "a", 7, None])
async def test_a_request_is_answered_under_its_id(peer: Peer, wire: Wire, id_: Any) -> None:
    assert await answer(peer, wire, call(id_, "echo", 1, 2)) == {
        "jsonrpc": "2.0",
        "id": id_,
        "result": [1, 2],
    }


async def test_a_request_that_waits_holds_up_no_other(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call(1, "wait"))
    assert (await answer(peer, wire, call(2, "soon")))["id"] == 2

    methods.finish.set()

    await until(lambda: len(wire.frames) == 2)
    assert wire.sent[1] == {"jsonrpc": "2.0", "id": 1, "result": "waited"}


@pytest.mark.parametrize("method", ["nothing", "refuse"])
async def test_an_rpc_error_is_answered_as_it_is(peer: Peer, wire: Wire, method: str) -> None:
    expected = {
        "nothing": {"code": -32601, "message": "Method not found: nothing"},
        "refuse": {"code": -32602, "message": "refuse: always"},
    }

    assert (await answer(peer, wire, call(1, method)))["error"] == expected[method]


@pytest.mark.parametrize("method", ["fail", "fail_at_once"])
async def test_a_failure_tells_the_peer_nothing_and_the_log_all(
    peer: Peer, wire: Wire, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    told = await answer(peer, wire, call(1, method))

    assert told["error"] == {"code": -32603, "message": "Internal error"}
    (record,) = caplog.records
    assert record.getMessage() == f"{method} failed"
    assert record.exc_info
    assert SECRET in str(record.exc_info[1])


async def test_what_the_editor_refuses_is_told(peer: Peer, wire: Wire) -> None:
    told = await answer(peer, wire, call(1, "editor"))

    assert told["error"] == {"code": -32603, "message": "E37: no"}


@pytest.mark.parametrize("method", ["latin_1", "editor_latin_1"])
async def test_text_that_is_not_unicode_is_an_error_and_the_next_answer_comes(
    peer: Peer, wire: Wire, method: str
) -> None:
    told = await answer(peer, wire, call(1, method))

    assert told["error"] == {
        "code": -32603,
        "message": "The answer holds text that is not valid UTF-8",
    }
    assert (await answer(peer, wire, call(2, "soon")))["result"] == "soon"


async def test_an_answer_that_the_client_would_not_take_is_replaced(
    peer: Peer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_module, "LARGEST_ANSWER", 1000)

    kept = await answer(peer, wire, call(1, "large", 950))
    replaced = await answer(peer, wire, call(2, "large", 1000))

    assert kept["result"] == "x" * 950
    assert replaced["result"] == "large: 1036 bytes"


@pytest.mark.parametrize("frame", ["{", "[]", "5", '{"jsonrpc": "2.0", "id": 5, "method": []}'])
async def test_an_invalid_frame_is_answered_with_an_error(
    peer: Peer, wire: Wire, frame: str
) -> None:
    told = await answer(peer, wire, frame)

    assert told["error"]["code"] == (-32700 if frame == "{" else -32600)
    assert told["id"] == (5 if frame.startswith("{") and len(frame) > 1 else None)


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
async def test_a_response_that_nobody_waits_for_is_not_answered(
    peer: Peer, wire: Wire, response: str
) -> None:
    """Else two sides could go on telling each other of the same error for ever."""
    await peer.receive(response)

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1


# Batches.


async def test_a_batch_is_answered_as_one_list_in_its_order(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    batch = [call(1, "wait"), note("known"), call("b", "soon"), "7", call(3, "refuse")]
    await peer.receive(f"[{','.join(batch)}]")
    methods.finish.set()

    await until(lambda: wire.frames)

    (told,) = wire.sent
    assert [(item["id"], item.get("result")) for item in told] == [
        (1, "waited"),
        ("b", "soon"),
        (None, None),
        (3, None),
    ]
    assert [item["error"]["code"] for item in told if "error" in item] == [-32600, -32602]
    assert methods.noted == ["known"]


async def test_a_batch_of_notifications_is_not_answered(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(f"[{note('a')},{note('b')}]")

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1
    assert methods.noted == ["a", "b"]


async def test_a_request_of_a_batch_can_be_cancelled(peer: Peer, wire: Wire) -> None:
    await peer.receive(f"[{call(1, 'wait')},{call(2, 'soon')}]")

    assert peer.cancel(1)

    await until(lambda: wire.frames)
    assert [item["id"] for item in wire.sent[0]] == [2]


async def test_answers_that_are_too_much_together_come_in_parts(
    peer: Peer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_module, "LARGEST_ANSWER", 1000)
    requests = [call(n, "large", 350) for n in range(5)]

    await peer.receive(f"[{','.join(requests)}]")

    await until(lambda: len(wire.frames) == 3)
    assert [[item["id"] for item in part] for part in wire.sent] == [[0, 1], [2, 3], [4]]
    assert all(len(frame) <= 1000 for frame in wire.frames)


async def test_an_answer_that_is_as_large_as_may_be_comes_alone(
    peer: Peer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_module, "LARGEST_ANSWER", 1000)

    await peer.receive(f"[{call(1, 'large', 964)},{call(2, 'large', 964)}]")

    await until(lambda: len(wire.frames) == 2)
    assert [len(frame) for frame in wire.frames] == [len("[") + 1000 + len("]")] * 2


async def test_a_batch_whose_asker_has_left_is_dropped(
    peer: Peer, wire: Wire, methods: Methods, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await peer.receive(f"[{call(1, 'wait')}]")
    wire.cut = True

    methods.finish.set()

    await until(lambda: "the other side has left" in caplog.text)
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


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
    monkeypatch.setattr(peer_module, "MOST_HELD", 3)
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


# Giving up.


async def test_a_cancelled_request_is_stopped_and_never_answered(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call("1", "wait"))
    await until(lambda: methods.waiting)

    assert peer.cancel("1")

    await until(lambda: methods.cancelled == ["1"])
    assert (await answer(peer, wire, call(2, "soon")))["id"] == 2
    assert not peer.cancel("1")


async def test_cancel_tells_whether_there_was_something_to_cancel(peer: Peer) -> None:
    await peer.receive(call(1, "wait"))

    assert not peer.cancel("1")
    assert not peer.cancel(None)
    assert peer.cancel(1)


async def test_close_stops_what_is_under_way_on_both_sides(
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
async def test_a_failure_that_nobody_can_be_told_of_any_more_is_not_reported(
    peer: Peer, turns: int
) -> None:
    reports: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: reports.append(context))
    await peer.receive(call(1, "refuse_later"))
    for _ in range(turns):
        await asyncio.sleep(0)

    await peer.close()

    await asyncio.sleep(0)  # what was awaited last is still held
    gc.collect()
    assert reports == []


async def test_settled_waits_for_answers_but_not_for_ever(
    peer: Peer, wire: Wire, methods: Methods
) -> None:
    await peer.receive(call(1, "soon"))
    await peer.settled(5)
    assert len(wire.frames) == 1

    await peer.receive(call(2, "wait"))
    await peer.settled(0.01)
    assert len(wire.frames) == 1


# Requests that go out.


async def test_a_request_goes_out_under_a_new_id_and_returns_its_result(
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


async def test_an_invalid_request_is_no_answer_to_a_request_with_the_same_id(
    peer: Peer, wire: Wire
) -> None:
    calling = asyncio.create_task(peer.request("ping"))
    await until(lambda: wire.frames)
    id_ = wire.sent[0]["id"]

    told = await answer(peer, wire, json.dumps({"jsonrpc": "2.0", "id": id_, "method": 5}))

    assert told["error"]["code"] == -32600
    assert not calling.done()
    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": id_, "result": {}}))
    assert await calling == {}


async def test_a_request_to_a_peer_that_has_left_raises(peer: Peer, wire: Wire) -> None:
    wire.cut = True

    with pytest.raises(TransportClosed):
        await peer.request("ping")


async def test_a_late_answer_is_ignored(peer: Peer, wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(peer.request("ping"), 0.01)

    await peer.receive(json.dumps({"jsonrpc": "2.0", "id": wire.sent[0]["id"], "result": {}}))

    assert (await answer(peer, wire, call(1, "soon")))["id"] == 1


async def test_two_peers_ask_each_other_at_once() -> None:
    one, other = Wire(), Wire()
    left, right = Peer(one, Methods()), Peer(other, Methods())
    one.deliver, other.deliver = right.receive, left.receive

    asked = [left.request("echo", [1]), right.request("soon"), left.request("editor")]
    answers = await asyncio.gather(*asked, return_exceptions=True)

    assert answers[:2] == [[1], "soon"]
    assert isinstance(answers[2], RpcError)
    assert str(answers[2]) == "E37: no"
