"""Commands and subagents of the real CLI that run in the background of a chat."""

import json
from pathlib import Path

import pytest

from support.fake_api import FakeApi, text, thinking, tool_use
from support.neovim import Neovim, until
from support.panel import Panel
from support.processes import alive, pid_in

LIST = "claude-tasks"


@pytest.fixture
def config_folder(config_folder: Path) -> Path:
    """The configuration of a user who lets each command and each read run."""
    allowed = {"permissions": {"allow": ["Bash", "Read"]}}
    (config_folder / "settings.json").write_text(json.dumps(allowed))
    return config_folder


def waiting(go: Path, then: str = "true") -> str:
    """Return a command that waits for a file."""
    return f"until [ -e {go} ]; do sleep 0.05; done; {then}"


async def shows_no_task(panel: Panel) -> bool:
    return "task" not in (await panel.look())["bar"]


async def listed(nvim: Neovim, words: str) -> None:
    """Wait until the list of tasks contains `words`."""

    async def shown() -> bool:
        lines = "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
        is_list = f"vim.bo.filetype == '{LIST}'"
        return bool(
            await nvim.lua(f"return {is_list} and {lines}:find(..., 1, true) ~= nil", words)
        )

    await until(shown, f"the list shows {words!r}")


async def test_a_command_in_the_background_is_counted_listed_read_and_stopped(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    serve = f"echo listening; {waiting(project / 'go')}"
    use = tool_use("Bash", command=serve, description="Serve", run_in_background=True)
    api.script([use], [text("It runs.")])
    await panel.send("Serve it")
    await panel.shows("It runs.")

    await panel.bar_shows("1 task")
    assert " 1&" in await nvim.lua("return require('claude_ide').statusline()")
    assert "in the background" in await panel.text()
    await nvim.command("stopinsert | ClaudeChat tasks")
    await listed(nvim, "▶ Serve")
    await nvim.keys("<CR>")
    await until(lambda: nvim.eval("getline(1) ==# 'listening'"), "the output")
    await nvim.keys("q")
    await nvim.command("ClaudeChat tasks")
    await listed(nvim, "▶ Serve")
    await nvim.keys("x")
    await listed(nvim, "stopped")
    await nvim.keys("q")

    await panel.shows("stopped")
    await until(lambda: shows_no_task(panel), "the bar shows no task")


async def test_the_output_of_a_running_command_is_shown_below_its_line(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    line = f"echo 4$((3 - 1))7; {waiting(project / 'go', 'echo end')}"
    api.script([tool_use("Bash", command=line, description="Wait")], [text("Done.")])

    await panel.send("Wait for it")

    assert "    427" in (await panel.shows("427")).splitlines()
    (project / "go").touch()
    assert "427" not in await panel.shows("Done.")
    assert "427\nend" in api.requests[-1].new_text


async def test_a_turn_that_a_finished_command_starts_says_so(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    build = waiting(project / "go", "exit 3")
    use = tool_use("Bash", command=build, description="Build", run_in_background=True)
    api.script([use], [text("It builds.")], [text("It is broken.")])
    await panel.send("Build it")
    await panel.shows("── ")

    (project / "go").touch()

    shown = await panel.shows("It is broken.")
    heading = "⟳ Build has failed in the background"
    assert shown.index("It builds.") < shown.index(heading) < shown.index("It is broken.")
    assert "✗ Bash" in shown
    assert "failed with exit code 3" in shown


async def test_a_subagent_is_one_line_that_shows_its_progress(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    look = tool_use("Bash", command=waiting(project / "go"), description="Look")
    api.script_agent("LOOK CLOSELY", [look], [text("There are two lines.")])
    asked = {"description": "look at A", "prompt": "LOOK CLOSELY", "run_in_background": True}
    use = tool_use("Agent", subagent_type="general-purpose", **asked)
    api.script([use], [text("I sent somebody.")], [text("Two lines, I hear.")])
    await panel.send("What is in it?")
    await panel.shows("I sent somebody.")
    folded = await panel.shows("1 tool")
    assert "in the background" in folded
    assert "$ Bash" not in folded

    assert await panel.go_to("◇ Agent look at A")
    await nvim.keys("<CR>")
    await panel.shows("  $ Bash")
    (project / "go").touch()

    shown = await panel.shows("Two lines, I hear.")
    assert "⟳ look at A has finished in the background" in shown
    assert "There are two lines." in shown
    assert "internal metadata" not in shown


async def test_what_a_subagent_says_and_thinks_is_folded_below_its_line(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    look = tool_use("Bash", command="echo seen", description="Look")
    says = [thinking("Where may it be?"), text("I look **there**."), look]
    api.script_agent("LOOK CLOSELY", says, [text("There are two lines.")])
    asked = {"description": "look at A", "prompt": "LOOK CLOSELY", "run_in_background": False}
    use = tool_use("Agent", subagent_type="general-purpose", **asked)
    api.script([use], [text("Two lines, I hear.")])
    await panel.send("What is in it?")
    folded = await panel.shows("Two lines, I hear.")
    assert "I look" not in folded
    assert "Thought" not in folded
    assert "There are two lines." not in folded

    assert await panel.go_to("◇ Agent look at A")
    await nvim.keys("<CR>")

    shown = await panel.shows("  I look **there**.")
    assert shown.index("▸ Thought") < shown.index("I look") < shown.index("$ Bash")
    assert shown.count("There are two lines.") == 1
    assert shown.index("There are two lines.") < shown.index("Two lines, I hear.")
    assert "hand-back" not in shown


async def test_a_running_command_moves_to_the_background(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    use = tool_use("Bash", command=waiting(project / "go"), description="Wait")
    api.script([use], [text("I went on.")], [text("Now it is done.")])
    await panel.send("Wait for it")
    await panel.shows("$ Bash")
    assert await panel.go_to("$ Bash")

    await nvim.keys("gb")

    await panel.shows("I went on.")
    await panel.bar_shows("1 task")
    (project / "go").touch()
    await panel.shows("Now it is done.")


async def test_ctrl_c_says_what_runs_on_and_the_end_of_the_chat_ends_it(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    # Outside of the folder: the line about changed files would replace the message.
    write_pid = f"echo $$ > {project.parent / 'pid'}; exec sleep 1000"
    use = tool_use("Bash", command=write_pid, description="Serve", run_in_background=True)
    api.script([use], [text("It runs.")])
    await panel.send("Serve it")
    await panel.bar_shows("1 task")
    await panel.shows("── ")

    await nvim.keys("<C-c>")

    said = "1 task runs on in the background (:ClaudeChat tasks)"
    await until(lambda: said in nvim.screen.text(), "the message")
    pid = await pid_in(project.parent / "pid")
    assert alive(pid)
    await nvim.command("stopinsert | ClaudeChat end")
    await until(lambda: not alive(pid), "the command has ended")
