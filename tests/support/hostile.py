"""Texts that attack the program that shows them, and a Neovim that highlights everything."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from support.chunks import chunk
from support.neovim import Neovim

EAGER = chunk("hostile/eager")
"""A configuration that starts a parser for every buffer."""

PARSE = chunk("hostile/parse")
"""Parses like a plugin that reads syntax trees."""

OSC = "\x1b]0;pwned\x07"
LINK = f"[a](http://x/{OSC})"

DEEP = {
    "quotes": "> " * 300 + "x",
    "quotes without blanks": ">" * 300 + "x",
    "items": "- " * 300 + "x",
    "numbers": "1. " * 300 + "x",
    "all kinds": "> 1) * + - " * 60 + "x",
    "items over lines": "\n".join(f"{'  ' * depth}- a" for depth in range(300)),
    "items over lines in a quote": "\n".join(f"> {'  ' * depth}* a" for depth in range(300)),
    "items over carriage returns": "\r".join(f"{'  ' * depth}- a" for depth in range(300)),
    "tabs": "\n".join(f"{chr(9) * depth}- a" for depth in range(300)),
}
"""Markdown that crashes a parser, by name."""


async def survives(nvim: Neovim) -> None:
    """Draw and parse everything; fail if Neovim then does not answer."""
    await nvim.command("redraw!")
    await nvim.lua(PARSE)
    await nvim.command("redraw!")
    assert await nvim.eval("1 + 1") == 2


async def is_coloured(nvim: Neovim, bufnr: int = 0) -> bool:
    """Return whether treesitter highlights a buffer."""
    code = "return vim.treesitter.highlighter.active[vim._resolve_bufnr(...)] ~= nil"
    return bool(await nvim.lua(code, bufnr))


class Addresses:
    """The addresses of links that Neovim has sent to its terminal since this was created."""

    def __init__(self, nvim: Neovim) -> None:
        self.seen: list[str] = []
        self._redraw = nvim.screen.redraw
        nvim.screen.redraw = self._record  # type: ignore[method-assign]

    def _record(self, events: Sequence[Sequence[Any]]) -> None:
        for name, *calls in events:
            if name == "hl_attr_define":
                self.seen += [call[1]["url"] for call in calls if "url" in call[1]]
        self._redraw(events)

    def hostile(self) -> list[str]:
        """Return the addresses that have control characters."""
        return [url for url in self.seen if any(not char.isprintable() for char in url)]


_WORDS = st.sampled_from(["a", "the answer", "漢字", "🙂", "x" * 200, "", " ", "\t"])
_MARKERS = st.sampled_from(["> ", ">", "- ", "* ", "1. ", "#", "  ", "\t", "| ", "![", "](", "<a "])
_CONTROLS = st.sampled_from(
    [
        *[OSC, LINK, f"<http://x/{OSC}>", "\x1b]52;c;cHduZWQ=\x07", "\x1b[2J", "\x9b2J"],
        *["\x9d0;x\x9c", "\x00", "\r", "\x07", "\x7f", "\u202e", "\u2066", "\ufeff", "\u200b"],
        "%{system('x')}",
    ]
)
_LANGUAGES = st.sampled_from(["", "markdown", "c", "lua", "vim", "help", "query", "../x", "html"])
_RUNS = st.tuples(st.one_of(_MARKERS, st.sampled_from("*_`[({~$\\|")), st.integers(1, 400)).map(
    lambda run: run[0] * run[1]
)
_LINES = st.lists(st.one_of(_WORDS, _MARKERS, _CONTROLS, _RUNS), max_size=5).map("".join)
_STAIRS = st.tuples(_MARKERS, st.integers(2, 300)).map(
    lambda stairs: "\n".join("  " * depth + stairs[0] + "a" for depth in range(stairs[1]))
)
_PIECES = st.recursive(
    st.one_of(_LINES, _STAIRS, st.lists(_LINES, max_size=6).map("\n".join)),
    lambda inner: st.tuples(_LANGUAGES, inner).map(lambda fence: f"```{fence[0]}\n{fence[1]}\n```"),
    max_leaves=3,
)
ANSWERS = st.lists(_PIECES, min_size=1, max_size=4).map("\n\n".join)
"""Texts that a hostile model, or a file that it quotes, may contain."""
