"""`tools.py`: prompts without the marks of pasted texts."""

import pytest

from claude_ide.agents.stream_json.tools import unmarked

ONE = '\n\n<pasted_content id="81e6">\none\ntwo\n</pasted_content id="81e6">\n'
"""As 2.1.330 writes it."""


@pytest.mark.parametrize(
    ("marked", "prompt"),
    [
        (ONE, "one\ntwo"),
        (ONE.lstrip(), "one\ntwo"),
        (f"see this {ONE}\n and end", "see this one\ntwo and end"),
        (f"a{ONE}\n\nb" + ONE.replace("81e6", "c9c3"), "aone\ntwo\nbone\ntwo"),
        ("what is <pasted_content>?\n", "what is <pasted_content>?\n"),
        ('<pasted_content id="1">\nx\n</pasted_content id="2">', None),
    ],
)
def test_only_pairs_of_marks_are_removed(marked: str, prompt: str | None) -> None:
    assert unmarked(marked) == (marked if prompt is None else prompt)
