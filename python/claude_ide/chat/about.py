"""Where the user is, as it goes with a prompt: told once, and left out if they want that."""

from claude_ide.chat import context
from claude_ide.editor.editor import Editor


class About:
    """Where the user of one chat is; paths below `root` are shown from there."""

    def __init__(self, editor: Editor, root: str) -> None:
        self._editor = editor
        self._root = root
        self._sent: context.Where | None = None
        self._dropped: context.Where | None = None

    @property
    def now(self) -> context.Where | None:
        """Where the user is, unless the agent knows that, or they want it left out."""
        about = context.where(self._editor.state.selection)
        return None if about in (self._sent, self._dropped) else about

    def chips(self, about: context.Where | None) -> list[str]:
        """Return what the user sees of it."""
        return [context.chip(about, self._root)] if about else []

    def sent(self, about: context.Where | None) -> None:
        """Remember what the agent knows now."""
        self._sent = about or self._sent

    def drop(self) -> None:
        """Leave out of the next prompt where the user is."""
        self._dropped = self.now
