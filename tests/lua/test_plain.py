"""`messages/plain.lua`: the host's rule for harmless text, in Lua."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claude_ide.ui.text import harmless
from support.neovim import Neovim

MODULE = "require('claude_ide.messages.plain')"
CONTROLS = "\x00\x07\t\n\r\x1b\x7f\x80\x9b\x9f\u202e\u2028"
TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(CONTROLS)), max_size=30
)


async def test_lua_and_the_host_make_text_harmless_in_the_same_way(nvim: Neovim) -> None:
    examples: list[str] = ["", "\r", "dos\r\r", CONTROLS, CONTROLS[::-1]]

    @settings(max_examples=300, suppress_health_check=[HealthCheck.differing_executors])
    @given(TEXTS)
    def collect(text: str) -> None:
        examples.append(text)

    collect()
    found = await nvim.lua(f"return vim.tbl_map({MODULE}.harmless, ...)", examples)

    assert found == [harmless(text) for text in examples]


async def test_half_of_a_surrogate_pair_is_replaced(nvim: Neovim) -> None:
    found = await nvim.lua(f"return {MODULE}.harmless('a\\237\\160\\128b')")

    assert found == "a\ufffdb"


@pytest.mark.parametrize(
    ("function", "text", "shown"),
    [
        ("lines", "a\r\nb\n\x1bc\n", ["a", "b", "^[c", ""]),
        ("one_line", "a\n\t b\x07", "a b^G"),
        ("status_line", "100%{x}\n%=\x1b", "100%%{x}^J%%=^["),
    ],
)
async def test_a_text_is_adapted_to_where_it_is_shown(
    nvim: Neovim, function: str, text: str, shown: object
) -> None:
    assert await nvim.lua(f"return {MODULE}.{function}(...)", text) == shown
