"""A page with its views: finds the view of a part, and draws the views that have changed."""

import logging
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from claude_ide.chat.page.page import Page, Part
from claude_ide.chat.page.rows import row
from claude_ide.chat.page.view import View

V = TypeVar("V", bound=View)

logger = logging.getLogger(__name__)

UNDRAWN = "this part could not be shown, see :ClaudeLog"
UNDRAWN_KIND = "notice"

BESIDE = frozenset({"late", "trust"})
"""The kinds of parts that are not part of a conversation; `chat/state.lua` has them, too."""


class Sheet:
    """Views on a page. A view that has changed is drawn once, with the next frame."""

    def __init__(self) -> None:
        self.page = Page()
        self._views: dict[int, View] = {}
        self._changed: dict[View, None] = {}
        self._undrawn: dict[View, str] = {}
        """The views that could not be drawn, each with the kind of its part."""
        self._placeholder: View | None = None

    def add(
        self,
        kind: str,
        make: Callable[[Part], V],
        *,
        below: View | None = None,
        indent: bool = False,
        tail: bool = False,
    ) -> V:
        """Add a view: at the end, or indented below another view and its children.

        With `indent` it is nested in the other view, which can hide it.
        """
        if kind not in BESIDE:
            self._drop_placeholder()
        depth = below.part.depth + 1 if below else int(indent)
        after = below.last() if below else None
        view = make(self.page.add(kind, after=after, tail=tail, depth=depth))
        if below is not None:
            below.children.append(view)
            view.above, view.is_nested = below, indent
        self._views[view.part.id] = view
        self.changed(view)
        return view

    def show_while_empty(self, kind: str, make: Callable[[Part], V]) -> V | None:
        """Add a view that is removed once there is another one; None if there is one already."""
        if any(view.part.kind not in BESIDE for view in self._views.values()):
            return None
        self._placeholder = view = self.add(kind, make)
        return view

    @property
    def is_empty(self) -> bool:
        """Whether there is no conversation, apart from what waits at the end."""
        return all(
            view is self._placeholder or view.part.kind in BESIDE or view.part.tail
            for view in self._views.values()
        )

    def _drop_placeholder(self) -> None:
        if self._placeholder is not None:
            self.remove(self._placeholder)
            self._placeholder = None

    def changed(self, view: View) -> None:
        """Mark a view as changed, so that the next frame draws it."""
        self._changed[view] = None

    def all_changed(self, view: View) -> None:
        """Mark a view and all its children as changed."""
        self.changed(view)
        for child in view.children:
            self.all_changed(child)

    def remove(self, view: View) -> None:
        """Remove a view and its part."""
        self._changed.pop(view, None)
        self._undrawn.pop(view, None)
        self._views.pop(view.part.id, None)
        self.page.remove(view.part)

    def find(self, part: int) -> View | None:
        """Return the view of a part, by its id."""
        return self._views.get(part)

    def views(self) -> Iterator[View]:
        """Yield all views from top to bottom."""
        for part in self.page.parts:
            if part.id in self._views:
                yield self._views[part.id]

    def put_above(self, view: View, other: "Sheet") -> None:
        """Replace everything above a view by the content of another sheet, which is over."""
        other.draw()
        for part in self.page.put_above(view.part, other.page):
            self._views.pop(part.id, None)
        self._changed = {each: None for each in self._changed if each.part.id in self._views}
        self._views.update({above.part.id: above for above in other._views.values()})

    def resize(self, width: int) -> None:
        """Fit the views into a window of this width."""
        if width == self.page.width:
            return
        self.page.width = width
        for view in self.views():
            if view.refit():
                self.changed(view)

    def draw(self) -> None:
        """Write the changed views to the page."""
        changed, self._changed = self._changed, {}
        for view in changed:
            self._draw(view)
        for part in self.page.trim():
            self._views.pop(part.id, None)

    def _draw(self, view: View) -> None:
        """Draw a view; one that cannot be drawn leaves the others as they are."""
        view.part.kind = self._undrawn.pop(view, view.part.kind)
        try:
            view.draw(self.page)
        except Exception:
            logger.exception("a part of a chat could not be drawn: %s", view.part.kind)
            self._undrawn[view] = view.part.kind
            # Of this kind, so that no key answers a request that is not on the screen.
            rows = view.indented([row((UNDRAWN, "ClaudeChatError"))])
            self.page.write(view.part, rows, kind=UNDRAWN_KIND)

    def frame(self) -> dict[str, Any] | None:
        """Return the next frame; None if the editor is up to date."""
        self.draw()
        return self.page.frame()

    def redraw(self) -> None:
        """Send everything again with the next frames."""
        self.page.redraw()
