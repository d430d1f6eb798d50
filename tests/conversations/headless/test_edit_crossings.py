"""How often `:ClaudeEdit` crosses the channel between Neovim and the host once it is answered."""

from pathlib import Path

from support.chunks import chunk
from support.fake_headless import FakeHeadless
from support.headless import accept, diff, hidden, holds
from support.neovim import Neovim, until

COUNT = chunk("edit_crossings/record")

OTHERS = ("editors_changed", "selection_changed", "some_editors_changed", "diff_shown")


async def crossings(nvim: Neovim) -> list[str]:
    """What was sent in either direction, without what every window that opens causes."""
    sent: list[str] = await nvim.lua("return _G.crossings")
    return [one for one in sent if not one.startswith(OTHERS)]


async def test_an_accepted_rewrite_crosses_twice_and_its_text_once(
    nvim: Neovim, claude: FakeHeadless, file: Path
) -> None:
    await nvim.command("2ClaudeEdit shout")
    asked = await claude.asked()
    await nvim.lua(COUNT)

    asked.fit({"replacement": "LOUD"})
    await accept(nvim)
    await until(lambda: holds(nvim, ["one", "LOUD", "three", "four"]))
    await hidden(nvim, "rewriting")
    # A later request has been answered: all that was sent before has arrived.
    await nvim.command("2ClaudeEdit again")
    await claude.asked()

    sent = await crossings(nvim)
    before = [one for one in sent if not one.startswith("question_asked")]
    assert [one.split()[0] for one in before] == ["question.rewrite.show", "diff_decided"]
    assert len([one for one in before if "LOUD" in one]) == 1


async def test_a_rejected_rewrite_ends_without_another_word(
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
