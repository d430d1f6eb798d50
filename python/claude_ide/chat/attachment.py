"""The user's file and selection, which a prompt includes once, unless the user removes them."""

from collections.abc import Callable

from claude_ide.chat import context
from claude_ide.editor.editor import Editor


class Attachment:
    """The user's file or selection for one chat; paths below `root` are relative to it.

    `sends_text` returns whether the agent gets the text of the open file with a prompt.
    """

    def __init__(self, editor: Editor, root: str, sends_text: Callable[[], bool]) -> None:
        self._editor = editor
        self._root = root
        self._sends_text = sends_text
        self._sent: context.Where | None = None
        self._dropped: context.Where | None = None

    @property
    def is_known(self) -> bool:
        """Whether the user's file or selection is known; not before the editor has reported it."""
        return self._editor.state.selection is not None

    @property
    def now(self) -> context.Where | None:
        """The file or selection; None if the agent knows it, or the user has removed it."""
        attached = context.where(self._editor.state.selection)
        return None if attached in (self._sent, self._dropped) else attached

    def chips(self, attached: context.Where | None) -> list[str]:
        """Return its labels in the prompt's bar."""
        if attached is None:
            return []
        sends_text = self._sends_text()
        return [context.label(attached, self._root, self._editor, sends_text=sends_text)]

    def sent(self, attached: context.Where | None) -> None:
        """Remember that the agent now knows this file or selection."""
        self._sent = attached or self._sent

    def forget(self) -> None:
        """Include the file or selection again: the agent does not know it."""
        self._sent = None

    def not_sent(self, attached: context.Where | None) -> None:
        """Offer this file or selection again: its prompt did not reach the agent."""
        if attached == self._sent:
            self._sent = None

    def drop(self) -> None:
        """Exclude the current file or selection from prompts."""
        self._dropped = self.now
