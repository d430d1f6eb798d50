"""Lua chunks that tests run in Neovim, in files so that the linters check them."""

from pathlib import Path

LUA = Path(__file__).with_name("lua")


def chunk(name: str) -> str:
    """Return the text of a file in `tests/support/lua`: `chunk("panel/look")`."""
    return (LUA / f"{name}.lua").read_text(encoding="utf-8")
