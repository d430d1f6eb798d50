"""The model's tools in the real CLI that `:Claude` starts, in both of its versions."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET, environment
from support.claude_code import locks
from support.either_editor import (
    BOTH,
    Editor,
    choose,
    choose_item,
    run,
    type_answer,
)
from support.fake_api import FakeApi, text, tool_use
from support.kernels import asked, use_environment
from support.model_languages import enable_real
from support.neovim import WAIT_SECONDS, Neovim, until
from support.vim import Vim

from .conftest import StartWithCli, diff_opened


@pytest.fixture
def options() -> dict[str, bool]:
    """The option `tools`."""
    return {}


@pytest.fixture
def words() -> list[str]:
    """The user's own options in `cmd`."""
    return []


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest,
    start_with_cli: StartWithCli,
    each_cli: Path,
    words: list[str],
    path: Path,
    options: dict[str, bool],
) -> Editor:
    """A Neovim or a Vim that shows `path`; the CLI in its terminals uses the stand-in."""
    given = {"tools": options} if options else {}
    return await start_with_cli(request, each_cli, *words, path=path, **given)


LINES = "1\tone\n2\ttwo"
"""What `buffer_text` tells the model about the file."""


def asks(api: FakeApi, tool: str, **arguments: object) -> None:
    """Have the model call one tool of the editor."""
    api.script([tool_use(f"mcp__neovim__{tool}", **arguments)], [text("All done.")])


async def opened(nvim: Editor, command: str) -> None:
    await nvim.keys(f":{command}<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")


def serves_again(config_folder: Path, former: dict[str, Any]) -> bool:
    """Return whether another host has the token of the former one."""
    return any(
        lock["hostPid"] != former["hostPid"] and lock["authToken"] == former["authToken"]
        for _, lock in locks(config_folder)
    )


def shows(nvim: Editor, words: str) -> bool:
    """Return whether the screen shows `words`."""
    return words in nvim.screen.text()


async def send(nvim: Editor, prompt: str) -> None:
    """Type a prompt and send it."""
    await nvim.keys(prompt)
    await until(lambda: prompt in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")


async def done(nvim: Editor) -> None:
    await until(lambda: "All done." in nvim.screen.text(), "the answer")


NEOVIM = ("no language server answers textDocument/definition", "Prefer them to a text search")
VIM = ("No such tool available: mcp__neovim__definition", "These tools ask the user's Vim")


@BOTH
async def test_the_model_gets_the_tools_and_reads_without_permission(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    answered, instructions = VIM if isinstance(nvim, Vim) else NEOVIM
    definition = {"file": str(path), "line": 1, "symbol": "one"}
    api.script([tool_use("mcp__neovim__definition", **definition)])
    asks(api, "buffer_text", file=str(path))
    await opened(nvim, "Claude")

    await send(nvim, "Where is it?")

    await done(nvim)
    assert answered in api.requests[-2].new_text
    assert LINES in api.requests[-1].new_text
    told = str(api.requests[-1].body).replace("\\", "")
    assert ("mcp__neovim__references" in told) is not isinstance(nvim, Vim)
    assert instructions in told
    assert (await run(nvim, "host.server"))["clients"] == 1


@BOTH
@pytest.mark.parametrize("words", [["--allowedTools", "Read"]])
async def test_a_file_that_the_cli_has_read_itself_is_not_asked_about_again(
    nvim: Editor, api: FakeApi, project: Path
) -> None:
    diary, other = project.parent / "diary.txt", project.parent / "other.txt"
    for each in (diary, other):
        each.write_text("dear diary\n")
    api.script([tool_use("Read", file_path=str(diary))])
    api.script([tool_use("mcp__neovim__open_file", file=str(diary))])
    asks(api, "open_file", file=str(other))
    await opened(nvim, "Claude")

    await send(nvim, "Read my diary")
    await until(lambda: shows(nvim, "Do not read it"), "the question")
    assert "Opened" in api.requests[-1].new_text
    await choose_item(nvim, "Do not read it")

    await done(nvim)
    assert "has not allowed you to read it" in api.requests[-1].new_text


@BOTH
async def test_a_prompt_in_the_arguments_is_not_taken_for_an_option(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    asks(api, "buffer_text", file=str(path))

    await nvim.keys(":Claude Where\\ is\\ two?<CR>")

    await done(nvim)
    assert "Where is two?" in str(api.requests[0].body)


@BOTH
async def test_the_token_is_in_no_command_line(nvim: Editor, config_folder: Path) -> None:
    await opened(nvim, "Claude")
    (lock,) = (config_folder / "ide").glob("*.lock")
    token = lock.read_text().partition('"authToken": "')[2].partition('"')[0]
    assert len(token) > 20

    is_vim = isinstance(nvim, Vim)
    job = "job_info(term_getjob(bufnr())).process" if is_vim else "b:terminal_job_pid"
    pid = await nvim.eval(job)
    line = Path(f"/proc/{pid}/cmdline").read_text()

    assert "/neovim" in line
    assert token not in line


@BOTH
@pytest.mark.parametrize("options", [{"enabled": False}])
async def test_without_the_option_the_model_has_no_tools(nvim: Editor, api: FakeApi) -> None:
    api.script([text("All done.")])

    await opened(nvim, "Claude Hello")

    await done(nvim)
    assert "mcp__neovim__" not in str(api.requests[0].body)


@BOTH
@pytest.mark.parametrize("options", [{"allow_read": False}])
async def test_the_cli_asks_before_it_reads_if_the_user_wants(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    asks(api, "buffer_text", file=str(path))
    await opened(nvim, "Claude")

    await send(nvim, "Where is it?")

    await until(lambda: "Do you want to proceed?" in nvim.screen.text(), "it asks")


@BOTH
async def test_a_printed_answer_uses_the_tools(nvim: Editor, api: FakeApi, path: Path) -> None:
    asks(api, "buffer_text", file=str(path))

    await nvim.keys(":Claude -p Where\\ is\\ two?<CR>")

    await until(lambda: len(api.requests) == 2, "both requests")
    assert "Where is two?" in str(api.requests[0].body)
    assert LINES in api.requests[1].new_text


@BOTH
async def test_the_printed_command_gives_the_tools_to_a_cli_elsewhere(
    nvim: Editor, api: FakeApi, path: Path, tmp_path: Path, config_folder: Path
) -> None:
    await nvim.command("ClaudeMcpConfig! ws")
    printed = await until(lambda: nvim.eval("getreg('\"')"), "the command")
    asks(api, "buffer_text", file=str(path))

    elsewhere = await asyncio.create_subprocess_shell(
        f"{printed.strip()} -p 'Where is two?'",
        cwd=tmp_path,
        env=environment(api, tmp_path / "home", config_folder),
        stdin=DEVNULL,
        stdout=PIPE,
    )
    said, _ = await asyncio.wait_for(elsewhere.communicate(), WAIT_SECONDS)

    assert said.decode().strip() == "All done."
    assert "Where is two?" in str(api.requests[0].body)
    assert LINES in api.requests[-1].new_text


@BOTH
async def test_the_value_of_an_option_is_not_taken_for_another(nvim: Editor) -> None:
    await nvim.keys(":Claude --resume 00000000-0000-4000-8000-000000000000<CR>")

    await until(lambda: "No conversation found" in nvim.screen.text(), "the CLI has looked for it")


@BOTH
@pytest.mark.parametrize(
    "words",
    [
        ["--mcp-config", '{"mcpServers": {}}', "--strict-mcp-config"],
        ["--strict-mcp-config", "--allowedTools", "Bash(ls)", "Read"],
        ["--allowed-tools=Read", '--mcp-config={"mcpServers":{}}'],
    ],
)
async def test_the_users_own_options_and_ours_both_count(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    api.script([text("In line 2.")])
    asks(api, "buffer_text", file=str(path))

    await opened(nvim, "Claude Where\\ is\\ two?")
    await until(lambda: "In line 2." in nvim.screen.text(), "the answer")
    await send(nvim, "Look again")

    await done(nvim)
    assert "Where is two?" in str(api.requests[0].body)
    assert LINES in api.requests[-1].new_text


@BOTH
async def test_the_session_gets_its_tools_back_after_the_host_has_died(
    nvim: Editor, api: FakeApi, path: Path, config_folder: Path
) -> None:
    asks(api, "buffer_text", file=str(path))
    await opened(nvim, "Claude")
    ((_, lock),) = locks(config_folder)

    os.kill(lock["hostPid"], signal.SIGKILL)
    await until(lambda: serves_again(config_folder, lock), "another host serves")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")
    await send(nvim, "Where is it?")

    await done(nvim)
    assert LINES in api.requests[-1].new_text


async def accept(nvim: Neovim, number: int) -> None:
    """Accept one of two diffs."""
    shown = f"{number} of 2"
    await until(lambda: shown in nvim.screen.text(), shown)
    await diff_opened(nvim, number)
    await nvim.keys(":w<CR>")


async def test_a_rename_is_reviewed_and_lands_in_every_file(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    await enable_real(nvim, "basedpyright")
    greeter, main = path.with_name("greeter.py"), path.with_name("main.py")
    greeter.write_text("def greet() -> str:\n    return ''\n")
    main.write_text("from greeter import greet\n\nprint(greet())\n")
    asks(api, "rename", file=str(greeter), line=1, symbol="greet", new_name="hail")
    await opened(nvim, "Claude")
    await nvim.keys("Rename it<CR>")

    question = "rename greet to hail: 3 lines in 2 files"
    await until(lambda: question in nvim.screen.text(), question)
    assert "Do you want to proceed?" not in nvim.screen.text()
    await choose(nvim, 1)
    await accept(nvim, 1)
    assert "greet" in greeter.read_text()
    await accept(nvim, 2)

    await done(nvim)
    told = api.requests[-1].new_text
    assert "Renamed by basedpyright." in told
    assert str(main) in told
    assert greeter.read_text().startswith("def hail()")
    assert main.read_text() == "from greeter import hail\n\nprint(hail())\n"


async def test_code_runs_after_one_question_in_a_window(
    nvim: Neovim, api: FakeApi, project: Path
) -> None:
    use_environment(project)
    await nvim.command("ClaudeTrust yes")
    asks(api, "execute_code", code="print(6 * 7)")

    await opened(nvim, "Claude")
    await send(nvim, "Compute it")
    await asked(nvim, "print(6 * 7)")
    assert "Do you want to proceed?" not in nvim.screen.text()
    await nvim.keys(":w<CR>")

    await done(nvim)
    assert "42" in api.requests[-1].new_text


async def test_refused_code_does_not_run_and_the_model_reads_why(
    nvim: Neovim, api: FakeApi, project: Path
) -> None:
    use_environment(project)
    await nvim.command("ClaudeTrust yes")
    asks(api, "execute_code", code="open('made', 'w')")

    await opened(nvim, "Claude")
    await send(nvim, "Compute it")
    await asked(nvim, "made")
    await nvim.keys(":q<CR>")
    await until(lambda: "Why should it not run?" in nvim.screen.text(), "the question")
    await type_answer(nvim, "too early<CR>")

    await done(nvim)
    assert "refused to run this code" in api.requests[-1].new_text
    assert "They said: too early" in api.requests[-1].new_text
    assert not (project / "made").exists()


OWN = """
require('claude_ide').add_tool({
  name = 'greet',
  description = 'Greets somebody',
  schema = { properties = { who = { type = 'string' } }, required = { 'who' } },
  read_only = %s,
  fn = function(arguments)
    return 'Hello, ' .. arguments.who
  end,
})
"""


async def test_the_model_calls_a_tool_of_the_users_that_only_reads_without_permission(
    nvim: Neovim, api: FakeApi
) -> None:
    await nvim.lua(OWN % "true")
    # An older CLI begins its first turn before it has the tools.
    api.script([text("One.")])
    asks(api, "greet", who="you")

    await opened(nvim, "Claude Hello")
    await until(lambda: "One." in nvim.screen.text(), "the first answer")
    await send(nvim, "Again")

    await done(nvim)
    assert "Hello, you" in api.requests[-1].new_text


@pytest.mark.parametrize("each_cli", ["newer"], indirect=True)  # the older one keeps its first list
async def test_the_model_calls_a_tool_that_was_added_while_the_cli_is_connected(
    nvim: Neovim, api: FakeApi
) -> None:
    api.script([text("One.")])
    await opened(nvim, "Claude Hello")
    await until(lambda: "One." in nvim.screen.text(), "the first answer")
    assert "mcp__neovim__greet" not in str(api.requests[-1].body)

    await nvim.lua(OWN % "false")
    # The CLI may send a prompt before it has asked for the new list.
    for answer in ("Two.", "Three.", "Four.", "Five.", "Six."):
        api.script([text(answer)])
        await send(nvim, f"Not {answer}"[:-1])
        await until(partial(shows, nvim, answer), "an answer")
        if any("mcp__neovim__greet" in str(request.body) for request in api.requests):
            break
    asks(api, "greet", who="you")
    await send(nvim, "Again")

    await until(lambda: "Do you want to proceed?" in nvim.screen.text(), "it asks")
    await nvim.idle(1000)  # the dialog ignores keys that were typed before it
    await nvim.keys("<CR>")
    await done(nvim)
    assert "Hello, you" in api.requests[-1].new_text
