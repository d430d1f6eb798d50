"""The chat panel with the real CLI: what the user does in Neovim, what the model is told."""

import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import environment, is_kept
from support.fake_api import FakeApi, edit, text, thinking, tool_use
from support.hostile import DEEP, EAGER, LINK, Addresses, survives
from support.language_client import attach_to_every_text_file
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel


@pytest.fixture
async def nvim(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Neovim]:
    """A Neovim whose children find the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder) | {"CLAUDE_CODE_MAX_RETRIES": "1"}
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=120, rows=40)
    yield neovim
    await neovim.stop()


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path) -> Panel:
    """A chat beside the file at `path`."""
    await nvim.command(f"edit {path}")
    return await Panel.open(nvim, [cli], mode="default")


async def diff_is_open(nvim: Neovim) -> None:
    """Wait until a proposal takes keys."""

    async def shown() -> bool:
        diffs = await nvim.lua("return require('claude_ide.diff').list()")
        return bool(diffs) and diffs[0]["shown"]

    await until(shown, "the diff is open", PATIENCE)


async def test_an_answer_is_shown_with_what_it_took(panel: Panel, api: FakeApi) -> None:
    api.script([thinking("Hm."), text("Hello, **you**.")])

    await panel.say("Greet me")

    shown = await panel.shows("── ")
    assert "» Greet me" in shown
    assert "Hello, **you**." in shown
    assert "▸ Thought" in shown
    assert "Greet me" in api.requests[0].told


async def test_the_model_learns_where_the_user_is(panel: Panel, api: FakeApi, path: Path) -> None:
    api.script([text("I see.")], [text("Again.")])

    async def told() -> bool:
        return "[a.py]" in (await panel.look())["prompt_bar"]

    await until(told, "the chip", PATIENCE)
    await panel.say("What is this?")
    await panel.shows("I see.")
    await panel.say("And now?")
    await panel.shows("Again.")

    assert f"opened the file {path}" in api.requests[0].told
    assert "opened the file" not in api.requests[1].told


async def test_an_edit_is_accepted_in_the_diff(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await panel.say("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")

    shown = await panel.shows("All done.")
    assert "↳ allowed" in shown
    assert path.read_text() == "one\nTWO\n"
    assert await nvim.eval(f"getbufline('{path}', 1, '$')") == ["one", "TWO"]
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_hostile_words_and_a_hostile_file_do_no_harm(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    await nvim.lua(EAGER)
    addresses = Addresses(nvim)
    attack = f"{LINK}\n\n{DEEP['quotes']}\n"
    write = tool_use("Write", file_path=str(project / "new.md"), content=attack)
    api.script(
        [text(f"```markdown\n{attack}```\n\nLook."), write],
        [text("All done.")],
    )

    await panel.say("Repeat the file")
    await diff_is_open(nvim)
    await survives(nvim)
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    await survives(nvim)
    assert (project / "new.md").read_text() == attack
    assert addresses.hostile() == []


async def test_an_edit_that_the_user_changes_is_written_and_told(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))

    await panel.say("Shout")
    await diff_is_open(nvim)
    await nvim.keys("Gothree<Esc>:w<CR>")

    assert "↳ allowed, with your changes" in await panel.shows("All done.")
    assert path.read_text() == "one\nTWO\nthree\n"
    assert "+three" in api.requests[2].told


KEPT = """
for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
  if info.name:find('^claude%-ide://kept/') then
    return { info.bufnr, table.concat(vim.fn.getbufline(info.bufnr, 1, '$'), '\\n') .. '\\n' }
  end
end
"""
LINES = [f"line {number}" for number in range(1, 10)]


def lines(**changed: str) -> str:
    """The lines of a file, some of them replaced: `lines(line_2="two")`."""
    return "".join(f"{changed.get(line.replace(' ', '_'), line)}\n" for line in LINES)


async def is_kept_in_a_buffer(nvim: Neovim, text: str) -> None:
    """Wait until a text is kept, and the user is told so."""
    bufnr, found = await until(lambda: nvim.lua(KEPT), "the text is kept", PATIENCE)
    assert found == text
    said = f"your edits are kept in buffer {bufnr}"
    await until(lambda: said in nvim.screen.text(), "it is told", PATIENCE)


async def accept_with_a_line(nvim: Neovim) -> None:
    """Add a line to Claude's first one in the proposal, and accept that."""
    await diff_is_open(nvim)
    await nvim.keys("/LINE<CR>omine<Esc>:w<CR>")


async def test_an_edit_is_put_on_top_of_what_others_wrote_meanwhile(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, cli: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.say("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_8="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    if "updated successfully" in api.requests[2].told:
        assert path.read_text() == lines(line_2="LINE 2\nmine", line_8="theirs")
        assert not await nvim.lua(KEPT)
    else:  # 2.1.197 writes no file that has changed
        assert path.read_text() == lines(line_8="theirs")
        await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_what_was_accepted_is_kept_where_others_wrote_the_same_lines(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.say("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_2="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="theirs")
    await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_a_write_that_is_refused_leaves_what_was_accepted_in_a_buffer(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    content = lines(line_2="LINE 2")
    api.script(
        [tool_use("Read", file_path=str(path))],
        [tool_use("Write", file_path=str(path), content=content)],
        [text("All done.")],
    )
    await panel.say("Shout")
    await diff_is_open(nvim)
    path.write_text(lines(line_8="theirs"))

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_8="theirs")
    await is_kept_in_a_buffer(nvim, lines(line_2="LINE 2\nmine"))


async def test_a_file_that_was_deleted_meanwhile_is_written_as_accepted(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.say("Shout")
    await diff_is_open(nvim)
    path.unlink()

    await accept_with_a_line(nvim)

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="LINE 2\nmine")


@pytest.mark.parametrize("keys", ["Gomine<Esc>:w<CR>", ":w<CR>"])
async def test_a_new_file_that_somebody_else_has_made_meanwhile_is_left_alone(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, keys: str
) -> None:
    new = path.with_name("new.txt")
    api.script([tool_use("Write", file_path=str(new), content="first\n")], [text("All done.")])
    await panel.say("Make it")
    await diff_is_open(nvim)
    new.write_text("theirs\n")

    await nvim.keys(keys)

    assert "rejected: the file exists by now" in await panel.shows("All done.")
    assert new.read_text() == "theirs\n"
    assert "read it" in api.requests[1].told
    if "mine" in keys:
        await is_kept_in_a_buffer(nvim, "first\nmine\n")


async def test_unsaved_lines_stay_in_the_buffer_on_top_of_an_edit(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    path.write_text(lines())
    bufnr = await nvim.eval(f"bufnr('{path}')")
    await until(lambda: nvim.eval(f"getbufline({bufnr}, 1, '$') == {lines().splitlines()}"))
    await nvim.command(f"call appendbufline({bufnr}, '$', 'unsaved')")
    api.script(*edit(path, "line 2", "LINE 2", then="All done."))
    await panel.say("Shout")
    await diff_is_open(nvim)

    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert path.read_text() == lines(line_2="LINE 2")
    wanted = [*lines(line_2="LINE 2").splitlines(), "unsaved"]
    await until(
        lambda: nvim.eval(f"getbufline({bufnr}, 1, '$') == {wanted}"), "the buffer", PATIENCE
    )
    assert await nvim.eval(f"getbufvar({bufnr}, '&modified')") == 1


async def test_an_edit_is_rejected_with_a_reason(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="Very well."))

    await panel.say("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":ClaudeReject please whisper<CR>")

    assert "rejected: please whisper" in await panel.shows("Very well.")
    assert path.read_text() == "one\ntwo\n"
    assert "please whisper" in api.requests[2].told


async def test_a_command_is_allowed_with_one_key(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("Made.")])

    await panel.say("Make it")
    await until(lambda: _pressed(panel, "y", project / "made.txt"), "the file", PATIENCE)

    await panel.shows("Made.")


async def _pressed(panel: Panel, key: str, made: Path) -> bool:
    """Press a key, which counts only once the request could be read."""
    if not made.exists() and await panel.go_to("? May Claude use Bash"):
        await panel.nvim.keys(key)
    return made.exists()


async def test_the_model_need_not_search_for_the_diagnostics(panel: Panel, api: FakeApi) -> None:
    api.script([text("Hello.")])

    await panel.say("Hello")

    await panel.shows("Hello.")
    tools = [tool["name"] for tool in api.requests[0].body["tools"]]
    assert "mcp__neovim__getDiagnostics" in tools


async def test_the_models_own_tools_of_the_editor_need_no_permission(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    await nvim.lua(
        """local path = ...
        vim.diagnostic.set(vim.api.nvim_create_namespace('test'), vim.fn.bufnr(path), {
          { lnum = 1, col = 0, message = 'two is too many', severity = 1 },
        })""",
        str(path),
    )
    api.script(
        [tool_use("mcp__neovim__getDiagnostics", uri=f"file://{path}")], [text("One error.")]
    )

    await panel.say("What is wrong?")

    await panel.shows("One error.")
    assert "two is too many" in api.requests[1].told


@pytest.fixture
async def words(nvim: Neovim, panel: Panel, project: Path) -> Path:
    """A file with old errors that is not open, in a chat whose edits need no permission."""
    await attach_to_every_text_file(nvim)
    await nvim.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    path = project / "real" / "words.txt"
    path.parent.mkdir()
    path.write_text("one\na wrong two\n")
    return path


async def test_the_model_hears_only_what_its_edit_has_broken(
    nvim: Neovim, panel: Panel, api: FakeApi, words: Path
) -> None:
    folder = words.parent.with_name("linked")
    folder.symlink_to(words.parent)
    link = folder / words.name
    api.script(
        *edit(words, "one", "zero\nan odd one", then="First."),
        *edit(link, "odd", "even", then="Second."),
        *edit(link, "zero", "a wrong zero", then="Third."),
    )

    for answer in ("First.", "Second.", "Third."):
        await panel.say("Go on")
        await panel.shows(answer)

    first, second, third = (api.requests[number].told for number in (2, 5, 8))
    assert f"{words}:\n  ⚠ [Line 2:4] odd word [report-odd] (words)" in first
    assert "wrong word" not in first
    assert "New diagnostics" not in second
    assert f"{link}:\n  ✘ [Line 1:3] wrong word" in third
    assert third.count("wrong word") == 1
    assert await nvim.eval("bufname('words.txt') == '' || !buflisted('words.txt')")


async def test_the_model_hears_the_errors_in_a_file_that_it_has_made(
    panel: Panel, api: FakeApi, words: Path
) -> None:
    new = words.with_name("new.txt")
    write = tool_use("Write", file_path=str(new), content="a wrong one\n")
    api.script([write], [text("Made.")])

    await panel.say("Make it")
    await panel.shows("Made.")

    assert f"{new}:\n  ✘ [Line 1:3] wrong word [report-wrong] (words)" in api.requests[1].told


async def test_the_model_is_told_with_the_next_prompt_what_was_found_late(
    nvim: Neovim, panel: Panel, api: FakeApi, words: Path
) -> None:
    api.script(*edit(words, "one", "zero", then="First."), [text("Second.")], [text("Third.")])
    await panel.say("Go on")
    await panel.shows("First.")
    await nvim.lua(
        """vim.diagnostic.set(vim.api.nvim_create_namespace('slow'), vim.fn.bufnr(...), {
          { lnum = 0, col = 0, message = 'a late finding', severity = 2 },
        })""",
        str(words),
    )

    for answer in ("Second.", "Third."):
        await panel.say("Go on")
        await panel.shows(answer)

    second, third = (request.told for request in api.requests[-2:])
    assert f"{words}:\n  ⚠ [Line 1:1] a late finding" in second
    assert "a late finding" not in third


async def test_ctrl_c_stops_the_turn(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.hold = True
    api.script([text("a very long story " * 50)])

    await panel.say("Tell me")
    await panel.shows("a very")
    await nvim.keys("<C-c>")

    await panel.shows("interrupted")

    async def at_rest() -> bool:
        return "writing" not in (await panel.look())["bar"]

    await until(at_rest, "the bar says so", PATIENCE)


async def test_a_session_is_resumed_with_what_was_said(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.say("Which word?")
    await panel.shows("── ")
    await nvim.command("stopinsert | ClaudeChat end")

    async def ended() -> bool:
        return not await panel.look()

    await until(ended, "the chat has ended", PATIENCE)
    await nvim.command("ClaudeChat continue")

    await panel.shows("The word is swordfish.")
    await panel.is_ready()
    await panel.say("What was it?")
    await panel.shows("You were told.")
    conversation = str(api.requests[-1].body["messages"])
    assert "swordfish" in conversation


async def test_a_chat_outlives_the_host(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.say("Which word?")
    await panel.shows("── ")
    pid = await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)")
    os.kill(pid, signal.SIGKILL)
    await panel.bar_shows("not running")

    await panel.say("What was it?")

    shown = await panel.shows("You were told.")
    assert shown.count("The word is swordfish.") == 1
    assert "swordfish" in str(api.requests[-1].body["messages"])


async def test_what_is_asked_aside_is_not_in_the_conversation(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Hello.")], [text("Forty-two.")], [text("Bye.")])
    await panel.say("Greet me")
    await panel.shows("── ")

    await nvim.command("stopinsert | ClaudeChat aside how many?")

    await panel.shows("aside: how many?\nForty-two.")
    await panel.say("Leave me")
    await panel.shows("Bye.")
    assert "Forty-two" not in str(api.requests[-1].body["messages"])


async def test_the_context_is_shown(nvim: Neovim, panel: Panel) -> None:
    await nvim.command("stopinsert | ClaudeChat context")

    await until(lambda: "System prompt" in nvim.screen.text(), "the context", PATIENCE)
    await nvim.keys("q")
    await until(lambda: "System prompt" not in nvim.screen.text(), "no float", PATIENCE)


async def test_thinking_is_limited(nvim: Neovim, panel: Panel) -> None:
    await nvim.command("stopinsert | ClaudeChat thinking 2000")

    await until(lambda: "thinking: at most 2,000 tokens" in nvim.screen.text(), "told", PATIENCE)


@pytest.mark.parametrize("side", ["right", "float"])
async def test_a_file_that_was_gone_to_is_not_covered(
    nvim: Neovim, cli: Path, api: FakeApi, path: Path, side: str
) -> None:
    api.script([tool_use("Read", file_path=str(path))], [text("I see.")])
    await nvim.command(f"edit {path.with_name('b.py')}")
    panel = await Panel.open(nvim, [cli], mode="default", side=side)
    await panel.say("Read it")
    await panel.shows("── ")

    await panel.go_to("Read a.py")
    await nvim.keys("gf")

    await until(lambda: nvim.eval(f"expand('%:p') == '{path}'"), "the file", PATIENCE)
    windows = 1 if side == "float" else 3
    await until(lambda: nvim.eval(f"winnr('$') == {windows}"), "what is around it")


@pytest.mark.parametrize("command", ["resume", "continue"])
async def test_a_session_that_a_chat_has_is_shown_there(
    nvim: Neovim, panel: Panel, api: FakeApi, command: str
) -> None:
    """Two chats with one session would both write to it."""
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    api.script([text("The word is swordfish.")])
    await panel.say("Which word?")
    await panel.shows("── ")
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.is_new(2)

    await nvim.command(f"stopinsert | ClaudeChat {command}")

    await panel.shows("The word is swordfish.")
    seen = await panel.look()
    assert seen["count"] == 2
    assert [len(windows) for windows in seen["windows"]] == [1, 1]


async def test_the_mode_is_cycled(nvim: Neovim, panel: Panel) -> None:
    await panel.bar_shows("default")

    await nvim.keys("<Esc><S-Tab>")

    await panel.bar_shows("acceptEdits")


async def test_a_wrong_key_is_told_as_such(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.status = 401

    await panel.say("Hello")

    assert "L" in await panel.shows("log in")


async def test_a_question_is_answered_in_a_form(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    options = [
        {"label": "httpx", "description": "asks and waits"},
        {"label": "aiohttp", "description": "does not wait"},
    ]
    question = {"question": "Which?", "header": "Library", "multiSelect": False}
    asked = {"questions": [question | {"options": options}]}
    api.script([tool_use("AskUserQuestion", **asked)], [text("So be it.")])

    await panel.say("Choose a library")
    await panel.shows("? Library: Which?")
    await panel.go_to("? Library: Which?")
    await nvim.keys("<CR>")
    await until(lambda: _in_float(nvim), "the form", PATIENCE)
    await nvim.keys("2<C-s>")

    assert "↳ aiohttp" in await panel.shows("So be it.")
    assert "aiohttp" in api.requests[1].told


async def _in_float(nvim: Neovim) -> bool:
    return bool(await nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"))


PLAN = "# Plan\n\n1. Shout\n"


async def plan_is_open(nvim: Neovim) -> None:
    """Wait until a plan takes keys."""

    async def shown() -> bool:
        lines = await nvim.eval("getline(1, '$')")
        return bool(lines[:1] == ["# Plan"] and await nvim.eval("&modifiable"))

    await until(shown, "the plan is open", PATIENCE)


async def plan(api: FakeApi, config_folder: Path, panel: Panel) -> None:
    """Have the model write its plan where the CLI wants it, and propose it."""
    await panel.nvim.command("ClaudeChat mode plan")
    await panel.bar_shows("plan")
    api.script([text("Thinking of it.")])
    await panel.say("Plan it")
    await panel.shows("Thinking of it.")
    found = re.search(r"\S+/plans/\S+\.md", str(api.requests[0].body))
    assert found
    path = found[0].strip("\"'`.\\")
    api.script(
        [tool_use("Write", file_path=path, content=PLAN)],
        [tool_use("ExitPlanMode")],
        [text("As you say.")],
    )
    await panel.say("Go on")
    await plan_is_open(panel.nvim)


async def test_a_plan_is_approved_with_w(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    await plan(api, config_folder, panel)

    await nvim.keys(":w<CR>")

    assert "↳ approved" in await panel.shows("As you say.")
    assert "approved" in api.requests[-1].told
    await panel.bar_shows("default")


async def test_a_plan_is_sent_back_with_what_was_written_into_it(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    await plan(api, config_folder, panel)

    await nvim.keys("Goand whisper<Esc>:q<CR>")

    assert "keep planning" in await panel.shows("As you say.")
    assert "and whisper" in api.requests[-1].told
    await panel.bar_shows("plan")


async def test_the_files_are_put_back_as_they_were(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))
    await nvim.lua(
        """_G.asked = {}
        vim.ui.select = function(items, options, done)
          table.insert(_G.asked, { options.prompt, vim.fn.getline(1, '$') })
          done(items[1], 1)
        end"""
    )
    await panel.say("Shout")
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")
    await panel.shows("── ")
    assert path.read_text() == "one\nTWO\n"

    await nvim.command("ClaudeChat rewind")

    await until(lambda: path.read_text() == "one\ntwo\n", "the file is as it was", PATIENCE)
    await until(
        lambda: nvim.eval(f"getbufline('{path}', 1, '$') == ['one', 'two']"), "and its buffer"
    )
    question, shown = (await nvim.lua("return _G.asked"))[1]
    assert "Undo this in a.py" in question
    assert shown == ["--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", " one", "-two", "+TWO"]
    assert await nvim.eval("winnr('$')") == 3


async def test_ctrl_c_stops_a_tool(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([tool_use("Bash", command="yes >/dev/null; touch made.txt")], [text("Never said.")])
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")

    await panel.say("Wait")
    await panel.shows("? May Claude use Bash")
    await nvim.keys("<Esc><CR>")
    await panel.shows("↳ allowed")
    await nvim.keys("<C-c>")

    shown = await panel.shows("interrupted")
    assert "Never said." not in shown


async def test_what_is_said_during_a_turn_waits_and_can_be_taken_back(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("one two three")], [text("Second.")])
    await panel.say("First")
    await panel.shows("one")

    await panel.say("and then this")
    await panel.say("but not that")
    await panel.shows("⧗ but not that")
    await panel.bar_shows("2 queued")
    assert await panel.go_to("⧗ but not that")
    await nvim.keys("x")

    await panel.shows_no_more("⧗ but not that")
    await until(lambda: _holds(panel, "but not that"), "the prompt comes back", PATIENCE)
    await panel.bar_shows("1 queued")
    api.hold = False
    await nvim.keys("<C-c>")
    shown = await panel.shows("Second.")
    assert "» and then this" in shown
    assert "but not that" not in api.requests[-1].told


async def _holds(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt"]


async def test_gr_says_something_else_at_once(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.hold = True
    api.script([text("one two three")], [text("Instead.")])
    await panel.say("First")
    await panel.shows("one")
    api.hold = False

    await panel.write()
    await nvim.keys("No, this<Esc>gr")

    await panel.shows("Instead.")
    assert "No, this" in api.requests[-1].told


async def test_a_cli_that_was_killed_goes_on_where_it_was(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path, config_folder: Path
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.say("Which word?")
    await panel.shows("── ")
    await is_kept("swordfish", config_folder)

    os.kill(_cli_in(project), signal.SIGKILL)
    await panel.bar_shows("ended")
    await panel.go_to("Which word?")
    await nvim.keys("R")
    await panel.bar_shows("default")
    await panel.say("What was it?")

    await panel.shows("You were told.")
    assert "swordfish" in str(api.requests[-1].body["messages"])


def _cli_in(project: Path) -> int:
    """The pid of the CLI that runs in a folder."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                is_cli = b"stream-json" in (entry / "cmdline").read_bytes()
                if is_cli and (entry / "cwd").readlink() == project.resolve():
                    return int(entry.name)
    raise AssertionError("no CLI runs")


async def test_what_is_always_allowed_is_not_asked_again(
    nvim: Neovim, panel: Panel, api: FakeApi, project: Path
) -> None:
    api.script(
        [tool_use("Bash", command="touch made.txt")],
        [text("Made.")],
        [tool_use("Bash", command="touch made.txt")],
        [text("Made again.")],
    )
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    await panel.say("Make it")

    await until(lambda: _pressed(panel, "a", project / "made.txt"), "the file", PATIENCE)
    assert "↳ Always allow Bash(touch made.txt)" in await panel.shows("Made.")
    await panel.say("Make it again")

    await panel.shows("Made again.")
    assert "touch made.txt" in (project / ".claude/settings.local.json").read_text()


async def test_gs_steers_the_present_turn(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("As you wish.")])
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    await panel.say("Make it")
    await panel.shows("? May Claude use Bash")

    await panel.write()
    await nvim.keys("and be quick<Esc>gs")
    await panel.shows("and be quick")
    await nvim.keys("<CR>")

    shown = await panel.shows("As you wish.")
    assert "» and be quick\n\nAs you wish." in shown
    assert "and be quick" in api.requests[1].told


async def test_an_overloaded_model_is_tried_again_and_told(panel: Panel, api: FakeApi) -> None:
    api.status = 529
    api.script([text("Here I am.")])

    await panel.say("Hello")

    shown = await panel.shows("failed")
    assert "retried once: overloaded (529)" in shown
    assert "API Error: 529" in shown
    api.status = 200
    await panel.say("Again")
    await panel.shows("Here I am.")
