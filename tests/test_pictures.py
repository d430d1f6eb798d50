"""The pictures of the README, and how a moving one is drawn."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.moving_picture import Frame, moving_svg
from support.neovim import ROOT
from support.picture import Page, Style

PICTURES = sorted((ROOT / "doc/pictures").iterdir())
PLAIN = Style("#ffffff", "#000000")


def screen(*rows: str) -> Page:
    return tuple(tuple((character, PLAIN) for character in row) for row in rows)


def keyframes(svg: str) -> dict[str, str]:
    return dict(re.findall(r"@keyframes (\w+)\{(.*?\})\}", svg))


def test_the_readme_shows_each_picture() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    shown = re.findall(r"\(doc/pictures/([\w.]+)\)", readme)

    assert sorted(shown) == [picture.name for picture in PICTURES]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_runs_and_loads_nothing(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")

    tags = {element.tag.partition("}")[2] for element in ElementTree.fromstring(text).iter()}

    assert tags <= {"svg", "style", "g", "rect", "text"}
    assert not re.search(r"href|url\(|@import|@font-face|\son\w+=", text)
    assert picture.stat().st_size < 400_000


def test_a_row_that_stays_the_same_is_drawn_once() -> None:
    svg = moving_svg([Frame(screen("top", "one"), 1), Frame(screen("top", "two"), 3)], still=1)

    assert svg.count(">top<") == 1
    assert svg.count(">one<") == svg.count(">two<") == 1


def test_each_row_is_shown_at_its_times() -> None:
    svg = moving_svg([Frame(screen("one"), 1), Frame(screen("two"), 3)], still=1)

    [one, two] = re.findall(r'class="(\w+)', svg)
    assert keyframes(svg) == {
        one: "0.00%{visibility:visible}25.00%{visibility:hidden}",
        two: "0.00%{visibility:hidden}25.00%{visibility:visible}",
    }


def test_without_animation_the_still_frame_is_shown() -> None:
    svg = moving_svg([Frame(screen("one"), 1), Frame(screen("two"), 1)], still=1)

    assert re.findall(r'<g class="\w+( h)?">\n.*?>(one|two)<', svg) == [(" h", "one"), ("", "two")]
    assert ".h{visibility:hidden}@media (prefers-reduced-motion:no-preference){" in svg
