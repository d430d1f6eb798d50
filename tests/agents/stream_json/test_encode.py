"""`protocol.py`: prompts in the CLI's format."""

import base64

from claude_ide.agents.agent import Image, OpenFile, Selection, ShellResult, Words
from claude_ide.agents.stream_json import protocol
from support.transcripts import entries


def content(*parts: Words | Image | Selection | OpenFile | ShellResult) -> list[dict[str, object]]:
    blocks: list[dict[str, object]] = protocol.prompt("u", parts)["message"]["content"]
    return blocks


def recorded(name: str, number: int) -> list[dict[str, object]]:
    """Return the content of a prompt that was sent to the real CLI."""
    sent = [e["m"] for e in entries(name) if e["dir"] == "in" and e["m"].get("type") == "user"]
    blocks: list[dict[str, object]] = sent[number]["message"]["content"]
    return blocks


def test_a_mention_is_part_of_the_text() -> None:
    assert content(Words("look at @a.py#L2-2 please")) == recorded("mention_range", 0)


def test_the_selection_precedes_the_text_in_a_tag() -> None:
    blocks = content(Words("what is it?"), Selection("a.py", 2, 2, "    return 1"))

    assert blocks == recorded("mention_range", 1)


def test_the_open_file_is_in_a_tag() -> None:
    opened, words = content(OpenFile("/p/a.py"), Words("look at @a.py"))

    assert str(opened["text"]).startswith("<ide_opened_file>The user opened the file /p/a.py in")
    assert str(opened["text"]).endswith("</ide_opened_file>")
    assert words == recorded("image_and_context", 1)[-1]


def test_an_image_is_sent_unchanged() -> None:
    [_, image] = recorded("image_and_context", 0)
    data = base64.b64decode(image["source"]["data"])  # type: ignore[index]

    assert content(Words("what is this?"), Image(data)) == recorded("image_and_context", 0)


def test_a_slash_command_begins_its_text_whatever_the_editor_adds() -> None:
    blocks = content(OpenFile("/p/a.py"), Words("/compact"))

    assert blocks[-1] == {"type": "text", "text": "/compact"}


def test_a_prompt_carries_its_id_and_its_priority() -> None:
    plain, urgent = protocol.prompt("u", [Words("x")]), protocol.prompt("u", [Words("x")], "now")

    assert plain["uuid"] == "u"
    assert "priority" not in plain
    assert urgent["priority"] == "now"


def test_a_prompt_can_be_encoded_as_one_text() -> None:
    parts = (Words("what is @a.py"), OpenFile("/p/b.py"), Image(b"x"))

    context, _, words = protocol.words(parts).partition("\n\n")

    assert context == content(OpenFile("/p/b.py"))[0]["text"]
    assert words == "what is @a.py"


def test_a_shell_result_has_the_form_of_the_cli_and_comes_first() -> None:
    failed = ShellResult("false", "1 < 2\n", failed=True)
    blocks = content(Words("why?"), ShellResult("echo 'a & <b>'", "a & <b>\n"), failed)

    assert [block["text"] for block in blocks] == [
        "<bash-input>echo 'a &amp; &lt;b&gt;'</bash-input>",
        "<bash-stdout>a &amp; &lt;b&gt;</bash-stdout><bash-stderr></bash-stderr>",
        "<bash-input>false</bash-input>",
        "<bash-stdout></bash-stdout><bash-stderr>1 &lt; 2</bash-stderr>",
        "why?",
    ]
