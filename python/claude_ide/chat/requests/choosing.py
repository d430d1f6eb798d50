"""Has the user choose how to allow more than one request, and edit the rule that does so."""

from collections.abc import Awaitable, Callable

from claude_ide.agents.events import Asked, Option, PermissionAsked, Scope
from claude_ide.agents.prompt import Allow, Rule
from claude_ide.chat.requests import proposal, ways
from claude_ide.editor.editor import Editor
from claude_ide.errors import InvalidRuleError

OVER = "this request is no longer waiting for an answer"


async def way(editor: Editor, asked: Asked) -> Scope | Option | None:
    """Have the user choose a way beside a yes and a no; None if they cancel."""
    found = _named(asked)
    if len(found) == 1 and ways.has_yes(asked):
        return found[0][1]
    what = "Allow always:" if ways.are_lasting(ways.others(asked)) else "Answer:"
    chosen = await editor.select(what, [name for name, _ in found]) if found else None
    return None if chosen is None else found[chosen][1]


async def lasting(editor: Editor, asked: Asked) -> Option | None:
    """Have the user choose a way to allow this and what follows; None if they cancel."""
    found = ways.lasting(asked)
    if len(found) == 1:
        return found[0]
    chosen = await editor.select("Allow always:", [ways.described(each) for each in found])
    return None if chosen is None else found[chosen]


async def add_rule(
    editor: Editor,
    asked: PermissionAsked,
    scope: Scope,
    is_over: Callable[[], bool],
    respond: Callable[[Allow, str], Awaitable[None]],
) -> None:
    """Have the user edit the rule, until it is valid; `respond` gets the answer and a summary.

    `respond` raises `InvalidRuleError`.
    """
    rule: str | None = asked.rule
    problem = ""
    while not is_over():
        rule = await editor.input(f"{problem}Rule for {scope.name}: ", rule or "")
        if rule is None:
            return
        try:
            answer = Allow(rule=Rule(rule, scope.id))
            return await respond(answer, f"always: {rule} ({scope.name})")
        except InvalidRuleError as error:
            problem = f"{error} · "
    editor.notify(OVER, "warn")


def _named(asked: Asked) -> list[tuple[str, Scope | Option]]:
    """Return the ways beside a yes and a no, with their names; the usual ones first."""
    scopes = asked.scopes if ways.has_rules(asked) else ()
    rules = [(f"by a rule, for {scope.name}", scope) for scope in scopes]
    options = [(ways.described(option), option) for option in ways.others(asked)]
    return [*options, *rules] if proposal.is_edit(asked) else [*rules, *options]
