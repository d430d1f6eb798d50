"""`frames.py`: lines and frames with any content."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.stream_json.protocol import decode_line, encode_line

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), values, max_size=5))
def test_a_frame_survives_encoding_and_decoding(frame: dict[str, object]) -> None:
    assert decode_line(encode_line(frame)) == frame


@given(st.dictionaries(st.text(), st.text()))
def test_an_encoded_line_is_one_line_to_every_reader(frame: dict[str, object]) -> None:
    """Some readers treat U+2028 as the end of a line."""
    line = encode_line(frame | {"text": "a\u2028b\r\nc\x85"})

    assert line.isascii()
    assert len(line.decode().splitlines()) == 1


@pytest.mark.parametrize(
    "line", [b"not json", b"[1,2]", b"1", b"null", b'{"a":', b'{"a":' * 100_000, b"\xff\xfe"]
)
def test_a_line_that_is_not_a_frame_is_ignored(line: bytes) -> None:
    assert decode_line(line) is None


def test_half_a_surrogate_pair_is_replaced() -> None:
    """The CLI cuts long texts anywhere, but Neovim accepts only valid Unicode."""
    line = json.dumps({"text": "cut \ud83d", "whole": "\U0001f389"}).encode()

    assert decode_line(line) == {"text": "cut �", "whole": "\U0001f389"}


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert decode_line(b'{"text":"a\xffb"}') == {"text": "a�b"}


def test_text_that_is_not_unicode_is_sent_readably() -> None:
    """A model refuses half a surrogate pair, and with it all of the conversation after it."""
    line = encode_line({"text": ["\udc80", "caf\udce9", "\ud83d"], "whole": "\U0001f389"})

    assert json.loads(line) == {"text": ["�", "caf�", "�"], "whole": "\U0001f389"}
