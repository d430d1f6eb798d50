"""The limits of the user's plan: told by CLIs in terminals and in chats, shown to the user."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH, Editor, configure, float_text, run, status_line
from support.happenings import HookedCli, recorder
from support.neovim import Neovim, until
from support.panel import Open, Panel
from support.transcripts import FAKE_CLI, GOLDEN

LATER = int(time.time()) + 3_600
DATA = "g:claude_ide_event.limits"


def window(used: float, resets: int = LATER) -> dict[str, Any]:
    return {"used_percentage": used, "resets_at": resets}


async def limits(editor: Editor) -> Any:
    """Return what the public function returns."""
    return await editor.eval("claude_ide#limits()")


async def told(editor: Editor, *expected: dict[str, Any]) -> None:
    """Wait until these limits are known."""

    async def is_known() -> bool:
        return bool(await limits(editor) == [*expected])

    await until(is_known, f"{expected} are known")


@pytest.fixture
async def cli(nvim: Editor, tmp_path: Path, config_folder: Path) -> HookedCli:
    """A CLI in the terminal of `:Claude`, whose user has a status line."""
    config_folder.mkdir(parents=True, exist_ok=True)
    own = {"statusLine": {"type": "command", "command": "cat"}}
    (config_folder / "settings.json").write_text(json.dumps(own))
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await nvim.command("Claude")
    return await HookedCli.started(record)


@BOTH
async def test_what_a_terminal_tells_is_known_shown_and_announced(
    nvim: Editor, cli: HookedCli
) -> None:
    assert await limits(nvim) == []
    if isinstance(nvim, Neovim):
        await nvim.lua(
            "vim.g.told = {} vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeLimits',"
            " callback = function(args) vim.g.told = args.data.limits end })"
        )
    else:
        await nvim.command(f"autocmd User ClaudeLimits let g:told = {DATA}")
    await nvim.keys(r"<C-\><C-n>")

    await cli.show_status("cat", rate_limits={"seven_day": window(41.2), "five_hour": window(82)})

    hours = {"name": "five_hour", "used": 82, "resets": LATER}
    week = {"name": "seven_day", "used": 41, "resets": LATER}
    await told(nvim, hours, week)
    assert await nvim.eval("g:told") == [hours, week]
    await until(lambda: _ends(nvim, " · 5h 82%%"), "the status line shows what is above 75 %")
    await nvim.command("ClaudeStatus")
    await until(lambda: _float(nvim, "7d · 41% used · resets "), ":ClaudeStatus shows both")
    assert "5h · 82% used · resets " in await float_text(nvim)


@BOTH
async def test_the_end_of_the_host_ends_what_it_knew(nvim: Editor, cli: HookedCli) -> None:
    await cli.show_status("cat", rate_limits={"five_hour": window(20)})
    await told(nvim, {"name": "five_hour", "used": 20, "resets": LATER})

    await run(nvim, "claude_ide#status#Clear")

    assert await limits(nvim) == []


def recording(folder: Path, *frames: dict[str, Any], usage: dict[str, Any] | None = None) -> Path:
    """Return a recording of a conversation in which the CLI also tells limits."""
    recorded = (GOLDEN / "plain_thinking.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in recorded.splitlines()]
    if usage is not None:
        answer = next(at for at, line in enumerate(lines) if "response" in line["m"])
        offered = lines[answer]["m"]["response"]["response"]
        offered["capabilities"] = ["get_usage_detached_v1"]
        fields = {"subtype": "get_usage", "skip_behaviors": True, "detached": True}
        asked = {"type": "control_request", "request_id": "usage", "request": fields}
        said = {"subtype": "success", "request_id": "usage", "response": usage}
        lines[answer + 1 : answer + 1] = [
            {"t": 0, "dir": "in", "m": asked},
            {"t": 0, "dir": "out", "m": {"type": "control_response", "response": said}},
        ]
    end = next(at for at, line in enumerate(lines) if line["m"].get("type") == "result")
    lines[end:end] = [{"t": 0, "dir": "out", "m": frame} for frame in frames]
    path = folder / "limits.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


async def test_what_a_chat_tells_is_known_and_in_its_bar(
    nvim: Neovim, replay: Open, tmp_path: Path
) -> None:
    info = {"status": "allowed_warning", "rateLimitType": "five_hour", "resetsAt": LATER}
    event = {"type": "rate_limit_event", "rate_limit_info": info | {"utilization": 0.83}}
    path = recording(tmp_path, event)
    panel = await Panel.open(nvim, [sys.executable, "-I", FAKE_CLI, path], mode="default")
    await panel.send("hello there")

    await panel.shows("── ")
    await told(nvim, {"name": "five_hour", "used": 83, "resets": LATER})
    await until(lambda: _bar(panel, "5h 83%"), "the bar shows it")


async def test_a_chat_asks_a_cli_that_offers_to_tell(
    nvim: Neovim, replay: Open, tmp_path: Path
) -> None:
    windows = {"seven_day": {"utilization": 77, "resets_at": None}}
    path = recording(tmp_path, usage={"rate_limits": windows})
    panel = await Panel.open(nvim, [sys.executable, "-I", FAKE_CLI, path], mode="default")

    await told(nvim, {"name": "seven_day", "used": 77})
    await until(lambda: _bar(panel, "7d 77%"), "the bar shows it before a turn")


async def _bar(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["bar"]


async def _ends(editor: Editor, words: str) -> bool:
    return (await status_line(editor)).endswith(words)


async def _float(editor: Editor, words: str) -> bool:
    return words in await float_text(editor)
