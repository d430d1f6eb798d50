"""The Lua that tests run in Neovim, from files that the linters see."""

from pathlib import Path

LUA = Path(__file__).with_name("lua")


def chunk(name: str) -> str:
    """The text of a file in `tests/support/lua`: `chunk("panel/look")`."""
    return (LUA / f"{name}.lua").read_text(encoding="utf-8")
