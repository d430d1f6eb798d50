"""`chat/chat.py`: how full the context is."""

from claude_ide.agents.agent import ContextUsage
from claude_ide.chat.chat import usage_lines as lines


def test_each_category_has_its_share() -> None:
    usage = ContextUsage(15_000, 200_000, (("System prompt", 2_000), ("Tools", 13_000), ("x", 0)))

    assert lines(usage) == [
        "15,000 of 200,000 tokens (8%)",
        "  System prompt      2,000    1%",
        "  Tools             13,000    6%",
    ]


def test_usage_is_shown_without_a_known_size() -> None:
    assert lines(ContextUsage(15, 0, (("Tools", 15),))) == ["15 tokens", "  Tools         15  100%"]
    assert lines(ContextUsage(0, 0)) == ["0 tokens"]
