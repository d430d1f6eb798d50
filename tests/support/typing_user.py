"""A user in the middle of typing, for tests that nothing interrupts them."""

from dataclasses import dataclass

import pytest

from support.neovim import Neovim, until


@dataclass(frozen=True, slots=True)
class Typing:
    """Keys in two halves, and the text to which they change `one two three`."""

    first: str
    mode: str
    second: str
    text: str

    async def begin(self, nvim: Neovim) -> None:
        await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'one two three' })")
        await nvim.keys(self.first)
        await until(
            lambda: nvim.lua("return vim.api.nvim_get_mode().mode == ...", self.mode), self.mode
        )

    async def finish(self, nvim: Neovim) -> None:
        """Type the second half; fail if the text differs from that without an interruption."""
        assert (await nvim.mode())["mode"] == self.mode
        await nvim.keys(self.second)
        await until(lambda: nvim.lua("return vim.fn.getline(1) == ...", self.text), self.text)


IN_THE_MIDDLE = [
    pytest.param(Typing("wiX", "i", "Y<Esc>", "one XYtwo three"), id="insert"),
    pytest.param(Typing("wvl", "v", "d", "one o three"), id="visual"),
    pytest.param(Typing("d", "no", "w", "two three"), id="operator"),
    pytest.param(Typing(":s/two/", "c", "2/<CR>", "one 2 three"), id="command line"),
    pytest.param(Typing("oth<C-x><C-p>", "ic", "<Esc>kJ", "one two three three"), id="completion"),
]
