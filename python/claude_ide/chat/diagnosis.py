"""What language servers say of a file that the agent has just written."""

from claude_ide.editor.editor import Editor
from claude_ide.paths import from_uri

SECONDS = 0.5
"""How long they may take; the agent waits meanwhile."""

TOLD = ("Error", "Warning")
MOST = 20


async def diagnosis(editor: Editor, path: str) -> str:
    """Return the errors and warnings of a file as a note to the model; empty if it has none."""
    known = await editor.all_diagnostics(SECONDS)
    items = [
        item
        for uri, diagnostics in known.items()
        if from_uri(uri) == path
        for item in diagnostics.items
        if item["severity"] in TOLD
    ]
    if not items:
        return ""
    lines = [
        f"- line {item['range']['start']['line'] + 1}: {item['severity']}: {item['message']}"
        for item in items[:MOST]
    ]
    more = [f"- and {len(items) - MOST} more"] if len(items) > MOST else []
    return "\n".join([f"Diagnostics of {path} after this change:", *lines, *more])
