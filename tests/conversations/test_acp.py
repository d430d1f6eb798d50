"""Recorded and misbehaving agents of the Agent Client Protocol, in the chat of a real Neovim."""

from pathlib import Path
from typing import Any

import pytest

from support.acp import script as acp
from support.acp.chatting import Start
from support.acp.script import Fake, Make, Script
from support.acp.talk import replaying
from support.neovim import Neovim, until


@pytest.mark.parametrize(
    ("name", "writes"),
    [("opencode", True), ("kimi_cli", True), ("gemini_cli", True), ("mistral_vibe", False)],
)
async def test_a_recorded_agent_is_allowed_everything_with_keys(
    start: Start, project: Path, tmp_path: Path, name: str, writes: bool
) -> None:
    """Agents that write through the editor have really changed the file in the end."""
    (project / "a.py").write_text("def hello():\n    return 1\n")
    panel = await start(replaying(name, tmp_path))
    await panel.send("please do it")
    await panel.shows("» please do it")

    async def done() -> bool:
        if await panel.go_to("yes, once"):
            await panel.nvim.keys("y")
        return "All **done**." in await panel.text()

    await until(done, "the turn is done")
    await panel.nvim.keys("<Esc>")  # as in `press`
    assert writes == ("return 2" in (project / "a.py").read_text())
    await panel.send("slow")
    await panel.shows("slow words")


async def test_an_agent_that_dies_in_a_turn_can_be_resumed(start: Start, fake_agent: Make) -> None:
    dying = [acp.say("Hello"), acp.complain("out of memory"), acp.exit_(3)]
    panel = await start(fake_agent(Script(prompt=dying)))
    await panel.send("hi")

    shown = await panel.shows("has ended")

    assert "Hello" in shown
    await panel.shows("out of memory")


async def test_a_flood_is_shown_whole(start: Start, fake_agent: Make) -> None:
    flood = [acp.flood(20_000, "word "), acp.say("\n\nThe end.")]
    panel = await start(fake_agent(Script(prompt=flood)))

    await panel.send("hi")

    assert (await panel.shows("The end.")).count("word") == 20_000


async def test_garbage_before_the_first_message_is_not_shown(
    start: Start, fake_agent: Make
) -> None:
    noise = [acp.line("Loading…"), acp.line('{"jsonrpc":'), acp.notify("_noise", a=1)]
    panel = await start(fake_agent(Script(start=noise, prompt=[acp.say("Hello")])))

    await panel.send("hi")

    assert "Loading" not in await panel.shows("Hello")


async def test_a_report_after_the_end_of_a_turn_does_not_keep_the_panel_busy(
    start: Start, fake_agent: Make, tmp_path: Path
) -> None:
    steps = [
        acp.say("Hello"),
        acp.cancelled(),
        acp.result({"stopReason": "cancelled"}),
        acp.until(tmp_path / "now"),
        acp.tool_update("t9", status="in_progress"),
        acp.say("too late"),
    ]
    panel = await start(fake_agent(Script(prompt=[steps, [acp.say("fine")]])))
    await panel.send("hi")
    await panel.shows("Hello")
    await panel.nvim.command("stopinsert | ClaudeChat stop")
    await panel.shows("interrupted")

    (tmp_path / "now").touch()

    await panel.shows("too late")
    assert "●" not in (await panel.look())["bar"]
    await panel.send("again")
    await panel.shows("fine")


def blocks(fake: Fake) -> list[dict[str, Any]]:
    (prompt,) = fake.received("session/prompt")
    return list(prompt["prompt"])


async def test_a_prompt_carries_the_unsaved_file_and_links_to_mentions(
    start: Start, fake_agent: Make, nvim: Neovim, project: Path
) -> None:
    path, other = project / "a.py", project / "b.py"
    path.write_text("one\n")
    other.write_text("x\n" * 9)
    await nvim.command(f"edit {path}")
    await nvim.keys("cctwo<Esc>")
    fake = fake_agent(Script(prompt=[acp.say("Hello")]))
    panel = await start(fake)

    await panel.send("see @b.py#L2-5 please")

    assert "a.py, unsaved text" in await panel.shows("Hello")
    words, file, link = blocks(fake)
    assert words == {"type": "text", "text": "see @b.py#L2-5 please\n"}
    assert file["resource"] == {"uri": path.as_uri(), "text": "two\n"}
    assert link == {"type": "resource_link", "name": "b.py#L2-5", "uri": f"{other.as_uri()}#L2-5"}


async def test_an_agent_without_embedding_gets_the_selection_as_text(
    start: Start, fake_agent: Make, nvim: Neovim, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit {path}")
    await nvim.keys("jVj")
    await until(lambda: nvim.eval("mode() == 'V'"), "Visual mode")
    fake = fake_agent(Script(initialize=[acp.initialized()], prompt=[acp.say("Hello")]))
    panel = await start(fake)

    await panel.send("what is this?")

    await panel.shows("Hello")
    words, context = blocks(fake)
    assert words["text"] == "what is this?\n"
    marked = f'<context ref="{path.as_uri()}#L2-3">\ntwo\nthree\n</context>'
    assert context["text"] == marked


def command(line: str, *then: acp.Step) -> list[acp.Step]:
    """Return the steps of an agent that runs a command; `then` happens while it runs."""
    return [
        acp.tool("t1", kind="execute", status="in_progress", rawInput={"command": line}),
        acp.ask("terminal/create", command=line),
        acp.tool_update("t1", content=[{"type": "terminal", "terminalId": "term_0"}]),
        *then,
        acp.ask("terminal/wait_for_exit", terminalId="term_0"),
        acp.tool_update("t1", status="completed"),
        acp.say("Done."),
    ]


def printing(project: Path) -> str:
    """Return a command that prints once it may, and ends once it may."""
    wait = "until [ -e {} ]; do sleep 0.05; done"
    output = r"printf '\033[31mred\033[0m\n10%%\r20%%\n\n'"
    may_print, may_end = (wait.format(project / name) for name in ("may-print", "may-end"))
    return f"{may_print}; {output}; {may_end}"


async def test_the_end_of_a_commands_output_is_shown_until_the_command_ends(
    start: Start, fake_agent: Make, nvim: Neovim, project: Path
) -> None:
    panel = await start(fake_agent(Script(prompt=command(printing(project)))))
    await panel.send("run it")
    await panel.shows("$ Work until")

    (project / "may-print").touch()

    shown = await panel.shows("    20%")
    assert shown.endswith("…\n    red\n    20%")
    await until(lambda: "    20%" in nvim.screen.text(), "the window follows the output")
    assert (await nvim.mode())["mode"] == "i"
    assert await nvim.eval("&filetype") == "claude-prompt"

    (project / "may-end").touch()

    shown = await panel.shows("Done.")
    assert "    red" not in shown
    await panel.go_to("$ Work until")
    await nvim.keys("<CR>")
    assert "    red\n    20%" in await panel.shows("    red")


@pytest.mark.parametrize("seen", ["word 20", "below 20"])
async def test_a_window_does_not_move_with_the_output_of_a_command(
    start: Start, fake_agent: Make, nvim: Neovim, project: Path, seen: str
) -> None:
    above, below = (
        acp.say("\n\n".join(f"{name} {number}" for number in range(60)))
        for name in ("word", "below")
    )
    panel = await start(fake_agent(Script(prompt=[above, *command(printing(project), below)])))
    await panel.send("run it")
    await panel.shows("below 59")
    await panel.go_to(seen)
    await nvim.keys("zt3j")
    view = "[getline('w0'), getline('.'), winline()]"
    before = await nvim.eval(view)
    assert before[0] == seen

    (project / "may-print").touch()
    await panel.shows("    20%")
    assert await nvim.eval(view) == before
    (project / "may-end").touch()
    await panel.shows("Done.")
    assert await nvim.eval(view) == before
