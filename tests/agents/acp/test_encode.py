"""Prompts as content blocks: what each agent gets of the user's words and their context."""

import base64
from typing import Any

import pytest

from claude_ide.agents.acp import prompting
from claude_ide.agents.acp.connection import AgentOffer
from claude_ide.agents.acp.updates import typed
from claude_ide.agents.agent import Image, Mention, OpenFile, Prompt, Selection, ShellResult, Words
from support.acp.schema import fault_of

ALL = AgentOffer(images=True, embeds=True)
FEW = AgentOffer()
LINES = Selection("/p/a b.py", 2, 3, "two\nthree")


def blocks(*parts: Any, offer: AgentOffer = ALL) -> list[dict[str, Any]]:
    prompt: Prompt = parts
    found = prompting.content_of(prompt, offer)
    assert not fault_of("PromptRequest", {"sessionId": "s", "prompt": found})
    return found


def texts(*parts: Any, offer: AgentOffer = FEW) -> list[str]:
    return [block["text"] for block in blocks(*parts, offer=offer)]


def test_the_words_are_first_so_that_a_slash_command_begins_the_text() -> None:
    found = blocks(ShellResult("ls", "a\n"), LINES, Words("/compact"), Image(b"x"))

    assert [block["type"] for block in found] == ["text", "image", "text", "resource"]
    assert found[0] == {"type": "text", "text": "/compact"}


def test_a_selection_is_embedded_with_its_lines() -> None:
    assert blocks(LINES) == [
        {
            "type": "resource",
            "resource": {"uri": "file:///p/a%20b.py#L2-3", "text": "two\nthree"},
            "annotations": {"audience": ["assistant"]},
        }
    ]


def test_a_selection_is_text_for_an_agent_that_embeds_nothing() -> None:
    assert texts(LINES) == ['<context ref="file:///p/a%20b.py#L2-3">\ntwo\nthree\n</context>']


def test_the_open_file_is_embedded() -> None:
    (found,) = blocks(OpenFile("/p/a.py", "unsaved\n"))

    assert found["resource"] == {"uri": "file:///p/a.py", "text": "unsaved\n"}
    assert texts(OpenFile("/p/a.py", "one")) == ['<context ref="file:///p/a.py">\none\n</context>']


def test_an_open_file_without_a_text_is_named() -> None:
    (words,) = texts(OpenFile("/p/a.py"), offer=ALL)

    assert "The user has opened the file /p/a.py." in words


@pytest.mark.parametrize(
    ("mention", "uri"),
    [
        (Mention("/p/a.py", "a.py"), "file:///p/a.py"),
        (Mention("/p/a.py", "a.py#L2", 2, 2), "file:///p/a.py#L2"),
        (Mention("/p/a.py", "a.py#L2-5", 2, 5), "file:///p/a.py#L2-5"),
        (Mention("/p/ä #1.py", "ä #1.py"), "file:///p/%C3%A4%20%231.py"),
    ],
)
@pytest.mark.parametrize("offer", [ALL, FEW])
def test_a_mention_is_a_link_beside_the_words(
    mention: Mention, uri: str, offer: AgentOffer
) -> None:
    words, link = blocks(Words(f"see @{mention.name}"), mention, offer=offer)

    assert words["text"] == f"see @{mention.name}\n"
    assert link == {"type": "resource_link", "name": mention.name, "uri": uri}


def test_images_are_sent_to_agents_that_take_them() -> None:
    (image,) = blocks(Image(b"\x89PNG", "image/png"))

    assert image == {
        "type": "image",
        "mimeType": "image/png",
        "data": base64.b64encode(b"\x89PNG").decode(),
    }
    assert texts(Image(b"x")) == [prompting.NO_IMAGES]


def test_the_result_of_a_shell_command_is_text() -> None:
    (words,) = texts(ShellResult("make", "1 error\n", failed=True))

    assert "$ make\n1 error\n(The command has failed.)" in words


def test_what_the_user_has_typed_is_told_from_the_context() -> None:
    parts = [Words("fix this\n\nplease"), LINES, ShellResult("ls", "a\n"), OpenFile("/none")]

    sent = texts(*parts)

    assert typed("".join(sent)) == "fix this\n\nplease"
    assert typed("\n".join([*sent, prompting.note("2 errors")["text"]])) == "fix this\n\nplease"


def test_the_links_of_claudes_adapter_are_no_words() -> None:
    link = "[@a.py](file:///p/a.py)"

    assert (
        typed(f'next{link}{link}\n<context ref="file:///p/a.py">\ndef f():\n</context>') == "next"
    )


def test_the_first_message_of_gemini_itself_is_not_the_users() -> None:
    own = "<session_context>\nThis is the Gemini CLI.\n</session_context>"

    assert typed(own) == ""
    assert typed(f"{own}fix this") == "fix this"
