"""The requests of an agent to the user, with their answers: permissions, forms, plans."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents.fields import mapping, mappings, number, read, strings, text


class OptionKind(Enum):
    """The effect of a permission option; an agent may offer several of one kind."""

    ALLOW_ONCE = "allow once"
    ALLOW_ALWAYS = "allow always"
    REJECT_ONCE = "reject once"
    REJECT_ALWAYS = "reject always"


class Option(Struct, frozen=True):
    """One way to answer a request; `scope` describes where an "always" applies."""

    id: str
    name: str
    kind: OptionKind
    scope: str = ""


class Scope(Struct, frozen=True):
    """Where a rule applies, such as this session or all projects."""

    id: str
    name: str


class Subagent(Struct, frozen=True):
    """An agent that another agent has started through a tool use; `title` describes its task."""

    tool: str = ""
    title: str = ""
    kind: str = ""


class Replacement(Struct, frozen=True):
    """An edit of a file: `new` replaces `old`, or the whole text if `old` is None.

    It replaces the first occurrence of `old`, or with `every` all of them. With `takes_line_feed`
    a deletion also removes the line feed behind `old`, where `old` ends with none.
    """

    path: str
    new: str
    old: str | None = None
    every: bool = False
    takes_line_feed: bool = False


class PermissionAsked(Struct, frozen=True):
    """The agent wants to use a tool; it waits for an answer to `request` without a time limit.

    `edits` are the file changes that the tool would make, if they are known in advance.
    `agent` is the subagent that asks; None for the agent itself. `rule` is a rule that would allow
    this and similar uses; the user may change it. `scopes` are empty if the agent has no rules.
    `code` is code that the tool would run, if the user may change it.
    """

    request: str
    tool: str
    name: str
    arguments: dict[str, Any]
    options: tuple[Option, ...]
    kind: str = "other"
    title: str = ""
    path: str = ""
    reason: str = ""
    edits: tuple[Replacement, ...] = ()
    agent: Subagent | None = None
    rule: str = ""
    scopes: tuple[Scope, ...] = ()
    code: str = ""

    @property
    def is_edit(self) -> bool:
        """Whether it is about changes of files."""
        return self.kind == "edit" or bool(self.edits)

    @property
    def paths(self) -> list[str]:
        """The files that it would change, or else the one that it is about."""
        found = list(dict.fromkeys(edit.path for edit in self.edits))
        return found or [self.path] * bool(self.path)


class AnswerKind(Enum):
    """The kind of answer that a question asks for."""

    CHOICE = "choice"
    CHOICES = "choices"
    """Any number of the choices."""
    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"


Value = str | float | bool | tuple[str, ...]
"""An answer: a text or a choice, a number, yes or no, or several choices."""


class Choice(Struct, frozen=True):
    """One answer that a question offers; the agent gets `value`, or `label` if that is empty."""

    label: str
    description: str = ""
    value: str = ""


class AnswerLimits(Struct, frozen=True):
    """The limits of an answer; `least` and `most` limit a number, a length, or a count of choices.

    `format` is a format of JSON Schema such as `email`; `pattern` is a regular expression, which
    only the agent checks.
    """

    least: float | None = None
    most: float | None = None
    format: str = ""
    pattern: str = ""


class Question(Struct, frozen=True):
    """A question to the user. The answer's key is `key`, or `text` if that is empty.

    With `is_open` the user may type an answer instead of a choice.
    """

    text: str
    header: str = ""
    choices: tuple[Choice, ...] = ()
    kind: AnswerKind = AnswerKind.CHOICE
    key: str = ""
    is_open: bool = True
    required: bool = True
    default: Value | None = None
    limits: AnswerLimits = AnswerLimits()


class QuestionAsked(Struct, frozen=True):
    """The agent waits for answers to its questions.

    `asker` is the program for which the agent asks, such as an MCP server; empty for the agent
    itself. `message` introduces the questions.
    """

    request: str
    tool: str
    questions: tuple[Question, ...]
    asker: str = ""
    message: str = ""


class UrlAsked(Struct, frozen=True):
    """A program (`asker`) asks the user to open an address in the browser."""

    request: str
    tool: str
    asker: str
    message: str
    url: str


class PlanProposed(Struct, frozen=True):
    """The agent waits for approval of its plan; if `plan` is empty, it is in the text before."""

    request: str
    tool: str
    plan: str
    path: str
    options: tuple[Option, ...]


class RequestWithdrawn(Struct, frozen=True):
    """The agent no longer waits for an answer to this request."""

    request: str


Asked = PermissionAsked | QuestionAsked | UrlAsked | PlanProposed
"""A request to the user."""


class PermissionRule(Struct, frozen=True):
    """A rule in the agent's syntax; `scope` is the id of one of the request's scopes."""

    text: str
    scope: str


class Allow(Struct, frozen=True):
    """Let the tool run; `options` are the ids of any "always" options that the user chose.

    `rule` allows later uses as well; the agent raises `InvalidRuleError` if it is malformed.
    `edits` are the user's own versions of proposed edits, one for each file that they have changed;
    `plan` is that of the proposed plan, `code` that of code that the editor runs. `unsaved` names
    the files that have unsaved text: `new` is the whole text that the user accepts, and `old` the
    text that they have seen it replace.
    """

    options: tuple[str, ...] = ()
    edits: tuple[Replacement, ...] = ()
    plan: str = ""
    rule: PermissionRule | None = None
    code: str = ""
    unsaved: tuple[Replacement, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the user has changed the proposal."""
        return bool(self.edits or self.plan)


class Reject(Struct, frozen=True):
    """Don't let the tool run; the model reads the reason. `option` is the id of a chosen option."""

    reason: str = ""
    option: str = ""


class Reply(Struct, frozen=True):
    """Answers to questions, by the keys of the questions; without those that were not answered."""

    answers: Mapping[str, Value]


class Dismiss(Struct, frozen=True):
    """End a request without a decision, if the agent accepts that; otherwise as `Reject`."""


Answer = Allow | Reject | Reply | Dismiss

_KINDS = {
    "number": AnswerKind.NUMBER,
    "integer": AnswerKind.INTEGER,
    "boolean": AnswerKind.BOOLEAN,
    "array": AnswerKind.CHOICES,
}
_LEAST = ("minimum", "minLength", "minItems")
_MOST = ("maximum", "maxLength", "maxItems")


def form_questions(schema: Any, order: tuple[str, ...] = ()) -> tuple[Question, ...]:
    """Return a question for each property of a flat JSON Schema; those in `order` come first.

    It is the form of an MCP server, or of an agent that asks in the same way.
    """
    fields = mapping(schema)
    properties = mapping(fields.get("properties"))
    required = strings(fields.get("required"))
    return tuple(
        _form_question(key, mapping(properties[key]), is_required=key in required)
        for key in dict.fromkeys((*order, *properties))
        if key in properties
    )


def form_result(answer: Answer) -> dict[str, Any]:
    """Return the answer in the format of an elicitation's result."""
    match answer:
        case Reply(answers):
            content = {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in answers.items()
            }
            return {"action": "accept", "content": content}
        case Reject():
            return {"action": "decline"}
        case Dismiss():
            return {"action": "cancel"}
        case _:
            return {"action": "accept"}


def _form_question(key: str, schema: dict[str, Any], *, is_required: bool) -> Question:
    choices = _choices(schema)
    kind = _KINDS.get(text(schema.get("type")), AnswerKind.CHOICE if choices else AnswerKind.TEXT)
    description = text(schema.get("description"))
    title = text(schema.get("title")) or key
    default = schema.get("default")
    return Question(
        f"{title}\n{description}" if description else title,
        choices=choices,
        kind=kind,
        key=key,
        is_open=not choices and kind is not AnswerKind.BOOLEAN,
        required=is_required,
        default=strings(default) if isinstance(default, list) else _plain(default),
        limits=_limits(schema),
    )


def _choices(schema: dict[str, Any]) -> tuple[Choice, ...]:
    given = mapping(schema.get("items")) or schema
    named = mappings(given.get("oneOf")) or mappings(given.get("anyOf"))
    if named:
        keys = {"label": "title", "value": "const"}
        found = (read(Choice, each, keys) for each in named)
        return tuple(replace(each, label=each.label or each.value) for each in found)
    values, names = strings(given.get("enum")), strings(given.get("enumNames"))
    names += values[len(names) :]
    pairs = zip(values, names, strict=False)
    return tuple(Choice(name or value, value=value) for value, name in pairs)


def _limits(schema: dict[str, Any]) -> AnswerLimits:
    least, most = (
        next((found for key in keys if (found := number(schema.get(key))) is not None), None)
        for keys in (_LEAST, _MOST)
    )
    return AnswerLimits(least, most, text(schema.get("format")), text(schema.get("pattern")))


def _plain(value: Any) -> Value | None:
    return value if isinstance(value, str | int | float) else None
