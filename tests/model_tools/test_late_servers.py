"""The tools that ask language servers, while servers start, end, or do not answer."""

import asyncio
from pathlib import Path

from support import frame_log
from support.language_client import received
from support.model_languages import Scripted, location, result
from support.model_tools import ModelTools
from support.neovim import Neovim, until

DEFINITION = "textDocument/definition"
BOTH = {"definitionProvider": True, "referencesProvider": True, "documentSymbolProvider": True}


async def test_helpers_that_are_attached_to_everything_are_no_answer(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    hover = "textDocument/hover"
    await scripted.enable("helper", {"hoverProvider": True}, {hover: result(None)})

    for tool, method in (("hover", hover), ("definition", DEFINITION)):
        error = await tools.error(tool, file=str(main), line=3, symbol="greet")
        assert f"answers {method} for main.py" in error
        assert error.endswith("running: helper (python)")


async def test_a_server_that_is_starting_is_waited_for_next_to_a_helper(
    serving: Neovim, scripted: Scripted, tools: ModelTools, main: Path, fifo: Path
) -> None:
    hover = "textDocument/hover"
    await scripted.enable("helper", {"hoverProvider": True}, {hover: result(None)})
    words = {hover: result({"contents": "a method"})}
    capabilities = {**BOTH, "hoverProvider": True}
    await scripted.enable("real", capabilities, words, "--start-after", str(fifo))
    asked = asyncio.create_task(tools.text("hover", file=str(main), line=3, symbol="greet"))
    await until(lambda: received(scripted.folder / "helper.log", "textDocument/didOpen"))

    fifo.write_text("")

    assert await asked == "a method"


async def test_an_empty_answer_right_after_the_start_is_no_answer(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    answers = [{"result": None}, {"result": []}, {"result": location(main, 0, 5)}]
    await scripted.enable("one", BOTH, {DEFINITION: answers}, "--publish", "never")

    found = await tools.text("definition", file=str(main), line=3, symbol="greet")

    assert "1:6: from greeter import Greeter" in found


async def test_a_server_that_ends_is_named_without_a_long_wait(
    serving: Neovim, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    # Neovim reports the end in a long message, which would wait for a key.
    await serving.lua("vim.notify = function() end")
    await scripted.enable("one", BOTH, {DEFINITION: ["die"]})

    error = await tools.error("definition", file=str(main), line=3, symbol="greet")

    assert error == "one: it has ended"


async def test_a_cancelled_call_is_cancelled_at_the_server(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    log = await scripted.enable("one", BOTH, {DEFINITION: ["hold"]})
    arguments = {"file": str(main), "line": 3, "symbol": "greet"}
    call = await tools.client.begin("definition", **arguments)
    await until(lambda: received(log, DEFINITION), "the server is asked")

    await tools.client.send("notifications/cancelled", {"requestId": call})

    await until(lambda: received(log, "$/cancelRequest"), "the server is told")
    (request,) = [one for one in frame_log.read(log) if one.get("method") == DEFINITION]
    assert received(log, "$/cancelRequest") == [{"id": request["id"]}]


async def test_work_in_progress_is_mentioned(
    serving: Neovim, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    await scripted.enable("one", BOTH, {DEFINITION: result(location(main, 0, 5))})
    arguments = {"file": str(main), "line": 3, "symbol": "greet"}
    assert "in progress" not in await tools.text("definition", **arguments)
    await serving.lua(
        "vim.lsp.get_clients({ name = 'one' })[1]:notify('test/begin', { title = 'Indexing' })"
    )
    pending = "return next(vim.lsp.get_clients({ name = 'one' })[1].progress.pending) ~= nil"
    await until(lambda: serving.lua(pending), "the server works")

    found = await tools.text("definition", **arguments)

    assert found.startswith("1 place in 1 file (there may be more: one: Indexing is in progress)")
