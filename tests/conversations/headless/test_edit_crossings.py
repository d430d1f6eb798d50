"""How many messages `:ClaudeEdit` exchanges with the host after the CLI has answered."""

from pathlib import Path

from support.chunks import chunk
from support.fake_headless import FakeHeadless
from support.headless import accept, diff, hidden, holds
from support.neovim import Neovim, until

COUNT = chunk("edit_crossings/record")

OTHERS = ("editors_changed", "selection_changed", "some_editors_changed", "diff_shown")


async def crossings(nvim: Neovim) -> list[str]:
    """The messages in both directions, except for those that every new window causes."""
    sent: list[str] = await nvim.lua("return _G.crossings")
    return [one for one in sent if not one.startswith(OTHERS)]


async def test_an_accepted_rewrite_takes_two_messages_and_sends_its_text_once(
    nvim: Neovim, claude: FakeHeadless, file: Path
) -> None:
    await nvim.command("2ClaudeEdit shout")
    asked = await claude.asked()
    await nvim.lua(COUNT)

    asked.fit({"replacement": "LOUD"})
    await accept(nvim)
    await until(lambda: holds(nvim, ["one", "LOUD", "three", "four"]))
    await hidden(nvim, "rewriting")
    # Requests are processed in order: a later one is answered after all earlier messages.
    await nvim.command("2ClaudeEdit again")
    await claude.asked()

    sent = await crossings(nvim)
    before = sent[
        : next(index for index, one in enumerate(sent) if one.startswith("question_asked"))
    ]
    assert [one.split()[0] for one in before] == ["question.rewrite.show", "diff_decided"]
    assert len([one for one in before if "LOUD" in one]) == 1


async def test_a_rejected_rewrite_sends_no_further_messages(
    nvim: Neovim, claude: FakeHeadless, file: Path
) -> None:
    await nvim.command("2ClaudeEdit shout")
    asked = await claude.asked()
    await nvim.lua(COUNT)

    asked.fit({"replacement": "LOUD"})
    await diff(nvim)
    await nvim.keys(":q<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    await until(lambda: crossings(nvim), "it was decided")
    await nvim.keys(":ClaudeEdit!<CR>")

    await until(lambda: "nothing to stop" in nvim.screen.text())
    sent = await crossings(nvim)
    assert [one.split()[0] for one in sent] == ["question.rewrite.show", "diff_decided"]
