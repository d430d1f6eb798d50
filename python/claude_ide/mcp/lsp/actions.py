"""Code actions of language servers: found, chosen and completed."""

from collections.abc import Iterator
from typing import Any

import msgspec

from claude_ide.base.errors import EditorError, ToolError
from claude_ide.editor.port.tools import Published, Server, Spot, View
from claude_ide.editor.protocol import listed, position_of, shortened
from claude_ide.editor.servers import Answer, Question, Servers

METHOD, RESOLVE = "textDocument/codeAction", "codeAction/resolve"

NONE = "no code action is offered here"

MOST_LISTED, LONGEST_TITLE = 30, 200


class Action(msgspec.Struct):
    """A code action and its server; a bare command is the `command` of one."""

    server: Server
    fields: dict[str, Any]

    @property
    def title(self) -> str:
        """What the user and the model call it."""
        return str(self.fields.get("title"))

    @property
    def kind(self) -> str:
        """Its kind, such as `quickfix` or `source.organizeImports`."""
        return str(self.fields.get("kind") or "")

    @property
    def edit(self) -> Any:
        """Its edit, if it has one."""
        return self.fields.get("edit")

    def is_of_kind(self, kind: str) -> bool:
        """Return whether it is of a kind, or of a part of it."""
        return self.kind == kind or self.kind.startswith(f"{kind}.")


class Command(msgspec.Struct, frozen=True):
    """The command that has to follow the edit of an action."""

    server: Server
    name: str
    arguments: Any
    title: str


class Wanted(msgspec.Struct, frozen=True):
    """Which action is wanted, and where."""

    place: dict[str, Any]
    title: str | None
    kind: str | None


async def find(
    servers: Servers, wanted: Wanted, published: list[Published]
) -> tuple[Action, dict[int, int]]:
    """Return the wanted action, completed, and the changedticks of all buffers before.

    `published` are the diagnostics of the file. Raises `ToolError` with the actions on offer.
    """

    def question(only: str | None) -> Question:
        def parameters(view: View, server: Server) -> dict[str, Any]:
            first, last = spots(view, wanted.place)
            raw = [
                each.raw
                for each in published
                if each.client == server.id and each.row <= last.row and each.end_row >= first.row
            ]
            return {
                "textDocument": {"uri": view.uri},
                "range": {
                    "start": position_of(first, server),
                    "end": position_of(last, server),
                },
                "context": {
                    "diagnostics": raw,
                    "triggerKind": 1,
                    **({"only": [only]} if only else {}),
                },
            }

        return Question(METHOD, wanted.place, parameters, supports=(RESOLVE,))

    found = await servers.ask(question(wanted.kind))
    offered = [*_offered(found.answers)]
    chosen, problem = choose(offered, wanted)
    if chosen is None and not wanted.kind:
        # Some servers offer actions on the whole file only if asked for these.
        try:
            more = [*_offered((await servers.ask(question("source"))).answers)]
        except EditorError:
            more = []
        # Some answer with all actions, whatever is asked for.
        known = {_key(each) for each in offered}
        offered += (each for each in more if _key(each) not in known)
        chosen, problem = choose(offered, wanted)
    if chosen is None:
        raise ToolError(problem)
    await _complete(servers, chosen, found.view.bufnr)
    return chosen, found.ticks


def spots(view: View, place: dict[str, Any]) -> tuple[Spot, Spot]:
    """Return the ends of a place: those of whole lines, unless it has a column or a symbol."""
    assert view.first is not None
    first, symbol = view.first, place.get("symbol") or ""
    has_column = bool(place.get("column") or symbol)
    if view.last is not None:
        last = view.last if place.get("end_column") else _end_of(view.last)
    elif has_column:
        last = msgspec.structs.replace(first, index=first.index + len(symbol))
    else:
        last = _end_of(first)
    return first if has_column else msgspec.structs.replace(first, index=0), last


def _end_of(spot: Spot) -> Spot:
    return msgspec.structs.replace(spot, index=len(spot.text))


def _offered(answers: list[Answer]) -> Iterator[Action]:
    for answer in answers:
        for action in listed(answer.result):
            if not isinstance(action, dict) or not isinstance(action.get("title"), str):
                continue
            if isinstance(action.get("command"), str):
                yield Action(answer.server, {"title": action["title"], "command": action})
            else:
                yield Action(answer.server, action)


def _key(action: Action) -> tuple[int, str, str]:
    return action.server.id, action.kind, action.title


def choose(offered: list[Action], wanted: Wanted) -> tuple[Action | None, str]:
    """Return the wanted action; or None, and why there is none."""
    fitting = [
        each
        for each in offered
        if (not wanted.title or each.title == wanted.title)
        and (not wanted.kind or each.is_of_kind(wanted.kind))
    ]
    enabled = [each for each in fitting if not each.fields.get("disabled")]
    if fitting and not enabled:
        disabled = fitting[0].fields["disabled"]
        reason = disabled.get("reason") if isinstance(disabled, dict) else ""
        why = reason or "no reason was given"
        return None, f'"{fitting[0].title}" is not possible here: {why}'
    if not offered:
        return None, NONE
    if not wanted.title and (not wanted.kind or len(enabled) > 1):
        return None, f"give the title of one of these code actions:{_listed(fitting)}"
    if not enabled:
        return None, f"not offered here; these are:{_listed(offered)}"
    return enabled[0], ""


def _listed(actions: list[Action]) -> str:
    lines = (
        f"\n- {shortened(each.title, LONGEST_TITLE)}{f' ({each.kind})' * bool(each.kind)}, "
        f"{each.server.name}"
        for each in actions[:MOST_LISTED]
    )
    return "".join(lines)


async def _complete(servers: Servers, action: Action, bufnr: int | None) -> None:
    """Request what an action without an edit leaves out."""
    if action.edit or RESOLVE not in action.server.supports:
        return
    requests = [(action.server.id, action.fields)]
    (reply,) = await servers.send(RESOLVE, requests, bufnr)
    if reply.failure and not action.fields.get("command"):
        raise EditorError(f"{action.server.name}: {reply.failure}")
    if not reply.failure and isinstance(reply.result, dict):
        action.fields = reply.result


def follow_up(action: Action) -> Command | None:
    """Return the command that has to follow an action.

    Raises `EditorError` if its server does not run it.
    """
    command = action.fields.get("command")
    if not isinstance(command, dict):
        if not action.edit:
            raise EditorError(f'"{action.title}" has neither an edit nor a command')
        return None
    name, known = str(command.get("command")), action.server.commands
    if known is not None and name not in known:
        raise EditorError(
            f'"{action.title}" needs the command {name} of another editor; nothing was changed'
        )
    return Command(action.server, name, command.get("arguments"), action.title)
