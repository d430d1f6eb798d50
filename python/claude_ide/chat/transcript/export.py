"""A conversation as a Markdown document."""

from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript.transcript import Transcript


def markdown(transcript: Transcript, title: str = "") -> str:
    """Return the shown part of a conversation: prompts, answers, thinking, tools."""
    heading = f"# {one_line(title) or f'A conversation with {transcript.name}'}"
    return "\n\n".join([heading, *transcript.story()]) + "\n"
