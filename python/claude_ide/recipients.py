"""Who can get a review here: the chats, and the CLIs in terminals."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor
from claude_ide.editor.port.panel import Found
from claude_ide.mcp.ide import Ide
from claude_ide.review.remarks import Recipient, Recipients

if TYPE_CHECKING:
    from claude_ide.chat.chat import Chat
    from claude_ide.chat.chats import Chats

TERMINAL = "terminal"


class Here(Recipients):
    """Those of this editor. `session_of` returns the session of a terminal's launch, or ""."""

    def __init__(
        self,
        editor: Editor,
        ide: Ide,
        chats: "Callable[[], Chats | None]",
        session_of: Callable[[str], str],
    ) -> None:
        self._editor = editor
        self._ide = ide
        self._chats = chats
        self._session_of = session_of

    async def all(self) -> list[Recipient]:
        """Return the terminals, the last used one first, and the chats."""
        chats = self._chats()
        of_chats = [self._of_chat(chats, each) for each in chats.all()] if chats else []
        found = [*await self._terminals(), *of_chats]
        names = Counter(each.name for each in found)
        seen = Counter[str]()
        unique = []
        for each in found:
            seen[each.name] += 1
            name = f"{each.name} {seen[each.name]}" if names[each.name] > 1 else each.name
            unique.append(Recipient(name, each.session, each.send))
        return unique

    async def usual(self) -> Recipient | None:
        """Return the chat of this tab page if it is shown, otherwise the CLI in a terminal."""
        if chats := self._chats():
            here = await self._editor.port.panels.here()
            for chat in chats.all():
                if isinstance(here, Found) and here.is_here and chat.id == here.chat:
                    return self._of_chat(chats, chat)
        if self._ide.clients or await self._editor.terminals.running():
            return Recipient("Claude", "", self._ide.say)
        return None

    def _of_chat(self, chats: "Chats", chat: "Chat") -> Recipient:
        return Recipient(chats.name(chat), chat.reviewing.session, chat.panel.say)

    async def _terminals(self) -> list[Recipient]:
        running = await self._editor.terminals.running()
        are_several = sum(each.name.isdecimal() for each in running) > 1
        found = []
        for each in running:
            number = f"{TERMINAL} {each.name}" if are_several else TERMINAL
            name = number if each.name.isdecimal() else each.name
            send = partial(self._ide.say, terminal=each.name)
            found.append(Recipient(name, self._session_of(each.launch), send))
        return found
