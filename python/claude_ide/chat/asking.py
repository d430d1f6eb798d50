"""What waits for the user, with the keys that answer it."""

from claude_ide.agents.events import (
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
)
from claude_ide.chat import detail
from claude_ide.chat.page import Part
from claude_ide.chat.plain import harmless, lines, one_line
from claude_ide.chat.rows import Row, row
from claude_ide.chat.tool import LONGEST_TITLE, shortened
from claude_ide.chat.view import Action, Review, View

Asked = PermissionAsked | QuestionAsked | PlanProposed

KEY, MEANING, HEAD = "ClaudeChatKey", "ClaudeChatDetail", "ClaudeChatRequest"
ALWAYS = (OptionKind.ALLOW_ALWAYS, OptionKind.REJECT_ALWAYS)


class Request(View):
    """A request in the tail, until it is answered or withdrawn."""

    def __init__(self, part: Part, asked: Asked, root: str) -> None:
        super().__init__(part)
        self.asked = asked
        self.open = False
        self._root = root

    def rows(self) -> list[Row]:
        """Return what is asked, and one line for each way to answer."""
        match self.asked:
            case PermissionAsked():
                return self._permission(self.asked)
            case QuestionAsked():
                return _questions(self.asked)
            case PlanProposed():
                return self._plan(self.asked)

    def press(self, offset: int) -> Action | None:
        """Show the arguments, or ask for the room that a plan or a question needs."""
        if isinstance(self.asked, PermissionAsked):
            self.open = not self.open
            return None
        return Review(self.asked.request)

    @property
    def label(self) -> str:
        """What is asked, in one line."""
        match self.asked:
            case PermissionAsked():
                title = one_line(shortened(self.asked.title, self._root), LONGEST_TITLE)
                return f"{self.asked.name} {title}".strip()
            case QuestionAsked():
                return one_line(self.asked.questions[0].text) if self.asked.questions else ""
            case PlanProposed():
                return "the plan"

    def _permission(self, asked: PermissionAsked) -> list[Row]:
        rows = [row(("? May Claude use ", HEAD), (self.label, HEAD), ("?", HEAD))]
        if asked.reason:
            rows.append(row((f"  {one_line(asked.reason)}", "ClaudeChatMeta")))
        if asked.kind == "edit" and {"content", "old_string"} & asked.arguments.keys():
            rows.append(
                row(
                    ("  the diff is open: ", MEANING),
                    (":w", KEY),
                    (" accepts, ", MEANING),
                    (":q", KEY),
                    (" rejects", MEANING),
                )
            )
        rows += [_key("y", "yes, once"), *_always(asked.options), _key("n", "no")]
        rows += [_key("N", "no, because…"), _key("d", "details")]
        if self.open:
            inside = detail.of_input(asked.kind, asked.arguments, self.label)
            rows += [each.row for each in detail.below(inside)]
        return rows

    def _plan(self, asked: PlanProposed) -> list[Row]:
        opened = "  the plan is open: " if asked.plan else "  the plan is in the text above: "
        rows = [
            row(("? May Claude carry out the plan?", HEAD)),
            row((opened.rstrip(": "), MEANING)),
        ]
        if asked.plan:
            rows[1] = row(
                (opened, MEANING),
                (":w", KEY),
                (" approves, ", MEANING),
                (":q", KEY),
                (" keeps planning", MEANING),
            )
        rows += [_key("y", "yes"), *_always(asked.options), _key("n", "no, keep planning")]
        return [*rows, _key("N", "no, because…")]


def _always(options: tuple[Option, ...]) -> list[Row]:
    always = [option for option in options if option.kind in ALWAYS]
    if not always:
        return []
    if len(always) > 1:
        return [_key("a", f"always… ({len(always)} ways)")]
    scope = f" ({always[0].scope})" if always[0].scope else ""
    return [_key("a", one_line(f"{always[0].name}{scope}"))]


def _questions(asked: QuestionAsked) -> list[Row]:
    rows: list[Row] = []
    for question in asked.questions:
        rows += _question(question)
    return [*rows, _key("<CR>", "answer"), _key("n", "no answer"), _key("N", "no, because…")]


def _question(question: Question) -> list[Row]:
    first, *rest = lines(question.text) or [""]
    header = f"{harmless(question.header)}: " if question.header else ""
    rows = [row((f"? {header}{first}", HEAD)), *(row((f"  {line}", HEAD)) for line in rest)]
    sign = "☐" if question.multiple else "·"
    for choice in question.choices:
        label = (f"  {sign} {one_line(choice.label)}", "")
        said = f" — {one_line(choice.description)}" if choice.description else ""
        rows.append(row(label, (said, "ClaudeChatMeta")))
    return rows


def _key(key: str, meaning: str) -> Row:
    return row(("  ", ""), (key, KEY), (f"  {meaning}", MEANING))
