"""The functions of the editor behind the methods of the port."""

import inspect
from collections.abc import Iterator

from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import Binding, Kind
from claude_ide.editor.port.panel import Panel
from claude_ide.editor.remote import KEYWORDS, bindings
from support.lua_names import Call

NOUNS = (*Port.__annotations__.values(), Panel)


def bindings_of_all() -> Iterator[Binding]:
    """Yield the bindings of all methods."""
    for noun in NOUNS:
        yield from bindings(noun).values()


def bound() -> Iterator[Call]:
    """Yield a call of each function, and of those that cancel it, with the most arguments."""
    for noun in NOUNS:
        chat = 1 if noun is Panel else 0
        for name, binding in bindings(noun).items():
            location = f"{noun.__module__}.{noun.__name__}.{name}"
            parameters = inspect.signature(getattr(noun, name)).parameters
            count = chat + len([each for each in parameters if each not in ("self", *KEYWORDS)])
            if binding.kind is Kind.OPERATION:
                count += 1
            yield Call(binding.function, count, location)
            if binding.cancel:
                yield Call(binding.cancel, 1, location)
