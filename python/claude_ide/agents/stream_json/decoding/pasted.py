"""The marks that the CLI puts around a text that was pasted into a prompt, also by us."""

import re

MARKED = re.compile(
    r'\n{0,2}<pasted_content id="(?P<id>[^"\n]+)">\n'
    r"(?P<text>.*?)\n"
    r'</pasted_content id="(?P=id)">\n{0,2}',
    re.DOTALL,
)


def unmarked(prompt: str) -> str:
    """Return a prompt as it was in the prompt box."""
    return MARKED.sub(lambda found: found["text"], prompt)
