"""The context in a prompt's text: marked, so that it can be told from what the user has typed.

Claude's adapter marks embedded files in the same way; its links are a Markdown link for each file.
"""

import re
from typing import Any

from claude_ide.agents.fields import mapping, text

MODEL = "assistant"
"""The audience of texts that are not for the user."""

_MARKED = re.compile(r'\s*<context ref="[^"\n]*">\n.*?\n</context>', re.DOTALL)
_FILE = re.compile(r"\[/[^\]\n]+\]\n")
"""opencode repeats an embedded file in a text of its own, with the path at its beginning."""

_BY_THE_AGENT = re.compile(r"\s*<session_context>\n.*?\n</session_context>", re.DOTALL)
"""Gemini's own first message, which it repeats as if the user had sent it."""

_LINK = re.compile(r"\[@[^\]\n]*\]\(file://[^)\n]*\)")


def is_context(content: dict[str, Any]) -> bool:
    """Return whether a part of a prompt was not typed: a link, a file, a text for the model."""
    audience = mapping(content.get("annotations")).get("audience")
    is_file = _FILE.match(text(content.get("text"))) is not None
    return is_file or content.get("type") in ("resource_link", "resource") or audience == [MODEL]


def marked(source: str, words: str) -> str:
    """Return a text that the prompt takes along; `source` says where it is from."""
    return f'<context ref="{source}">\n{words}\n</context>'


def typed(words: str) -> str:
    """Return what the user has typed of a prompt that an agent repeats."""
    return _LINK.sub("", _MARKED.sub("", _BY_THE_AGENT.sub("", words))).strip()
