"""How many messages `:ClaudeEdit` exchanges with the host after the CLI has answered."""

import re
from pathlib import Path

from support.chunks import chunk
from support.either_editor import BOTH, Editor, hidden
from support.fake_headless import FakeHeadless
from support.headless import accept, diff, holds
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH

COUNT = chunk("edit_crossings/record")

MESSAGES = ["headless.rewrite.look", "headless.rewrite.show", "diff_decided"]
OTHERS = (
    "editors_changed",
    "selection_changed",
    "diff_shown",
    "looked",
    "status_reported",
    "claude_ide#status#Set",
)

LOGGED = re.compile(
    r"""(?:SEND|RECV)\ on\ \d+\(\w+\):\ '
    (?:\[0,"event","(?P<event>.*) | \[\d+,\ ?"(?P<call>(?!question\.update)[a-z].*))""",
    re.VERBOSE,
)
"""A message in the log of Vim's channels, except for answers and the text that streams."""


async def record(nvim: Editor) -> None:
    """Record messages from now on, for `crossings`."""
    if isinstance(nvim, Vim):
        await nvim.command("let g:crossings = tempname() | call ch_logfile(g:crossings, 'w')")
    else:
        await nvim.lua(COUNT)


async def all_crossings(nvim: Editor) -> list[str]:
    """The messages in both directions, each with its name first, then a blank or a quote."""
    if isinstance(nvim, Vim):
        log = Path(await nvim.eval("g:crossings")).read_text(errors="replace")
        return [found["event"] or found["call"] for found in LOGGED.finditer(log)]
    return list(await nvim.lua("return _G.crossings"))


async def crossings(nvim: Editor) -> list[str]:
    """The messages in both directions, except for those that every new window causes."""
    return [one for one in await all_crossings(nvim) if not one.startswith(OTHERS)]


def name(crossing: str) -> str:
    return re.split(r'[" ]', crossing)[0]


async def test_an_accepted_rewrite_takes_three_messages_and_sends_its_text_once(
    nvim: Editor, claude: FakeHeadless, file: Path
) -> None:
    await nvim.command("2ClaudeEdit shout")
    asked = await claude.asked()
    await record(nvim)

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
    assert [name(one) for one in before] == MESSAGES
    assert len([one for one in before if "LOUD" in one]) == 1


async def test_a_rejected_rewrite_sends_no_further_messages(
    nvim: Editor, claude: FakeHeadless, file: Path
) -> None:
    await nvim.command("2ClaudeEdit shout")
    asked = await claude.asked()
    await record(nvim)

    asked.fit({"replacement": "LOUD"})
    await diff(nvim)
    await nvim.keys(":q<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    await until(lambda: crossings(nvim), "it was decided")
    await nvim.keys(":ClaudeEdit!<CR>")

    await until(lambda: "nothing to stop" in nvim.screen.text())
    sent = await crossings(nvim)
    assert [name(one) for one in sent] == MESSAGES
