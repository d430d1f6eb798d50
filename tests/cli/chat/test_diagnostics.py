"""The chat panel with the real CLI: the diagnostics that the model receives."""

from pathlib import Path

from support.chunks import chunk
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim
from support.panel import Panel


async def test_the_first_request_to_the_model_offers_the_diagnostics_tool(
    panel: Panel, api: FakeApi
) -> None:
    api.script([text("Hello.")])

    await panel.send("Hello")

    await panel.shows("Hello.")
    tools = [tool["name"] for tool in api.requests[0].body["tools"]]
    assert "mcp__neovim__diagnostics" in tools


async def test_the_diagnostics_tool_needs_no_permission(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    await nvim.lua(chunk("chat_diagnostics/publish"), str(path))
    api.script([tool_use("mcp__neovim__diagnostics", file=str(path))], [text("One error.")])

    await panel.send("What is wrong?")

    await panel.shows("One error.")
    assert "two is too many" in api.requests[1].new_text


async def test_the_model_receives_only_the_diagnostics_that_its_edit_has_caused(
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

    api.script([text("Fourth.")])

    for answer in ("First.", "Second.", "Third.", "Fourth."):
        await panel.send("Go on")
        await panel.shows(answer)

    # If the server is slow, they arrive with the next prompt.
    received = [request.new_text for request in api.requests]
    first, second, third = received[2:4], received[5:7], received[8:]
    odd = f"{words}:\n  ⚠ [Line 2:4] odd word [report-odd] (words)"
    assert [odd in each for each in first].count(True) == 1
    assert "wrong word" not in "".join(received[:8])
    assert "New diagnostics" not in "".join(second)
    assert f"{link}:\n  ✘ [Line 1:3] wrong word" in "".join(third)
    assert "".join(third).count("wrong word") == 1
    assert await nvim.eval("bufname('words.txt') == '' || !buflisted('words.txt')")


async def test_the_model_receives_the_errors_in_a_file_that_it_has_created(
    panel: Panel, api: FakeApi, words: Path
) -> None:
    new = words.with_name("new.txt")
    write = tool_use("Write", file_path=str(new), content="a wrong one\n")
    api.script([write], [text("Made.")], [text("Done.")])

    for answer in ("Made.", "Done."):
        await panel.send("Make it")
        await panel.shows(answer)

    # If the server is slow, they arrive with the next prompt.
    error = f"{new}:\n  ✘ [Line 1:3] wrong word [report-wrong] (words)"
    assert [error in request.new_text for request in api.requests].count(True) == 1


async def test_late_diagnostics_reach_the_model_with_the_next_prompt(
    nvim: Neovim, panel: Panel, api: FakeApi, words: Path
) -> None:
    api.script(*edit(words, "one", "zero", then="First."), [text("Second.")], [text("Third.")])
    await panel.send("Go on")
    await panel.shows("First.")
    await nvim.lua(
        """vim.diagnostic.set(vim.api.nvim_create_namespace('slow'), vim.fn.bufnr(...), {
          { lnum = 0, col = 0, message = 'a late finding', severity = 2 },
        })""",
        str(words),
    )

    for answer in ("Second.", "Third."):
        await panel.send("Go on")
        await panel.shows(answer)

    second, third = (request.new_text for request in api.requests[-2:])
    assert f"{words}:\n  ⚠ [Line 1:1] a late finding" in second
    assert "a late finding" not in third
