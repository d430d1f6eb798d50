"""The rules about private files, in an editor whose host is the test."""

from typing import Any

import msgspec

from claude_ide.privacy.rules import Rules
from support.either_editor import Editor, run


async def push(editor: Editor, privacy: Any = None) -> Rules:
    """Have an editor judge by the option `privacy` and the names of secrets; return these rules."""
    rules = Rules(privacy, [await editor.eval("getcwd()")], [])
    await run(editor, "privacy.apply", msgspec.to_builtins(rules.pushed()))
    return rules
