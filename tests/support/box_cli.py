"""A stand-in for the CLI with a prompt box: it shows what is pasted, and records what is sent."""

import sys
from pathlib import Path

from support.claude_cli import CARET
from support.either_editor import Editor, configure
from support.neovim import until

CLI = f"""#!{sys.executable}
import os, re, sys, tty

pasted, sent = sys.argv[1:3]
rule = "─" * 20

def draw(words):
    lines = words.replace("\\n", "\\r\\n  ")
    print("\\x1b[2J\\x1b[H" + "\\r\\n".join((rule, "{CARET} " + lines, rule)), end="", flush=True)

def record(path, words):
    with open(path, "a") as file:
        file.write(words + "\\n--\\n")

tty.setraw(0)
draw("")
begin = b"\\x1b[200~"
typed, box = b"", ""
while True:
    typed += os.read(0, 65536)
    while found := re.search(rb"\\x1b\\[200~(.*?)\\x1b\\[201~", typed, re.DOTALL):
        text = found[1].decode().replace("\\r", "\\n")
        box += text
        record(pasted, text)
        typed = typed[found.end():]
        draw(box)
    if typed == b"\\r":
        record(sent, box)
        box = ""
        draw(box)
    # An editor may send a sequence in parts.
    if begin not in typed and not begin.startswith(typed):
        typed = b""
"""


class BoxCli:
    """The CLI of an editor; the texts that were pasted into its box, and sent from there.

    They are without line ends at their ends.
    """

    def __init__(self, nvim: Editor, folder: Path) -> None:
        self._nvim = nvim
        self._pasted, self._sent = folder / "pasted.log", folder / "sent.log"
        self._script = folder / "claude-with-a-box"

    async def install(self) -> None:
        """Have the editor start it as its CLI."""
        self._script.write_text(CLI)
        self._script.chmod(0o755)
        for log in (self._pasted, self._sent):
            log.touch()
        command = [str(self._script), str(self._pasted), str(self._sent)]
        await configure(self._nvim, cmd=command)

    async def open(self) -> None:
        """Start it in a terminal, and return to the window before."""
        await self._nvim.keys(":Claude<CR>")
        await until(lambda: CARET in self._nvim.screen.text(), "the prompt box")
        await self._nvim.command("ClaudeFocus")
        await until(lambda: self._nvim.eval("&buftype !=# 'terminal' && mode() ==# 'n'"))

    async def pasted(self, count: int = 1) -> list[str]:
        """Wait until so many texts were pasted, and return them."""
        await until(lambda: len(_texts(self._pasted)) >= count, "a pasted text")
        return _texts(self._pasted)

    async def sent(self, count: int = 1) -> list[str]:
        """Wait until so many texts were sent, and return them."""
        await until(lambda: len(_texts(self._sent)) >= count, "a sent text")
        return _texts(self._sent)

    def all_pasted(self) -> list[str]:
        """Return the texts that were pasted so far."""
        return _texts(self._pasted)

    def all_sent(self) -> list[str]:
        """Return the texts that were sent so far."""
        return _texts(self._sent)


def _texts(log: Path) -> list[str]:
    return [text.rstrip("\n") for text in log.read_text().split("\n--\n")[:-1]]
