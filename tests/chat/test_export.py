"""A conversation as Markdown."""

from claude_ide.agents.events import Dead, Notice, Text, Waiting
from claude_ide.chat.conversation import markdown
from claude_ide.chat.transcript.transcript import Transcript
from support.digest import decoded
from support.transcripts import frames_of


def exported(transcript: Transcript, title: str = "") -> str:
    return markdown(transcript.name, title, transcript.story())


def test_a_conversation_is_exported_with_its_texts_and_tools() -> None:
    transcript = Transcript("Claude", clock=lambda: 0.0, root="/home/dev/project")
    transcript.queue.add("a", "Make hello return 2\nplease", ["a.py:1-2"])
    for event in decoded(frames_of("read_edit_allow")):
        transcript.apply(event)

    assert exported(transcript, "My chat") == (
        "# My chat\n"
        "\n"
        "## Make hello return 2 …\n"
        "\n"
        "Make hello return 2\nplease\n"
        "\n"
        "*a.py:1-2*\n"
        "\n"
        "Let me look.\n"
        "\n"
        "- → Read a.py  0 ms\n"
        "\n"
        "- ± Edit a.py  +1 −1  0 ms\n"  # noqa: RUF001
        "\n"
        "  ```diff\n"
        "   def hello():\n"
        "  -    return 1\n"
        "  +    return 2\n"
        "  ```\n"
        "\n"
        "Done.\n"
    )


def test_thinking_is_a_quotation() -> None:
    transcript = Transcript("Claude")
    for event in decoded(frames_of("plain_thinking")):
        transcript.apply(event)

    assert exported(transcript).splitlines()[:3] == [
        "# A conversation with Claude",
        "",
        "> The user greets me. I will greet back politely.",
    ]


def test_queued_prompts_and_notices_of_the_panel_are_not_exported() -> None:
    transcript = Transcript("Claude")
    transcript.apply(Waiting())
    transcript.queue.add("b", "And then?")
    for event in (Text("1", "answer"), Notice("overloaded", "error"), Dead(1, "stderr")):
        transcript.apply(event)

    assert exported(transcript) == "# A conversation with Claude\n\nanswer\n\noverloaded\n"


def test_open_parts_make_no_difference_to_an_export() -> None:
    transcript = Transcript("Claude", clock=lambda: 0.0)
    for event in decoded(frames_of("read_edit_allow")):
        transcript.apply(event)
    before = exported(transcript)
    for part in range(1, 10):
        transcript.press(part, 0)
    transcript.sheet.frame()

    assert exported(transcript) == before
