"""`transport/jsonrpc.py`: decoding and encoding of messages."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.base.errors import INVALID_REQUEST, PARSE_ERROR, RpcError
from claude_ide.transport.jsonrpc import (
    LARGE,
    ErrorResponse,
    Invalid,
    Message,
    Notification,
    Request,
    Response,
    converted,
    decode,
    encode,
)


@pytest.mark.parametrize("id_", [0, 1, -1, "", "a", 1.5, None, 2**70])
def test_a_method_with_any_id_is_a_request(id_: Any) -> None:
    frame = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "ping"})

    assert decode(frame) == Request(id_, "ping")


@pytest.mark.parametrize("params", [None, [1], {"a": 1}, 5, "x"])
def test_a_method_without_an_id_is_a_notification_whatever_its_params(params: Any) -> None:
    """A notification must not be answered, so it cannot be rejected."""
    frame = json.dumps({"jsonrpc": "2.0", "method": "log", "params": params})

    assert decode(frame) == Notification("log", params)


@pytest.mark.parametrize("result", [0, None, {}, []])
def test_an_empty_result_is_a_response(result: Any) -> None:
    frame = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})

    assert decode(frame) == Response(1, result)


def test_an_error_keeps_its_code_message_and_data() -> None:
    frame = (
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"path":"/a"}}}'
    )

    decoded = decode(frame)

    assert isinstance(decoded, ErrorResponse)
    assert decoded.id is None
    error = decoded.error
    assert (error.code, error.message, error.data) == (-32000, "no", {"path": "/a"})


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"{",
        b"nan",
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {',
        b'{"jsonrpc": "2.0", "method": "\xff"}',
        "\ud800",
        rb'"\ud800"',
        b"1e999",
        b"1" * 5000,
        b'{"a":' * 100_000,
    ],
)
def test_invalid_json_is_a_parse_error_without_an_id(frame: str | bytes) -> None:
    decoded = decode(frame)

    assert isinstance(decoded, Invalid)
    assert decoded.answer.id is None
    assert decoded.answer.error.code == PARSE_ERROR


@pytest.mark.parametrize(
    ("text", "id_", "reason"),
    [
        ("1", None, "not an object"),
        ("null", None, "not an object"),
        ("[]", None, "not an object: batches are not supported"),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None, "not an object: batches"),
        ('{"id": 1, "method": "ping"}', 1, 'jsonrpc must be "2.0"'),
        ('{"jsonrpc": "1.0", "id": "a", "method": "ping"}', "a", 'jsonrpc must be "2.0"'),
        ('{"jsonrpc": "2.0", "id": 1}', 1, "neither a method nor a result nor an error"),
        ('{"jsonrpc": "2.0", "id": 1, "method": 5}', 1, "neither a method"),
        ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', None, "neither a method"),
        ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', None, "id must be a string"),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, "id must be a string"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "x", "params": "p"}', 1, "params must be"),
        ('{"jsonrpc": "2.0", "id": 1, "error": "no"}', 1, "neither a method"),
        ('{"jsonrpc": "2.0", "id": 1, "error": {"code": "no"}}', 1, "neither a method"),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request(text: str, id_: Any, reason: str) -> None:
    decoded = decode(text)

    assert isinstance(decoded, Invalid)
    assert decoded.answer.id == id_
    assert decoded.answer.error.code == INVALID_REQUEST
    assert decoded.answer.error.message.startswith(f"Invalid request: {reason}")


# Large frames, which are decoded only as far as they are read.


def large(**fields: Any) -> Any:
    return decode(json.dumps({"jsonrpc": "2.0", **fields}))


def test_the_params_of_a_large_request_are_decoded_when_they_are_read() -> None:
    text = "x" * LARGE

    request = large(id="a", method="m", params={"text": text, "more": [1, 2]})

    assert (request.id, request.method) == ("a", "m")
    assert converted(request.params, dict[str, Any]) == {"text": text, "more": [1, 2]}


@pytest.mark.parametrize("params", ["x" * LARGE, [0] * LARGE])
def test_a_large_request_is_validated(params: Any) -> None:
    assert isinstance(large(id=1, method="m", params="x" * LARGE), Invalid)
    assert isinstance(large(id=[1], method="m", params=params), Invalid)
    assert isinstance(large(id=1, method=5, params=params), Invalid)
    assert isinstance(large(method=None, params=params), Invalid)
    assert isinstance(decode(json.dumps({"id": 1, "method": "m", "params": params})), Invalid)
    assert isinstance(decode('{"jsonrpc": "2.0", "id": 1, "params": [' + "1," * LARGE), Invalid)


def test_a_large_notification_and_a_large_response_are_recognized() -> None:
    assert isinstance(large(method="m", params={"text": "x" * LARGE}), Notification)
    response = large(id=7, result="x" * LARGE)
    assert isinstance(response, Response)
    assert converted(response.result, str) == "x" * LARGE


def test_a_large_error_keeps_its_code() -> None:
    answer = large(id=7, error={"code": -32000, "message": "no", "data": "x" * LARGE})

    assert isinstance(answer, ErrorResponse)
    assert (answer.id, answer.error.code, answer.error.message) == (7, -32000, "no")


finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
ids = st.integers() | st.text()
params = st.none() | st.lists(json_values) | st.dictionaries(st.text(), json_values)
messages = st.one_of(
    st.builds(Request, ids, st.text(), params),
    st.builds(Notification, st.text(), params),
    st.builds(Response, ids, json_values),
)


@given(messages)
def test_an_encoded_message_is_decoded_to_the_same_message(message: Message) -> None:
    assert decode(encode(message)) == message


@given(st.binary() | json_values.map(msgspec.json.encode))
def test_decode_never_raises(frame: bytes) -> None:
    assert decode(frame) is not None


def test_an_error_is_encoded_with_its_data_if_it_has_any() -> None:
    plain = encode(ErrorResponse(3, RpcError(-32601, "no")))
    detailed = encode(ErrorResponse(3, RpcError(-32000, "no", data=[])))

    assert json.loads(plain)["error"] == {"code": -32601, "message": "no"}
    assert json.loads(detailed)["error"] == {"code": -32000, "message": "no", "data": []}


def test_raw_json_is_encoded_unchanged() -> None:
    assert encode(Response(1, msgspec.Raw(b'{"a":  1}'))).endswith(b'"result":{"a":  1}}')


LATIN_1 = b"caf\xe9".decode("utf-8", "surrogateescape")
"""The text of a buffer that is not UTF-8, as Neovim sends it."""


def test_a_response_with_text_that_is_not_unicode_is_not_encoded() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        encode(Response(1, {"text": LATIN_1}))


@pytest.mark.parametrize("type_", [Notification, partial(Request, 1)])
def test_text_that_is_not_unicode_is_replaced_in_what_is_sent_unasked(
    type_: Callable[..., Request | Notification],
) -> None:
    frame = encode(type_("selection_changed", {"text": LATIN_1, "lines": [1, LATIN_1]}))

    assert json.loads(frame)["params"] == {"text": "caf\ufffd", "lines": [1, "caf\ufffd"]}


LONE = "\\ud800"


@pytest.mark.parametrize("id_", [0, 7, "seven", None, 1.5])
def test_a_request_with_a_lone_surrogate_is_rejected_with_its_id(id_: Any) -> None:
    params = f'{{"a": ["x", {{"path": "/caf{LONE}"}}]}}'
    frame = f'{{"jsonrpc": "2.0", "id": {json.dumps(id_)}, "method": "m", "params": {params}}}'

    for decoded in (decode(frame), decode(frame.encode())):
        assert isinstance(decoded, Invalid)
        assert decoded.answer.id == id_
        assert decoded.answer.error.code == INVALID_REQUEST
        assert "holds a lone surrogate" in decoded.answer.error.message


def test_an_id_with_a_lone_surrogate_is_not_repeated_in_the_answer() -> None:
    decoded = decode(f'{{"jsonrpc": "2.0", "id": "{LONE}", "method": "m"}}')

    assert isinstance(decoded, Invalid)
    assert decoded.answer.id is None
    encode(decoded.answer)


def test_lone_surrogates_in_notifications_and_responses_are_replaced() -> None:
    notification = decode(f'{{"jsonrpc": "2.0", "method": "m", "params": {{"a": "x{LONE}y"}}}}')
    response = decode(f'{{"jsonrpc": "2.0", "id": 1, "result": "{LONE}"}}')

    assert notification == Notification("m", {"a": "x\ufffdy"})
    assert response == Response(1, "\ufffd")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_an_invalid_number_next_to_a_lone_surrogate_is_a_parse_error(number: str) -> None:
    decoded = decode(
        f'{{"jsonrpc": "2.0", "id": 1, "method": "m", "params": ["{LONE}", {number}]}}'
    )

    assert isinstance(decoded, Invalid)
    assert decoded.answer.error.code == PARSE_ERROR
