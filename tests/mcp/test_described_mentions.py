"""`mcp/ide.py`: mentions as `:ClaudeStatus` shows them."""

from typing import Any

import pytest

from claude_ide.mcp.ide import described


@pytest.mark.parametrize(
    ("mention", "shown"),
    [
        ({"filePath": "/p/a.py"}, "/p/a.py"),
        ({"filePath": "/p/a.py", "lineStart": 1, "lineEnd": 1}, "/p/a.py#L2"),
        ({"filePath": "/p/a.py", "lineStart": 1, "lineEnd": 2}, "/p/a.py#L2-3"),
        ({"filePath": '"/p/a b.py#L2-3"'}, "/p/a b.py#L2-3"),
    ],
)
def test_a_mention_is_shown_with_its_lines(mention: dict[str, Any], shown: str) -> None:
    assert described(mention) == shown
