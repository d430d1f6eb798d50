"""The user's consent to each run: in the agent's own request, or in a window with the code."""

import re
from typing import Protocol

from claude_ide.editor.editor import Editor
from claude_ide.editor.port.panel import Proposed
from claude_ide.errors import ToolError

REFUSED = "The user refused to run this code, and nothing was run."
MORE = "run all from now on"


class Asker(Protocol):
    """Who wants to run code. `may_run_code` is set when the user allows all of it."""

    may_run_code: bool

    @property
    def shown_name(self) -> str:
        """Its name for the user."""


def filetype(language: str) -> str:
    """Return the filetype for the language of a kernel."""
    return language.lower() if re.fullmatch(r"\w+", language, re.ASCII) else "python"


async def asked(editor: Editor, asker: Asker, code: str, kernel: str, language: str) -> str:
    """Ask the user, and return the code, which they may have edited.

    Raises `ToolError`, which tells the model that they refused, and why.
    """
    if asker.may_run_code:
        return code
    proposed = Proposed.code(asker.shown_name, code, kernel, filetype(language), MORE)
    answer = await editor.port.forms.review(proposed)
    match answer.decision:
        case "approve":
            pass
        case "approve_more":
            asker.may_run_code = True
        case _:
            words = answer.comments
            raise ToolError(f"{REFUSED} They said: {words}" if words else REFUSED)
    return answer.text or code
