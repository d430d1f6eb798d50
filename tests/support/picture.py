"""Draws a terminal's screen as SVG, with the colours and attributes of each cell."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

WIDTH, HEIGHT, BASE = 8.4, 18, 13
"""Pixels: the size of a cell, and the distance from its top to the baseline of the text."""

PADDING = 8
"""Pixels around the screen."""

FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"

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


@dataclass(frozen=True, slots=True)
class Style:
    """The look of a cell."""

    foreground: str
    background: str
    bold: bool = False
    italic: bool = False
    underlined: bool = False


Cell = tuple[str, Style]
Row = tuple[Cell, ...]
Page = tuple[Row, ...]
"""What a screen showed at one moment."""


def page(screen: Any) -> Page:
    """Return a copy of a pyte screen, with its cursor."""
    rows = [
        [_cell(screen.buffer[number][column]) for column in range(screen.columns)]
        for number in range(screen.lines)
    ]
    cursor = screen.cursor
    if not cursor.hidden and cursor.x < screen.columns:
        text, style = rows[cursor.y][cursor.x]
        rows[cursor.y][cursor.x] = text, Style(style.background, style.foreground)
    return tuple(tuple(row) for row in rows)


def svg(screen: Any) -> str:
    """Return a pyte screen as an SVG document."""
    shown = page(screen)
    common = background(shown)
    return document(shown, common, (drawn(row, n, common) for n, row in enumerate(shown)))


def document(shown: Page, common: str, parts: Iterable[str], style: str = "") -> str:
    """Return an SVG document of a page's size with these parts."""
    width, height = len(shown[0]) * WIDTH + 2 * PADDING, len(shown) * HEIGHT + 2 * PADDING
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg"'
        f' viewBox="-{PADDING} -{PADDING} {width:.0f} {height}"'
        f' font-family="{FONTS}" font-size="14">',
        f"<style>{style}</style>" if style else "",
        f'<rect x="-{PADDING}" y="-{PADDING}" width="100%" height="100%" rx="{PADDING}"'
        f' fill="{common}"/>',
    ]
    return "\n".join([*filter(None, head), *filter(None, parts), "</svg>", ""])


def background(shown: Page) -> str:
    """Return the background of most cells."""
    [(colour, _)] = Counter(style.background for row in shown for _, style in row).most_common(1)
    return colour


def drawn(row: Row, number: int, common: str) -> str:
    """Return a row as SVG; cells with the common background get none of their own."""
    parts: list[str] = []
    column = 0
    for style, run in groupby(row, lambda cell: cell[1]):
        cells = list(run)
        parts += _run([text for text, _ in cells], style, column, number * HEIGHT, common)
        column += len(cells)
    return "\n".join(parts)


def _run(texts: list[str], style: Style, column: int, top: int, common: str) -> Iterator[str]:
    if style.background != common:
        box = f'x="{column * WIDTH:.1f}" y="{top}" width="{len(texts) * WIDTH:.1f}"'
        yield f'<rect {box} height="{HEIGHT}" fill="{style.background}"/>'
    attributes = f'fill="{style.foreground}"'
    attributes += ' font-weight="bold"' if style.bold else ""
    attributes += ' font-style="italic"' if style.italic else ""
    attributes += ' text-decoration="underline"' if style.underlined else ""
    # Word by word, because some viewers collapse blanks.
    for word in re.finditer(r"\S+", "".join(text or " " for text in texts)):
        x, length = (column + word.start()) * WIDTH, len(word[0]) * WIDTH
        position = f'x="{x:.1f}" y="{top + BASE}" textLength="{length:.1f}"'
        yield f"<text {position} {attributes}>{escape(word[0])}</text>"


def _cell(cell: Any) -> Cell:
    foreground, background = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        foreground, background = background, foreground
    return cell.data, Style(foreground, background, cell.bold, cell.italics, cell.underscore)


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name.removeprefix("bright"), f"#{name}")
