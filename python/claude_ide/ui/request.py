"""A request that waits for the user: its view, and what the keys do that answer it.

A yes counts only if everything that it allows was on the screen. The part's kind is how much of the
request is shown; the editor sends it back with the key (`chat/transcript/keys.lua`).
"""

from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import SplitResult, urlsplit

from claude_ide.agents.requests import (
    Allow,
    Answer,
    Asked,
    Option,
    PermissionAsked,
    PermissionRule,
    PlanProposed,
    QuestionAsked,
    Reject,
    Scope,
    UrlAsked,
)
from claude_ide.base.errors import InvalidRuleError, UserError
from claude_ide.base.paths import DisplayPath, display_path, within
from claude_ide.editor.attention import Call
from claude_ide.editor.editor import Editor
from claude_ide.ui import form, permission
from claude_ide.ui.page import (
    DETAIL,
    KEY,
    META,
    REQUEST,
    WARNING,
    Chunk,
    Page,
    Part,
    Row,
    key_row,
    row,
)
from claude_ide.ui.permission import Permission, Piece, capitalized, wrapped
from claude_ide.ui.sheet import Action, ReviewWanted, View
from claude_ide.ui.text import LONGEST_TITLE, counted, fits, one_line, visible

WHOLE, ONCE, CUT = "request", "request:once", "request:cut"
"""Kinds of a part: everything is shown; only what `y` allows but not `a`; less than that."""

SHOWN = {"y": (WHOLE, ONCE), "a": (WHOLE,)}
"""The kinds with which a key is valid."""

OVER = "this request is no longer waiting for an answer"
ALLOWED, REJECTED = "allowed", "rejected"

MOST_ROWS, MOST_REVIEWED, MOST_LISTED = 15, 8, 8
WIDTH = 30
"""The assumed width of the transcript until its window is known; most windows are wider."""

LINE = 60
"""Columns of a line that every list of choices can show, whichever plugin draws it."""


class RequestView(View):
    """A request in the tail, until it is answered or withdrawn."""

    def __init__(
        self, part: Part, asked: Asked, root: str, name: str, width: int = WIDTH, room: int = LINE
    ) -> None:
        """Show a request of the agent with this name; paths below `root` are relative to it."""
        super().__init__(part)
        self.asked = asked
        self._name = name
        self.open = False
        self.reviewed = isinstance(asked, PlanProposed)
        """Whether another window shows it: an edit as a diff, a plan in a buffer."""
        self._always_open = False
        self._root = root
        self._width, self._room = width, room
        self._permission: Permission | None = None
        if isinstance(asked, PermissionAsked):
            self._permission = Permission(asked, root, name)
        self._body: list[Piece] | None = None

    def resize(self, width: int, room: int) -> None:
        """Fit the request into a window of this width; if all of it was shown, it remains so.

        `room` is the number of columns for a line in a list of choices.
        """
        was_drawn = bool(self.part.rows)
        self.open = self.open or (was_drawn and not self._is_cut)
        self._width, self._room, self._body = width, room, None

    def locate(self) -> None:
        """Show the files of a permission, with a warning if a change of one is risky."""
        paths = self.asked.paths if isinstance(self.asked, PermissionAsked) else []
        if self._permission is not None and paths:
            found = [display_path(path, [self._root]) for path in paths]
            warnings = [
                f"{each.path}: {each.warning}" if len(found) > 1 else each.warning
                for each in found
                if each.warning
            ]
            where = DisplayPath(", ".join(each.path for each in found), "; ".join(warnings))
            self._permission.where, self._body = where, None

    def propose(self, change: tuple[str, ...], note: str = "") -> None:
        """Set the proposed change as a unified diff; empty if it is not known.

        `note` says what becomes of unsaved changes.
        """
        if self._permission is not None:
            self._permission.change, self._body = change, None
            self._permission.unsaved = note

    def unfold(self, key: str) -> None:
        """Show all that a key allows."""
        self.open = True
        self._always_open = self._always_open or key == "a"

    def show_ways(self) -> None:
        """Show all ways to allow more than this request."""
        self._always_open = True

    @property
    def kind(self) -> str:
        """How much of the request is shown, which determines the effect of its keys."""
        return CUT if self._is_cut else self.kind_in_line

    part_kind = kind

    @property
    def kind_in_line(self) -> str:
        """The kind if all that `y` allows is shown."""
        return WHOLE if self.shows_always else ONCE

    @property
    def shows_always(self) -> bool:
        """Whether all that `a` allows is shown, or fits in a list of choices."""
        return self._always_open or self._are_short(self._always)

    @property
    def body(self) -> list[Piece]:
        """All that is allowed and not in the first line."""
        if self._body is None:
            self._body = self._pieces()
        return self._body

    @property
    def line(self) -> str:
        """All that `y` allows, in one line for a list of choices; empty if it does not fit."""
        if self._permission is not None:
            return self._permission.line(self._room)
        return "" if self.body else self.title

    @property
    def whole(self) -> str:
        """All that `y` allows, in few rows for a list of answers; empty if it has more of them.

        A plan has a window of its own.
        """
        rows = [*self._intro(), *(piece.row() for piece in self.body)]
        is_known = self._permission is None or self._permission.is_known
        is_short = is_known and len(rows) <= MOST_LISTED
        return "\n".join(each.text for each in rows) if is_short else ""

    @property
    def asker(self) -> str:
        """The name of the agent, the subagent or the program that asks."""
        if isinstance(self.asked, QuestionAsked | UrlAsked):
            return visible(self.asked.asker) or self._name
        return self._permission.asker if self._permission else self._name

    @property
    def title(self) -> str:
        """The asker and the request, in one line that may be cut."""
        return f"{capitalized(self.asker)} asks: {visible(self.label)}"

    @property
    def label(self) -> str:
        """The request in one line."""
        match self.asked:
            case PermissionAsked():
                title = one_line(within(self.asked.title, self._root), LONGEST_TITLE)
                return f"{self.asked.name} {title}".strip()
            case QuestionAsked():
                return form.questions_label(self.asked)
            case UrlAsked():
                return f"open {one_line(self.asked.url, LONGEST_TITLE)}"
            case PlanProposed():
                return "the plan"

    def draw(self, page: Page) -> None:
        rows = permission.coloured(self.rows(), permission.SHELL, permission.GOES_ON)
        page.write(self.part, rows, code=permission.code_in(rows), kind=self.part_kind)

    def rows(self) -> list[Row]:
        match self.asked:
            case QuestionAsked():
                return form.questions_rows(self.asked, self._name)
            case UrlAsked():
                return [*_url_head(self.asked), *self._shown(), *self._url_keys()]
            case PlanProposed():
                return [
                    *self._plan_head(self.asked),
                    *self._shown(),
                    *self._answer_rows("yes", "no, keep planning"),
                ]
            case PermissionAsked():
                return [*self._head(), *self._shown(), *self._keys()]

    def question(self) -> list[Row]:
        """Return the request without the ways to answer."""
        return [*self._head(), *self._shown()]

    def press(self, offset: int) -> Action | None:
        """Show all of the arguments, or start the review of a plan or of questions."""
        if isinstance(self.asked, PermissionAsked | UrlAsked):
            self.open = not self.open
            return None
        return ReviewWanted(self.asked.request)

    @property
    def _is_cut(self) -> bool:
        """Whether a part of the request is not shown."""
        return not self.open and self._has_more

    @property
    def _has_more(self) -> bool:
        """Whether it has more rows than are shown while it is closed."""
        if self._is_open_plan:
            return bool(self.body)
        return len(self.body) > self._most

    @property
    def _is_open_plan(self) -> bool:
        return self.reviewed and isinstance(self.asked, PlanProposed)

    @property
    def _most(self) -> int:
        """The most rows that are shown while it is closed; a diff in other windows shows more."""
        return MOST_REVIEWED if self.reviewed else MOST_ROWS

    def _pieces(self) -> list[Piece]:
        if self._permission is not None:
            return self._permission.body(self._width)
        if isinstance(self.asked, PlanProposed) and self.asked.plan:
            return wrapped((self.asked.plan, DETAIL), self._width)
        if isinstance(self.asked, UrlAsked):
            return _url_body(self.asked, self._width)
        return []

    def _intro(self) -> list[Row]:
        """Return what stands above the body of a permission or an address."""
        asked = self._permission
        if isinstance(self.asked, UrlAsked):
            return _url_head(self.asked)
        if asked is None:
            return []
        rows = [asked.head(self._width)]
        notes = [(asked.where.warning, WARNING)] if asked.where else []
        notes += [(asked.unsaved, WARNING)]
        notes += [(asked.note(self._width), META), (asked.asked.reason, META)]
        return rows + [row((f"  {one_line(text)}", group)) for text, group in notes if text]

    def _head(self) -> list[Row]:
        asked = self._permission
        rows = self._intro()
        if asked is not None and self.reviewed:
            where = "in its diff: " if len(asked.asked.paths) < 2 else "in its diffs: "
            rows.append(_commands(where, (":w", " accepts, "), (":q", " rejects")))
        return rows

    def _shown(self) -> list[Row]:
        """Return the shown rows of the body, with the number of the others."""
        if self._is_open_plan and not self.open:
            return []
        rows = [piece.row() for piece in (self.body if self.open else self.body[: self._most])]
        over = len(self.body) - self._most
        if over <= 0:
            return rows
        if self.open:
            return [row((f"  {counted(len(self.body), 'line')}", META)), *rows]
        return [*rows, row((f"  {counted(over, 'more line')}", WARNING))]

    def _keys(self) -> list[Row]:
        rows = self._answer_rows("yes, once", "no")
        if isinstance(self.asked, PermissionAsked) and self.asked.code:
            rows.append(key_row("c", "change the code"))
        return [*rows, key_row("d", "details")] if self._has_more else rows

    def _answer_rows(self, usual_yes: str, usual_no: str) -> list[Row]:
        """Return the rows for a permission or a plan."""
        yes, no = permission.yes(self.asked, usual_yes), permission.no(self.asked, usual_no)
        rows = [key_row("y", _words(yes))] * permission.has_yes(self.asked)
        rows += [*self._always_rows(), key_row("n", _words(no))]
        return [*rows, key_row("N", "no, because…")]

    def _url_keys(self) -> list[Row]:
        assert isinstance(self.asked, UrlAsked)
        yes = [key_row("y", "open it in the browser")] * can_open(self.asked.url)
        rows = [*yes, key_row("n", "decline"), key_row("N", "cancel")]
        return [*rows, key_row("d", "details")] if self._has_more else rows

    def _plan_head(self, asked: PlanProposed) -> list[Row]:
        question = row(("? Approve this plan?", REQUEST))
        if not asked.plan:
            return [question, row(("  the plan is in the text above", DETAIL))]
        commands = (":w", " approves, "), (":q", " keeps planning")
        return [question, _commands("the plan is open: ", *commands)]

    def _always_rows(self) -> list[Row]:
        found = self._always
        if not found:
            return []
        are_short = self._are_short(found)
        if len(found) == 1 and are_short:
            return [key_row("a", found[0])]
        number = f" ({len(found)} ways)" if len(found) > 1 else ""
        what = (
            "always" if permission.are_lasting(permission.others(self.asked)) else "other answers"
        )
        rows = [key_row("a", f"{what}…{number}")]
        if are_short and not permission.has_rules(self.asked):
            return [*rows, *(key_row(" ", _words(one)) for one in found)]
        shown = found if self._always_open else []
        pieces = (piece for one in shown for piece in wrapped((one, DETAIL), self._width))
        return [*rows, *(piece.row() for piece in pieces)]

    @property
    def _always(self) -> list[str]:
        """The ways beside a yes and a no: a rule, and the agent's other options."""
        rules: list[str] = []
        if permission.has_rules(self.asked):
            rule = self.asked.rule
            rules.append(f"always: {rule}…" if rule else "always, by a rule…")
        return [*rules, *map(permission.described, permission.others(self.asked))]

    def _are_short(self, found: list[str]) -> bool:
        """Return whether each way fits in a list of choices."""
        return all(fits(way, self._room) for way in found)


@dataclass(kw_only=True, eq=False)
class PendingRequest:
    """A request that waits for the user, who sees its view."""

    view: RequestView
    way: Option | None = None
    """How the user has accepted a diff together with the edits that follow."""
    is_over: bool = False
    """Whether it was answered or withdrawn."""
    call: Call | None = None
    """It calls the user."""

    def see(self) -> None:
        """Know that the user has seen it."""
        if self.call is not None:
            self.call.see()

    @property
    def asked(self) -> Asked:
        """What the agent asks for."""
        return self.view.asked

    async def choose_lasting(self, editor: Editor) -> bool:
        """Have the user choose what accepts the edits that follow, too; False if they cancel."""
        self.way = await permission.chosen(editor, "Allow always:", permission.lasting(self.asked))
        return self.way is not None


W = TypeVar("W", bound=PendingRequest)


class Answering(Generic[W]):
    """What the keys of a request do, in a chat as in the float of a terminal."""

    _editor: Editor

    async def respond(self, waiting: W, answer: Answer, summary: str) -> None:
        """Send an answer, in short a `summary`. Raises `InvalidRuleError`."""
        raise NotImplementedError

    async def redraw(self, waiting: W) -> None:
        """Draw a request whose view has changed."""
        raise NotImplementedError

    async def covers(self, waiting: W, key: str) -> bool:
        """Return whether the user sees elsewhere all that a key allows."""
        return False

    async def show_rest(self, waiting: W, key: str) -> None:
        """Show all that a key allows."""
        waiting.view.unfold(key)
        await self.redraw(waiting)

    async def allow(self, waiting: W) -> None:
        """Allow a request, and nothing more."""
        await self.respond(waiting, Allow(), ALLOWED)

    async def keep(self, reason: str) -> None:
        """Return to the user a reason that came too late."""
        raise UserError(f"{OVER}; not sent: {reason}")

    async def act(self, waiting: W, key: str, kind: str, reason: str = "") -> None:
        """Handle a key; `kind` is how much of the request the user has seen (`SHOWN`).

        A key that allows more than that only shows the rest. `reason` is why `n` rejects it.
        """
        match key:
            case "y" if not permission.has_yes(waiting.asked):
                await self.act(waiting, "a", kind)
            case "y" | "a" if not (kind in SHOWN[key] or await self.covers(waiting, key)):
                await self.show_rest(waiting, key)
            case "y":
                await self.allow(waiting)
            case "a":
                await self._allow_more(waiting)
            case "n":
                await self._reject(waiting, reason)
            case "N":
                why = await self._editor.input("Why not? ")
                if why is not None and not waiting.is_over:
                    await self._reject(waiting, why)
                elif why:
                    await self.keep(why)
                elif why is not None:
                    raise UserError(OVER)
            case "d":
                waiting.view.press(0)
                await self.redraw(waiting)

    async def _allow_more(self, waiting: W) -> None:
        """Have the user choose how: all ways together would allow too much."""
        way = await permission.choose_way(self._editor, waiting.asked)
        if isinstance(way, Scope):
            await self._add_rule(waiting, way)
        elif way is not None and waiting.is_over:
            raise UserError(OVER)
        elif way is not None:
            await self.respond(waiting, permission.answer(way), way.name)

    async def _add_rule(self, waiting: W, scope: Scope) -> None:
        """Have the user edit the rule, until it is valid."""
        assert permission.has_rules(waiting.asked)
        rule: str | None = waiting.asked.rule
        problem = ""
        while not waiting.is_over:
            rule = await self._editor.input(f"{problem}Rule for {scope.name}: ", rule or "")
            if rule is None:
                return
            try:
                answer = Allow(rule=PermissionRule(rule, scope.id))
                return await self.respond(waiting, answer, f"always: {rule} ({scope.name})")
            except InvalidRuleError as error:
                problem = f"{error} · "
        self._editor.notify(OVER, "warn")

    async def _reject(self, waiting: W, reason: str) -> None:
        summary = f"{REJECTED}: {reason}" if reason else REJECTED
        await self.respond(waiting, Reject(reason), summary)


def _words(text: str) -> str:
    """Return an agent's words as the meaning of a key."""
    return one_line(visible(text), LINE)


def _commands(where: str, *keys: tuple[str, str]) -> Row:
    chunks: list[Chunk] = [(f"  {where}", DETAIL)]
    for key, meaning in keys:
        chunks += [(key, KEY), (meaning, DETAIL)]
    return row(*chunks)


LINK = "ClaudeChatLink"
SCHEMES = ("https", "http")


def _url_head(asked: UrlAsked) -> list[Row]:
    """Return the question, which names the host, and the warnings."""
    question = f"? May {visible(asked.asker)} open {host(asked.url)} in your browser?"
    notes = [row((f"  {warning}", WARNING)) for warning in warnings(asked.url)]
    return [row((question, REQUEST)), *notes]


def _url_body(asked: UrlAsked, width: int) -> list[Piece]:
    """Return the message, and the whole address."""
    message = wrapped((asked.message, DETAIL), width) if asked.message else []
    return [*message, *wrapped((asked.url, LINK), width)]


def can_open(url: str) -> bool:
    """Return whether an address leads to a web page; others could start any program."""
    split = _split(url)
    return split is not None and split.scheme in SCHEMES and bool(split.hostname)


def host(url: str) -> str:
    """Return the host to which an address leads."""
    split = _split(url)
    return visible(split.hostname or "") if split and split.hostname else "an unknown host"


def warnings(url: str) -> list[str]:
    """Return the reasons to suspect an address."""
    split = _split(url)
    if split is None or not can_open(url):
        return ["it cannot be opened from here: it is not the address of a web page"]
    name = split.hostname or ""
    found = []
    if split.scheme == "http":
        found.append("the connection is not encrypted")
    if "@" in split.netloc:
        found.append(f"the address begins with a user name; the host is {visible(name)}")
    if not name.isascii() or "xn--" in name:
        found.append("the name of the host contains letters of other alphabets")
    return found


def _split(url: str) -> SplitResult | None:
    try:
        split = urlsplit(url)
        _ = split.port
    except ValueError:
        return None
    # A browser might read such an address differently.
    return None if any(each <= " " or each == "\\" for each in url) else split
