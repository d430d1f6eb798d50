"""The chat panel in a real Neovim, with a CLI that replays what the real one once said."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import claude_code
from support.neovim import Neovim, until
from support.panel import CONFIGURE, PATIENCE, Panel
from support.processes import alive
from support.transcripts import FAKE_CLI, GOLDEN, heard

Open = Callable[[str], Awaitable[Panel]]
HEAR = """
_G.told = {}
vim.notify = function(text) table.insert(_G.told, text) end
"""
PLAIN = GOLDEN / "plain_thinking.jsonl"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the CLI notes what it hears."""
    return tmp_path / "heard.jsonl"


@pytest.fixture
async def replay(nvim: Neovim, log: Path) -> Open:
    """Begin a chat with a recording."""

    async def begin(name: str) -> Panel:
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        return await Panel.open(
            nvim, [sys.executable, "-I", FAKE_CLI, GOLDEN / f"{name}.jsonl"], mode="default"
        )

    return begin


def answers(log: Path) -> list[dict[str, Any]]:
    """What the CLI was answered when it asked the user."""
    return [
        frame["response"]["response"]
        for frame in (heard(log)[1:] if log.exists() else [])
        if frame.get("type") == "control_response" and "behavior" in frame["response"]["response"]
    ]


async def press(nvim: Neovim, panel: Panel, words: str, key: str, log: Path) -> None:
    """Press a key on a request, which counts only once the request could be read."""

    async def pressed() -> bool:
        if not answers(log) and await panel.go_to(words):
            await nvim.keys(key)
        return bool(answers(log))

    await until(pressed, f"{key} answers", PATIENCE)


async def test_what_is_typed_while_the_host_starts_is_for_the_prompt(
    nvim: Neovim, replay: Open
) -> None:
    await nvim.lua(CONFIGURE, {"cmd": [sys.executable, "-I", str(FAKE_CLI), str(PLAIN)]})
    await nvim.command("edit a.txt")

    await nvim.keys(":ClaudeChat<CR>hello there")

    panel = Panel(nvim)
    await until(lambda: _holds(panel, "hello there"), "the prompt holds it", PATIENCE)
    assert await nvim.eval("getbufline('a.txt', 1, '$')") == [""]
    await nvim.keys("<C-s>")
    await panel.shows("Hello! **How** can I help?")


async def test_a_chat_needs_no_server(nvim: Neovim, replay: Open, config_folder: Path) -> None:
    config_folder.mkdir(parents=True)
    (config_folder / "ide").write_text("in the way of the lock files")

    panel = await replay("plain_thinking")
    await panel.say("hello there")

    await panel.shows("Hello! **How** can I help?")
    assert await nvim.lua("return require('claude_ide.host').server() == nil")


async def test_prompts_are_sent_in_the_order_in_which_they_were_typed(
    nvim: Neovim, replay: Open, path: Path, log: Path
) -> None:
    await nvim.keys("Ounsaved<Esc>")
    panel = await replay("plain_thinking")

    await panel.write()
    await nvim.keys(f"first @{path.name}<C-s>second<C-s>")

    def said() -> list[str]:
        frames = [frame for frame in heard(log) if frame.get("type") == "user"]
        return [frame["message"]["content"][-1]["text"] for frame in frames]

    await until(lambda: len(said()) == 2, "both are sent", PATIENCE)
    assert said() == ["first @a.py", "second"]


async def test_a_chat_is_at_home_in_the_folder_of_its_tabpage(
    nvim: Neovim, replay: Open, project: Path, log: Path
) -> None:
    (project / "sub").mkdir()
    await nvim.command("tcd sub")

    panel = await replay("plain_thinking")
    await panel.say("hello there")

    await panel.shows("── ")
    assert heard(log)[0]["cwd"] == str(project / "sub")


async def test_the_panel_opens_with_the_user_in_its_prompt(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")

    seen = await panel.look()
    assert (await nvim.mode())["mode"] == "i"
    assert "<C-s> sends" in seen["prompt_bar"]
    assert await nvim.eval("win_getid()") == seen["windows"][1][0]
    assert [len(windows) for windows in seen["windows"]] == [1, 1]


async def test_what_is_said_and_thought_is_shown(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")

    await panel.say("hello there")
    await panel.shows("── ")
    assert "The user greets me" not in await panel.text()
    assert await panel.go_to("▸ Thought")
    await nvim.keys("<CR>")

    await panel.shows("The user greets me. I will greet back politely.")
    assert (await panel.look())["prompt"] == [""]


async def test_toggling_hides_the_panel_and_the_chat_goes_on(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await nvim.keys("<Esc>")

    await nvim.command("ClaudeChat")
    await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")
    await panel.shows("── ")
    await nvim.command("ClaudeChat")

    await until(lambda: nvim.eval("winnr('$') == 3"), "shown")
    assert "Hello! **How** can I help?" in await panel.text()


async def test_a_question_is_answered_in_a_form(nvim: Neovim, replay: Open, log: Path) -> None:
    panel = await replay("ask_user")

    await panel.say("Which library?")
    await panel.shows("? ")
    await panel.go_to("? ")
    await nvim.keys("<CR>")
    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"), "a form")
    await nvim.keys("12<C-s>")

    await until(lambda: answers(log), "the answer", PATIENCE)
    given = answers(log)[0]
    assert given["behavior"] == "allow"
    assert given["updatedInput"]["answers"]
    await panel.shows("── ")


async def test_a_rejection_has_its_reason(nvim: Neovim, replay: Open, log: Path) -> None:
    panel = await replay("always_allow")
    await nvim.lua("vim.ui.input = function(_, done) done('not here') end")

    await panel.say("Make a file")
    await press(nvim, panel, "? May Claude use", "N", log)

    assert answers(log)[0]["behavior"] == "deny"
    assert answers(log)[0]["message"] == "not here"


async def test_allowing_always_offers_each_way_with_its_scope(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua(
        """vim.ui.select = function(items, _, done)
          _G.offered = items
          done(items[1], 1)
        end"""
    )

    await panel.say("Make a file")
    await press(nvim, panel, "? May Claude use", "a", log)

    assert len(answers(log)[0]["updatedPermissions"]) == 1
    offered = await nvim.lua("return _G.offered")
    assert len(offered) > 1
    assert all(item.endswith(")") for item in offered)


async def test_a_request_is_answered_from_the_empty_prompt(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")

    await panel.say("Make a file")
    await panel.shows("? May Claude use")
    await nvim.keys("<Esc><CR>")

    await until(lambda: answers(log), "the answer", PATIENCE)
    assert answers(log)[0]["behavior"] == "allow"


async def test_a_request_of_a_hidden_chat_can_be_answered(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    await panel.say("Make a file")
    await panel.shows("? May Claude use")
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.is_new(2)

    await nvim.command("ClaudeChat answer")

    await until(lambda: answers(log), "the answer", PATIENCE)
    assert answers(log)[0]["behavior"] == "allow"


async def test_that_nothing_waits_for_an_answer_is_told(nvim: Neovim, replay: Open) -> None:
    await replay("plain_thinking")
    await nvim.lua("vim.notify = function(text) _G.told = text end")

    await nvim.command("stopinsert | ClaudeChat answer")

    told = await until(lambda: nvim.lua("return _G.told"), "a message", PATIENCE)
    assert told == "claude-ide: nothing waits for an answer"


async def counts(nvim: Neovim, words: str) -> None:
    """Wait until the status line says this, and no more, of what waits."""
    status = "require('claude_ide').statusline()"
    said = f"return {status}:gsub('^claude:%d', '') == ..."
    await until(lambda: nvim.lua(said, words), f"the status line says {words!r}", PATIENCE)


async def test_a_request_that_nobody_sees_is_told(nvim: Neovim, replay: Open) -> None:
    panel = await replay("always_allow")
    await panel.say("Make a file")
    await nvim.keys("<Esc>")
    await nvim.command("ClaudeChat")

    await counts(nvim, " 1?")


async def test_a_request_that_is_answered_waits_no_more(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("always_allow")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    await panel.say("Make a file")
    await counts(nvim, " 1?")

    await press(nvim, panel, "? May Claude use", "a", log)

    await counts(nvim, "")


async def test_an_autocommand_that_fails_is_told_and_stops_nothing(
    nvim: Neovim, replay: Open
) -> None:
    await nvim.command("autocmd User ClaudeChatWaiting throw 'no thanks'")
    await nvim.lua(
        """_G.told = ''
        vim.notify = function(text) _G.told = _G.told .. text end"""
    )
    panel = await replay("always_allow")

    await panel.say("Make a file")

    await counts(nvim, " 1?")
    told = await until(lambda: nvim.lua("return _G.told"), "it is told", PATIENCE)
    assert "ClaudeChatWaiting: " in told
    assert (await nvim.mode())["blocking"] is False


@pytest.mark.parametrize("end", ["ClaudeChat end", "bwipeout! claude-chat://*"])
async def test_a_request_of_a_chat_that_has_ended_waits_no_more(
    nvim: Neovim, replay: Open, end: str
) -> None:
    panel = await replay("always_allow")
    await panel.say("Make a file")
    await counts(nvim, " 1?")

    await nvim.command(f"stopinsert | {end}")

    await counts(nvim, "")


async def test_ctrl_c_in_the_prompt_stops_and_keeps_what_is_typed(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("interrupt_stream")
    await panel.say("Tell me a story")
    await panel.bar_shows("writing")

    await panel.write()
    await nvim.keys("and then<C-c>")

    await panel.shows("interrupted")
    assert (await panel.look())["prompt"] == ["and then"]


async def test_neovim_shows_that_claude_is_at_work(nvim: Neovim, replay: Open) -> None:
    if not await nvim.eval("exists('+busy')"):
        pytest.skip("this Neovim has no 'busy'")
    is_busy = "getbufvar('claude-chat://*', '&busy')"
    panel = await replay("interrupt_stream")
    assert await nvim.eval(is_busy) == 0

    await panel.say("Tell me a story")
    await panel.bar_shows("writing")
    assert await nvim.eval(is_busy) == 1
    await panel.write()
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")
    await until(lambda: nvim.eval(f"{is_busy} == 0"), "it is at rest")


async def test_a_cli_that_dies_is_told_and_can_be_started_again(nvim: Neovim, replay: Open) -> None:
    panel = await replay("killed_kill")
    await panel.say("Tell me a story")

    assert "R" in await panel.shows("ended")
    await panel.bar_shows("ended")
    await panel.say("are you there?")
    await until(lambda: _holds(panel, "are you there?"), "the prompt comes back", PATIENCE)


async def _holds(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt"]


async def test_the_cli_ends_with_the_buffers_and_with_neovim(
    nvim: Neovim, replay: Open, log: Path
) -> None:
    panel = await replay("plain_thinking")
    pid = await _child(nvim)
    await nvim.command(f"stopinsert | bwipeout! {(await _buffers(nvim))[0]}")

    await until(lambda: not alive(pid), "the CLI has ended", PATIENCE)
    assert await panel.look() == {}

    await replay("plain_thinking")
    pid = await _child(nvim)
    nvim.send_request("nvim_command", "qa")
    await nvim.process.wait()
    await until(lambda: not alive(pid), "the CLI has ended with Neovim", PATIENCE)


async def _buffers(nvim: Neovim) -> list[int]:
    chat = "local c = require('claude_ide.chat.state').list()[1]; return { c.transcript, c.prompt }"
    return list(await nvim.lua(chat))


async def _child(nvim: Neovim) -> int:
    """The pid of the replaying CLI."""

    def find() -> int:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().decode().split("\0")
                    cwd = str((entry / "cwd").readlink())
                except (OSError, ValueError):
                    continue
                if str(FAKE_CLI) in words and cwd == here:
                    return int(entry.name)
        return 0

    here = os.path.realpath(await nvim.eval("getcwd()"))
    pid: int = await until(find, "the CLI runs", PATIENCE)
    return pid


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("model nonsense", "no such model: nonsense; there are default"),
        ("effort nonsense", "no such effort: nonsense; there are low"),
        ("thinking nonsense", "not a number of tokens, nor unlimited: nonsense"),
        ("thinking -1", "not a number of tokens, nor unlimited: -1"),
    ],
)
async def test_what_cannot_be_set_is_told(
    nvim: Neovim, replay: Open, arguments: str, says: str
) -> None:
    await replay("plain_thinking")

    await nvim.keys(f"<Esc>:ClaudeChat {arguments}<CR>")

    await until(lambda: says in nvim.screen.text(), says, PATIENCE)


async def test_what_went_over_the_wire_is_shown(nvim: Neovim, replay: Open) -> None:
    await replay("plain_thinking")

    await nvim.command("stopinsert | ClaudeChat log")

    await until(lambda: nvim.eval("&filetype == 'jsonl'"), "the log", PATIENCE)
    first = json.loads(await nvim.eval("getline(1)"))
    assert (first["dir"], first["m"]["request"]["subtype"]) == ("in", "initialize")


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    """A file of three lines, which Neovim shows."""
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit {path}")
    return path


@pytest.mark.usefixtures("path")
class TestSelection:
    async def test_the_file_goes_along(self, nvim: Neovim, replay: Open) -> None:
        panel = await replay("plain_thinking")

        await until(lambda: _chip_is(panel, "[a.py]"), "the chip", PATIENCE)

    async def test_what_is_selected_goes_along(self, nvim: Neovim, log: Path) -> None:
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        await nvim.lua(CONFIGURE, {"cmd": [sys.executable, "-I", str(FAKE_CLI), str(PLAIN)]})

        await nvim.keys("jVj:ClaudeChat<CR>")

        panel = Panel(nvim)
        await until(lambda: _chip_is(panel, "[a.py:2-3]"), "the chip", PATIENCE)
        await panel.say("hello there")
        await panel.shows("── ")
        assert "two\\nthree" in log.read_text()


async def _chip_is(panel: Panel, chip: str) -> bool:
    return chip in (await panel.look()).get("prompt_bar", "")


@pytest.mark.usefixtures("path")
class TestMention:
    async def test_it_goes_into_the_prompt_and_the_user_stays(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("look<Esc><C-w>h")
        here = await nvim.eval("win_getid()")

        await nvim.command("2,3ClaudeSend")

        await until(lambda: _holds(panel, "look @a.py#L2-3 "), "the mention")
        assert await nvim.eval("win_getid()") == here

    async def test_with_a_bang_the_user_types_on_behind_it(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc><C-w>h")

        await nvim.command("ClaudeSend!")
        await until(lambda: _mode_is(nvim, "i"), "in the prompt")
        await nvim.keys("why?")

        await until(lambda: _holds(panel, "@a.py why?"), "what was typed")

    async def test_a_hidden_chat_is_meant_where_no_client_is(
        self, nvim: Neovim, replay: Open
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc>")
        await nvim.command("ClaudeChat")
        await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")

        await nvim.command("ClaudeAdd a.py 1")

        await until(lambda: "mentioned in the chat" in nvim.screen.text(), "it is told")
        await until(lambda: _holds(panel, "@a.py#L1 "), "the mention")

    async def test_a_hidden_chat_is_not_meant_where_a_client_is(
        self, nvim: Neovim, replay: Open, config_folder: Path
    ) -> None:
        panel = await replay("plain_thinking")
        await nvim.keys("<Esc>")
        await nvim.command("ClaudeChat")
        await until(lambda: nvim.eval("winnr('$') == 1"), "hidden")

        async with claude_code(config_folder) as claude:
            await nvim.command("2ClaudeSend")

            [mentioned] = await until(lambda: claude.told_of("at_mentioned"))
        assert (mentioned["lineStart"], mentioned["lineEnd"]) == (1, 1)
        assert (await panel.look())["prompt"] == [""]


async def _mode_is(nvim: Neovim, mode: str) -> bool:
    return bool((await nvim.mode())["mode"] == mode)


async def kill_the_host(nvim: Neovim) -> None:
    """End the process of the Python host, and wait until the panel says so."""
    os.kill(await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)"), 9)
    await Panel(nvim).bar_shows("not running")


async def test_a_chat_in_which_nothing_was_said_goes_on_without_its_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await kill_the_host(nvim)

    await panel.say("hello there")

    await panel.shows("Hello! **How** can I help?")
    assert (await panel.look())["count"] == 1


async def test_nothing_is_lost_with_the_host(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await panel.say("and you?")

    await until(lambda: "there is no session" in nvim.screen.text(), "it is told", PATIENCE)
    await until(lambda: _holds(panel, "and you?"), "the prompt comes back", PATIENCE)
    assert "Hello! **How** can I help?" in await panel.text()


async def test_a_new_chat_is_not_mistaken_for_one_of_the_host_before(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await nvim.command("ClaudeChat new")

    await panel.is_new(2)
    assert await panel.text() == ""


async def test_what_waited_in_a_chat_does_not_wait_without_its_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("ask_user")
    await panel.say("Which library?")
    await panel.shows("? ")
    await panel.go_to("? ")
    await nvim.keys("<CR>")
    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"), "a form")

    await kill_the_host(nvim)

    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative == ''"), "no form")
    await counts(nvim, "")


async def test_without_a_cli_one_line_says_how_to_get_one(nvim: Neovim) -> None:
    await nvim.lua(HEAR)
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.command("ClaudeChat")

    told = await until(lambda: nvim.lua("return _G.told"), "a message", PATIENCE)
    assert told == ["claude-ide: no-such-claude is not on PATH"]
    await until(lambda: nvim.eval("winnr('$') == 1"), "no panel is left")
    assert (await nvim.mode())["mode"] == "n"


async def test_without_a_cli_what_was_typed_stays(nvim: Neovim) -> None:
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.keys(":ClaudeChat<CR>hello there")

    panel = Panel(nvim)
    await panel.bar_shows("not running")
    assert await _holds(panel, "hello there")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("nonsense", ":ClaudeChat nonsense is unknown; there are answer"),
        ("new please", ":ClaudeChat new takes no argument: please"),
        ("stop", "there is no chat (:ClaudeChat begins one)"),
        ("resume nonsense", "there is no session nonsense"),
        ("continue", "there is no earlier session in this folder"),
        ("answer", "there is no chat (:ClaudeChat begins one)"),
    ],
)
async def test_what_is_asked_wrongly_is_told(nvim: Neovim, arguments: str, says: str) -> None:
    await nvim.lua(HEAR)
    await nvim.lua(CONFIGURE, {"cmd": [sys.executable]})

    await nvim.command(f"ClaudeChat {arguments}")

    told = await until(lambda: nvim.lua("return _G.told"), "a message", PATIENCE)
    assert says[:60] in told[0]


async def test_the_conversation_is_exported(nvim: Neovim, replay: Open, project: Path) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await panel.shows("── ")

    await nvim.command("stopinsert | ClaudeChat export talk.md")

    await until((project / "talk.md").exists, "the file", PATIENCE)
    text = (project / "talk.md").read_text()
    assert "## hello there" in text
    assert "Hello! **How** can I help?" in text
