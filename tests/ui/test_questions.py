"""Questions and addresses in the transcript, and the form for questions."""

import pytest

from claude_ide.agents.requests import AnswerKind, Asked, Choice, Question, QuestionAsked, UrlAsked
from claude_ide.ui import request as shown
from claude_ide.ui.page import Part
from claude_ide.ui.request import CUT, WHOLE, RequestView, can_open
from claude_ide.ui.sheet import ReviewWanted

SERVER = "the MCP server mine"


def request(asked: Asked, width: int = 60) -> RequestView:
    shown = RequestView(Part(1, "request"), asked, "/p", "Claude")
    shown.resize(width, 60)
    return shown


def lines(asked: Asked, width: int = 60) -> list[str]:
    return [row.text for row in request(asked, width).rows()]


def test_questions_are_shown_with_their_choices() -> None:
    asked = QuestionAsked(
        "r",
        "t",
        (
            Question("Which library?", "Library", (Choice("httpx", "async"), Choice("requests"))),
            Question("Which features?\nAny.", "", (Choice("Retry"),), AnswerKind.CHOICES),
        ),
    )

    assert lines(asked) == [
        *("? Library: Which library?", "  · httpx — async", "  · requests"),
        *("? Which features?", "  Any.", "  ☐ Retry"),
        *("  <CR>  answer", "  n  skip", "  N  no, because…"),
    ]
    assert request(asked).press(0) == ReviewWanted("r")


def test_questions_of_a_program_are_named_and_can_be_declined() -> None:
    name = Question("Your name\nAs on the card", kind=AnswerKind.TEXT, key="name")
    age = Question("age", kind=AnswerKind.INTEGER, key="age", required=False)
    asked = QuestionAsked("r", "", (name, age), SERVER, "Who are you?\nPlease.")

    assert lines(asked) == [
        *("? The MCP server mine asks:", "  Who are you?", "  Please."),
        *("  · Your name — As on the card", "  · age (optional)"),
        *("  <CR>  answer", "  n  decline", "  N  cancel"),
    ]
    assert request(asked).title == "The MCP server mine asks: Who are you? …"


def url(address: str, message: str = "Log in") -> UrlAsked:
    return UrlAsked("r", "", SERVER, message, address)


def test_an_address_is_shown_whole_with_its_host() -> None:
    asked = url(f"https://example.com/{'x' * 80}")

    rows = lines(asked)

    assert rows[0] == "? May the MCP server mine open example.com in your browser?"
    assert rows[1] == "  │ Log in"
    assert "".join(row[4:] for row in rows[2:4]) == asked.url
    assert rows[4:] == ["  y  open it in the browser", "  n  decline", "  N  cancel"]
    assert request(asked).kind == WHOLE


def test_a_long_address_must_be_seen_before_it_is_opened() -> None:
    shown = request(url(f"https://example.com/{'x' * 3000}"))

    assert shown.kind == CUT
    shown.press(0)
    assert shown.kind == WHOLE


@pytest.mark.parametrize(
    ("given", "host", "warnings"),
    [
        ("https://example.com:8443/x", "example.com", []),
        ("http://example.com", "example.com", ["the connection is not encrypted"]),
        (
            "https://google.com@evil.com/",
            "evil.com",
            ["the address begins with a user name; the host is evil.com"],
        ),
        (
            "https://xn--80ak6aa92e.com",
            "xn--80ak6aa92e.com",
            ["the name of the host contains letters of other alphabets"],
        ),
    ],
)
def test_a_suspicious_address_has_a_warning(given: str, host: str, warnings: list[str]) -> None:
    assert (shown.host(given), shown.warnings(given)) == (host, warnings)


@pytest.mark.parametrize(
    "given",
    [
        *("file:///etc/passwd", "javascript:alert(1)", "vscode://x/y", "example.com", "", "https:"),
        *("https://[x", "https://a.b:99999999/", "https://a.b\\@evil.com/", "https://a b", "-x"),
        "https://a.b\nhttps://evil.com",
    ],
)
def test_an_address_that_is_no_web_page_cannot_be_opened(given: str) -> None:
    assert not can_open(given)
    rows = lines(url(given))
    assert "  it cannot be opened from here: it is not the address of a web page" in rows
    assert not [row for row in rows if row.startswith("  y")]
