"""`editor/port/prompts.py`: events from `headless/init.lua` become requests."""

from typing import Any

import pytest

from claude_ide.editor.events import decoded
from claude_ide.editor.port.events import Event
from claude_ide.editor.port.prompts import (
    READING,
    AskedLines,
    AskRequest,
    CommitRequest,
    RewriteRequest,
)


def decode(table: dict[str, Any]) -> Event:
    return decoded("question_asked", table)


def test_a_question_is_decoded() -> None:
    about = {"name": "a", "first": 1, "last": 2, "text": "x"}
    payload = {"kind": "ask", "id": 1, "cwd": "/", "prompt": "x", "lines": about}

    assert decode(payload) == AskRequest(
        1, "/", "x", tools=READING, lines=AskedLines("a", 1, 2, "x")
    )


def test_requests_for_commits_rewrites_and_refinements_are_decoded() -> None:
    common = {"id": 1, "cwd": "/"}
    lines = {"instruction": "i", "name": "n", "filetype": "f", "bufnr": 2, "text": "a\n"}

    assert decode({"kind": "commit", **common}) == CommitRequest(1, "/")
    assert decode({"kind": "rewrite", **common, **lines, "rows": [0, 1]}) == RewriteRequest(
        1, "/", "i", "n", "f", 2, "a\n", (0, 1)
    )
    refined = {"rows": [0, 0], "refines": 3, "version": 4}
    assert decode({"kind": "rewrite", **common, **lines, **refined}) == RewriteRequest(
        1, "/", "i", "n", "f", 2, "a\n", (0, 0), 3, 4
    )


def test_an_empty_list_of_tools_permits_none() -> None:
    request = decode({"kind": "ask", "id": 1, "cwd": "/", "prompt": "x", "tools": []})

    assert isinstance(request, AskRequest)
    assert request.tools == ()


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError):
        decode({"kind": "other", "id": 1, "cwd": "/"})
