"""Questions and addresses in the transcript, and the form for questions."""

from typing import Any

import pytest

from claude_ide.agents.events import (
    AnswerKind,
    Asked,
    Choice,
    Limits,
    Question,
    QuestionAsked,
    UrlAsked,
    Value,
)
from claude_ide.chat.page.part import Part
from claude_ide.chat.page.view import Review
from claude_ide.chat.requests import address, form
from claude_ide.chat.requests.view import CUT, WHOLE, Request

SERVER = "the MCP server mine"


def request(asked: Asked, width: int = 60) -> Request:
    shown = Request(Part(1, "request"), asked, "/p", "Claude")
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
    assert request(asked).press(0) == Review("r")


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
    assert (address.host(given), address.warnings(given)) == (host, warnings)


@pytest.mark.parametrize(
    "given",
    [
        *("file:///etc/passwd", "javascript:alert(1)", "vscode://x/y", "example.com", "", "https:"),
        *("https://[x", "https://a.b:99999999/", "https://a.b\\@evil.com/", "https://a b", "-x"),
        "https://a.b\nhttps://evil.com",
    ],
)
def test_an_address_that_is_no_web_page_cannot_be_opened(given: str) -> None:
    assert not address.can_open(given)
    rows = lines(url(given))
    assert "  it cannot be opened from here: it is not the address of a web page" in rows
    assert not [row for row in rows if row.startswith("  y")]


FIELDS = (
    Question("name", kind=AnswerKind.TEXT, key="name", limits=Limits(2, 20)),
    Question("age", kind=AnswerKind.INTEGER, key="age", default=30, limits=Limits(0)),
    Question("ratio", kind=AnswerKind.NUMBER, key="ratio", required=False, limits=Limits(None, 1)),
    Question("agree", kind=AnswerKind.BOOLEAN, key="agree", is_open=False, default=True),
    Question("tags", "", (Choice("A", value="a"), Choice("B", value="b")), AnswerKind.CHOICES),
    Question("mail", kind=AnswerKind.TEXT, key="mail", limits=Limits(format="email")),
)
ASKED = QuestionAsked("r", "", FIELDS, SERVER, "Who?")


def test_a_form_describes_each_question() -> None:
    shown = form.of(ASKED, "Claude")

    assert (shown["title"], shown["message"]) == ("The MCP server mine asks", "Who?")
    name, age, ratio, agree, tags, mail = shown["questions"]
    assert (name["input"], name["hint"], name["least"]) == ("text", "2 to 20 characters", 2)
    assert (age["input"], age["own"], age["hint"]) == (
        *("integer", "30", "a whole number, at least 0"),
    )
    assert (ratio["required"], ratio["hint"]) == (False, "a number, at most 1")
    assert [choice["label"] for choice in agree["choices"]] == ["yes", "no"]
    assert (agree["picked"], agree["is_open"]) == (["yes"], False)
    assert (tags["key"], tags["multiple"]) == ("tags", True)
    assert (mail["input"], mail["hint"]) == ("email", "an e-mail address")
    assert [each["expects"] for each in (name, age, mail)] == [
        *("", "a whole number", "an e-mail address"),
    ]


def test_the_answers_have_the_types_of_their_questions() -> None:
    given: dict[str, list[str]] = {
        "name": ["Ann"],
        "age": ["+7"],
        "ratio": ["1e-1"],
        "agree": ["no"],
        "tags": ["a", "b"],
        "mail": [],
    }
    found = form.values(ASKED, [{"question": k, "chosen": v} for k, v in given.items()])

    expected: dict[str, Value] = {"name": "Ann", "age": 7, "ratio": 0.1, "agree": False}
    assert found == expected | {"tags": ("a", "b")}
    assert form.summary(ASKED, found) == "Ann; 7; 0.1; no; A, B"
    assert form.summary(ASKED, {}) == "no answers"


def test_a_list_of_answers_is_a_form_of_keys() -> None:
    shown: dict[str, Any] = form.of_keys("Answer Claude", "Bash ls", {"y": "Yes", "n": "No"})

    assert shown["is_instant"]
    assert [each["key"] for each in shown["questions"][0]["choices"]] == ["y", "n"]
