"""What the user has seen of a request, and how they get to see the rest of it."""

from claude_ide.agents.events import PermissionAsked
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.transcript.allowed import Where
from claude_ide.chat.transcript.asking import Asked, Request
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor


class Sight:
    """The requests of one chat as they are on the screen; `root` is the project's folder."""

    def __init__(
        self, chat: int, root: str, transcript: Transcript, painter: Painter, editor: Editor
    ) -> None:
        self._chat = chat
        self._root = root
        self._transcript = transcript
        self._painter = painter
        self._editor = editor

    def find(self, request: str) -> Request | None:
        """Return what the transcript shows of a request."""
        return self._transcript.find_request(request)

    async def kind(self, request: str) -> str:
        """Return how much of a request is on the screen now (`asking.SHOWN`); empty for nothing."""
        view = self.find(request)
        if view is None:
            return ""
        return str(await self._editor.run("chat.transcript.sight.seen", self._chat, view.part.id))

    async def lead(self, request: str, key: str) -> None:
        """Show all that a key allows, and lead the user to its beginning."""
        view = self.find(request)
        if view is None:
            return
        view.unfold(key)
        self._redraw(view)
        await self._painter.drawn()
        await self._editor.run("chat.panel.lead", self._chat, view.part.id)

    def reviewed(self, request: str, is_reviewed: bool) -> None:
        """Take note whether a request is shown beside the transcript as well."""
        view = self.find(request)
        if view is not None and view.reviewed is not is_reviewed:
            view.reviewed = is_reviewed
            self._redraw(view)

    async def locate(self, asked: Asked) -> None:
        """Show which file a request is about, and why that one is special."""
        if not isinstance(asked, PermissionAsked) or not asked.path:
            return
        found = await self._editor.run("file.whereabouts.of", asked.path, [self._root])
        view = self.find(asked.request)
        if view is not None:
            view.locate(Where(found["path"], found["warning"]))
            self._redraw(view)

    def _redraw(self, view: Request) -> None:
        self._transcript.changed(view)
        self._painter.now()
