"""Going back to an earlier prompt, with an agent that a test controls."""

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.agent import NewSession, ResumeSession
from support.another_agent import ALL, SUMMARY
from support.neovim import until
from support.river import Begin, River

DONE = events.TurnEnded(events.TurnEndReason.COMPLETED, milliseconds=1500)
BRANCH = ResumeSession(SUMMARY.id, fork=True, until="m1")
CHOOSE = "vim.ui.select = function(items, _, done) done(items[{0}], {0}) end"


async def test_the_agent_continues_with_its_mode_in_the_other_session(begin: Begin) -> None:
    river = await _after_a_turn(begin, "where is the fish?")
    await river.command("mode m://free")
    await river.panel.bar_shows("Swim freely")

    await _edit(river, "» where is the fish?")
    await river.nvim.keys("<C-s>")

    await until(lambda: river.agent.calls[-1][0] == "prompt", "the prompt")
    calls = river.agent.calls
    assert ("start", BRANCH) in calls
    assert calls[-1] == ("prompt", "text of p2")
    assert calls[calls.index(("start", BRANCH)) :].count(("mode", "m://free")) >= 1
    await river.panel.shows("» text of p2")
    await river.panel.shows_no_more("where is the fish?")


async def test_a_second_prompt_follows_the_edited_one(begin: Begin) -> None:
    river = await _after_a_turn(begin, "where is the fish?")
    await _edit(river, "» where is the fish?")

    await river.nvim.keys("<C-s>and the otter?<C-s>")

    prompts = ["text of p2", "and the otter?"]
    await until(lambda: _sent(river)[-2:] == prompts, "both prompts")
    assert [call for call in river.agent.calls if call[0] == "start"] == [
        ("start", NewSession()),
        ("start", BRANCH),
    ]


async def test_a_session_that_cannot_continue_there_is_resumed_as_it_was(begin: Begin) -> None:
    river = await _after_a_turn(begin, "where is the fish?")
    river.agent.refuses = BRANCH

    await _edit(river, "» where is the fish?")
    await river.nvim.keys(" now<C-s>")

    await river.reports("the conversation cannot continue from there, and is unchanged")
    starts = [call[1] for call in river.agent.calls if call[0] == "start"]
    assert starts == [NewSession(), BRANCH, ResumeSession("s-1")]
    await until(lambda: _prompt(river, ["text of p2 now"]), "the text is kept")
    assert "» where is the fish?" in await river.panel.text()
    assert not [call for call in river.agent.calls if call == ("prompt", "text of p2 now")]


async def test_a_prompt_without_a_way_back_is_refused_at_once(begin: Begin) -> None:
    river = await _after_a_turn(begin, "where is the fish?")
    river.agent.lost = True

    assert await river.panel.go_to("» where is the fish?")
    await river.nvim.keys("e")

    await river.reports("the river has moved on")
    assert await _prompt(river, [""])


async def test_an_agent_that_cannot_branch_can_still_restore_files(begin: Begin) -> None:
    river = await _after_a_turn(begin, "go", replace(ALL, branch=False))
    await river.nvim.lua(CHOOSE.format(1))

    await river.command("rewind")

    await river.reports("the river has moved on")
    assert ("rewind", "p2", True) in river.agent.calls


async def _after_a_turn(begin: Begin, words: str, *capabilities: object) -> River:
    river = await begin(*capabilities)
    await river.panel.send(words)
    await river.wait_for_call("prompt")
    river.agent.emit(events.PromptChanged("p2", events.PromptStage.STARTED), DONE)
    await river.panel.shows("── 1.5 s")
    return river


def _sent(river: River) -> list[str]:
    return [call[1] for call in river.agent.calls if call[0] == "prompt"]


async def test_an_earlier_prompt_that_begins_with_a_sign_is_no_command(begin: Begin) -> None:
    river = await _after_a_turn(begin, "where is the fish?")
    river.agent.earlier_text = "!touch made"

    assert await river.panel.go_to("» where is the fish?")
    await river.nvim.keys("e")

    await until(lambda: _prompt(river, [r"\!touch made"]), "the text")


async def _edit(river: River, words: str) -> None:
    assert await river.panel.go_to(words)
    await river.nvim.keys("e")
    await until(lambda: _prompt(river, ["text of p2"]), "the text")
    await until(lambda: _inserts(river), "the prompt accepts text")


async def _prompt(river: River, lines: list[str]) -> bool:
    held: list[str] = (await river.panel.look())["prompt"]
    return held == lines


async def _inserts(river: River) -> bool:
    mode: str = (await river.nvim.mode())["mode"]
    return mode == "i"
