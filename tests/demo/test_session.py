"""The demo in its terminal, as `make try` shows it: a real Neovim, and the keys of a new user."""

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from demo import scratch
from support.neovim import ROOT, nvim_binary
from support.terminal import Terminal

LAUNCH = ROOT / "tests/demo/launch.py"
MENDED = "sum += price"
ASKED = "· :q reject"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a login shell, and the variables for measuring coverage."""
    measuring = {k: v for k, v in os.environ.items() if k.startswith("COVERAGE_")}
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        **measuring,
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file that the demo edits."""
    return tmp_path / "try/project/shop.py"


@pytest.fixture
async def screen(
    tmp_path: Path, environment: dict[str, str], request: pytest.FixtureRequest
) -> AsyncIterator[Terminal]:
    """The screen of `make try`, with the demo connected; large by default."""
    columns, rows = getattr(request, "param", (160, 45))
    terminal = await Terminal.start(
        *(sys.executable, "-I", LAUNCH, tmp_path / "try", f"--nvim={nvim_binary()}"),
        cwd=ROOT,
        env=environment,
        columns=columns,
        rows=rows,
    )
    await terminal.shows("Connected to Neovim.")
    yield terminal
    await terminal.stop()


async def enter(screen: Terminal, letter: str) -> None:
    """Type a letter into the demo, and press Enter."""
    screen.type(f"{letter}\r")


async def decide(screen: Terminal, keys: str) -> None:
    """Type into the diff once it accepts keys; it discards earlier ones."""
    await screen.shows(ASKED)
    await screen.still()
    screen.type(keys)
    await screen.hides(ASKED)


@pytest.mark.parametrize("screen", [(80, 24)], indirect=True)
async def test_the_first_screen_explains_the_keys_and_shows_the_selection(screen: Terminal) -> None:
    await screen.shows("⧉ In shop.py, line 1")

    text = screen.text()
    for line in ("e  propose an edit", "d  ask for the diagnostics"):
        assert line in text
    assert "A demo of Claude Code" in screen.lines()[0]
    assert '"""The till of a small shop."""' in screen.lines()[0]


async def test_an_accepted_edit_is_written_shown_and_checked_again(
    screen: Terminal, file: Path
) -> None:
    await enter(screen, "e")
    await decide(screen, ":w\r")

    await screen.shows("Accepted as proposed, and written.")
    await screen.shows("⚠ shop.py:9:8 comparison to None")
    assert file.read_text() == scratch.IDEAS[0].change(scratch.SHOP)
    await screen.shows(MENDED)

    await enter(screen, "e")
    await decide(screen, ":w\r")

    def shown_since() -> str:
        return screen.text().partition("None is compared with `is`.")[2]

    await screen.until(lambda: "★ shop.py:6:5" in shown_since(), "the second edit is written")
    assert "⚠ shop.py:9:8" not in shown_since()


async def test_a_changed_edit_is_printed_with_the_changes(screen: Terminal, file: Path) -> None:
    await enter(screen, "e")
    await decide(screen, "Goprint('mine')\x1b:w\r")

    await screen.shows("Accepted with your changes, and written:")
    await screen.shows("print('mine')")
    assert file.read_text().endswith("print('mine')\n")


async def test_a_rejected_edit_is_not_written(screen: Terminal, file: Path) -> None:
    await enter(screen, "e")
    await decide(screen, ":q\r")

    await screen.shows("Rejected: nothing was written.")
    assert file.read_text() == scratch.SHOP


async def test_a_selection_is_printed(screen: Terminal) -> None:
    screen.type("\x17h")
    screen.type("4GVj")
    await screen.shows("⧉ 2 lines selected in shop.py")


async def test_mentions_are_printed(screen: Terminal) -> None:
    screen.type("\x17h")
    screen.type(":ClaudeAdd TOUR.md 1 3\r")
    await screen.shows("You mention @TOUR.md#L1-3")

    screen.type(":4,5ClaudeSend\r")
    await screen.shows("You mention @shop.py#L4-5")


async def test_invalid_input_shows_the_menu_again(screen: Terminal) -> None:
    await enter(screen, "what?")

    await screen.until(
        lambda: screen.text().count("e  propose an edit") == 2, "the menu is shown again"
    )


async def test_t_opens_the_tour_and_ctrl_w_l_returns_to_typing(
    screen: Terminal, file: Path
) -> None:
    await enter(screen, "t")
    await screen.shows("A short tour")
    assert len(file.with_name("TOUR.md").read_text().splitlines()) <= 40

    screen.type("\x17l")
    await screen.shows("-- TERMINAL --")
    await enter(screen, "d")
    await screen.shows("⚠ shop.py:9:8 comparison to None")


async def test_help_is_there(screen: Terminal) -> None:
    screen.type("\x17h:help :ClaudeChat\r")

    await screen.shows("Show or hide the chat of this tab page")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_the_project_is_a_repository_of_its_own(screen: Terminal, file: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(file.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert git("rev-parse", "--show-toplevel").strip() == str(file.parent)
    assert git("status", "--short") == "A  receipt.py\n"


async def test_the_demo_reports_that_the_server_stops_and_reconnects(screen: Terminal) -> None:
    screen.type("\x17h")
    screen.type(":ClaudeStop\r")
    await screen.shows("No server; :ClaudeStart starts it.")

    screen.type(":ClaudeStart\r")
    await screen.until(lambda: screen.text().count("Connected to Neovim.") == 2, "connected")


async def test_q_ends_the_demo_which_leaves_no_files_in_the_users_home_folder(
    screen: Terminal, tmp_path: Path
) -> None:
    await enter(screen, "q")
    await screen.hides("A demo of Claude Code")
    screen.type(":qa\r")

    assert await screen.process.wait() == 0
    assert not (tmp_path / "home").exists()
