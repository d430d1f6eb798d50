"""The agents that the user can chat with."""

from collections.abc import Iterator, Sequence

from claude_ide.agents.agent import Kind
from claude_ide.errors import UserError


class Kinds:
    """The kinds of agents, the usual one first; `chosen` is the id of the user's choice, or ""."""

    def __init__(self, kinds: Sequence[Kind], chosen: str = "") -> None:
        self._kinds = {kind.id: kind for kind in kinds}
        self._chosen = chosen

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    def find(self, id_: str) -> Kind:
        """Return the kind with this id, or the default for an empty one.

        Raises `UserError` if there is none.
        """
        if not id_:
            return self.default
        if id_ not in self._kinds:
            raise UserError(f'there is no agent "{id_}" (g:claude_ide.agents)')
        return self._kinds[id_]

    @property
    def to_choose(self) -> list[Kind]:
        """Those that are installed, if the user has chosen none and there are several."""
        found = [] if self._chosen else [kind for kind in self if not kind.missing()]
        return found if len(found) > 1 else []

    @property
    def default(self) -> Kind:
        """The user's choice; without a valid one, the first that is installed.

        Raises `UserError` if there are no agents.
        """
        if self._chosen in self._kinds:
            return self._kinds[self._chosen]
        if not self._kinds:
            raise UserError("there is no agent (g:claude_ide.agents)")
        first, *_ = self
        return next((kind for kind in self if not kind.missing()), first)
