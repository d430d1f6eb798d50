"""Draws a terminal's screen as SVG, with the colours and attributes of each cell."""

import re
from html import escape
from itertools import groupby
from typing import Any

WIDTH, HEIGHT, BASE = 8.4, 18, 13
"""Pixels: the size of a cell, and the distance from its top to the baseline of the text."""

FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"
"""The default colours, from Neovim's own colour scheme."""

NAMED = {
    "black": "#07080d",
    "red": "#ffc0b9",
    "green": "#b3f6c0",
    "brown": "#fce094",
    "blue": "#a6dbff",
    "magenta": "#ffcaff",
    "cyan": "#8cf8f7",
    "white": "#eef1f8",
}

Style = tuple[str, str, bool, bool, bool]


def svg(screen: Any) -> str:
    """Return a pyte screen as an SVG document."""
    width, height = screen.columns * WIDTH, screen.lines * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}"'
        f' font-family="monospace" font-size="14">',
        f'<rect width="100%" height="100%" fill="{BACKGROUND}"/>',
    ]
    for number in range(screen.lines):
        cells = [screen.buffer[number][column] for column in range(screen.columns)]
        parts += _row(cells, number * HEIGHT)
    return "\n".join([*parts, "</svg>", ""])


def _row(cells: list[Any], top: int) -> list[str]:
    parts = []
    column = 0
    for style, run in groupby(cells, _style):
        text = "".join(cell.data for cell in run)
        parts += _run(text, style, column * WIDTH, top)
        column += len(text)
    return parts


def _run(text: str, style: Style, left: float, top: int) -> list[str]:
    foreground, background, bold, italic, underlined = style
    width = len(text) * WIDTH
    parts = []
    if background != BACKGROUND:
        box = f'x="{left:.1f}" y="{top}" width="{width:.1f}" height="{HEIGHT}"'
        parts.append(f'<rect {box} fill="{background}"/>')
    attributes = f'fill="{foreground}"'
    attributes += ' font-weight="bold"' if bold else ""
    attributes += ' font-style="italic"' if italic else ""
    attributes += ' text-decoration="underline"' if underlined else ""
    # Word by word, because some viewers collapse blanks.
    for word in re.finditer(r"\S+", text):
        x, length = left + word.start() * WIDTH, len(word[0]) * WIDTH
        position = f'x="{x:.1f}" y="{top + BASE}" textLength="{length:.1f}"'
        parts.append(f"<text {position} {attributes}>{escape(word[0])}</text>")
    return parts


def _style(cell: Any) -> Style:
    foreground, background = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        foreground, background = background, foreground
    return foreground, background, cell.bold, cell.italics, cell.underscore


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name.removeprefix("bright"), f"#{name}")
