"""The project that `make try` opens, and the edits that the demo proposes."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHOP = '''"""The till of a small shop."""


def total(prices, discount=None):
    """Add up the prices."""
    sum = 0
    for price in prices:
        sum = price
    if discount == None:
        return sum
    return sum - sum * discount / 100


if __name__ == "__main__":
    print(total([3, 4, 5], discount=10))
'''

TEST = '''"""Tests of the till: `python3 -m unittest` runs them."""

import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_every_price_counts(self):
        self.assertEqual(total([3, 4, 5]), 12)

    def test_the_discount_is_in_percent(self):
        self.assertEqual(total([50], discount=10), 45)
'''

RECEIPT = '''"""The receipt of a sale."""


def receipt(prices):
    """Return one line for each price."""
    return "\\n".join(f"{price:8.2f}" for price in prices)
'''

TOUR = Path(__file__).with_name("TOUR.md")

FILES = {"shop.py": SHOP, "test_shop.py": TEST, TOUR.name: TOUR.read_text(encoding="utf-8")}
STAGED = {"receipt.py": RECEIPT}
"""What `:ClaudeCommit` finds."""

MESSAGE = "Print a receipt\n\nEach price has a line of its own."
"""The commit message for it."""


@dataclass(frozen=True, slots=True)
class Idea:
    """An edit that the demo can propose, if `change` returns a different text."""

    reason: str
    change: Callable[[str], str]


def _replace(reason: str, old: str, new: str) -> Idea:
    return Idea(reason, lambda text: text.replace(old, new))


IDEAS = (
    _replace("total() forgets every price but the last.", "sum = price", "sum += price"),
    _replace("None is compared with `is`.", "discount == None", "discount is None"),
    # Only where all of its uses are.
    Idea(
        "The name `sum` hides Python's own function.",
        lambda text: text.replace("sum", "amount") if "def total" in text else text,
    ),
    _replace(
        "Type hints show what total() accepts.",
        "(prices, discount=None):",
        "(prices: list[float], discount: float | None = None) -> float:",
    ),
)
UNCHANGED = Idea("I have no idea.", lambda text: text)
LAST_IDEA = Idea("I have no better idea left.", lambda text: text + "\n# The demo was here.\n")


def ideas(text: str) -> list[Idea]:
    """Return the ideas that change the text of the shop, or some lines of it."""
    return [idea for idea in IDEAS if idea.change(text) != text]


def next_idea(text: str) -> Idea:
    """Return the first idea that changes the text."""
    return next(iter(ideas(text)), LAST_IDEA)


def improved(text: str) -> str:
    """Return the text after the first idea that changes it, if there is one."""
    return next(iter(ideas(text)), UNCHANGED).change(text)


def is_broken(text: str) -> bool:
    """Return whether the shop's tests fail because of the bug that the first idea fixes."""
    return IDEAS[0].change(text) != text


def make(folder: Path) -> None:
    """Rewrite the project's files and its repository; other files in the folder stay.

    Without git, or if it fails, there is no repository.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / ".git", ignore_errors=True)
    for name, text in (FILES | STAGED).items():
        (folder / name).write_text(text, encoding="utf-8")
    if shutil.which("git") is None:
        return
    # The demo is useful without a repository, too.
    with contextlib.suppress(subprocess.CalledProcessError):
        _git(folder, "init", "--quiet")
        _git(folder, "add", *FILES)
        _git(folder, "commit", "--quiet", "--message", "Open a shop")
        _git(folder, "add", *STAGED)


def _git(folder: Path, *arguments: str) -> None:
    # Neither the user's configuration nor a repository around the folder takes part.
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    given = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    user = (
        *("-c", "user.name=Demo"),
        *("-c", "user.email=demo@localhost"),
        *("-c", "init.defaultBranch=main"),
    )
    subprocess.run(
        ["git", *user, *arguments],
        cwd=folder,
        env=given | own,
        stderr=subprocess.DEVNULL,
        check=True,
    )
