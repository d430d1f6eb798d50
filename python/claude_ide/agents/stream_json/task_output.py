"""The output of a command in the background, from the file to which the CLI writes it.

2.1.197 has no request for it.
"""

from pathlib import Path

from claude_ide import files
from claude_ide.agents.agent import TaskOutput
from claude_ide.errors import AgentError

MOST_BYTES = 8192
"""As many as 2.1.330 returns."""


def read(path: str) -> TaskOutput:
    """Return the end of the file. Raises `AgentError` if there is none."""
    if not path:
        raise AgentError("this task has no output")
    try:
        with files.open_regular(Path(path)) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MOST_BYTES))
            end = file.read(MOST_BYTES)
    except OSError as error:
        raise AgentError(f"the output of this task cannot be read: {error.strerror}") from None
    return TaskOutput(end.decode(errors="replace"), size, size > MOST_BYTES, path)
