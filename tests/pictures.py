"""Create the pictures of doc/ with a real editor in a terminal, the real CLI, and a scripted model.

`make pictures` runs it; the CLI has to be where the tests expect it. The colour scheme comes with
Neovim 0.12 and with Vim 9.2.
"""

import asyncio
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.claude_cli import cli_path, environment, settle_in
from support.fake_api import FakeApi, Request, Turn, text, thinking, tool_use
from support.moving_picture import Frame, moving_svg
from support.neovim import ROOT, nvim_binary
from support.picture import page, svg
from support.terminal import Terminal
from support.vim import runtime, vim_binary

PICTURES = ROOT / "doc" / "pictures"
FILM, CHAT = (100, 28), (110, 34)
"""The columns and rows of the pictures."""
SETTINGS = """
set runtimepath^={root} termguicolors noswapfile shortmess+=I noshowcmd noruler
set laststatus=3 showtabline=0 fillchars=eob:\\ ,diff:\u2571
set statusline=\\ %{{fnamemodify(getcwd(),':t')}}
colorscheme catppuccin
let g:claude_ide = {{ 'python': '{python}', 'cmd': '{cli}', 'terminal': {{ 'size': 0.47 }},
  \\ 'chat': {{ 'mode': 'default', 'size': 0.56 }} }}
"""
VIM_SETTINGS = """
set nocompatible runtimepath^={root} termguicolors noswapfile shortmess+=I noshowcmd noruler hidden
set laststatus=2 showtabline=0 fillchars=eob:\\ ,diff:\u2571 statusline=\\ %f belloff=all viminfo=
set ttimeout ttimeoutlen=50 background=dark t_ut=
filetype plugin indent on
syntax on
colorscheme catppuccin
let g:claude_ide = {{ 'python': '{python}', 'cmd': '{cli}', 'terminal': {{ 'size': 0.45 }},
  \\ 'diff': {{ 'layout': 'horizontal' }} }}
"""
CALM = {
    "spinnerTipsEnabled": False,
    "prefersReducedMotion": True,
    "showTurnDuration": False,
    "spinnerVerbs": {"mode": "replace", "verbs": ["Working"]},
}
"""Settings of the CLI, so that no picture depends on chance."""

OLD = """-- Add up the basket.
function M.total(items)
  local total = 0
  for _, item in ipairs(items) do
    total = item.price * item.count
  end
  return total
end
"""
NEW = """-- Add up the basket, less a discount.
function M.total(items, percent)
  percent = percent or 0
  assert(percent >= 0 and percent <= 100)
  local total = 0
  for _, item in ipairs(items) do
    total = total + item.price * item.count
  end
  return total * (1 - percent / 100)
end
"""
BASKET = f"""-- The basket of a small shop.
local M = {{}}

---@class Item
---@field name string
---@field price number
---@field count integer

{OLD}
-- A line for each item.
function M.receipt(items)
  local lines = {{}}
  for _, item in ipairs(items) do
    table.insert(lines, item.name)
  end
  return table.concat(lines, '\\n')
end

return M
"""
ANALYSIS = """Two things are wrong in `total`:

1. **Only the last item counts**: each one overwrites the sum.
2. There is no discount yet.

```lua
for _, item in ipairs(items) do
  total = total + item.price * item.count
end
```
"""
QUESTION = {
    "question": "How should a bad discount be handled?",
    "header": "Discount",
    "multiSelect": False,
    "options": [
        {"label": "Raise an error", "description": "callers notice their mistake"},
        {"label": "Clamp it", "description": "to between 0 and 100"},
    ],
}


@dataclass
class Model(FakeApi):
    """A model that answers only while `answers` is set, so that a pause can be pictured."""

    answers: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, writer: asyncio.StreamWriter, request: Request, answer: bytes) -> None:
        if request.body.get("tools"):
            await self.answers.wait()
        await super().send(writer, request, answer)


@dataclass(frozen=True)
class Actor:
    """An editor, and its settings."""

    program: str
    settings: str


async def main() -> None:
    """Create all pictures."""
    if not cli_path().exists():
        sys.exit(f"there is no Claude CLI at {cli_path()}")
    PICTURES.mkdir(exist_ok=True)
    neovim, vim = Actor(nvim_binary(), SETTINGS), Actor(vim_binary(), VIM_SETTINGS)
    for actor, scene, size in (
        (neovim, film, FILM),
        (neovim, conversation, CHAT),
        (neovim, afterwards, CHAT),
        (neovim, sessions, CHAT),
        (vim, review, CHAT),
    ):
        async with _on_stage(actor, *size) as (terminal, api, project):
            await scene(terminal, api, project)


async def film(terminal: Terminal, api: Model, project: Path) -> None:
    """Picture the first minute: select lines, ask Claude in its terminal, review the diff."""
    frames: list[Frame] = []

    async def take(seconds: float) -> None:
        await terminal.still()
        frames.append(Frame(page(terminal.screen), seconds))

    api.script(
        *_reading_and_editing(project, "The loop keeps only the last item. I'll add them up."),
        [text("Every item counts now, and there is a discount.")],
    )
    terminal.type("10G:Claude\r")
    await terminal.shows("In basket.lua")
    terminal.type("\x17h")
    await terminal.hides("-- TERMINAL --")
    await take(1)
    for keys, seconds in (("12GV", 0.3), ("j", 0.3), ("j", 0.3)):
        terminal.type(keys)
        await take(seconds)
    await terminal.shows("3 lines selected")
    await take(1.2)
    terminal.type("\x17l")
    await terminal.shows("-- TERMINAL --")
    await take(0.4)
    for word in ("Fix ", "this, ", "and ", "add ", "a ", "discount"):
        terminal.type(word)
        await terminal.shows(word.strip())
        await take(0.2)
    api.answers.clear()
    terminal.type("\r")
    await terminal.shows("Selected 3 lines")
    await terminal.shows("Working")
    await take(0.8)
    api.answers.set()
    await terminal.shows(":w yes")
    await take(3)
    (PICTURES / "diff.svg").write_text(svg(terminal.screen), encoding="utf-8")
    for keys, seconds in ((":", 0.3), ("w", 0.6)):
        terminal.type(keys)
        await take(seconds)
    terminal.type("\r")
    await terminal.shows("Every item")
    await take(4)
    film = moving_svg(frames, still=len(frames) - 1)
    (PICTURES / "demo.svg").write_text(film, encoding="utf-8")


async def conversation(terminal: Terminal, api: Model, project: Path) -> None:
    """Picture the chat, after an edit and with a form."""
    api.script(
        *_reading_and_editing(project, ANALYSIS),
        [text("Every item counts now, and there is a discount: look at basket.lua:11.")],
        [tool_use("AskUserQuestion", questions=[QUESTION])],
    )
    terminal.type(":ClaudeChat\r")
    await terminal.shows("<C-s> sends")
    await terminal.shows("manual")
    terminal.type("Why is the total wrong? Add a discount, too.\x13")
    await terminal.shows(":w accept")
    await terminal.still()
    terminal.type(":w\r")
    await terminal.shows("basket.lua:11")
    await _picture(terminal, "chat")
    terminal.type("And if the discount is 200 percent?\x13")
    await terminal.shows("? Discount")
    terminal.type("\x1b\r")
    await terminal.shows("something else")
    await _picture(terminal, "form")


async def afterwards(terminal: Terminal, api: Model, project: Path) -> None:
    """Picture the review after the write: in the file with a remark, and in the list."""
    rename = "sed -i 's/item.name/item.title/' basket.lua"
    api.script(
        *_reading_and_editing(project, "The loop keeps only the last item. I'll add them up."),
        [tool_use("Bash", command=rename, description="Name titles")],
        [text("Every item counts now, and there is a discount.")],
    )
    terminal.type(":Claude --permission-mode acceptEdits\r")
    await terminal.shows("In basket.lua")
    terminal.type("Fix the total, and name titles")
    await terminal.shows("titles")
    terminal.type("\r")
    await terminal.shows("Every item")
    terminal.type("\x17h")
    await terminal.hides("-- TERMINAL --")
    terminal.type(":13ClaudeComment raise an error instead\r")
    await terminal.shows("an error instead")
    terminal.type(":ClaudeReview\r")
    await terminal.shows("g? keys")
    terminal.type("\x17k")
    await _picture(terminal, "review")


async def sessions(terminal: Terminal, api: Model, project: Path) -> None:
    """Picture the list with two sessions in worktrees, one of which asks."""
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "you"),
        ("config", "user.email", "you@localhost"),
        ("add", "."),
        ("commit", "-qm", "Open a shop"),
    ):
        _run(project, None, "git", *words)
    rename = "sed -i 's/item.name/item.title/' basket.lua"
    allowed = "--allowedTools=Bash(sed *)"
    api.script(
        [tool_use("Bash", command=rename, description="Name titles")],
        [text("The receipt has titles.")],
        [tool_use("Bash", command="lua test.lua", description="Run the tests")],
    )
    cli = shlex.quote(str(cli_path()))
    terminal.type(f":let g:claude_ide.cmd = ['{cli}', '{allowed}']\r")
    terminal.type(":ClaudeBackground! --name=titles Name titles in the receipt\r")
    await terminal.shows("backgrounded")
    terminal.type(":ClaudeSessions\r")
    await terminal.shows("idle ")
    terminal.type("q")
    await terminal.hides("idle ")
    terminal.type(":ClaudeBackground! --name=discount Add a discount, and test it\r")
    await terminal.shows("Claude (discount) asks")
    terminal.type(":ClaudeSessions\r")
    await terminal.shows("waits ")
    # The float is in the corner of the user's window, and would cover the list.
    terminal.type("\x17k")
    await terminal.shows("approve Bash: lua test.lua")
    await _picture(terminal, "sessions")


async def review(terminal: Terminal, api: Model, project: Path) -> None:
    """Picture an edit in Vim, beside the CLI in its terminal."""
    api.script(
        *_reading_and_editing(project, "The loop keeps only the last item. I'll add them up.")
    )
    terminal.type(":Claude\r")
    await terminal.shows("In basket.lua")
    terminal.type("Fix the total")
    await terminal.shows("Fix the total")
    terminal.type("\r")
    await terminal.shows(":w accept")
    await _picture(terminal, "vim")


def _reading_and_editing(project: Path, words: str) -> tuple[Turn, Turn]:
    path = str(project / "basket.lua")
    return (
        [thinking("A basket that forgets items."), tool_use("Read", file_path=path)],
        [text(words), tool_use("Edit", file_path=path, old_string=OLD, new_string=NEW)],
    )


@asynccontextmanager
async def _on_stage(
    actor: Actor, columns: int, rows: int
) -> AsyncIterator[tuple[Terminal, Model, Path]]:
    """Start an editor with a file of a fresh project, as a user who has used the CLI before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name) / "home"
        project = home / "shop"
        settle_in(home, home / "claude", project)
        (home / "claude" / "settings.json").write_text(json.dumps(CALM))
        project.mkdir()
        (project / "basket.lua").write_text(BASKET)
        settings = home / "init.vim"
        settings.write_text(actor.settings.format(root=ROOT, python=sys.executable, cli=cli_path()))
        async with Model.serve() as api:
            api.answers.set()
            given = environment(api, home, home / "claude") | {"COLORTERM": "truecolor"}
            given |= runtime(actor.program)
            command = (actor.program, "-u", settings, "basket.lua")
            terminal = await Terminal.start(
                *command, cwd=project, env=given, columns=columns, rows=rows
            )
            try:
                await terminal.until(lambda: re.search("The basket|E185", terminal.text()))
                if "E185" in terminal.text():
                    sys.exit(
                        f"{actor.program} has no catppuccin; choose another by NVIM=… and VIM=…"
                    )
                yield terminal, api, project
            finally:
                await terminal.stop()
                # Sessions in the background go on without an editor.
                _run(project, given, str(cli_path()), "daemon", "stop", "--any")


def _run(folder: Path, environment: dict[str, str] | None, *command: str) -> None:
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)


async def _picture(terminal: Terminal, name: str) -> None:
    await terminal.still()
    (PICTURES / f"{name}.svg").write_text(svg(terminal.screen), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
