"""Restores the files to their state before a prompt."""

from claude_ide.agents.agent import Agent
from claude_ide.chat.panel import Panels
from claude_ide.chat.transcript import changes
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.errors import UserError


async def rewind(
    agent: Agent, editor: Editor, panels: Panels, transcript: Transcript, root: str
) -> None:
    """Have the user choose a prompt, show the changes since then, and undo them if confirmed."""
    prompts = transcript.prompts
    if not prompts:
        raise UserError("there is no turn to undo in this chat")
    ids = list(reversed(prompts))
    chosen = await editor.choose(
        "Restore files to their state before:", ids, [prompts[id_] for id_ in ids]
    )
    if not chosen:
        return
    would = await agent.rewind(chosen, dry_run=True)
    if not would.possible:
        raise UserError(would.reason or "that cannot be undone")
    if not would.files:
        raise UserError("no file has changed since")
    files = ", ".join(path.removeprefix(f"{root}/") for path in would.files)
    question = f"Undo this in {files} (+{would.insertions} -{would.deletions} lines)?"
    undone = changes.unified(transcript.changes_since(chosen), root)
    shown = await panels.show_text("changes", undone, "diff")
    answer = await editor.select(question, ["Undo it", "Leave the files as they are"])
    await panels.close_text(shown)
    if answer == 0:
        for path in would.files:
            await editor.expect_write(path)
        await agent.rewind(chosen, dry_run=False)
        await editor.reload()
        editor.notify(f"restored {files}")
