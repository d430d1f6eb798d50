"""Prompts that a CLI in a terminal does not take at once: it swallows a text, or ignores Enter."""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.claude_cli import CARET
from support.either_editor import BOTH, Editor, configure, host_pid, type_prompt
from support.neovim import until

pytestmark = BOTH

MANY = 20
"""More pastes or presses of Enter than there are."""

CLI = f"""#!{sys.executable}
import os, re, sys, time, tty

texts, presses, log, busy_seconds = *map(int, sys.argv[1:3]), sys.argv[3], int(sys.argv[4])
rule = "─" * 20

def draw(words):
    print("\\x1b[2J\\x1b[H" + "\\r\\n".join((rule, "{CARET} " + words, rule)), end="", flush=True)

tty.setraw(0)
draw("")
typed, box = b"", ""
while True:
    typed += os.read(0, 4096)
    time.sleep(busy_seconds)
    busy_seconds = 0
    if pasted := re.search(rb"\\x1b\\[200~(.*?)\\x1b\\[201~", typed, re.DOTALL):
        texts -= 1
        box = box if texts >= 0 else box + pasted[1].decode()
        typed = typed[pasted.end():]
        if texts >= 0:
            print("\\x1b[2J\\x1b[H" + "A dialog", end="", flush=True)
            time.sleep(0.5)
        draw(box)
    if typed == b"\\r":
        presses -= 1
        if presses < 0:
            with open(log, "a") as file:
                file.write(box + "\\n")
            box = ""
        draw(box)
        typed = b""
"""

Begin = Callable[..., Awaitable[Path]]


@pytest.fixture
def begin(nvim: Editor, tmp_path: Path) -> Begin:
    """Start a CLI whose dialogs swallow so many texts; return its log of prompts.

    It ignores so many presses of Enter, and is busy before it handles what is typed first.
    """

    async def begin(texts: int, presses: int, busy_seconds: int = 0) -> Path:
        script, log = tmp_path / "claude-that-ignores", tmp_path / "prompts.log"
        script.write_text(CLI)
        script.chmod(0o755)
        log.touch()
        command = [str(script), str(texts), str(presses), str(log), str(busy_seconds)]
        await configure(nvim, cmd=command)
        await nvim.keys(":Claude<CR>")
        await until(lambda: CARET in nvim.screen.text(), "the prompt box")
        return log

    return begin


@pytest.mark.parametrize(("texts", "presses"), [(0, 0), (1, 0), (0, 1), (1, 1)])
async def test_what_the_cli_has_ignored_is_typed_again(
    nvim: Editor, begin: Begin, texts: int, presses: int
) -> None:
    log = await begin(texts, presses)

    await type_prompt(nvim, "The first")
    await type_prompt(nvim, "The second")

    await until(lambda: log.read_text() == "The first\nThe second\n", "both prompts")


async def test_a_cli_that_is_busy_gets_a_text_once(nvim: Editor, begin: Begin) -> None:
    log = await begin(0, 0, busy_seconds=4)

    await type_prompt(nvim, "The first")
    await type_prompt(nvim, "The second")

    await until(lambda: log.read_text() == "The first\nThe second\n", "both prompts")


async def test_words_that_the_cli_never_shows_are_yanked(nvim: Editor, begin: Begin) -> None:
    log = await begin(0, 0, busy_seconds=60)

    await type_prompt(nvim, "My words")

    await until(lambda: nvim.eval("getreg() == 'My words'"), "the words are yanked", 30)

    async def told() -> bool:
        shown = nvim.screen.text() + str(await nvim.eval("execute('messages')"))
        return "Claude does not show your words" in shown

    await until(told, "why")
    assert log.read_text() == ""


async def test_words_that_the_cli_never_takes_are_yanked(nvim: Editor, begin: Begin) -> None:
    log = await begin(MANY, 0)

    await type_prompt(nvim, "My words")

    await until(lambda: nvim.eval("getreg() == 'My words'"), "the words are yanked")
    await until(lambda: "Claude takes no text now" in nvim.screen.text())
    assert log.read_text() == ""


async def test_words_that_the_cli_never_sends_stay_in_its_box(nvim: Editor, begin: Begin) -> None:
    log = await begin(0, MANY)

    await type_prompt(nvim, "My words")

    message = "press Enter there to send them"
    await until(lambda: message in nvim.screen.text(), message)
    assert f"{CARET} My words" in nvim.screen.text()
    assert log.read_text() == ""


async def test_words_on_their_way_are_yanked_when_the_host_ends(nvim: Editor, begin: Begin) -> None:
    await begin(0, MANY)
    await type_prompt(nvim, "My words")
    await until(lambda: "My words" in nvim.screen.text(), "they are in the box")

    os.kill(await host_pid(nvim), signal.SIGKILL)

    await until(lambda: nvim.eval("getreg() == 'My words'"), "the words are yanked")
