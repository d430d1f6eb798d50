"""One-off requests from the editor with the real CLI, answered by a stand-in for the model."""

import json
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.stream_json.headless import Ask, HeadlessQuestion
from claude_ide.agents.stream_json.protocol import CliLaunch
from support.chunks import chunk
from support.claude_cli import environment
from support.either_editor import BOTH, Editor, host_pid, on_screen, start_editor
from support.fake_api import FakeApi, text, thinking, tool_use
from support.hostile import DEEP, EAGER, LINK, Addresses, survives
from support.neovim import Neovim, until
from support.processes import alive, started_with

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest,
    cli: Path,
    api: FakeApi,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
) -> AsyncIterator[Editor]:
    """A Neovim whose `claude` is the real CLI, which uses the stand-in for the model.

    In tests that are marked with `BOTH` it is once a Vim.
    """
    home = tmp_path / "home"
    given = environment(api, home, config_folder) | {"CLAUDE_CODE_MAX_RETRIES": "1"}
    editor = await start_editor(
        request, "--cmd", f"let g:claude_ide.cmd = '{cli}'", cwd=project, home=home, env=given
    )
    yield editor
    await editor.stop()


async def lines(nvim: Editor) -> list[str]:
    """Return the lines of the current buffer."""
    found: list[str] = await nvim.eval("getline(1, '$')")
    return found


async def ask(nvim: Neovim, prompt: str, options: dict[str, Any]) -> dict[str, Any]:
    """Call the Lua function; return the argument of its callback."""
    await nvim.lua(chunk("headless/ask"), prompt, options)
    answered = await until(lambda: nvim.lua("return _G.answered"), "an answer")
    assert len(answered) == 1
    return dict(answered[0])


def first_message(api: FakeApi) -> str:
    """Return the first text that the model has received."""
    return api.requests[0].new_text


def offered(api: FakeApi) -> set[str]:
    """Return the names of the model's tools, except a placeholder that the API needs."""
    names = {tool["name"] for tool in api.requests[0].body["tools"]}
    return names - {"DeferredToolPlaceholder"}


@BOTH
async def test_a_question_is_answered_in_a_window(nvim: Editor, api: FakeApi) -> None:
    api.script([thinking("hm"), text("It is **forty-two**.\n\n```lua\nreturn 42\n```")])

    await nvim.keys(":ClaudeAsk what is it?<CR>")

    await on_screen(nvim, "forty-two")
    await until(lambda: nvim.eval("&filetype == 'markdown'"), "the answer is complete")
    assert (await lines(nvim))[2:] == ["```lua", "return 42", "```"]
    assert "what is it?" in first_message(api)
    assert offered(api) == {"Read", "Grep", "Glob"}


async def test_a_hostile_answer_does_no_harm(nvim: Neovim, api: FakeApi) -> None:
    await nvim.lua(EAGER)
    addresses = Addresses(nvim)
    api.script([text(f"{LINK}\n\n{DEEP['quotes']}\n\nThe end.")])

    await nvim.keys(":ClaudeAsk Repeat the file<CR>")

    await on_screen(nvim, "The end.")
    await until(lambda: "CTRL-C stops" not in nvim.screen.text(), "the answer is complete")
    await survives(nvim)
    assert (await lines(nvim))[0] == "[a](http://x/^[]0;pwned^G)"
    assert addresses.hostile() == []


@BOTH
async def test_a_question_includes_the_lines_of_its_range(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    api.script([text("ok")])
    await nvim.command(f"edit {path}")

    await nvim.keys(":2ClaudeAsk what is it?<CR>")

    await on_screen(nvim, "ok")
    assert f"The user selected the lines 2 to 2 from {path}:\ntwo" in first_message(api)


@BOTH
async def test_a_named_prompt_is_asked_with_the_lines_of_its_range(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    api.script([text("ok")])
    await nvim.command(f"edit {path}")

    await nvim.keys(":2ClaudeAsk /explain<CR>")

    await on_screen(nvim, "ok")
    sent = first_message(api)
    assert f"The user selected the lines 2 to 2 from {path}:\ntwo" in sent
    assert "Explain this:\n" in sent
    assert f"{path.name}, line 2" in sent


@BOTH
async def test_a_question_can_read_files_but_not_write_them_or_run_commands(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    api.script(
        [tool_use("Read", file_path=str(path))],
        [tool_use("Write", file_path=str(path), content="mine")],
        [tool_use("Bash", command="touch made")],
        [text("as you like")],
    )

    await nvim.keys(":ClaudeAsk change it<CR>")

    await on_screen(nvim, "as you like")
    assert "two" in api.requests[1].new_text
    assert "No such tool available: Write" in api.requests[2].new_text
    assert "No such tool available: Bash" in api.requests[3].new_text
    assert path.read_text() == "one\ntwo\n"
    assert not (path.parent / "made").exists()


@BOTH
async def test_ctrl_c_stops_an_answer_and_its_cli(nvim: Editor, api: FakeApi) -> None:
    api.hold = True
    api.script([text("a long answer")])
    await nvim.keys(":ClaudeAsk go on<CR>")
    await on_screen(nvim, "a long answer")
    host = await host_pid(nvim)
    assert clis(host)

    await nvim.keys("<C-c>")

    await on_screen(nvim, "cancelled")
    await until(lambda: not clis(host), "the CLI has ended")


def clis(host: int) -> set[int]:
    """Return the running CLIs of a host, but not its guardian process."""
    tasks = Path(f"/proc/{host}/task").glob("*/children")
    children = {int(pid) for task in tasks for pid in task.read_text().split()}
    return {*filter(alive, children)} - started_with("ending.py")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Failed to authenticate. API Error: 401 scripted. Run :Claude, then /login"),
        (429, "429"),
        (529, "529"),
    ],
)
async def test_an_api_error_is_one_line(
    nvim: Neovim, api: FakeApi, status: int, words: str
) -> None:
    api.status = status

    answered = await ask(nvim, "hi", {})

    assert words in answered["err"]
    assert "\n" not in answered["err"]
    assert "result" not in answered


@BOTH
async def test_claude_edit_rewrites_lines_in_the_buffer(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    api.script([tool_use("StructuredOutput", replacement="TWO\nthree\n")])
    await nvim.command(f"edit {path}")

    await nvim.keys(":2ClaudeEdit shout<CR>")
    await on_screen(nvim, "accept")
    await until(lambda: nvim.eval("&modifiable"))
    await nvim.keys(":w<CR>")

    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await until(lambda: nvim.eval("&modified"))
    assert await lines(nvim) == ["one", "TWO", "three"]
    assert path.read_text() == "one\ntwo\n"
    assert "<rewrite>\ntwo\n</rewrite>" in first_message(api)
    assert offered(api) == {"Read", "Grep", "Glob", "StructuredOutput"}


async def test_claude_edit_refines_a_rewrite_in_its_diff(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    api.script(
        [tool_use("StructuredOutput", replacement="TWO\nthree\n")],
        [tool_use("StructuredOutput", replacement="2\n")],
    )
    await nvim.command(f"edit {path}")
    await nvim.keys(":2ClaudeEdit shout<CR>")
    await on_screen(nvim, "accept")
    await until(lambda: nvim.eval("&modifiable"))
    await nvim.keys("2Goand I<Esc>")

    await nvim.keys(":ClaudeEdit shorter<CR>")
    await until(lambda: nvim.eval("getline(1, '$') == ['one', '2']"), "the result")

    sent = api.requests[-1].new_text
    assert "<instruction>\nshorter\n</instruction>" in sent
    assert "<earlier>\nshout\n</earlier>" in sent
    assert "<original>\ntwo\n</original>" in sent
    assert "<text>\none\n<rewrite>\nTWO\nand I\nthree\n</rewrite>\n</text>" in sent
    await nvim.keys("u")
    await until(lambda: nvim.eval("getline(1, '$') == ['one', 'TWO', 'and I', 'three']"), "u")
    await nvim.keys("<C-r>:w<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await lines(nvim) == ["one", "2"]


@pytest.fixture
def staged(project: Path) -> None:
    """Stage a file in the project."""
    (project / "a.py").write_text("print(1)\n")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "add", "."], cwd=project, check=True)


@BOTH
@pytest.mark.usefixtures("staged")
async def test_claude_commit_writes_a_commit_message(
    nvim: Editor, api: FakeApi, project: Path
) -> None:
    api.script([tool_use("StructuredOutput", message="Print one\n\nTwo came before.")])
    (project / ".git/COMMIT_EDITMSG").write_text("\n# Please enter the message\n")
    await nvim.command("edit .git/COMMIT_EDITMSG | set filetype=gitcommit")

    await nvim.command("ClaudeCommit")

    await until(lambda: nvim.eval("getline(1) == 'Print one'"), "the message")
    assert await lines(nvim) == [
        *("Print one", "", "Two came before.", ""),
        "# Please enter the message",
    ]
    assert "+print(1)" in first_message(api)
    assert offered(api) == {"StructuredOutput"}


async def test_ask_gives_lua_the_text_of_an_answer(nvim: Neovim, api: FakeApi) -> None:
    api.script([text("forty-two")])

    assert await ask(nvim, "what?", {}) == {"result": "forty-two"}


async def test_ask_gives_lua_the_whole_result_in_json_format(nvim: Neovim, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", n=3)])

    answered = await ask(nvim, "how many?", {"format": "json", "schema": SCHEMA})

    assert answered["result"]["type"] == "result"
    assert answered["result"]["structured_output"] == {"n": 3}


async def test_ask_gives_lua_an_answer_that_fits_a_schema(nvim: Neovim, api: FakeApi) -> None:
    api.script([tool_use("StructuredOutput", n=3)])

    answered = await ask(nvim, "how many?", {"schema": SCHEMA})

    assert json.loads(answered["result"]) == {"n": 3}


async def test_an_invalid_schema_is_refused(nvim: Neovim) -> None:
    answered = await ask(nvim, "how many?", {"schema": {"type": "nonsense"}})

    # 2.1.197 does not check the schema, and its answer is not JSON.
    assert re.search("not a valid JSON Schema|answered in words", answered["err"])


async def test_a_one_off_request_stores_no_session(
    nvim: Neovim, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("ok")])

    await ask(nvim, "what?", {})

    assert list(config_folder.rglob("*.jsonl")) == []


async def test_ask_gives_python_an_answer_that_fits_a_schema(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> None:
    given = environment(api, tmp_path / "home", config_folder)
    api.script([text("let me see"), tool_use("StructuredOutput", n=3)])
    asking = Ask(CliLaunch((cli,), project, given), HeadlessQuestion("how many?", schema=SCHEMA))

    _ = [event async for event in asking.events()]

    assert asking.result().structured == {"n": 3}
