"""Tool calls: reported by `tool_call`, by `tool_call_update`, and by requests for permission.

Source: the ACP schema. Any of the three can be the first one about a call, and each has only the
fields that have changed. A list of content replaces the one before it.
"""

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents import events, requests
from claude_ide.agents.fields import integer, mapping, mappings, sequence, text
from claude_ide.base import files
from claude_ide.base.names import EXECUTE_CODE, EXECUTE_CODE_TITLE


def diffs(content: Any, folder: str) -> tuple[requests.Replacement, ...]:
    """Return the diffs in a tool call's content; relative paths begin at `folder`."""
    return tuple(
        requests.Replacement(
            str(Path(folder, path)),
            text(each.get("newText")),
            old if isinstance(old, str) else None,
        )
        for each in mappings(content)
        if each.get("type") == "diff" and (path := text(each.get("path")))
        for old in [each.get("oldText")]
    )


def _proposed(diff: requests.Replacement) -> requests.Replacement:
    is_new = not diff.old and not Path(diff.path).exists()
    return replace(diff, old=None) if is_new else diff


def written(
    tool: str, diffs: Sequence[requests.Replacement]
) -> Iterator[tuple[events.FileWritten | None, events.Change]]:
    """Yield what a tool has written; without `FileWritten` if the file has another text."""
    for path, old, new in ((diff.path, diff.old, diff.new) for diff in diffs):
        after: str | None = None
        with contextlib.suppress(OSError, ValueError):
            after = files.read(Path(path)).decode()
        if after is not None and after in (new, new + "\n"):
            # Some agents describe a new file by an empty text, and leave out the last line's end.
            before = old + after.removeprefix(new) if old else None
        elif after is not None and old and after.count(new) == 1:
            before = after.replace(new, old)
        else:
            # The change of a part, which need not end with a line.
            end = "" if new.endswith("\n") else "\n"
            yield None, events.Change.between(path, old + end if old else None, new + end)
            continue
        write = events.FileWritten(tool, path, before, after)
        yield write, events.Change.between(path, before, after)


NAMES = {
    "read": "Read",
    "edit": "Edit",
    "delete": "Delete",
    "move": "Move",
    "search": "Search",
    "execute": "Run",
    "think": "Think",
    "fetch": "Fetch",
    "switch_mode": "Mode",
}
"""The names of calls whose tool is not named, by kind."""

OTHER = "Tool"
_NAMED = re.compile(r"(?P<name>[A-Za-z]\w*)(?::\s+(?P<rest>.+))?", re.DOTALL)
"""A title that begins with the tool's name, such as `WriteFile: new.txt`, or is nothing else."""

ON_FILES = ("read", "edit", "delete", "move")
_FENCED = re.compile(r"\s*(?P<fence>`{3,})[^`\n]*\n(?P<inside>.*?)\n?(?P=fence)\s*", re.DOTALL)

SHELL = re.compile(r"(?:/(?:usr/(?:local/)?)?bin/)?(?:ba|da|fi|k|z)?sh")
"""A shell that no project brings; `./sh` may be any program."""
SHELL_OPTIONS = ("-c", "-lc")
OUTPUTS = ("formatted_output", "aggregated_output", "output", "stdout", "content")
"""The fields of a raw output that may have the text."""


class ToolCall(Struct):
    """What is known about one tool call."""

    id: str
    name: str = ""
    kind: str = ""
    title: str = ""
    arguments: dict[str, Any] = {}
    path: str = ""
    line: int | None = None
    diffs: tuple[requests.Replacement, ...] = ()
    printed: list[str] = []
    """The pieces of the output."""
    started: events.ToolStarted | None = None
    input: events.ToolInput | None = None
    is_begun: bool = False
    """Whether its input is complete, which may be empty."""
    spells_input: bool = False
    """Whether the agent reports the input as JSON in the content."""
    is_rejected: bool = False
    """Whether the user has rejected it."""
    is_over: bool = False

    @property
    def paths(self) -> list[str]:
        """The files that it names."""
        return [path for path in (self.path, *(diff.path for diff in self.diffs)) if path]

    @property
    def output(self) -> str:
        """The output so far."""
        if len(self.printed) > 1:
            self.printed = ["".join(self.printed)]
        return self.printed[0] if self.printed else ""

    @output.setter
    def output(self, output: str) -> None:
        self.printed = [output]

    @property
    def shown_kind(self) -> str:
        """The kind for the panel: a call with diffs edits, whatever the agent calls it."""
        guessed = "execute" if "command" in self.arguments else "other"
        return "edit" if self.diffs else self.kind or guessed

    @property
    def is_on_files(self) -> bool:
        """Whether it reads or changes files; a command may report its folder as its location."""
        return self.shown_kind in ON_FILES


class ToolCalls:
    """The tool calls of a session that runs in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._calls: dict[str, ToolCall] = {}
        """The calls of this turn, by the ids of the agent."""
        self._own: dict[str, ToolCall] = {}
        """The same, by our ids."""
        self._running: dict[str, ToolCall] = {}
        """Those that are not over, by our ids."""
        self._past: dict[str, ToolCall] = {}
        """Those of the turn before: an agent may report on them after its end."""
        self._terminals: dict[str, str] = {}
        self._numbers = itertools.count(2)
        self.is_stopping = False
        """Whether the user has ended the turn."""

    def turn_ended(self, status: events.ToolStatus) -> Iterator[events.Event]:
        """Yield the ends of calls that the agent has not ended, with this status."""
        for call in self._calls.values():
            over = events.ToolStatus.REJECTED if call.is_rejected else status
            yield from self._ended(call, {}, over)
        self._past, self._calls = self._calls, {}
        self._own.clear()
        self._running.clear()
        self._terminals.clear()
        self.is_stopping = False

    def find(self, tool: str) -> ToolCall | None:
        """Return the call of this turn with this id of ours."""
        return self._own.get(tool)

    def of_terminal(self, terminal: str, line: str) -> ToolCall | None:
        """Return the call that shows a terminal, or else the only running one of its command."""
        if call := self._own.get(self._terminals.get(terminal, "")):
            return call
        # Some agents name the terminal in no call.
        found = [call for call in self._running.values() if line and command(call) == line]
        return found[0] if len(found) == 1 else None

    def asked(self, update: dict[str, Any]) -> tuple[ToolCall, list[events.Event]]:
        """Apply what a request for permission says about its call."""
        call = self._call(update)
        call.is_begun = True
        self._merge(call, update)
        return call, [*self._announced(call)]

    def update(self, update: dict[str, Any]) -> Iterator[events.Event]:
        """Apply a `tool_call` or a `tool_call_update`."""
        call = self._call(update)
        self._merge(call, update)
        yield from self._announced(call)
        yield from self._printed(call, update)
        match text(update.get("status")):
            case "completed":
                yield from self._ended(call, update, events.ToolStatus.COMPLETED)
            case "failed":
                yield from self._ended(call, update, self._failure(call))

    def _call(self, update: dict[str, Any]) -> ToolCall:
        id_ = text(update.get("toolCallId")) or f"unnamed/{next(self._numbers)}"
        past = self._past.get(id_)
        if id_ in self._calls:
            return self._calls[id_]
        if past is not None and update.get("sessionUpdate") == "tool_call_update":
            return past
        # An id that the agent uses again is another use of a tool.
        call = ToolCall(id_ if past is None else f"{id_}/{next(self._numbers)}")
        self._calls[id_] = self._own[call.id] = self._running[call.id] = call
        return call

    def _merge(self, call: ToolCall, update: dict[str, Any]) -> None:
        call.kind = text(update.get("kind")) or call.kind
        call.arguments = mapping(update.get("rawInput")) or _spelled(call, update) or call.arguments
        call.is_begun = call.is_begun or text(update.get("status")) not in ("", "pending")
        for location in mappings(update.get("locations"))[:1]:
            call.path, call.line = text(location.get("path")), integer(location.get("line"))
        content = update.get("content")
        call.diffs = diffs(content, self._folder) or call.diffs
        for terminal in mappings(content):
            if terminal.get("type") == "terminal":
                self._terminals[text(terminal.get("terminalId"))] = call.id
        call.path = call.diffs[0].path if call.diffs else call.path
        self._name(call, update)

    def _name(self, call: ToolCall, update: dict[str, Any]) -> None:
        title = text(update.get("title"))
        named = _NAMED.fullmatch(title)
        call.name = _tool_name(update) or call.name or (named["name"] if named else "")
        if named and not named["rest"]:
            title = "" if named["name"] == call.name else title
        elif named and named["name"].lower() == call.name.lower():
            title = named["rest"]
        call.title = command(call) or _files_of(call, self._folder) or title or call.title

    def _announced(self, call: ToolCall) -> Iterator[events.Event]:
        """Yield what has changed of the name and of the input."""
        name = call.name or NAMES.get(call.shown_kind, OTHER)
        started = events.ToolStarted(call.id, name, call.shown_kind, call.title)
        if started != call.started:
            call.started = started
            yield started
        size = len(json.dumps(call.arguments)) if call.arguments else 0
        runs, line = call.shown_kind == "execute", command(call)
        # Some agents tell the folder of a command before its line.
        is_whole = call.is_begun or bool(line if runs else call.arguments)
        arguments = _in_words(call) if is_whole else None
        path = "" if runs else call.path
        whole = events.ToolInput(call.id, size, arguments, call.title, path, line=call.line)
        if whole != call.input and (arguments is not None or path):
            call.input = whole
            yield whole

    def _printed(self, call: ToolCall, update: dict[str, Any]) -> Iterator[events.Event]:
        content = update.get("content")
        output = printed(content)
        if is_input(call, update) or _repeats_input(call, update):
            output = ""
        # The output of a terminal is reported apart.
        is_apart = not output and any(each.get("type") == "terminal" for each in mappings(content))
        if isinstance(content, list) and output != call.output and not is_apart:
            call.output = output
            yield events.ToolOutput(call.id, output, replaces=True)
        meta = mapping(update.get("_meta"))
        for key in ("terminal_output_delta", "terminal_output"):
            if piece := text(mapping(meta.get(key)).get("data")):
                call.printed.append(piece)
                yield events.ToolOutput(call.id, piece)

    def _ended(
        self, call: ToolCall, update: dict[str, Any], status: events.ToolStatus
    ) -> Iterator[events.Event]:
        if call.is_over:
            return
        call.is_over = True
        self._running.pop(call.id, None)
        changed = []
        if status is events.ToolStatus.COMPLETED:
            for write, change in written(call.id, call.diffs):
                changed.append(change)
                if write is not None:
                    yield write
        output = printed(update.get("content")) or raw_output(update.get("rawOutput"))
        yield events.ToolEnded(call.id, status, output or call.output, tuple(changed))

    def _failure(self, call: ToolCall) -> events.ToolStatus:
        if call.is_rejected:
            return events.ToolStatus.REJECTED
        return events.ToolStatus.INTERRUPTED if self.is_stopping else events.ToolStatus.FAILED


def command(call: ToolCall) -> str:
    """Return the command line that a call runs; "" if it runs none."""
    given = call.arguments.get("command") if call.shown_kind == "execute" else None
    return line_of([text(word) for word in sequence(given)]) or text(given)


def line_of(words: Sequence[str]) -> str:
    """Return the command line of a program with its arguments: that of a shell, if it runs one."""
    if len(words) == 3 and SHELL.fullmatch(words[0]) and words[1] in SHELL_OPTIONS:
        return words[2]
    return " ".join(words)


def _in_words(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call, in which a command line in words is one text."""
    line = command(call)
    return call.arguments | ({"command": line} if line else {})


def _files_of(call: ToolCall, folder: str) -> str:
    """Return the files that a call reads or changes; those of several begin at `folder`."""
    if call.is_on_files and len(call.diffs) > 1:
        return ", ".join(diff.path.removeprefix(f"{folder}/") for diff in call.diffs)
    return call.path if call.is_on_files else ""


def _spelled(call: ToolCall, update: dict[str, Any]) -> dict[str, Any]:
    """Return the input that is reported as content; empty if it is incomplete, or is none."""
    # A request for permission, which may be the first word about a call, names no kind of update.
    if not call.arguments and update.get("sessionUpdate") != "tool_call_update":
        call.spells_input = _is_unfinished(update) and printed(update.get("content"))[:1] == "{"
    if not is_input(call, update):
        return {}
    try:
        return mapping(json.loads(printed(update.get("content"))))
    except ValueError:
        return {}


def is_input(call: ToolCall, update: dict[str, Any]) -> bool:
    """Return whether the content of an update is the input, which a result follows."""
    is_text = printed(update.get("content"))[:1] == "{"
    return call.spells_input and _is_unfinished(update) and is_text


def _repeats_input(call: ToolCall, update: dict[str, Any]) -> bool:
    """Return whether the content of an update only repeats the command or another argument."""
    repeated = printed(update.get("content")).removeprefix("$ ")
    return _is_unfinished(update) and repeated in (call.title, *call.arguments.values())


def _is_unfinished(update: dict[str, Any]) -> bool:
    return text(update.get("status")) in ("", "pending", "in_progress")


def printed(content: Any) -> str:
    """Return the text in a list of content, without the fences that agents put around output."""
    texts = []
    for each in mappings(content):
        output = text(mapping(each.get("content")).get("text"))
        fenced = _FENCED.fullmatch(output)
        if fenced is not None and fenced["fence"] not in fenced["inside"]:
            output = fenced["inside"]
        texts.append(output)
    return "\n".join(filter(None, texts))


def raw_output(output: Any) -> str:
    """Return the text in a raw output, whose form every agent chooses itself."""
    if isinstance(output, str):
        return output
    fields = mapping(output)
    return next((found for key in OUTPUTS if (found := text(fields.get(key)))), "")


def _tool_name(update: dict[str, Any]) -> str:
    meta = mapping(update.get("_meta"))
    names = (
        *(update.get("name"), mapping(meta.get("claudeCode")).get("toolName")),
        *(meta.get("toolName"), meta.get("tool_name")),
    )
    return next(filter(None, map(text, names)), "")


OPTION_KINDS = {kind.value.replace(" ", "_"): kind for kind in requests.OptionKind}
_RUNS_CODE = re.compile(rf"(?<![^\W_]){EXECUTE_CODE}\b|{EXECUTE_CODE_TITLE}")
"""The name of the tool, which agents put behind that of the server, or its title."""

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def _offered_options(params: dict[str, Any]) -> tuple[requests.Option, ...]:
    """Return the options of a request; those of an unknown kind are chosen by name only."""
    offered = [each for each in mappings(params.get("options")) if text(each.get("optionId"))]
    # The first option of a kind is the answer to its key.
    offered.sort(key=lambda each: text(each.get("kind")) not in OPTION_KINDS)
    return tuple(
        requests.Option(
            text(each.get("optionId")),
            text(each.get("name")) or text(each.get("optionId")),
            OPTION_KINDS.get(text(each.get("kind")), requests.OptionKind.REJECT_ONCE),
        )
        for each in offered
    )


def permission_asked(
    request: str, params: dict[str, Any], call: ToolCall
) -> requests.PermissionAsked | requests.PlanProposed:
    """Return the event for a request about a call."""
    plan = text(call.arguments.get("plan"))
    if call.kind == "switch_mode" and plan:
        return requests.PlanProposed(request, call.id, plan, "", _offered_options(params))
    offered = _offered_options(params)
    # Some agents name the tool only in their options.
    words = " ".join((call.name, call.title, *(option.name for option in offered)))
    code = text(call.arguments.get("code")) if _RUNS_CODE.search(words) else ""
    return requests.PermissionAsked(
        request,
        call.id,
        EXECUTE_CODE if code else call.name or NAMES.get(call.shown_kind, OTHER),
        _in_words(call),
        offered,
        kind=call.shown_kind,
        title=call.title,
        path=call.path if call.is_on_files else "",
        reason=_reason(call, params),
        edits=tuple(map(_proposed, call.diffs)),
        code=code,
    )


def permission_answer(
    options: Sequence[requests.Option], answer: requests.Answer | None
) -> dict[str, Any]:
    """Return the answer to a request; None withdraws it.

    It is one of the options, and carries neither a reason nor a changed input.
    """
    match answer:
        case None:
            return CANCELLED
        case requests.Allow(options=chosen):
            return _selected(options, next(iter(chosen), ""), requests.OptionKind.ALLOW_ONCE)
        case requests.Reject(option=chosen):
            return _selected(options, chosen, requests.OptionKind.REJECT_ONCE)
        case _:
            return _selected(options, "", requests.OptionKind.REJECT_ONCE)


def _selected(
    options: Sequence[requests.Option], chosen: str, kind: requests.OptionKind
) -> dict[str, Any]:
    """Return the chosen option, or the first one of a kind: none that lasts unless it is chosen."""
    fitting = [option.id for option in options if option.kind is kind]
    offered = [chosen, *fitting] if chosen else fitting
    return {"outcome": {"outcome": "selected", "optionId": offered[0]}} if offered else CANCELLED


def _reason(call: ToolCall, params: dict[str, Any]) -> str:
    """Return what a request says beside the call: some agents describe a command there."""
    update = mapping(params.get("toolCall"))
    blocks = [mapping(each.get("content")) for each in mappings(update.get("content"))]
    said = " ".join(found for block in blocks if (found := text(block.get("text"))))
    return "" if is_input(call, update) else said
