"""The ways to answer a request that an agent offers: a yes, a no, and others to choose from."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeGuard

from claude_ide.agents.requests import (
    Allow,
    Answer,
    Asked,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Reject,
    Scope,
)
from claude_ide.editor.editor import Editor

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


async def choose_way(editor: Editor, asked: Asked) -> Scope | Option | None:
    """Have the user choose a way beside a yes and a no; None if they cancel."""
    found = _named(asked)
    if len(found) == 1 and has_yes(asked):
        return found[0][1]
    what = "Allow always:" if are_lasting(others(asked)) else "Answer:"
    index = await editor.select(what, [name for name, _ in found]) if found else None
    return None if index is None else found[index][1]


async def chosen(editor: Editor, question: str, found: Sequence[Option]) -> Option | None:
    """Have the user choose one of several options; None if they cancel."""
    if len(found) == 1:
        return found[0]
    index = await editor.select(question, [*map(described, found)])
    return None if index is None else found[index]


def _named(asked: Asked) -> list[tuple[str, Scope | Option]]:
    """Return the ways beside a yes and a no, with their names; the usual ones first."""
    scopes = asked.scopes if has_rules(asked) else ()
    rules = [(f"by a rule, for {scope.name}", scope) for scope in scopes]
    options = [(described(option), option) for option in others(asked)]
    is_edit = isinstance(asked, PermissionAsked) and asked.is_edit
    return [*options, *rules] if is_edit else [*rules, *options]


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
