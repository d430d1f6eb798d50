"""Answers of the real CLI that are Markdown, as the screen shows them."""

from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel

ANSWER = """## What **changed**

- one `name` and **strong** words

| what | lines |
|---|--:|
| a.py | 12 |
| tests | 9 |

```python
print("**")
```"""

SEEN = [
    "What changed",
    "• one name and strong words",
    "│ what  │ lines │",
    "├───────┼───────┤",
    "│ a.py  │    12 │",
    "│ tests │     9 │",
    "python",
    'print("**")',
]


async def test_markdown_is_rendered_on_the_screen_and_yanked_as_its_source(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text(ANSWER)])

    await panel.send("What changed?")
    await panel.shows("── ")
    await until(lambda: all(map(nvim.screen.text().__contains__, SEEN)), "all is shown")
    await panel.go_to("| a.py")
    await nvim.keys("yy")

    assert await nvim.eval("@0") == "| a.py | 12 |\n"
