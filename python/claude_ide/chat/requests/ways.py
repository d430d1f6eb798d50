"""The ways to answer a request that an agent offers: a yes, a no, and all others."""

import re
from collections.abc import Iterable
from typing import TypeGuard

from claude_ide.agents.events import Asked, Option, OptionKind, PermissionAsked, PlanProposed
from claude_ide.agents.prompt import Allow, Answer, Reject

LASTING = (OptionKind.ALLOW_ALWAYS, OptionKind.REJECT_ALWAYS)
ALLOWING = (OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS)
MOST_PLAIN_WORDS = 2
"""A name with more words says what it means."""

PLAIN = {
    OptionKind.ALLOW_ONCE: frozenset(
        ["yes", "ok", "allow", "accept", "approve", "confirm", "continue", "proceed", "run", "once"]
    ),
    OptionKind.REJECT_ONCE: frozenset(
        ["no", "reject", "deny", "decline", "refuse", "cancel", "skip", "stop", "once"]
    ),
}
"""The words of names that mean no more than "yes, once" or "no"."""

SAYS_LASTING = frozenset(
    ["always", "never", "again", "all", "any", "ever", "every", "forever", "permanently", "session"]
)
"""Words of names that promise more than one answer."""


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


def lasting(asked: Asked) -> list[Option]:
    """Return the options that allow more than this request."""
    return [option for option in others(asked) if option.kind is OptionKind.ALLOW_ALWAYS]


def lasting_name(asked: Asked) -> str:
    """Return what allows more than a request, in words; empty if nothing does."""
    return " / ".join(map(described, lasting(asked)))


def are_lasting(found: Iterable[Option]) -> bool:
    """Return whether all of these options apply to more than one request."""
    return all(option.kind in LASTING for option in found)


def has_rules(asked: Asked) -> TypeGuard[PermissionAsked]:
    """Return whether the user may allow more than a request by a rule of their own."""
    return isinstance(asked, PermissionAsked) and bool(asked.scopes)


def described(option: Option) -> str:
    """Return the name of an option, and its scope; its kind if the name says something else."""
    is_clear = bool(_words(option) & SAYS_LASTING) == (option.kind in LASTING)
    more = option.scope or ("" if is_clear else option.kind.value)
    return f"{option.name} ({more})" if more else option.name


def answer(option: Option) -> Answer:
    """Return the answer that chooses an option."""
    is_yes = option.kind in ALLOWING
    return Allow(options=(option.id,)) if is_yes else Reject(option=option.id)


def _first(asked: Asked, kind: OptionKind) -> Option | None:
    return next((option for option in options(asked) if option.kind is kind), None)


def _meaning(asked: Asked, kind: OptionKind, usual: str) -> str:
    option = _first(asked, kind)
    several = sum(each.kind is kind for each in options(asked)) > 1
    if option is None:
        return usual
    words = _words(option)
    if words <= PLAIN[kind]:
        return option.name if several else usual
    if len(option.name.split()) > MOST_PLAIN_WORDS:
        return described(option)
    # A short name may mislead: "Always" for what the agent itself says is allowed once.
    return f"{option.name} ({kind.value})"


def _words(option: Option) -> set[str]:
    return set(re.findall(r"[^\W_]+", option.name.casefold()))
