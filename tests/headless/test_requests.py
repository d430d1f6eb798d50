"""`headless/requests.py`: what `question/init.lua` sends becomes a request."""

import msgspec
import pytest

from claude_ide.headless.requests import (
    READING,
    AskRequest,
    CommitRequest,
    Lines,
    RewriteRequest,
    decode,
)


def test_a_question_is_known_by_its_kind() -> None:
    about = {"name": "a", "first": 1, "last": 2, "text": "x"}
    payload = {"kind": "ask", "id": 1, "cwd": "/", "prompt": "x", "lines": about}

    assert decode(payload) == AskRequest(1, "/", "x", tools=READING, lines=Lines("a", 1, 2, "x"))


def test_the_other_kinds_are_known() -> None:
    common = {"id": 1, "cwd": "/"}
    lines = {"instruction": "i", "name": "n", "filetype": "f", "lines": ["a"]}

    assert decode({"kind": "commit", **common}) == CommitRequest(1, "/")
    assert decode({"kind": "rewrite", **common, **lines, "first": 0, "last": 1}) == RewriteRequest(
        1, "/", "i", "n", "f", ["a"], 0, 1
    )


def test_no_tools_are_none() -> None:
    request = decode({"kind": "ask", "id": 1, "cwd": "/", "prompt": "x", "tools": []})

    assert isinstance(request, AskRequest)
    assert request.tools == ()


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode({"kind": "other", "id": 1, "cwd": "/"})
