"""A conversation as a Markdown document."""

from collections.abc import Sequence

from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript.transcript import Transcript


def markdown(transcript: Transcript, title: str = "") -> str:
    """Return the shown part of a conversation: prompts, answers, thinking, tools."""
    return document(transcript.name, title, transcript.story())


def document(name: str, title: str, story: Sequence[str]) -> str:
    """Return a story below the title of the conversation with the agent of this name."""
    heading = f"# {one_line(title) or f'A conversation with {name}'}"
    return "\n\n".join([heading, *story]) + "\n"
