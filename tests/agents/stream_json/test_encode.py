"""`encode.py`: prompts as the CLI takes them."""

import base64

from claude_ide.agents.prompt import Image, OpenFile, Selection, Words
from claude_ide.agents.stream_json.wire import encode
from support.transcripts import entries


def content(*parts: Words | Image | Selection | OpenFile) -> list[dict[str, object]]:
    blocks: list[dict[str, object]] = encode.prompt("u", parts)["message"]["content"]
    return blocks


def recorded(name: str, number: int) -> list[dict[str, object]]:
    """The content of a prompt that the real CLI was given."""
    said = [e["m"] for e in entries(name) if e["dir"] == "in" and e["m"].get("type") == "user"]
    blocks: list[dict[str, object]] = said[number]["message"]["content"]
    return blocks


def test_a_mention_stands_within_the_words() -> None:
    assert content(Words("look at @a.py#L2-2 please")) == recorded("mention_range", 0)


def test_the_selection_comes_before_the_words_in_its_tag() -> None:
    said = content(Words("what is it?"), Selection("a.py", 2, 2, "    return 1"))

    assert said == recorded("mention_range", 1)


def test_the_open_file_comes_in_its_tag() -> None:
    opened, words = content(OpenFile("/p/a.py"), Words("look at @a.py"))

    assert str(opened["text"]).startswith("<ide_opened_file>The user opened the file /p/a.py in")
    assert str(opened["text"]).endswith("</ide_opened_file>")
    assert words == recorded("image_and_context", 1)[-1]


def test_an_image_is_sent_as_it_is() -> None:
    [_, image] = recorded("image_and_context", 0)
    data = base64.b64decode(image["source"]["data"])  # type: ignore[index]

    assert content(Words("what is this?"), Image(data)) == recorded("image_and_context", 0)


def test_a_slash_command_begins_its_text_whatever_the_editor_adds() -> None:
    said = content(OpenFile("/p/a.py"), Words("/compact"))

    assert said[-1] == {"type": "text", "text": "/compact"}


def test_a_prompt_carries_its_id_and_its_priority() -> None:
    plain, urgent = encode.prompt("u", [Words("x")]), encode.prompt("u", [Words("x")], "now")

    assert plain["uuid"] == "u"
    assert "priority" not in plain
    assert urgent["priority"] == "now"


def test_a_prompt_can_be_one_text() -> None:
    parts = (Words("what is @a.py"), OpenFile("/p/b.py"), Image(b"x"))

    context, _, words = encode.words(parts).partition("\n\n")

    assert context == content(OpenFile("/p/b.py"))[0]["text"]
    assert words == "what is @a.py"
