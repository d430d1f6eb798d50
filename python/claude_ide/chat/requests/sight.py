"""How much of a request the user has seen, and how to show the rest."""

from claude_ide.agents.events import Asked, PermissionAsked, PlanProposed
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.requests import proposal
from claude_ide.chat.requests.allowed import Where
from claude_ide.chat.requests.requests import Requests, Waiting
from claude_ide.display_path import display_path
from claude_ide.editor.port import Port
from claude_ide.editor.port.panel import Panel


def whereabouts(asked: Asked, root: str) -> Where | None:
    """Return the files of a request, with a warning if a change of one is risky, or None."""
    paths = proposal.paths(asked) if isinstance(asked, PermissionAsked) else []
    if not paths:
        return None
    found = [display_path(path, [root]) for path in paths]
    warnings = [
        f"{each.path}: {each.warning}" if len(found) > 1 else each.warning
        for each in found
        if each.warning
    ]
    return Where(", ".join(each.path for each in found), "; ".join(warnings))


class Sight:
    """The requests of one chat on the screen; `root` is the project's folder."""

    def __init__(
        self, root: str, requests: Requests, painter: Painter, panel: Panel, port: Port
    ) -> None:
        self._root = root
        self._requests = requests
        self._painter = painter
        self._panel = panel
        self._port = port

    async def kind(self, waiting: Waiting) -> str:
        """Return how much of a request is on the screen now (`view.SHOWN`); empty if nothing is."""
        return await self._panel.seen(waiting.view.part.id)

    async def covers(self, waiting: Waiting, key: str) -> bool:
        """Return whether a window other than the transcript shows all that a key allows."""
        if key == "a" and not waiting.view.shows_always:
            return False
        if isinstance(waiting.asked, PlanProposed):
            return await self._port.forms.is_read(waiting.token)
        return waiting.has_one_diff

    async def lead(self, waiting: Waiting, key: str, *, is_pressed: bool = True) -> None:
        """Show all that a key allows, scroll to its beginning, and say why the key did no more."""
        if waiting.is_over:
            return
        waiting.view.unfold(key)
        self.redraw(waiting)
        await self._painter.drawn()
        await self._panel.lead(waiting.view.part.id, key if is_pressed else "")

    def locate(self, waiting: Waiting) -> None:
        """Show the file of a request, with a warning if a change of it is risky."""
        where = whereabouts(waiting.asked, self._root)
        if where is not None:
            waiting.view.locate(where)
            self.redraw(waiting)

    def review(self, waiting: Waiting, is_reviewed: bool) -> None:
        """Show whether a request can be read in another window."""
        if waiting.view.reviewed is not is_reviewed:
            waiting.view.reviewed = is_reviewed
            self.redraw(waiting)

    def redraw(self, waiting: Waiting) -> None:
        """Draw a request immediately."""
        self._requests.redraw(waiting)
        self._painter.now()
