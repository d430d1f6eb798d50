"""The context in a prompt's text: marked, so that it can be told from what the user has typed.

Claude's adapter marks embedded files in the same way; its links are a Markdown link for each file.
"""

import re

_MARKED = re.compile(r'\s*<context ref="[^"\n]*">\n.*?\n</context>', re.DOTALL)
_LINK = re.compile(r"\[@[^\]\n]*\]\(file://[^)\n]*\)")


def marked(source: str, words: str) -> str:
    """Return a text that the prompt takes along; `source` says where it is from."""
    return f'<context ref="{source}">\n{words}\n</context>'


def typed(words: str) -> str:
    """Return what the user has typed of a prompt that an agent repeats."""
    return _LINK.sub("", _MARKED.sub("", words)).strip()
