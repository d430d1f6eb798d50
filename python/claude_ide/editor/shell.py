"""Commands of the user's that an editor runs in a shell, such as 'makeprg' and 'formatprg'."""

import re

from claude_ide.base.errors import EditorError
from claude_ide.editor.port import Port
from claude_ide.editor.port.formatting import ShellFacts

FILE_NAME = re.compile(r"\\?(?:%|#\d*)(?::[phtre~.8S])*")
HARMLESS = re.compile(r"(?:[\w.,/~+@ ]|[^\x00-\x7f])(?:[\w.,/~+@ -]|[^\x00-\x7f])*")
"""A name of which no shell interprets anything, whatever is around it."""


async def expanded(port: Port, bufnr: int, command: str) -> tuple[str, ShellFacts]:
    """Return a command in which `%` is a buffer's file name, and `#` that of the alternate file.

    Both may have modifiers, as for `gq` and `:make`, but the names are quoted for the shell. What
    names no file stays. Also returns how the user's shell runs it. Raises `EditorError` if the
    command quotes a name that its shell would interpret nevertheless.
    """
    found = [each for each in FILE_NAME.finditer(command) if each[0][0] != "\\"]
    names = [each[0].replace(":S", "") for each in found]
    facts = await port.formatting.shell(bufnr, names)
    named = {each.start(): pair for each, pair in zip(found, facts.names, strict=True)}
    parts, quotes, at = list[str](), "", 0
    for each in FILE_NAME.finditer(command):
        before = command[at : each.start()]
        quotes, at = _quotes_after(before, quotes), each.end()
        path, escaped = named.get(each.start(), ("", ""))
        if each[0][0] == "\\":
            name = each[0][1:]
        elif not path:
            name = each[0]
        elif not quotes:
            name = escaped
        elif HARMLESS.fullmatch(path):
            name = path
        else:
            raise EditorError(
                f"the shell would interpret the name {path} within quotes ({quotes}); write % "
                "without them"
            )
        parts += [before, name]
    return "".join([*parts, command[at:]]), facts


def _quotes_after(text: str, quotes: str) -> str:
    """Return in which quotes the shell is after a text; empty outside them."""
    is_escaped = False
    for character in text:
        if is_escaped:
            is_escaped = False
        elif character == "\\" and quotes != "'":
            is_escaped = True
        elif character == quotes:
            quotes = ""
        elif not quotes and character in "\"'`":
            quotes = character
    return quotes
