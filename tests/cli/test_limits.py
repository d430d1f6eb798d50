"""The real CLI of a user with a plan: its limits reach the user from terminals and chats."""

import time
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET
from support.either_editor import BOTH, Editor
from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel

from .conftest import StartWithCli

LATER = int(time.time()) + 3_600
LIMITS = {"5h-utilization": "0.82", "5h-reset": LATER, "7d-utilization": "0.41", "7d-reset": LATER}
CLAIM = {"status": "allowed", "representative-claim": "five_hour", "reset": LATER}
BOTH_LIMITS = [
    {"name": "five_hour", "used": 82, "resets": LATER},
    {"name": "seven_day", "used": 41, "resets": LATER},
]


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest,
    start_with_cli: StartWithCli,
    each_cli: Path,
    api: FakeApi,
    path: Path,
) -> Editor:
    """An editor whose CLIs believe that their user has a plan, and get its limits."""
    api.headers = {f"anthropic-ratelimit-unified-{k}": v for k, v in (LIMITS | CLAIM).items()}
    more = {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "not-a-real-token"}
    return await start_with_cli(request, each_cli, path=path, more=more)


async def limits(nvim: Editor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await nvim.eval("claude_ide#limits()")
    return found


async def are_known(nvim: Editor, expected: list[dict[str, Any]]) -> None:
    async def known() -> bool:
        return await limits(nvim) == expected

    await until(known, f"{expected} are known")


@BOTH
async def test_a_terminal_tells_both_limits_and_shows_them(nvim: Editor, api: FakeApi) -> None:
    api.script([text("Hello.")])
    await nvim.keys(":Claude --permission-mode default<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")
    await nvim.keys("Greet")
    await until(lambda: "Greet" in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")

    await are_known(nvim, BOTH_LIMITS)
    await until(lambda: " · 5h 82% · 7d 41%" in nvim.screen.text(), "the row")


async def test_a_chat_tells_what_its_version_tells(
    nvim: Neovim, api: FakeApi, each_cli: Path
) -> None:
    api.script([text("Hello.")])
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    await panel.send("Greet")
    await panel.shows("── ")

    await are_known(nvim, told_in_stream_json(each_cli))
    if not is_older(each_cli):
        await until(lambda: in_bar(panel, "5h 82%"), "the bar shows it")


@BOTH
async def test_a_question_tells_the_same(nvim: Editor, api: FakeApi, each_cli: Path) -> None:
    await nvim.command("ClaudeAsk Greet")

    await are_known(nvim, told_in_stream_json(each_cli))


async def in_bar(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["bar"]


def is_older(cli: Path) -> bool:
    return "2.1.197" in (cli.resolve().parent / "package.json").read_text()


def told_in_stream_json(cli: Path) -> list[dict[str, Any]]:
    """Return what a CLI tells: an older one only the limit that comes first."""
    if is_older(cli):
        return [{"name": "five_hour", "resets": LATER}]
    return BOTH_LIMITS
