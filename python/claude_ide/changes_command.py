"""`:ClaudeChanges`: shows the changes of a chat, or of a CLI in a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from claude_ide.errors import UserError
from claude_ide.parts import Parts

if TYPE_CHECKING:
    from claude_ide.hooks.changes import Changes

NONE = "no file has changed: there is no chat, and no CLI has reported a change"


async def show(app: Parts, only: Sequence[str], *, whole: bool) -> None:
    """Show them: those of a chat that is shown, otherwise of a CLI of this tab page, or of another.

    The user chooses among several CLIs. Raises `UserError` if there are none.
    """
    chat = await app.editor.port.panels.here()
    if not isinstance(chat, bool) and chat.is_here and await app.chats.has_changes():
        return await app.chats.show_changes(only, whole=whole)
    found = await app.hooks.changed() if app.begun("hooks") else []
    if found:
        chosen = await _chosen(app, found)
        if chosen is not None:
            await chosen.show(only, whole=whole)
        return None
    if not chat:
        raise UserError(NONE)
    return await app.chats.show_changes(only, whole=whole)


async def _chosen(app: Parts, found: "list[Changes]") -> "Changes | None":
    """Return one of several sessions; None if the user chooses none."""
    terminals = await app.editor.terminals.running()
    near = {each.launch for each in terminals if each.is_meant}
    meant = [changes for changes in found if changes.launch in near] or found
    if len(meant) == 1:
        return meant[0]
    names = {each.launch: f"Claude {each.name}" for each in terminals}
    items = [f"{names.get(each.launch, 'ended')}: {each.prompt}" for each in meant]
    index = await app.editor.select("Changes of:", items)
    return None if index is None else meant[index]
