"""The review in an editor under test: what an agent writes there, the list, and remarks."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.claude_cli import CARET
from support.either_editor import Editor, configure
from support.happenings import HookedCli, recorder
from support.neovim import Neovim, until

SHOW = "return require('claude_ide.review.list').show('Claude', ..., 0)"


def hunk(path: Path, row: int, diff: Sequence[str] = ()) -> dict[str, Any]:
    """Return a line of the list for a hunk at a row, 0-based."""
    label = "+1 \N{MINUS SIGN}1  text"
    return {"path": str(path), "row": row, "label": label, "diff": [*diff], "group": ""}


async def show(nvim: Neovim, *hunks: dict[str, Any]) -> None:
    """Show a list in the quickfix window, and enter that."""
    await nvim.lua(SHOW, [*hunks])


async def send_remark(nvim: Editor, command: str) -> None:
    """Add a remark with a `:ClaudeComment`, and send it unchanged."""
    await nvim.command(command)
    await until(lambda: nvim.eval("claude_ide#review().remarks"), "the remark")
    await nvim.command("ClaudeReview send")
    await until(lambda: nvim.eval("&buftype == 'acwrite'"), "the prompt")
    await nvim.keys("<Esc>:w<CR>")


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def make_repository(folder: Path) -> None:
    """Make a repository whose first commit has all files."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")


async def start_cli(nvim: Editor, folder: Path, **options: Any) -> HookedCli:
    """Start a CLI in the terminal of `:Claude`, and return to the file; `folder` gets a program."""
    program, record = recorder(folder)
    await configure(nvim, cmd=str(program), **options)
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.command("stopinsert")
    await nvim.command("wincmd t | only | edit! | set nomore")
    return cli


class Agent:
    """The CLI in the terminal, whose hooks a test sends."""

    def __init__(self, cli: HookedCli, folder: Path) -> None:
        self.cli = cli
        self.folder = folder
        self.uses = 0

    async def tool(self, name: str, work: Any, **given: Any) -> None:
        """Use a tool that does some work."""
        self.uses += 1
        tool = {"tool_name": name, "tool_use_id": f"t{self.uses}", "tool_input": given}
        await self.cli.send("PreToolUse", **tool)
        work()
        await self.cli.send("PostToolUse", **tool)

    async def prompt(self) -> Any:
        """Send a prompt; return what the CLI is told."""
        return await self.cli.send("UserPromptSubmit", prompt="go", cwd=str(self.folder))

    async def write(self, files: Mapping[Path, str | None]) -> None:
        """Write files in a turn of its own, or delete them."""
        await self.prompt()
        for path, text in files.items():
            await self.tool("Edit", lambda p=path, t=text: put(p, t), file_path=str(path))
        await self.cli.send("Stop")

    async def run(self, command: str) -> None:
        """Run a command in a turn of its own."""
        await self.prompt()

        def work() -> None:
            subprocess.run(command, shell=True, cwd=self.folder, check=True)

        await self.tool("Bash", work, command=command)
        await self.cli.send("Stop")


def put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.write_text(text)


CLI = f"""#!{sys.executable}
import json, os, re, sys, tty

number = 1
while os.path.exists(f"{{__file__}}-{{number}}.json"):
    number += 1
record, log = (f"{{__file__}}-{{number}}.{{ending}}" for ending in ("json", "log"))
open(log, "w").close()
with open(record + ".new", "w") as file:
    json.dump(sys.argv[1:], file)
os.rename(record + ".new", record)
rule = "─" * 20

def draw(words):
    print("\\x1b[2J\\x1b[H" + "\\r\\n".join((rule, "{CARET} " + words, rule)), end="", flush=True)

tty.setraw(0)
draw("")
typed, box = b"", ""
while True:
    typed += os.read(0, 65536)
    if pasted := re.search(rb"\\x1b\\[200~(.*?)\\x1b\\[201~", typed, re.DOTALL):
        box += pasted[1].decode()
        typed = typed[pasted.end():]
        draw("[Pasted text #1]" if "\\n" in box else box)
    if typed == b"\\r":
        with open(log, "a") as file:
            file.write(box + "\\n--\\n")
        box, typed = "", b""
        draw("")
"""


def prompted_cli(folder: Path) -> Path:
    """Create a program with a prompt box; return its path.

    Each of its processes records its arguments beside it in `cli-1.json`, `cli-2.json` and so on,
    and the prompts that it gets in `cli-1.log` and so on.
    """
    script = folder / "cli"
    script.write_text(CLI)
    script.chmod(0o755)
    return script
