"""The hooks of a CLI in a terminal become `User` events of a real editor."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from support.acp import script as acp
from support.acp.chatting import Start
from support.acp.script import Make, Script
from support.claude_code import the_lock
from support.either_editor import BOTH, Editor, configure, host_pids, is_serving, status_line
from support.happenings import (
    BESIDE,
    TASK_ENDED,
    HookedCli,
    follow,
    happened,
    names,
    recorder,
    the,
)
from support.neovim import Neovim, until
from support.panel import Open
from support.vim import Vim

EDITED = {
    "filePath": "/p/a.py",
    "originalFile": "one\ntwo\n",
    "structuredPatch": [
        {
            "oldStart": 1,
            "oldLines": 2,
            "newStart": 1,
            "newLines": 2,
            "lines": ["-one", "+1", " two"],
        }
    ],
}


@pytest.fixture
def record(tmp_path: Path) -> tuple[Path, Path]:
    """A program that records its arguments, and its record."""
    return recorder(tmp_path)


@pytest.fixture
async def cli(nvim: Editor, record: tuple[Path, Path]) -> HookedCli:
    """A CLI in the terminal of `:Claude`."""
    await configure(nvim, cmd=str(record[0]))
    await follow(nvim)
    await nvim.command("Claude")
    return await HookedCli.started(record[1])


async def given(nvim: Editor, record: tuple[Path, Path], words: str = "", **options: Any) -> str:
    """Return the arguments of a CLI that is started with these options and words."""
    await configure(nvim, cmd=str(record[0]), **options)
    await nvim.command(f"Claude {words}")
    await until(lambda: record[1].exists(), "the program runs")
    return record[1].read_text()


@BOTH
async def test_a_turn_with_an_edit_is_announced(nvim: Editor, cli: HookedCli) -> None:
    await cli.send("UserPromptSubmit", prompt="do it")
    await cli.use("Edit", "t1", {"file_path": "/p/a.py"}, EDITED)
    await cli.send("Stop")
    await cli.send("SessionEnd", reason="prompt_input_exit")
    await the(nvim, "ClaudeSessionEnd")

    source = {"agent": "Claude", "session": "s-1"}
    tool = {"id": "t1", "tool": "Edit", "path": "/p/a.py"}
    hunk: dict[str, Any] = {"old_start": 1, "old_lines": 2, "new_start": 1, "new_lines": 2}
    hunk |= {"lines": ["-one", "+1", " two"]}
    file = {"path": "/p/a.py", "hunks": [hunk]}
    assert happened(nvim) == [
        ("ClaudeSessionStart", source | {"folder": "/p"}),
        ("ClaudePrompt", source | {"prompt": "do it"}),
        ("ClaudeToolStart", source | tool),
        ("ClaudeToolEnd", source | tool | {"status": "completed", "files": [file]}),
        ("ClaudeTurnEnd", source | {"reason": "completed", "paths": ["/p/a.py"]}),
        ("ClaudeSessionEnd", source | {"folder": "/p"}),
    ]


@BOTH
async def test_the_end_of_a_task_is_no_prompt_and_interrupts_no_turn(
    nvim: Editor, cli: HookedCli
) -> None:
    await cli.send("UserPromptSubmit", prompt="do it")
    await cli.use("Edit", "t1", {"file_path": "/p/a.py"}, EDITED)
    await cli.send("UserPromptSubmit", prompt=TASK_ENDED)
    await cli.send("Stop")
    await cli.send("UserPromptSubmit", prompt=TASK_ENDED)
    await cli.send("Stop")
    await the(nvim, "ClaudeTurnEnd", 2)

    turn = ["ClaudePrompt", "ClaudeToolStart", "ClaudeToolEnd", "ClaudeTurnEnd", "ClaudeTurnEnd"]
    assert names(nvim) == ["ClaudeSessionStart", *turn]
    ends = [data for name, data in happened(nvim) if name == "ClaudeTurnEnd"]
    assert [(end["reason"], end["paths"]) for end in ends] == [
        ("completed", ["/p/a.py"]),
        ("completed", []),
    ]


@BOTH
async def test_a_pasted_prompt_is_announced_without_the_marks_of_the_cli(
    nvim: Editor, cli: HookedCli
) -> None:
    pasted = '\n\n<pasted_content id="81e6">\na\nb\n</pasted_content id="81e6">\n'

    await cli.send("UserPromptSubmit", prompt=pasted)

    assert (await the(nvim, "ClaudePrompt"))["prompt"] == "a\nb"


@BOTH
async def test_what_a_command_changes_in_an_open_file_is_announced(
    nvim: Editor, path: Path, cli: HookedCli
) -> None:
    await cli.send("UserPromptSubmit", prompt="do it")
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "sed …"}}
    await cli.send("PreToolUse", **tool)
    path.write_text("one\n2\nthree\n")
    await cli.send("PostToolUse", **tool)

    ended = await the(nvim, "ClaudeToolEnd")

    assert ended["command"] == "sed …"
    (file,) = ended["files"]
    assert file["path"] == os.path.realpath(path)
    assert [hunk["lines"] for hunk in file["hunks"]] == [[" one", "-two", "+2", " three"]]


@BOTH
async def test_a_file_whose_earlier_text_is_unknown_has_no_hunks(
    nvim: Editor, path: Path, cli: HookedCli
) -> None:
    path.write_bytes(b"\xff\x00")
    await cli.send("UserPromptSubmit", prompt="do it")
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "x"}}
    await cli.send("PreToolUse", **tool)
    path.write_text("text\n")
    await cli.send("PostToolUse", **tool)

    assert (await the(nvim, "ClaudeToolEnd"))["files"] == [{"path": os.path.realpath(path)}]


@BOTH
async def test_a_new_file_has_one_hunk_of_its_whole_text(nvim: Editor, cli: HookedCli) -> None:
    result = {"type": "create", "filePath": "/p/b", "content": "b\n", "structuredPatch": []}
    await cli.use("Write", "t1", {"file_path": "/p/b"}, result)

    (file,) = (await the(nvim, "ClaudeToolEnd"))["files"]

    assert [hunk["lines"] for hunk in file["hunks"]] == [["+b"]]


@BOTH
async def test_a_session_whose_cli_ends_without_a_word_is_over(
    nvim: Editor, cli: HookedCli
) -> None:
    await cli.send("UserPromptSubmit", prompt="do it")
    await cli.send("PreToolUse", tool_name="Bash", tool_use_id="t1", tool_input={})
    await the(nvim, "ClaudeToolStart")

    await nvim.keys("<CR>")  # the program ends

    await the(nvim, "ClaudeSessionEnd")
    assert names(nvim)[3:] == ["ClaudeToolEnd", "ClaudeTurnEnd", "ClaudeSessionEnd"]
    assert (await the(nvim, "ClaudeToolEnd"))["status"] == "interrupted"


@BOTH
async def test_the_next_host_gets_the_hooks_of_a_cli_that_runs(
    nvim: Editor, cli: HookedCli, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGKILL)

    assert await cli.send("UserPromptSubmit", prompt="are you there?") == b""

    assert (await the(nvim, "ClaudePrompt"))["prompt"] == "are you there?"


@BOTH
async def test_when_the_host_is_gone_for_good_no_hook_waits_for_it(
    nvim: Editor, cli: HookedCli
) -> None:
    clock = asyncio.get_running_loop().time
    dead = set[int]()

    async def serving() -> int:
        new = [pid for pid in await host_pids(nvim) if pid not in dead]
        return new[0] if new and await is_serving(nvim) else 0

    for _ in range(4):
        pid: int = await until(serving, "a host serves")
        dead.add(pid)
        os.kill(pid, signal.SIGKILL)
    await until(lambda: not cli.link.exists(), "it is given up")
    begun = clock()

    for _ in range(10):
        assert await cli.send("UserPromptSubmit", prompt="nobody there") == b""

    # Each would have waited for more than a second.
    assert clock() - begun < 8
    await nvim.command("ClaudeStart")
    await until(lambda: is_serving(nvim), "the next host serves")
    await until(cli.link.exists, "the next host listens to hooks")
    await cli.send("UserPromptSubmit", prompt="are you there?")
    assert (await the(nvim, "ClaudePrompt"))["prompt"] == "are you there?"


@BOTH
async def test_the_hooks_do_not_need_the_server(nvim: Editor, cli: HookedCli) -> None:
    async def is_stopped() -> bool:
        return not await is_serving(nvim)

    await nvim.command("ClaudeStop")
    await until(is_stopped, "the server has stopped")

    assert await cli.send("UserPromptSubmit", prompt="still there?") == b""

    await the(nvim, "ClaudePrompt")


@BOTH
async def test_an_error_in_an_autocommand_neither_blocks_the_cli_nor_later_events(
    nvim: Editor, cli: HookedCli
) -> None:
    await nvim.command("autocmd User ClaudePrompt throw 'otter'")

    assert await cli.send("UserPromptSubmit", prompt="do it") == b""
    await cli.send("Stop")

    await the(nvim, "ClaudeTurnEnd")


@BOTH
async def test_the_cli_is_answered_while_the_editor_waits_for_a_key(
    nvim: Editor, path: Path, cli: HookedCli
) -> None:
    await nvim.keys("<C-\\><C-n>:call getchar()<CR>")

    assert await cli.send("UserPromptSubmit", prompt="do it") == b""
    path.write_text("changed\n")
    assert await cli.send("PreToolUse", tool_name="Bash", tool_use_id="t") == b""

    await nvim.keys("x")
    await the(nvim, "ClaudeToolStart")


@BOTH
async def test_the_option_turns_hooks_off(nvim: Editor, record: tuple[Path, Path]) -> None:
    arguments = json.loads(await given(nvim, record, hooks=False))

    assert not [word for word in arguments if word.startswith("--settings")]


@BOTH
@pytest.mark.parametrize("words", ["--settings mine.json", "--settings={}"])
async def test_settings_of_the_user_come_before_ours(
    nvim: Editor, record: tuple[Path, Path], words: str
) -> None:
    arguments = json.loads(await given(nvim, record, words))

    settings = [word for word in arguments if word.startswith("--settings")]
    assert settings == [words.split()[0]]
    await nvim.command("ClaudeCheck" if isinstance(nvim, Vim) else "checkhealth claude_ide")
    await until(
        lambda: nvim.eval("join(getline(1, '$')) =~ 'hooks: none, because .* own --settings'"),
        "the reason is reported",
    )


@BOTH
async def test_without_a_permission_the_command_says_so(nvim: Editor, cli: HookedCli) -> None:
    await nvim.command("ClaudeAnswer")

    # In Neovim, it answers in a chat.
    why = "waits for your permission" if isinstance(nvim, Vim) else "there is no chat"
    await until(lambda: why in nvim.screen.text(), "the message")


async def test_a_chat_announces_its_turns(nvim: Neovim, replay: Open) -> None:
    await follow(nvim)
    panel = await replay("plain_thinking")
    await panel.send("hello there")

    await the(nvim, "ClaudeTurnEnd")

    source = {"agent": "Claude", "chat": 1}
    told = [(name, {key: data[key] for key in source}) for name, data in happened(nvim)]
    turn = ["ClaudeSessionStart", "ClaudePrompt", "ClaudeTurnEnd"]
    assert told == [(name, source) for name in turn]
    assert (await the(nvim, "ClaudePrompt"))["prompt"] == "hello there"


async def test_an_acp_agent_announces_what_a_command_has_changed(
    nvim: Neovim, start: Start, fake_agent: Make, project: Path
) -> None:
    await follow(nvim)
    words, folder = ["sh", "-lc", "echo a > made"], [{"path": str(project)}]
    pending = acp.tool(
        "t1", "bash", kind="execute", status="pending", rawInput={"cwd": "/"}, locations=folder
    )
    begins = acp.tool_update("t1", status="in_progress", rawInput={"command": words})
    made = project / "made"
    does = acp.write_file(str(made), "a\n")
    ends = [acp.tool_update("t1", status="completed"), acp.say("All done.")]
    seen = project / "seen"
    script = Script(prompt=[pending, begins, acp.until(seen), does, *ends])
    panel = await start(fake_agent(script))
    await panel.send("please")
    await the(nvim, "ClaudeToolStart")
    seen.touch()

    ended = await the(nvim, "ClaudeTurnEnd")

    of_tool = {name: data for name, data in happened(nvim) if name.startswith("ClaudeTool")}
    commands = {name: (data["command"], data.get("path")) for name, data in of_tool.items()}
    told = ("echo a > made", None)
    assert commands == {"ClaudeToolStart": told, "ClaudeToolEnd": told}
    assert str(made) in [file["path"] for file in of_tool["ClaudeToolEnd"]["files"]]
    assert str(made) in ended["paths"]


@BOTH
async def test_what_is_no_part_of_a_turn_is_announced_and_is_no_work(
    nvim: Editor, cli: HookedCli
) -> None:
    await follow(nvim, BESIDE)
    agent = {"agent_id": "a1", "agent_type": "Explore"}
    refused = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "tool_use_id": "t1"}
    await cli.send("PermissionDenied", **refused, reason="too risky")
    await cli.send("Stop")
    await cli.send("Notification", message="waits", notification_type="idle_prompt")
    await cli.send("SubagentStart", **agent)
    await cli.send("SubagentStop", **agent, last_assistant_message="Nothing.")
    await cli.send("SubagentStop", agent_id="a0", agent_type="", last_assistant_message="Go on?")
    await cli.send("PreCompact", trigger="manual", custom_instructions=None)
    await cli.send("PreCompact", trigger=3, custom_instructions="keep the names")

    await the(nvim, "ClaudePreCompact", 2)
    claude = {"agent": "Claude", "session": cli.session}
    told = [(name, data) for name, data in happened(nvim) if name != "ClaudeSessionStart"]
    assert told == [
        (
            "ClaudePermissionDenied",
            claude | {"id": "t1", "tool": "Bash", "command": "rm x", "reason": "too risky"},
        ),
        ("ClaudeNotification", claude | {"message": "waits", "type": "idle_prompt"}),
        ("ClaudeSubagentStart", claude | {"id": "a1", "kind": "Explore"}),
        ("ClaudeSubagentStop", claude | {"id": "a1", "kind": "Explore", "said": "Nothing."}),
        ("ClaudePreCompact", claude | {"trigger": "manual"}),
        ("ClaudePreCompact", claude | {"instructions": "keep the names"}),
    ]
    assert "working" not in await status_line(nvim)
