"""What waits for the user, with the keys that answer it.

A yes counts only if all that it allows was on the screen. The part's kind tells the editor how
much of it is shown, and comes back with the key (`chat/transcript/keys.lua`).
"""

from claude_ide.agents.events import (
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
)
from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import harmless, lines, one_line
from claude_ide.chat.page.rows import Chunk, Row, row
from claude_ide.chat.page.view import Action, Review, View
from claude_ide.chat.page.visible import fits, visible
from claude_ide.chat.requests.allowed import Permission, Piece, Where, wrapped
from claude_ide.chat.transcript.tool import LONGEST_TITLE, shortened

Asked = PermissionAsked | QuestionAsked | PlanProposed

KEY, MEANING, HEAD = "ClaudeChatKey", "ClaudeChatDetail", "ClaudeChatRequest"
NOTE, WARNING = "ClaudeChatMeta", "ClaudeChatWarning"
ALWAYS = (OptionKind.ALLOW_ALWAYS, OptionKind.REJECT_ALWAYS)

WHOLE, ONCE, CUT = "request", "request:once", "request:cut"
"""Shown is all that the keys allow; all that `y` allows, but not `a`; not even that."""

SHOWN = {"y": (WHOLE, ONCE), "a": (WHOLE,)}
"""The kinds in which a key allows something."""

MOST_ROWS = 15
WIDTH = 30
"""Columns of the transcript until its window is known; most are wider."""

LINE = 60
"""Columns that any list of choices shows of a line, whoever draws it."""


class Request(View):
    """A request in the tail, until it is answered or withdrawn."""

    def __init__(
        self,
        part: Part,
        asked: Asked,
        root: str,
        name: str,
        width: int = WIDTH,
        room: int = LINE,
    ) -> None:
        """Show a request of the agent with this name; paths below `root` are shown from there."""
        super().__init__(part)
        self.asked = asked
        self._name = name
        self.open = False
        self.reviewed = isinstance(asked, PlanProposed)
        """Whether it is shown beside the transcript: an edit as a diff, a plan in a buffer."""
        self._always_open = False
        self._root = root
        self._width, self._room = width, room
        self._permission: Permission | None = None
        if isinstance(asked, PermissionAsked):
            self._permission = Permission(asked, root, name)
        self._body: list[Piece] | None = None

    def resize(self, width: int, room: int) -> None:
        """Fit it into another width; what was shown whole stays whole.

        `room` is what a list of choices has for a line.
        """
        was_drawn = bool(self.part.rows)
        self.open = self.open or (was_drawn and not self._is_cut)
        self._width, self._room, self._body = width, room, None

    def locate(self, where: Where) -> None:
        """Take note which file it is about."""
        if self._permission is not None:
            self._permission.where, self._body = where, None

    def unfold(self, key: str) -> None:
        """Show all that a key allows."""
        self.open = True
        self._always_open = self._always_open or key == "a"

    @property
    def part_kind(self) -> str:
        """How much of the request is shown, which decides what its keys may do."""
        return self.kind

    @property
    def kind(self) -> str:
        """How much of the request is shown."""
        if self._is_cut:
            return CUT
        return self.kind_in_line

    @property
    def kind_in_line(self) -> str:
        """How much is shown where all that `y` allows is."""
        return WHOLE if self.shows_always else ONCE

    @property
    def shows_always(self) -> bool:
        """Whether all that `a` allows for ever is shown, or will be in a list of choices."""
        return self._always_open or self._are_short(always(self.asked))

    @property
    def body(self) -> list[Piece]:
        """What is allowed and that the first line does not say."""
        if self._body is None:
            self._body = self._pieces()
        return self._body

    @property
    def line(self) -> str:
        """All that `y` allows, in one line for a list of answers; empty if there is more."""
        if self._permission is not None:
            return self._permission.line(self._room)
        return "" if self.body else f"{self._name} asks: {self.label}"

    @property
    def title(self) -> str:
        """Who asks for what, in one line that may be cut."""
        asker = self._permission.asker if self._permission else self._name
        return f"{asker[:1].upper()}{asker[1:]} asks: {visible(self.label)}"

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

    def rows(self) -> list[Row]:
        """Return what is asked, and one line for each way to answer."""
        match self.asked:
            case QuestionAsked():
                return _questions(self.asked)
            case PlanProposed():
                return [*self._plan_head(self.asked), *self._shown(), *self._plan_keys()]
            case PermissionAsked():
                return [*self._head(), *self._shown(), *self._keys()]

    def press(self, offset: int) -> Action | None:
        """Show the arguments, or ask for the room that a plan or a question needs."""
        if isinstance(self.asked, PermissionAsked):
            self.open = not self.open
            return None
        return Review(self.asked.request)

    @property
    def _is_cut(self) -> bool:
        """Whether some of it is not shown."""
        return not self.open and self._has_more

    @property
    def _has_more(self) -> bool:
        """Whether there is more of it than is shown unasked."""
        if self.reviewed:
            return not isinstance(self.asked, PlanProposed) or bool(self.asked.plan)
        return len(self.body) > MOST_ROWS

    def _pieces(self) -> list[Piece]:
        if self._permission is not None:
            return self._permission.body(self._width)
        if isinstance(self.asked, PlanProposed) and self.asked.plan:
            return wrapped((self.asked.plan, MEANING), self._width)
        return []

    def _head(self) -> list[Row]:
        asked = self._permission
        if asked is None:
            return []
        rows = [row((asked.question(self._width), HEAD))]
        notes = [(asked.where.warning, WARNING)] if asked.where else []
        notes += [(asked.note(self._width), NOTE), (asked.asked.reason, NOTE)]
        rows += [row((f"  {one_line(text)}", group)) for text, group in notes if text]
        if self.reviewed:
            rows.append(_ways("in its diff: ", (":w", " accepts, "), (":q", " rejects")))
        return rows

    def _shown(self) -> list[Row]:
        """The body, as far as it is shown, with the number of rows that are not."""
        if self.reviewed and not self.open:
            return []
        rows = [piece.row() for piece in (self.body if self.open else self.body[:MOST_ROWS])]
        over = len(self.body) - MOST_ROWS
        if over <= 0:
            return rows
        if self.open:
            return [row((f"  {amounts.count(len(self.body), 'line')}", NOTE)), *rows]
        return [*rows, row((f"  {amounts.count(over, 'more line')}", WARNING))]

    def _keys(self) -> list[Row]:
        rows = [_key("y", "yes, once"), *self._always_rows(), _key("n", "no")]
        rows.append(_key("N", "no, because…"))
        return [*rows, _key("d", "details")] if self._has_more else rows

    def _plan_head(self, asked: PlanProposed) -> list[Row]:
        question = row(("? Approve this plan?", HEAD))
        if not asked.plan:
            return [question, row(("  the plan is in the text above", MEANING))]
        ways = (":w", " approves, "), (":q", " keeps planning")
        return [question, _ways("the plan is open: ", *ways)]

    def _plan_keys(self) -> list[Row]:
        rows = [_key("y", "yes"), *self._always_rows()]
        return [*rows, _key("n", "no, keep planning"), _key("N", "no, because…")]

    def _always_rows(self) -> list[Row]:
        options = always(self.asked)
        if not options:
            return []
        if len(options) == 1 and self._are_short(options):
            return [_key("a", way(options[0]))]
        ways = f" ({len(options)} ways)" if len(options) > 1 else ""
        rows = [_key("a", f"always…{ways}")]
        shown = options if self._always_open else []
        pieces = (piece for one in shown for piece in wrapped((way(one), MEANING), self._width))
        return [*rows, *(piece.row() for piece in pieces)]

    def _are_short(self, options: list[Option]) -> bool:
        """Whether a list of choices shows all of each."""
        return all(fits(way(option), self._room) for option in options)


def way(option: Option) -> str:
    """Return what an answer for ever means, and how far it reaches."""
    return f"{option.name} ({option.scope})" if option.scope else option.name


def always(asked: Asked) -> list[Option]:
    """Return the answers that hold for more than this request."""
    options = () if isinstance(asked, QuestionAsked) else asked.options
    return [option for option in options if option.kind in ALWAYS]


def _questions(asked: QuestionAsked) -> list[Row]:
    rows: list[Row] = []
    for question in asked.questions:
        rows += _question(question)
    return [*rows, _key("<CR>", "answer"), _key("n", "skip"), _key("N", "no, because…")]


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


def _ways(where: str, *keys: tuple[str, str]) -> Row:
    chunks: list[Chunk] = [(f"  {where}", MEANING)]
    for key, meaning in keys:
        chunks += [(key, KEY), (meaning, MEANING)]
    return row(*chunks)


def _key(key: str, meaning: str) -> Row:
    return row(("  ", ""), (key, KEY), (f"  {meaning}", MEANING))
