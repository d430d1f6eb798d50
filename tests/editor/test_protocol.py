"""`editor/protocol.py`: the place in a line that a model names."""

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.protocol import index_in

COLUMNS = [3 * word + each for word in range(20) for each in (1, 3)]


@pytest.mark.parametrize(
    ("text", "column", "symbol", "index"),
    [
        ("  one", None, None, 2),
        ("", None, None, 0),
        ("é one", 3, None, 2),
        ("one", 4, "two", 3),
        ("𝄞 two", None, "two", 2),
        ("one bone one_ (one)", None, "one)", 15),
        ("a.b + ab", None, "b", 2),
        ("f(x)(x)", None, ")(", 3),
        ("äone one", None, "one", 5),
        ("xx -x", None, "-x", 3),
    ],
)
def test_a_place_is_found(text: str, column: int | None, symbol: str | None, index: int) -> None:
    assert index_in(text, 1, column, symbol) == index


@pytest.mark.parametrize(
    ("text", "column", "symbol", "reason"),
    [
        ("é", 3, None, "line 4 has no column 3; it has 1 characters"),
        ("one", None, "on", 'line 4 has no "on"; it is: one'),
        ("x" * 99, None, "y" * 99, f'line 4 has no "{"y" * 80}…"; it is: {"x" * 80}…'),
        ("a + a", None, "a", 'line 4 has "a" in columns 1, 5; give one'),
        ("aaaa", None, "aa", 'line 4 has no "aa"; it is: aaaa'),
        ("- -" * 20, None, "-", f"columns {', '.join(map(str, COLUMNS[:20]))}, …; give one"),
    ],
)
def test_what_is_wrong_is_said(
    text: str, column: int | None, symbol: str | None, reason: str
) -> None:
    with pytest.raises(EditorError) as raised:
        index_in(text, 4, column, symbol)

    assert str(raised.value).endswith(reason)
