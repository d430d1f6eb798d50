"""`model/syntax.py`: the nodes of a syntax tree, in words."""

import pytest

from claude_ide.mcp.model.syntax import Node, Source

SOURCE = Source("c", "", ["int é;", "x"], "", "", "")


@pytest.mark.parametrize(
    ("span", "places"),
    [
        ((0, 0, 0, 4), "1:1-1:5"),
        ((0, 4, 0, 7), "1:5-1:7"),
        ((0, 0, 1, 0), "1:1-1:7"),
        ((2, 0, 2, 0), "3:1-3:1"),
    ],
    ids=["start", "characters", "to the next line", "below the last line"],
)
def test_the_places_of_a_node_are_counted_in_characters(
    span: tuple[int, int, int, int], places: str
) -> None:
    assert SOURCE.places(Node("x", span)) == places
