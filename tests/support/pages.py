"""A page of the transcript under test, and the frames that it returns."""

from claude_ide.ui.page import Page, Row
from support.frames import Drawn


def rows(*texts: str) -> list[Row]:
    return [Row(text) for text in texts]


def draw(page: Page, drawn: Drawn, most: int = 400) -> Drawn:
    while (frame := page.frame(most)) is not None:
        drawn.apply(frame)
    return drawn
