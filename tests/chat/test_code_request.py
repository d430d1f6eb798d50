"""Requests to run code in a kernel."""

from typing import Any

import pytest

from claude_ide.agents.requests import Option, OptionKind, PermissionAsked
from claude_ide.chat.page.page import Code, Page, Part
from claude_ide.chat.requests.view import CUT, WHOLE, Request

OPTIONS = (
    Option("allow", "Allow", OptionKind.ALLOW_ONCE),
    Option("reject", "Reject", OptionKind.REJECT_ONCE),
)


def request(name: str = "mcp__neovim__execute_code", **fields: Any) -> Request:
    asked = {"arguments": {"code": "x = 1\nx"}} | fields
    asked |= {"code": asked["arguments"]["code"]} if name == "mcp__neovim__execute_code" else {}
    return Request(
        *(Part(1, "request"), PermissionAsked("r", "t", name, options=OPTIONS, **asked)),
        *("/p", "Claude"),
    )


def lines(view: Request) -> list[str]:
    return [row.text for row in view.rows()]


def test_the_code_stands_alone_in_its_rows_and_can_be_changed() -> None:
    assert lines(request()) == [
        "? Run this code?",
        "x = 1",
        "x",
        "  y  yes, once",
        "  n  no",
        "  N  no, because…",
        "  c  change the code",
    ]


@pytest.mark.parametrize("name", ["mcp__other__execute_code", "executeCode"])
def test_the_code_of_another_server_cannot_be_changed(name: str) -> None:
    shown = lines(request(name))

    assert shown[:3] == ["? Run this code?", "x = 1", "x"]
    assert "  c  change the code" not in shown


def test_other_arguments_follow_the_code() -> None:
    arguments = {"code": "x", "seconds": 5}

    assert lines(request(arguments=arguments))[:3] == ["? Run this code?", "x", "  │ seconds: 5"]


def test_the_page_knows_where_the_code_is() -> None:
    view = request(arguments={"code": "x = 1\nx", "seconds": 5})
    page = Page()
    part = view.part = page.add("request")

    view.draw(page)

    assert part.code == [Code(1, 3, "python")]
    assert view.rows()[1].looks[0].text == "  │ "


def test_characters_that_hide_something_are_made_visible() -> None:
    assert "x = 1 # <202e>\x1b"[:-1] + "^[" in lines(
        request(arguments={"code": "x = 1 # \u202e\x1b"})
    )


def test_long_code_must_be_seen_before_it_is_allowed() -> None:
    view = request(arguments={"code": "\n".join(f"x{number}" for number in range(40))})
    assert view.kind == CUT

    view.unfold("y")

    assert view.kind == WHOLE
    assert "x39" in lines(view)


def test_code_that_is_no_text_is_shown_like_any_argument() -> None:
    shown = lines(request("mcp__other__execute_code", arguments={"code": 5}))

    assert shown[:2] == ["? Use mcp__other__execute_code?", "  │ code: 5"]
