"""`headless/init.lua`: questions to the host, whose answers reach the caller once."""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

BEGIN = chunk("headless/begin")


@pytest.fixture
async def question(nvim: Neovim) -> int:
    """A question that this test, acting as the host, has received."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    id_: int = await nvim.lua(BEGIN)
    return id_


async def call(nvim: Neovim, function: str, *arguments: Any) -> None:
    await nvim.lua(f"require('claude_ide.headless').{function}(...)", *arguments)


async def seen(nvim: Neovim) -> list[list[Any]]:
    got: list[list[Any]] = await nvim.lua("return _G.seen")
    return got


async def test_a_question_is_sent_with_neovims_working_folder(nvim: Neovim, question: int) -> None:
    [asked] = await until(lambda: nvim.events("question_asked"))

    cwd = await nvim.eval("getcwd()")
    assert asked == {"id": question, "kind": "ask", "prompt": "x", "cwd": cwd}


async def test_the_text_of_an_answer_can_grow_and_shrink(nvim: Neovim, question: int) -> None:
    await call(nvim, "update", question, {"keep": 0, "text": "aä", "progress": ""})
    await call(nvim, "update", question, {"keep": 3, "text": "b"})
    await call(nvim, "update", question, {"keep": 0, "text": ""})

    assert await seen(nvim) == [
        ["progress", ""],
        ["text", "aä", 0],
        ["text", "aäb", 3],
        ["text", "", 0],
    ]


async def test_the_end_is_reported_once_and_nothing_is_reported_after_it(
    nvim: Neovim, question: int
) -> None:
    await call(nvim, "update", question, {"events": [{"n": 1}, {"n": 2}]})
    await call(nvim, "finish", question, {"result": None})
    await call(nvim, "finish", question, {"error": "late"})
    await call(nvim, "update", question, {"keep": 0, "text": "late"})
    await call(nvim, "host_ended")

    assert await seen(nvim) == [["event", {"n": 1}], ["event", {"n": 2}], ["end"]]


async def test_a_cancelled_question_is_reported_to_the_host_once(
    nvim: Neovim, question: int
) -> None:
    await call(nvim, "cancel", question)
    await call(nvim, "cancel", question)
    await call(nvim, "finish", question, {"result": 1})

    assert await until(lambda: nvim.events("question_cancelled")) == [{"id": question}]
    assert await seen(nvim) == [["end", "cancelled"]]


async def test_a_question_ends_with_an_error_when_the_host_ends(
    nvim: Neovim, question: int
) -> None:
    await call(nvim, "host_ended")

    assert await seen(nvim) == [["end", "the Python host has ended"]]


async def test_an_error_in_a_callback_is_shown_in_one_line(nvim: Neovim, question: int) -> None:
    await nvim.lua("_G.seen = nil")

    await call(nvim, "finish", question, {"error": "x"})

    await until(lambda: "claude-ide: " in nvim.screen.text())
    assert (await nvim.mode())["blocking"] is False
