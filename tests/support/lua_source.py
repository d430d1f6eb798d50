"""The definitions, calls and events of the Lua files, found with Neovim's own Lua parser."""

import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from support.neovim import ROOT, nvim_binary

LUA = ROOT / "lua" / "claude_ide"
OTHER_LUA = ("plugin", "build.lua", "lazy.lua", "tests")
READER = Path(__file__).with_suffix(".lua")

MENTION = re.compile(r"""claude_ide\.([\w.]*\w)""")
CALL = re.compile(r"""require\(?["']claude_ide\.([\w.]+)["']\)?\.(\w+)""")
"""A call in a string that Neovim evaluates later."""


class Text(msgspec.Struct):
    """A string or a name, with its line."""

    text: str
    line: int


class Use(msgspec.Struct):
    """A read of a module's field, or a call of it with `count` arguments."""

    module: str
    """The empty string means the file's own module."""
    name: str
    line: int
    count: int = 0


class Field(msgspec.Struct):
    """A field that a module defines."""

    is_function: bool
    count: int
    """The number of its parameters; a large number if that is unknown."""


class Source(msgspec.Struct):
    """One Lua file."""

    is_sound: bool
    """Whether it could be parsed."""
    defined: dict[str, Field]
    strings: list[Text]
    uses: list[Use]
    pairs: list[Use]
    """Calls whose first two arguments are strings."""
    emits: list[Text]
    """Emitted events; the empty string means a name in a variable."""
    replaced: list[Text]
    """Fields of `vim` that are assigned to."""
    classes: list[Text]

    def required(self) -> set[str]:
        """Return the modules of the package that it names, also lazily or in a string."""
        return {name for string in self.strings for name in MENTION.findall(string.text)}

    def calls(self) -> list[Use]:
        """Return its uses of the package's modules, including calls in strings."""
        ours = [use for use in self.uses if use.module.partition(".")[0] in ("", "claude_ide")]
        late = [
            Use(f"claude_ide.{module}", name, string.line)
            for string in self.strings
            for module, name in CALL.findall(string.text)
        ]
        return ours + late


def module_name(path: Path) -> str:
    """Return the module name of a file in the package, without `claude_ide.`."""
    return ".".join(path.relative_to(LUA).with_suffix("").parts).removesuffix(".init")


def read(paths: Iterable[Path]) -> dict[Path, Source]:
    """Parse Lua files, all in one run of Neovim."""
    command = [nvim_binary(), "--clean", "--headless", "-l", str(READER)]
    listed = "".join(f"{path}\n" for path in sorted(paths)).encode()
    done = subprocess.run(command, input=listed, capture_output=True, check=True)
    found = msgspec.json.decode(done.stdout, type=dict[str, Source])
    return {Path(path): source for path, source in found.items()}


@cache
def sources() -> dict[Path, Source]:
    """Return all Lua files of the repository."""
    roots = [LUA, *(ROOT / root for root in OTHER_LUA)]
    return read(
        path for root in roots for path in (root.rglob("*.lua") if root.is_dir() else [root])
    )


@cache
def plugin() -> dict[Path, Source]:
    """Return the Lua files that are loaded into the user's Neovim."""
    return {
        path: source
        for path, source in sources().items()
        if any(path.is_relative_to(root) for root in (LUA, ROOT / "plugin"))
    }


@cache
def modules() -> dict[str, Source]:
    """Return the modules of the package by name."""
    package = {path: source for path, source in sources().items() if path.is_relative_to(LUA)}
    return {module_name(path): source for path, source in package.items()}
