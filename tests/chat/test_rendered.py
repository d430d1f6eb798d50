"""A whole answer in Markdown, as windows of two widths show it.

The files in `rendered/` have the lines before they wrap, and of a rule one character more than its
source. To update them after a change of the rendering, delete them and run this test twice.
"""

from pathlib import Path

import pytest

from claude_ide.agents.events import Text
from support.frames import Panel

FOLDER = Path(__file__).with_name("rendered")


@pytest.mark.parametrize("width", [80, 32])
def test_an_answer_looks_as_recorded(width: int) -> None:
    answer = (FOLDER / "answer.md").read_text("utf-8")
    panel = Panel()
    panel.transcript.sheet.resize(width)
    seen = "\n".join(panel.handle(Text("1", answer)).drawn.seen) + "\n"
    recorded = FOLDER / f"{width}_columns.txt"
    if not recorded.exists():
        recorded.write_text(seen, "utf-8")
        pytest.fail(f"{recorded} was missing")

    assert seen == recorded.read_text("utf-8")
    assert panel.drawn.text == answer.rstrip("\n").split("\n")
