"""`!command` in the prompt: the host runs it; the model gets its result with the next prompt."""

from pathlib import Path

from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel
from support.reviews import send_remark

MADE = {"prompts": {"made": "!touch made"}}


async def test_the_model_receives_a_command_with_the_next_prompt(
    panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script([text("I see.")], [text("Again.")])

    await panel.send("!pwd; echo 'a <b> & c' >&2")
    shown = await panel.shows("    a <b> & c")
    await panel.send("!echo no; exit 3")
    await panel.shows("exit 3  exit 3")
    assert not api.requests
    await panel.send("What is this?")
    await panel.shows("I see.")
    await panel.send("And now?")
    await panel.shows("Again.")

    assert str(project.resolve()) in shown
    first = api.requests[0].new_text
    assert "<bash-input>pwd; echo 'a &lt;b&gt; &amp; c' &gt;&amp;2</bash-input>" in first
    assert f"<bash-stdout>{project.resolve()}\na &lt;b&gt; &amp; c</bash-stdout>" in first
    assert "<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>" in first
    assert first.index("<bash-input>") < first.index("What is this?")
    assert "<bash-" not in api.requests[1].new_text


async def test_a_command_looks_the_same_after_the_session_is_resumed(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("I see.")])
    await panel.send("!echo one; echo two")
    await panel.shows("    two")
    await panel.send("What is this?")
    await panel.shows("── ")

    await panel.end()
    await nvim.command("ClaudeChat continue")

    assert "! echo one; echo two\n    one\n    two\n" in await panel.shows("I see.")


async def test_ctrl_c_ends_a_command_and_everything_that_it_has_started(
    nvim: Neovim, panel: Panel, project: Path
) -> None:
    await panel.send("!trap 'echo ended' EXIT; echo $$; sleep 100 & sleep 100")
    await panel.shows("! trap")
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")


async def test_an_escaped_command_is_sent_as_text(panel: Panel, api: FakeApi) -> None:
    api.script([text("Indeed.")])

    await panel.send(r"\!important")
    await panel.shows("Indeed.")

    assert "\n!important" in f"\n{api.requests[0].new_text}"


async def test_words_that_the_user_has_not_typed_here_are_no_command(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script([text("Heard.")])
    await nvim.lua("vim.g.claude_ide = vim.tbl_extend('error', vim.g.claude_ide, ...)", MADE)
    await nvim.command("stopinsert | wincmd h")

    await nvim.command("ClaudePrompt /made")

    await panel.shows("Heard.")
    assert "!touch made" in api.requests[0].new_text
    assert not (project / "made").exists()


async def test_the_path_of_a_remark_is_no_command(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    path = project / "!touch made;b.py"
    path.write_text("one\n")
    api.script([text("Heard.")])
    await nvim.command("stopinsert | wincmd h | edit !touch\\ made;b.py")

    await send_remark(nvim, "1ClaudeComment explain")

    await panel.shows("Heard.")
    assert "./!touch made;b.py:1\n```\none\n```\nexplain" in api.requests[0].new_text
    assert not (project / "made").exists()


async def test_a_command_that_cannot_be_run_returns_to_the_prompt(
    nvim: Neovim, panel: Panel
) -> None:
    await panel.send("!sleep 100")
    await panel.shows("! sleep")
    await panel.send("!ls")

    await until(lambda: "still running" in nvim.screen.text(), "the reason")
    assert (await panel.look())["prompt"] == ["!ls"]
