"""`editor/mentions.py`: the mentions in a text. `tests/cli/test_mentions.py` has the CLI's own."""

import pytest

from claude_ide.editor.mentions import mentions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look at @a.py", [("a.py", None, None)]),
        ("@a.py#L2-5, please", [("a.py", 2, 5)]),
        ("(see @a.py)", [("a.py", None, None)]),
        ('@"a b.py"#L3', [("a b.py", 3, 3)]),
        ('@"a b.py#L3-4" and more', [("a b.py", 3, 4)]),
        ("me@example.org", []),
        ("'@a.py' [@b.py] @c.py]'", [("c.py", None, None)]),
        ("@src/a.py and @b.py.", [("src/a.py", None, None), ("b.py", None, None)]),
    ],
)
def test_mentions_are_found(text: str, found: list[tuple[str, int | None, int | None]]) -> None:
    assert mentions(text) == found
