"""`ui/text.py`: the sentence that says why an agent wants an edit."""

import pytest

from claude_ide.ui.text import LONGEST_SENTENCE, last_sentence


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("", ""),
        ("\n \n", ""),
        ("I fix it.", "I fix it."),
        ("The sum is wrong. Now I fix **it**:", "Now I fix it"),
        ("First paragraph.\n\nSecond one, in\ntwo lines.\n", "Second one, in two lines."),
        ("I add `a.b()`.\n\n```python\nx = 1. \ny = 2\n```\n", "I add a.b()."),
        ("Look:\n```\nopen", "Look"),
        ("Steps:\n\n- one\n- two. Then three!", "Then three!"),
        ("## Why\nIs it? Version 1.2 is", "Version 1.2 is"),
        ("x" * 1000, "x" * LONGEST_SENTENCE),
    ],
)
def test_the_last_sentence_is_found(text: str, last: str) -> None:
    assert last_sentence(text) == last
