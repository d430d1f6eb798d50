"""Trust in a folder: the question in the chat, and `:ClaudeTrust`."""

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.either_editor import BOTH, Editor, float_text, is_serving
from support.hostile_folder import Hostile
from support.neovim import Neovim, until
from support.panel import Panel
from support.transcripts import FAKE_CLI, GOLDEN, read_log

Open = Callable[..., Awaitable[Panel]]
QUESTION = "? Use the settings "
HOST = "vim.fn.jobpid(require('claude_ide.channel').id)"


@pytest.fixture
def hostile(project: Path, tmp_path: Path) -> Hostile:
    """A project with hostile settings."""
    return Hostile(project, tmp_path / "ran", "http://127.0.0.1:1")


@pytest.fixture
async def replay(nvim: Neovim, log: Path) -> Open:
    """Open a chat with a CLI that replays a recording, with more arguments."""

    async def begin(*words: str) -> Panel:
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        recording = GOLDEN / "plain_thinking.jsonl"
        return await Panel.open(nvim, [sys.executable, "-I", FAKE_CLI, recording, *words])

    return begin


@pytest.fixture
async def panel(hostile: Hostile, replay: Open) -> Panel:
    """A chat that shows the question."""
    panel = await replay()
    await panel.shows(QUESTION)
    return panel


def starts(log: Path) -> list[list[str]]:
    """The arguments of each CLI that was started."""
    return [frame["argv"] for frame in read_log(log) if "argv" in frame]


def follows_user_only(arguments: list[str]) -> bool:
    return "--setting-sources user --permission-mode default" in " ".join(arguments)


def session(arguments: list[str]) -> str:
    return arguments[arguments.index("--session-id") + 1]


async def press(panel: Panel, key: str) -> None:
    """Press a key on the question until it reacts: keys do not count before it can be read."""

    async def question() -> str:
        _, found, rest = (await panel.text()).partition(QUESTION)
        return found + rest

    before = await question()

    async def pressed() -> bool:
        if await question() == before and await panel.go_to(QUESTION):
            await panel.nvim.keys(key)
        return await question() != before

    await until(pressed, f"{key} changes the question")


async def shows_message(nvim: Editor, words: str) -> str:
    """Wait until the latest message contains `words`; return its line on the screen."""

    async def is_shown() -> bool:
        messages = str(await nvim.eval("execute('messages')"))
        return words in messages.rpartition("\n")[2]

    await until(is_shown, words)
    return nvim.screen.lines()[-1]


# The question.


async def test_a_folder_without_settings_raises_no_question(
    replay: Open, project: Path, log: Path
) -> None:
    panel = await replay()
    await panel.send("hello there")

    assert QUESTION not in await panel.shows("── ")
    assert follows_user_only(starts(log)[0])


async def test_the_question_neither_takes_the_focus_nor_counts_as_a_request(
    nvim: Neovim, panel: Panel
) -> None:
    assert (await nvim.mode())["mode"] == "i"
    assert await nvim.eval("&filetype") == "claude-prompt"
    assert await nvim.lua("return require('claude_ide.chat.state').list()[1].requests") == 0

    await panel.send("hello there")

    lines = (await panel.shows("── ")).splitlines()
    assert lines[-1].startswith(QUESTION), "the question stays at the end"


async def test_the_question_is_about_the_folder_of_the_tab_page(
    nvim: Neovim, replay: Open, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "CLAUDE.md").write_text("x")
    await nvim.command("tcd sub")

    panel = await replay()

    shown = await panel.shows(QUESTION)
    assert f"? Use the settings in {project}/sub: CLAUDE.md? y" in shown


async def test_the_question_summarizes_the_settings_of_the_folder(
    panel: Panel, project: Path
) -> None:
    lines = (await panel.shows("? Use the settings")).splitlines()
    line = next(line for line in lines if line.startswith("? "))

    assert line.startswith(f"? Use the settings in {project}: 11 hooks, 5 helpers, 2 commands, ")
    assert "env (ANTHROPIC_BASE_URL, BASH_ENV), mode bypassPermissions, CLAUDE.md?" in line
    assert line.endswith(" y trust this folder · n not now · d details")


async def test_d_shows_and_hides_the_details(panel: Panel, hostile: Hostile) -> None:
    await press(panel, "d")
    shown = await panel.text()
    assert f"  hook SessionStart: {hostile.note('SessionStart')}" in shown
    assert "  env ANTHROPIC_BASE_URL: http://127.0.0.1:1" in shown
    assert "  MCP server hostile: python3 " in shown

    await press(panel, "d")

    await panel.shows_no_more("hook SessionStart")


async def test_a_yes_restarts_the_cli_in_the_same_session(
    panel: Panel, log: Path, project: Path, tmp_path: Path
) -> None:
    await press(panel, "y")
    await panel.send("hello there")

    shown = await panel.shows("Hello! **How** can I help?")
    assert QUESTION not in shown
    assert "has ended" not in shown
    before, after = starts(log)
    assert follows_user_only(before)
    assert "--setting-sources" not in after
    assert "--permission-mode" not in after
    assert session(before) == session(after)
    [record] = (tmp_path / "home" / "state").rglob("trust.json")
    assert list(json.loads(record.read_text())["folders"]) == [str(project)]


@pytest.mark.parametrize("key", ["n", "d", "a", "N"])
async def test_no_other_key_trusts_the_folder(panel: Panel, log: Path, key: str) -> None:
    await panel.go_to(QUESTION)
    await panel.nvim.idle(500)
    await panel.nvim.keys(key)
    await panel.send("hello there")

    await panel.shows("── ")
    assert len(starts(log)) == 1


async def test_claude_chat_answer_answers_the_question_from_any_window(
    nvim: Neovim, panel: Panel
) -> None:
    await nvim.lua(chunk("choice/choose_first_of_prompt"))

    await nvim.command("stopinsert | wincmd p | ClaudeChat answer")

    await panel.shows("is trusted: Claude restarts with its settings")
    prompt, items = await nvim.lua("return _G.offered")
    assert prompt.startswith(QUESTION.removeprefix("? "))
    assert items == ["Yes, trust this folder", "Not now", "Show details"]


async def test_the_details_can_be_opened_in_a_split(
    nvim: Neovim, panel: Panel, hostile: Hostile
) -> None:
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[3], 3) end")

    await nvim.command("stopinsert | ClaudeChat answer")

    await until(lambda: nvim.eval("bufname() =~ 'folder-settings$'"), "the split")
    assert f"hook Stop: {hostile.note('Stop')}" in await nvim.eval("getline(1, '$')")


async def test_a_configured_choice_of_settings_raises_no_question(
    hostile: Hostile, replay: Open, log: Path
) -> None:
    panel = await replay("--setting-sources", "user,project")
    await panel.send("hello there")

    assert QUESTION not in await panel.shows("── ")
    assert starts(log)[0].count("--setting-sources") == 1


async def test_a_yes_in_one_chat_counts_in_every_chat(
    nvim: Neovim, panel: Panel, log: Path
) -> None:
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)
    await panel.shows(QUESTION)

    await press(panel, "y")

    await until(lambda: len(starts(log)) == 4, "both have been restarted")
    assert [follows_user_only(each) for each in starts(log)] == [True, True, False, False]


# When the host ends.


async def end_host(nvim: Neovim, panel: Panel) -> None:
    os.kill(await nvim.lua(f"return {HOST}"), signal.SIGKILL)
    await panel.bar_shows("not running")


async def test_a_chat_that_only_shows_the_question_continues_in_a_new_host(
    nvim: Neovim, panel: Panel, log: Path
) -> None:
    await panel.write()
    await nvim.keys("hel")
    await end_host(nvim, panel)

    await panel.write()
    await nvim.keys("<End>lo<C-s>")

    shown = await panel.shows("Hello! **How** can I help?")
    assert "» hello" in shown
    assert shown.count(QUESTION) == 1
    assert follows_user_only(starts(log)[-1])


# The command.


@BOTH
async def test_claude_trust_shows_gives_lists_and_revokes_trust(
    nvim: Editor, project: Path
) -> None:
    await nvim.command("ClaudeTrust")
    await shows_message(
        nvim, f"not trusted, only your own settings are used: {project.parents[-2]}"
    )
    await nvim.command("ClaudeTrust yes")
    await shows_message(nvim, "trusted since 2")
    await nvim.command("ClaudeTrust list")
    await until(lambda: "Trusted folders" in nvim.screen.text(), "the list")
    assert f"  {project}" in await float_text(nvim)
    await nvim.keys("q:ClaudeTrust revoke<CR>")
    await shows_message(nvim, "no longer trusted: /")
    await nvim.command("ClaudeTrust revoke")
    await shows_message(nvim, "was not trusted: /")

    assert not await is_serving(nvim)


@BOTH
async def test_revoking_does_not_change_the_record_of_the_cli(
    nvim: Editor, project: Path, config_folder: Path
) -> None:
    config_folder.mkdir(parents=True)
    record = {"projects": {str(project): {"hasTrustDialogAccepted": True}}}
    (config_folder / ".claude.json").write_text(json.dumps(record))

    await nvim.command("ClaudeTrust")
    await shows_message(nvim, "trusted by the CLI's own record: /")
    await nvim.command("ClaudeTrust revoke")

    await shows_message(
        nvim, "still trusted by the CLI's own record, which only the CLI changes: /"
    )
    assert json.loads((config_folder / ".claude.json").read_text()) == record


@BOTH
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("nonsense", ':ClaudeTrust: no subcommand "nonsense" (list, revoke, yes)'),
        ("yes /no/such", "no such folder: /no/such"),
    ],
)
async def test_invalid_arguments_of_claude_trust_are_reported(
    nvim: Editor, arguments: str, words: str
) -> None:
    await nvim.command(f"ClaudeTrust {arguments}")

    await shows_message(nvim, words)


@BOTH
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("", ["list", "revoke", "yes"]),
        ("re", ["revoke"]),
        ("yes s", ["sub/"]),
        ("list s", []),
        ("yes  s", ["sub/"]),
    ],
)
async def test_arguments_of_claude_trust_are_completed(
    nvim: Editor, project: Path, typed: str, completed: list[str]
) -> None:
    (project / "sub").mkdir()

    assert await nvim.eval(f"getcompletion('ClaudeTrust {typed}', 'cmdline')") == completed


async def test_a_chat_restarts_when_the_command_changes_the_trust(
    nvim: Neovim, panel: Panel, log: Path
) -> None:
    await nvim.command("ClaudeTrust yes")
    await panel.shows("is trusted: Claude restarts with its settings")
    await until(lambda: len(starts(log)) == 2, "the second start")
    await panel.wait_until_ready()

    await nvim.command("ClaudeTrust revoke")

    shown = await panel.shows("is not trusted: Claude restarts with your own settings only")
    await until(lambda: len(starts(log)) == 3, "the third start")
    assert [follows_user_only(each) for each in starts(log)] == [True, False, True]
    assert QUESTION not in shown


async def test_a_broken_record_is_reported_and_trusts_no_folder(
    nvim: Neovim, hostile: Hostile, replay: Open, tmp_path: Path, log: Path
) -> None:
    folder = await nvim.eval("stdpath('state')")
    path = Path(folder) / "claude_ide" / "trust.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    await nvim.lua("vim.notify = function(text) _G.notified = text:gsub('%s+', ' ') end")

    panel = await replay()

    await panel.shows(QUESTION)
    notified: Any = await nvim.lua("return _G.notified")
    assert "the record of trusted folders is ignored, it is broken: /" in notified
    assert follows_user_only(starts(log)[0])
