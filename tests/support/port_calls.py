"""The functions of the editor behind the methods of the port."""

import inspect
from collections.abc import Iterator

from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import Binding, CallKind
from claude_ide.editor.port.panel import PanelPort
from claude_ide.editor.remote import KEYWORDS, bindings, noun
from support.lua_names import Call

NOUNS = (*map(noun, Port.__annotations__), PanelPort)


def bindings_of_all() -> Iterator[Binding]:
    """Yield the bindings of all methods."""
    for each in NOUNS:
        yield from bindings(each).values()


def bound() -> Iterator[Call]:
    """Yield a call of each function, and of those that cancel it, with the most arguments."""
    for each in NOUNS:
        chat = 1 if each is PanelPort else 0
        for name, binding in bindings(each).items():
            location = f"{each.__module__}.{each.__name__}.{name}"
            parameters = inspect.signature(getattr(each, name)).parameters
            given = [name for name in parameters if name not in ("self", *KEYWORDS)]
            count = chat + len(given)
            if binding.kind is CallKind.OPERATION:
                count += 1
            yield Call(binding.function, count, location)
            if binding.cancel:
                yield Call(binding.cancel, 1, location)
