"""What the agent expects the user to send next, as ghost text in the empty prompt."""

from claude_ide.agents.events import Cleared, Dead, Event, PromptChanged, PromptSuggested, Waiting
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.page.plain import harmless


class Suggesting(ChatPart):
    """Shows a suggestion until the conversation goes on."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._shown = ""

    def apply(self, event: Event) -> None:
        """Show a suggestion, unless the user has sent something else in the meantime."""
        match event:
            case PromptSuggested(text) if not self._agent.state.busy:
                self._show(harmless(" ".join(text.split())))
            case PromptChanged() | Waiting() | Cleared() | Dead():
                self._show("")

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            self._chat.run(self._panel.suggest(text))
