"""Calls that are cancelled at the server, at a question, or while files are written."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from support import frame_log
from support.either_editor import BOTH, Editor
from support.language_client import received
from support.mcp_stdio import McpStdio
from support.model_languages import Scripted, in_line, result
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim, until
from support.processes import alive, pid_in

RENAMES = {"renameProvider": True}
RENAME = "textDocument/rename"
FORMAT = "textDocument/formatting"
COMMAND = "workspace/executeCommand"

WAIT_AT_FIRST_WRITE = """
local path = ...
vim.api.nvim_create_autocmd('BufWritePost', { once = true, callback = function()
  vim.g.is_writing = true
  assert(vim.fn.writefile({}, path .. '.writing') == 0)
  vim.wait(20000, function() return vim.uv.fs_stat(path) ~= nil end, 10)
end })
"""


IS_DISCARDED = """
local _, pending = debug.getupvalue(require('claude_ide.ui').close, 1)
return next(pending) == nil
"""


def edited(path: Path, text: str = "x") -> dict[str, Any]:
    """Return a change of the first character of a file."""
    edits = [{"range": in_line(0, 0), "newText": text}]
    return {"textDocument": {"uri": path.as_uri(), "version": None}, "edits": edits}


async def cancel(client: McpStdio, number: int) -> None:
    """Cancel a call; afterwards the host knows."""
    await client.send("notifications/cancelled", {"requestId": number})
    assert "result" in await client.request("ping")


async def begin_rename(scripted: Scripted, reviewed: Reviewed, main: Path) -> None:
    """Begin a rename that changes two files, up to the question."""
    edit = {"documentChanges": [edited(main), edited(main.with_name("greeter.py"))]}
    await scripted.enable("one", RENAMES, {RENAME: result(edit)})
    await reviewed.begin("rename", file=str(main), line=3, symbol="greet", new_name="hail")


def answers_to_the_server(log: Path) -> list[Any]:
    """Return what Neovim has answered to the edits that a server has sent."""
    return [each["result"] for each in frame_log.read(log) if each.get("id") == "edit"]


async def test_a_cancelled_format_is_cancelled_at_the_server(
    serving: Neovim, scripted: Scripted, client: McpStdio, main: Path
) -> None:
    log = await scripted.enable("one", {}, {FORMAT: ["hold"]})
    call = await client.begin("format", file=str(main))
    await until(lambda: received(log, FORMAT), "the server is asked")

    await cancel(client, call)

    await until(lambda: received(log, "$/cancelRequest"), "the server is told")
    (request,) = [one for one in frame_log.read(log) if one.get("method") == FORMAT]
    assert received(log, "$/cancelRequest") == [{"id": request["id"]}]


@BOTH
async def test_a_cancelled_format_ends_the_users_program(
    serving: Editor, client: McpStdio, greeter: Path, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    script = tmp_path / "formatter"
    script.write_text(f"#!/bin/sh\necho $$ > {shlex.quote(str(pid))}\nexec sleep 1000\n")
    script.chmod(0o755)
    await serving.command(f"let &formatprg = '{script}'")
    call = await client.begin("format", file=str(greeter))
    number = await pid_in(pid)

    await cancel(client, call)

    await until(lambda: not alive(number), "the program has ended")


async def test_the_edit_of_a_cancelled_command_is_not_applied(
    serving: Neovim, scripted: Scripted, reviewed: Reviewed, client: McpStdio, main: Path
) -> None:
    await serving.command(f"edit {main}")
    offer = {"title": "Do it", "command": "ruff.applyAutofix", "arguments": []}
    capabilities = {
        "codeActionProvider": True,
        "executeCommandProvider": {"commands": [offer["command"]]},
    }
    answers = {"textDocument/codeAction": result([offer]), COMMAND: ["hold"]}
    log = await scripted.enable("ruff", capabilities, answers)
    await reviewed.begin("code_action", file=str(main), line=3, title="Do it")
    await until(lambda: received(log, COMMAND), "the server is asked")
    await cancel(client, reviewed.number)
    await until(lambda: received(log, "$/cancelRequest"), "the server is told")
    server = "vim.lsp.get_clients({ name = 'ruff' })[1]"

    edit = {"edit": {"documentChanges": [edited(main)]}}
    await serving.lua(f"{server}:notify('test/apply', ...)", edit)

    replies = await until(lambda: answers_to_the_server(log), "Neovim answers the server")
    assert replies[0]["applied"] is False
    assert await serving.eval("getline(1)") == "from greeter import Greeter"

    await serving.lua(f"{server}:notify('test/release', {{ result = vim.NIL }})")
    await until(
        lambda: serving.lua(f"return next({server}.handlers) == nil"), "edits are applied again"
    )


@pytest.mark.parametrize("method", [COMMAND, "ruff/users"])
async def test_the_users_own_action_is_applied_while_a_command_does_not_end(
    serving: Neovim, scripted: Scripted, reviewed: Reviewed, main: Path, method: str
) -> None:
    await serving.command(f"edit {main}")
    offer = {"title": "Do it", "command": "ruff.applyAutofix", "arguments": []}
    capabilities = {
        "codeActionProvider": True,
        "executeCommandProvider": {"commands": [offer["command"]]},
    }
    answers = {"textDocument/codeAction": result([offer])}
    answers |= {COMMAND: ["hold"], "ruff/users": ["hold"]}
    log = await scripted.enable("ruff", capabilities, answers)
    await reviewed.begin("code_action", file=str(main), line=3, title="Do it")
    await until(lambda: received(log, COMMAND), "the server is asked")
    server = "vim.lsp.get_clients({ name = 'ruff' })[1]"
    edit = {"edit": {"documentChanges": [edited(main)]}}

    await serving.lua(f"{server}:request(..., {{ command = 'users.own' }}, print)", method)
    await serving.lua(f"{server}:notify('test/apply', ...)", edit)

    await until(lambda: serving.eval("getline(1) ==# 'xrom greeter import Greeter'"), "applied")
    replies = await until(lambda: answers_to_the_server(log), "the server has its answer")
    assert [reply["applied"] for reply in replies] == [True]


async def test_a_handler_that_was_set_meanwhile_stays(
    serving: Neovim, scripted: Scripted, reviewed: Reviewed, client: McpStdio, main: Path
) -> None:
    await serving.command(f"edit {main}")
    offer = {"title": "Do it", "command": "ruff.applyAutofix", "arguments": []}
    capabilities = {
        "codeActionProvider": True,
        "executeCommandProvider": {"commands": [offer["command"]]},
    }
    answers = {"textDocument/codeAction": result([offer]), COMMAND: ["hold"]}
    log = await scripted.enable("ruff", capabilities, answers)
    await reviewed.begin("code_action", file=str(main), line=3, title="Do it")
    await until(lambda: received(log, COMMAND), "the server is asked")
    server = "vim.lsp.get_clients({ name = 'ruff' })[1]"

    await serving.lua(f"{server}.handlers['workspace/applyEdit'] = print")
    await serving.lua(f"{server}:notify('test/release', {{ result = vim.NIL }})")
    assert "has run the command" in await reviewed.text()

    assert await serving.lua(f"return {server}.handlers['workspace/applyEdit'] == print")


async def test_a_question_of_a_cancelled_call_says_that_it_is_too_late(
    serving: Neovim, scripted: Scripted, reviewed: Reviewed, client: McpStdio, main: Path
) -> None:
    before = main.read_text()
    await begin_rename(scripted, reviewed, main)
    question = "rename greet to hail: 2 lines in 2 files"
    await until(lambda: question in serving.screen.text(), question)

    await cancel(client, reviewed.number)
    await until(lambda: serving.lua(IS_DISCARDED), "Neovim has discarded it")
    await reviewed.choose("2", question)

    late = "this question is no longer waiting for an answer"
    await until(lambda: late in serving.screen.text(), late)
    assert main.read_text() == before


async def test_a_call_that_is_cancelled_while_it_writes_writes_all_and_says_so(
    serving: Neovim,
    scripted: Scripted,
    reviewed: Reviewed,
    tools: ModelTools,
    main: Path,
    tmp_path: Path,
) -> None:
    go_on, greeter = tmp_path / "go-on", main.with_name("greeter.py")
    await serving.lua(WAIT_AT_FIRST_WRITE, str(go_on))
    await begin_rename(scripted, reviewed, main)
    await reviewed.choose("2", "2 lines in 2 files")
    await until(tmp_path.joinpath("go-on.writing").exists, "the first file is written")

    await cancel(tools.client, reviewed.number)
    go_on.write_text("")

    await until(lambda: greeter.read_text().startswith("xlass"), "the second file is written")
    assert main.read_text().startswith("xrom")
    late = "was cancelled too late; 2 files changed"
    await until(lambda: late in serving.screen.text(), late)
    answer = (await tools.client.call("buffers"))["content"]
    assert answer[0]["text"].splitlines() == [
        f"An earlier call, to rename greet to hail, {late}.",
        "Written:",
        f"  {main}",
        f"  {greeter}",
    ]
    assert len((await tools.client.call("buffers"))["content"]) == len(answer) - 1
