"""`question/init.lua`: what is asked of the host, and told once to who has asked."""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

BEGIN = chunk("question/begin")


@pytest.fixture
async def question(nvim: Neovim) -> int:
    """A question that has been asked of this test, which plays the host."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    id_: int = await nvim.lua(BEGIN)
    return id_


async def call(nvim: Neovim, function: str, *arguments: Any) -> None:
    await nvim.lua(f"require('claude_ide.question').{function}(...)", *arguments)


async def seen(nvim: Neovim) -> list[list[Any]]:
    got: list[list[Any]] = await nvim.lua("return _G.seen")
    return got


async def test_it_is_asked_in_neovims_folder(nvim: Neovim, question: int) -> None:
    [asked] = await until(lambda: nvim.events("question_asked"))

    cwd = await nvim.eval("getcwd()")
    assert asked == {"id": question, "kind": "ask", "prompt": "x", "cwd": cwd}


async def test_the_text_grows_and_may_shrink(nvim: Neovim, question: int) -> None:
    await call(nvim, "update", question, {"keep": 0, "text": "aä", "progress": ""})
    await call(nvim, "update", question, {"keep": 3, "text": "b"})
    await call(nvim, "update", question, {"keep": 0, "text": ""})

    assert await seen(nvim) == [
        ["progress", ""],
        ["text", "aä", 0],
        ["text", "aäb", 3],
        ["text", "", 0],
    ]


async def test_the_end_is_told_once_and_nothing_after_it(nvim: Neovim, question: int) -> None:
    await call(nvim, "update", question, {"events": [{"n": 1}, {"n": 2}]})
    await call(nvim, "finish", question, {"result": None})
    await call(nvim, "finish", question, {"error": "late"})
    await call(nvim, "update", question, {"keep": 0, "text": "late"})
    await call(nvim, "host_ended")

    assert await seen(nvim) == [["event", {"n": 1}], ["event", {"n": 2}], ["end"]]


async def test_a_cancelled_one_is_told_to_the_host(nvim: Neovim, question: int) -> None:
    await call(nvim, "cancel", question)
    await call(nvim, "cancel", question)
    await call(nvim, "finish", question, {"result": 1})

    assert await until(lambda: nvim.events("question_cancelled")) == [{"id": question}]
    assert await seen(nvim) == [["end", "cancelled"]]


async def test_a_host_that_has_ended_answers_nothing_more(nvim: Neovim, question: int) -> None:
    await call(nvim, "host_ended")

    assert await seen(nvim) == [["end", "the Python host has ended"]]


async def test_a_handler_that_fails_is_one_line(nvim: Neovim, question: int) -> None:
    await nvim.lua("_G.seen = nil")

    await call(nvim, "finish", question, {"error": "x"})

    await until(lambda: "claude-ide: " in nvim.screen.text())
    assert (await nvim.mode())["blocking"] is False
