"""The diagnostics as a model needs them: after a check, so that none means no problem."""

from claude_ide.editor.state import Diagnostics
from claude_ide.editor_name import editor_name
from claude_ide.errors import ToolError
from claude_ide.mcp.client import Client

PUBLISH_SECONDS = 1.5
"""How long to wait for language servers after a reload: the CLI waits for 2.0 s (measured)."""


async def diagnosed(client: Client, path: str | None) -> dict[str, Diagnostics]:
    """Return the diagnostics of one file or of all by path, after a check."""
    if path is not None:
        return {path: await client.editor.check(path, PUBLISH_SECONDS)}
    try:
        return await client.editor.present_diagnostics(PUBLISH_SECONDS)
    except TimeoutError:
        known = client.editor.last_known_diagnostics()
        if not known:
            raise ToolError(
                f"{editor_name()} is busy, and there are no earlier diagnostics"
            ) from None
        return known
