"""Create the pictures of doc/ with a real Neovim in a terminal, the real CLI, and a scripted model.

`make pictures` runs it; the CLI has to be where the tests expect it.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from claude_ide.demo import scratch
from support.claude_cli import cli_path, environment, settle_in
from support.fake_api import FakeApi, text, thinking, tool_use
from support.neovim import ROOT, nvim_binary
from support.picture import svg
from support.terminal import Terminal

PICTURES = ROOT / "doc" / "pictures"
COLUMNS, ROWS = 130, 36
SETTINGS = """
set runtimepath^={root} termguicolors noswapfile laststatus=3 noruler noshowmode shortmess+=I
let g:claude_ide = {{ 'python': '{python}', 'cmd': '{cli}',
  \\ 'chat': {{ 'mode': 'default', 'size': 0.5 }} }}
"""
SAID = """Two things are wrong in `total`:

1. **Only the last price counts**: `sum = price` overwrites.
2. `None` is compared with `==`.

```python
for price in prices:
    sum += price
```

I'll mend the first one now.
"""


async def main() -> None:
    """Create all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        project, home = folder / "shop", folder / "home"
        scratch.make(project)
        settle_in(home, home / "claude", folder)
        async with FakeApi.serve() as api:
            given = environment(api, home, home / "claude") | {"COLORTERM": "truecolor"}
            settings = folder / "init.vim"
            settings.write_text(SETTINGS.format(root=ROOT, python=sys.executable, cli=cli_path()))
            command = (nvim_binary(), "-u", settings, "shop.py")
            terminal = await Terminal.start(
                *command, cwd=project, env=given, columns=COLUMNS, rows=ROWS
            )
            try:
                await _create(terminal, api, project)
            finally:
                await terminal.stop()


async def _create(terminal: Terminal, api: FakeApi, project: Path) -> None:
    path = str(project / "shop.py")
    question = {
        "question": "How shall the test be run?",
        "header": "Tests",
        "multiSelect": False,
        "options": [
            {"label": "pytest", "description": "as a function, in tests/"},
            {"label": "doctest", "description": "in the docstring of total()"},
        ],
    }
    api.script(
        [thinking("A till that forgets prices."), tool_use("Read", file_path=path)],
        [
            text(SAID),
            tool_use("Edit", file_path=path, old_string="sum = price", new_string="sum += price"),
        ],
        [text("Every price counts now: see shop.py:8.")],
        [tool_use("AskUserQuestion", questions=[question])],
    )
    await terminal.shows("The till")
    terminal.type(":ClaudeChat\r")
    await terminal.shows("<C-s> sends")
    await terminal.shows("manual")
    terminal.type("Why does the total not add up?\x13")
    await terminal.shows(":w accept")
    await _picture(terminal, "diff")
    terminal.type(":w\r")
    await terminal.shows("Every price counts now")
    await _picture(terminal, "chat")
    terminal.type("iAdd a test, please.\x13")
    await terminal.shows("? Tests")
    terminal.type("\x1b\r")
    await terminal.shows("something else")
    await _picture(terminal, "form")


async def _picture(terminal: Terminal, name: str) -> None:
    await terminal.still()
    (PICTURES / f"{name}.svg").write_text(svg(terminal.screen), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
