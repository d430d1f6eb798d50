"""What an agent expects the user to send next, in the prompt of its chat."""

import pytest

from claude_ide.agents.events import Cleared, PromptSuggested, TurnEnded, TurnEndReason, Waiting
from support.neovim import until
from support.river import Begin, River


async def on_screen(river: River, words: str, *, gone: bool = False) -> None:
    screen = river.nvim.screen
    await until(lambda: (words in screen.text()) != gone, f"{words!r}, {gone=}")


async def test_a_suggestion_is_one_line_and_stays_until_the_conversation_goes_on(
    begin: Begin,
) -> None:
    river = await begin()

    river.agent.emit(PromptSuggested("run\nthe\x1b[0m tests"))
    await on_screen(river, "run the")
    await on_screen(river, "tests  <Tab>")
    river.agent.emit(Cleared())

    await on_screen(river, "run the", gone=True)


async def test_a_suggestion_that_comes_while_the_agent_works_is_not_shown(begin: Begin) -> None:
    river = await begin()

    river.agent.emit(Waiting(), PromptSuggested("too late"))
    river.agent.emit(TurnEnded(TurnEndReason.COMPLETED), PromptSuggested("in time"))

    await on_screen(river, "in time")
    assert "too late" not in river.nvim.screen.text()


@pytest.mark.parametrize(
    ("map_", "text"),
    [
        ("", "a\tb"),
        ("inoremap <expr> <Tab> 'own' .. 1", "aown1b"),
        ("imap <expr> <Tab> '<Tab>'", "a\tb"),
    ],
)
async def test_the_key_is_the_users_where_nothing_is_suggested(
    begin: Begin, map_: str, text: str
) -> None:
    river = await begin()
    await river.nvim.command(map_)
    await river.panel.write()

    await river.nvim.keys("a<Tab>b")

    async def has_text() -> bool:
        return bool((await river.panel.look())["prompt"] == [text])

    await until(has_text, "the text in the prompt")
