"""An answer of `:ClaudeAsk` that goes on in the chat, with the real CLI in both of its versions."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import environment, wait_until_saved
from support.fake_api import Block, FakeApi, text, thinking, tool_use
from support.headless import holds
from support.neovim import Neovim, until
from support.panel import Panel


@pytest.fixture
async def nvim(
    each_cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Neovim]:
    """A Neovim whose `claude` is the real CLI."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder) | {"CLAUDE_CODE_MAX_RETRIES": "1"}
    del given["PATH"]
    neovim = await Neovim.start(
        *("--cmd", f"let g:claude_ide.cmd = '{each_cli}'"),
        *(f"+edit {project / 'a.py'}",),
        cwd=project,
        home=home,
        env=given,
        columns=120,
        rows=40,
    )
    yield neovim
    await neovim.stop()


async def answered(nvim: Neovim, command: str) -> None:
    """Ask a question, and wait until the answer is complete."""
    await nvim.keys(f":{command}<CR>")
    await until(lambda: "opens a chat" in nvim.screen.text(), "the answer")


def conversation(api: FakeApi) -> list[tuple[str, Block]]:
    """Return the blocks of the last request, with their roles, without what the CLI adds."""
    messages = api.requests[-1].body["messages"]
    blocks = [
        (message["role"], block)
        for message in messages
        if message["role"] != "system"
        for block in message["content"]
    ]
    return [each for each in blocks if "<system-reminder>" not in str(each)]


def words(api: FakeApi) -> list[tuple[str, str]]:
    """Return the texts of the last request, with their roles."""
    return [(role, block["text"]) for role, block in conversation(api) if block["type"] == "text"]


@pytest.mark.usefixtures("path")
async def test_the_model_knows_the_question_with_its_lines_and_the_answer(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    api.script([text("It is **two**.")], [text("Then three.")])
    await answered(nvim, "2ClaudeAsk what is it?")

    await nvim.keys("cand then?")
    panel = Panel(nvim)
    await panel.shows("» what is it?\n\nIt is **two**.")
    await until(lambda: holds(nvim, ["and then?"]), "the next prompt")
    await nvim.keys("<C-s>")

    await panel.shows("Then three.")
    (_, lines), *rest = words(api)
    assert lines.startswith(
        f"<ide_selection>The user selected the lines 2 to 2 from {path}:\ntwo\n"
    )
    said = [each for each in rest if not each[1].startswith("<ide_")]
    assert said == [("user", "what is it?"), ("assistant", "It is **two**."), ("user", "and then?")]
    # Only the question was limited to reading.
    assert "Bash" in {tool["name"] for tool in api.requests[-1].body["tools"]}


@pytest.mark.usefixtures("path")
async def test_the_model_knows_the_files_that_it_has_read(
    nvim: Neovim, api: FakeApi, path: Path, project: Path
) -> None:
    (project / "b.py").write_text("bee\n")
    api.script(
        [
            thinking("Hm."),
            text("Let me look."),
            tool_use("Read", file_path=str(path)),
            tool_use("Read", file_path=str(project / "b.py")),
        ],
        [text("It is two.")],
        [text("Then three.")],
    )
    await answered(nvim, "ClaudeAsk what is it?")

    await nvim.keys("cand then?<C-s>")

    shown = await Panel(nvim).shows("Then three.")
    assert "Let me look." in shown
    blocks = conversation(api)
    used = {block["id"] for _, block in blocks if block["type"] == "tool_use"}
    results = {
        block["tool_use_id"]: str(block["content"])
        for _, block in blocks
        if block["type"] == "tool_result"
    }
    assert used == results.keys()
    assert {"two" in found or "bee" in found for found in results.values()} == {True}


@pytest.mark.usefixtures("path")
async def test_the_chat_uses_its_own_model(nvim: Neovim, api: FakeApi) -> None:
    cheap = "claude-haiku-4-5"
    await nvim.command(f"let g:claude_ide.ask = {{'model': '{cheap}'}}")
    api.script([text("It is two.")], [text("Then three.")])
    await answered(nvim, "ClaudeAsk what is it?")

    await nvim.keys("cand then?<C-s>")

    await Panel(nvim).shows("Then three.")
    assert [request.body["model"] == cheap for request in api.requests] == [True, False]


@pytest.mark.usefixtures("path")
async def test_a_continued_answer_is_a_session_like_any_other(
    nvim: Neovim, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("It is two.")], [text("Then three.")], [text("Then four.")])
    await answered(nvim, "ClaudeAsk what is it?")
    await nvim.keys("cand then?<C-s>")
    panel = Panel(nvim)
    await panel.shows("Then three.")
    await wait_until_saved("Then three.", config_folder)
    [session] = config_folder.glob("projects/*/*.jsonl")
    await panel.end()

    await nvim.command(f"ClaudeChat resume {session.stem}")
    await panel.shows("Then three.")
    await panel.wait_until_ready()
    await panel.send("and at last?")

    shown = await panel.shows("Then four.")
    assert shown.index("» what is it?") < shown.index("It is two.") < shown.index("» and then?")
    assert ("assistant", "It is two.") in words(api)
    assert [*config_folder.glob("projects/*/*.jsonl")] == [session]


@pytest.mark.usefixtures("path")
async def test_a_stopped_answer_goes_on(nvim: Neovim, api: FakeApi) -> None:
    api.hold = True
    api.script([text("It is tw")], [text("Two.")])
    await nvim.keys(":ClaudeAsk what is it?<CR>")
    await until(lambda: "It is tw" in nvim.screen.text(), "the first words")
    await nvim.command("ClaudeAsk!")
    await until(lambda: "opens a chat" in nvim.screen.text(), "it has stopped")
    api.hold = False

    await nvim.keys("cshorter<C-s>")

    await Panel(nvim).shows("Two.")
    said = [each for each in words(api) if not each[1].startswith("<ide_")]
    assert said[:2] == [("user", "what is it?"), ("assistant", "It is tw")]
    assert said[-1] == ("user", "shorter")


@pytest.mark.usefixtures("path")
async def test_an_answer_that_is_not_continued_leaves_no_session(
    nvim: Neovim, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("It is two.")])
    await answered(nvim, "ClaudeAsk what is it?")

    await nvim.keys("q")

    await until(lambda: nvim.eval("winnr('$') == 1"), "it is closed")
    assert [*config_folder.rglob("*.jsonl")] == []
