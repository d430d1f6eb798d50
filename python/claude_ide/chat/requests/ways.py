"""The ways to answer a request that an agent offers: a yes, a no, and all others."""

from collections.abc import Iterable
from typing import TypeGuard

from claude_ide.agents.answer import Allow, Answer, Reject
from claude_ide.agents.events import Asked, Option, OptionKind, PermissionAsked, PlanProposed

LASTING = (OptionKind.ALLOW_ALWAYS, OptionKind.REJECT_ALWAYS)
ALLOWING = (OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS)
MOST_PLAIN_WORDS = 2
"""A name with more words says more than "yes" or "no"."""


def options(asked: Asked) -> tuple[Option, ...]:
    """Return all options of a request."""
    return asked.options if isinstance(asked, PermissionAsked | PlanProposed) else ()


def has_yes(asked: Asked) -> bool:
    """Return whether the user can allow only this; an agent without options takes any answer."""
    return not options(asked) or _first(asked, OptionKind.ALLOW_ONCE) is not None


def yes(asked: Asked, usual: str) -> str:
    """Return the meaning of a yes: the agent's words if they say more than the usual ones."""
    return _meaning(asked, OptionKind.ALLOW_ONCE, usual)


def no(asked: Asked, usual: str) -> str:
    """Return the meaning of a no, like `yes`."""
    return _meaning(asked, OptionKind.REJECT_ONCE, usual)


def others(asked: Asked) -> list[Option]:
    """Return the options beside a yes and a no, in the agent's order."""
    plain = [_first(asked, kind) for kind in (OptionKind.ALLOW_ONCE, OptionKind.REJECT_ONCE)]
    return [option for option in options(asked) if option not in plain]


def are_lasting(found: Iterable[Option]) -> bool:
    """Return whether all of these options apply to more than one request."""
    return all(option.kind in LASTING for option in found)


def has_rules(asked: Asked) -> TypeGuard[PermissionAsked]:
    """Return whether the user may allow more than a request by a rule of their own."""
    return isinstance(asked, PermissionAsked) and bool(asked.scopes)


def described(option: Option) -> str:
    """Return the name and the scope of an option."""
    return f"{option.name} ({option.scope})" if option.scope else option.name


def answer(option: Option) -> Answer:
    """Return the answer that chooses an option."""
    is_yes = option.kind in ALLOWING
    return Allow(options=(option.id,)) if is_yes else Reject(option=option.id)


def _first(asked: Asked, kind: OptionKind) -> Option | None:
    return next((option for option in options(asked) if option.kind is kind), None)


def _meaning(asked: Asked, kind: OptionKind, usual: str) -> str:
    option = _first(asked, kind)
    several = sum(each.kind is kind for each in options(asked)) > 1
    if option is None or not (several or len(option.name.split()) > MOST_PLAIN_WORDS):
        return usual
    return option.name
