"""Shows what a yes to a permission allows: all of a tool's input, in one line or in rows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeGuard

import msgspec

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
    Subagent,
)
from claude_ide.base.paths import DisplayPath, within
from claude_ide.editor.editor import Editor
from claude_ide.ui.page import DETAIL, META, REQUEST, Code, Decoration, Mark, Row, row, size
from claude_ide.ui.text import fits, one_line, pieces, visible

SHELL = "ClaudeChatShell"
ADDED, REMOVED = "ClaudeChatAdded", "ClaudeChatRemoved"
SIGNS = {
    "old_string": ("-", REMOVED),
    "new_string": ("+", ADDED),
    "content": ("+", ADDED),
    "new_source": ("+", ADDED),
}
"""Arguments of edits that are shown as removed or added lines."""

VERBS = {"delete": "Delete", "move": "Move"}
UNNAMED = "Run"
"""How a command is called whose agent does not name the tool."""

DIFF = {"+": ADDED, "-": REMOVED, "@": META}
"""The highlights of a diff's lines, by their first character."""

BEGINS, GOES_ON = "  │ ", "  ┊ "
"""Prefixes of a line's first row and of its further rows, which set the text off from our own."""

CODE = "code"
"""In place of a highlight group: the text is coloured by its language's parser."""

LANGUAGE = "python"
RUN_TOOLS = ("execute_code", "executeCode")
"""Tools that run code in a kernel, by the last part of their names."""

LONGEST_NAME = 60

Passage = tuple[str, str]
"""A text and its highlight group."""


class Piece(NamedTuple):
    """The part of a line that fits in one row; a text may have very many."""

    text: str
    begins: bool
    group: str

    def row(self) -> Row:
        """Return it as a row."""
        prefix = BEGINS if self.begins else GOES_ON
        if self.group == CODE:
            # A parser colours the buffer's lines, which must be the code alone.
            return row((self.text, ""))._replace(looks=(Decoration(0, 0, prefix, META, "inline"),))
        return row((prefix, META), (self.text, self.group))


class Permission:
    """A tool's input in a request; paths below `root` are relative to it."""

    def __init__(self, asked: PermissionAsked, root: str, name: str) -> None:
        """Show a request of the agent with this name."""
        self.asked = asked
        self._name = name
        self.where: DisplayPath | None = None
        self.change: tuple[str, ...] = ()
        """The proposed change of a file as a unified diff; empty if it is not known."""
        self.unsaved = ""
        """What becomes of unsaved changes; empty if there are none."""
        self._root = root

    @property
    def asker(self) -> str:
        """The name of the agent or subagent that asks."""
        return _name(self.asked.agent) if self.asked.agent else self._name

    @property
    def title(self) -> str:
        """The tool's title, such as its file or command."""
        if not self._is_about_files:
            return within(self.asked.title, self._root)
        if self.where is not None:
            return self.where.path
        return ", ".join(within(path, self._root) for path in self.asked.paths)

    @property
    def _is_about_files(self) -> bool:
        """Whether the files are the title; an agent's own title may hide some of them."""
        is_path = self.asked.kind == "edit" and self.asked.title == self.asked.path
        return is_path or bool(self.asked.edits)

    def question(self, width: int) -> str:
        """Return the question; with the title if a window of this width shows all of it."""
        short, whole = self._questions()
        return whole if self.title and self._is_inline(whole, width) else short

    def head(self, width: int) -> Row:
        """Return the question as a row."""
        question, title = self.question(width), visible(self.title)
        if not _is_command(self.asked) or not self._has_title(width):
            return row((question, REQUEST))
        return row((question.removesuffix(title), REQUEST), (title, SHELL))

    def body(self, width: int) -> list[Piece]:
        """Return all of the input that the question does not contain."""
        passages = self._rest(is_titled=self._has_title(width))
        return [each for passage in passages for each in wrapped(passage, width)]

    def line(self, width: int) -> str:
        """Return the request in one line; empty if the line would be incomplete."""
        what = f"{visible(self.asked.name)} {visible(self.title)}"
        line = f"{capitalized(self.asker)} asks: {what}".rstrip()
        if self.where is not None and self.where.warning:
            line = f"{line} ({self.where.warning})"
        if self.unsaved:
            line = f"{line} ({self.unsaved})"
        is_whole = self.is_known and self._is_inline(line, width) and "  " not in line
        return line if is_whole and not self._rest(is_titled=True) else ""

    @property
    def is_known(self) -> bool:
        """Whether it is known if a change of its files is risky."""
        return not self.asked.paths or self.where is not None

    def note(self, width: int) -> str:
        """Return a description that is not part of what the tool runs; empty if there is none."""
        if _has_command(self.asked):
            return str(self.asked.arguments.get("description") or "")
        if self._is_about_files:
            return ""
        is_shown = _title_key(self.asked) or self._has_title(width)
        return "" if is_shown else self.asked.title

    def _questions(self) -> tuple[str, str]:
        """Return the question without and with the title."""
        title, name = visible(self.title), visible(self.asked.name)
        if _is_command(self.asked):
            short = self._asked("Run this command?")
            return short, f"{short}  {title}"
        if _has_code(self.asked):
            short = self._asked("Run this code?")
            return short, short
        if self.asked.is_edit:
            number = len(self.asked.paths)
            files = "this file" if number < 2 else f"these {number} files"
            return self._asked(f"{self._verb} {files}?"), self._asked(f"{self._verb} {title}?")
        return self._asked(f"Use {name}?"), self._asked(f"Use {name} {title}?")

    @property
    def _verb(self) -> str:
        is_whole = any(edit.old is None for edit in self.asked.edits)
        return VERBS.get(self.asked.kind) or ("Write" if is_whole else "Edit")

    def _asked(self, question: str) -> str:
        if self.asked.agent is None:
            return f"? {question}"
        return f"? {capitalized(self.asker)} asks: {question[:1].lower()}{question[1:]}"

    def _is_inline(self, whole: str, width: int) -> bool:
        title = self.title
        has_edges = title != title.strip() or "\n" in title or "\t" in title
        return not has_edges and fits(whole, width)

    def _has_title(self, width: int) -> bool:
        return self.question(width) != self.question(0)

    def _rest(self, *, is_titled: bool) -> list[Passage]:
        """Return the input without what the title contains, if that is shown."""
        key = _title_key(self.asked)
        skipped = {key if is_titled else "", "description" if _has_command(self.asked) else ""}
        if self.change:
            skipped |= {*SIGNS, "replace_all"}
        rest = {key: value for key, value in self.asked.arguments.items() if key not in skipped}
        if _has_code(self.asked):
            return [(rest.pop("code"), CODE), *map(_named, rest.items())]
        changed = [(line, DIFF.get(line[:1], DETAIL)) for line in self.change]
        content = changed or _content(self.asked.kind, rest) or self._edits()
        if not (is_titled or key or content[:1] == self._edits()[:1]):
            # The arguments do not name the file.
            files = [(f"{within(edit.path, self._root)}:", DETAIL) for edit in self.asked.edits[:1]]
            content = [*files, *content]
        return [*content, *map(_named, rest.items())]

    def _edits(self) -> list[Passage]:
        """Return the edits of a tool whose arguments do not contain them."""
        found: list[Passage] = []
        for edit in self.asked.edits:
            found.append((f"{within(edit.path, self._root)}:", DETAIL))
            for sign, words, group in (("-", edit.old, REMOVED), ("+", edit.new, ADDED)):
                if words:
                    found.append(("\n".join(f"{sign}{line}" for line in _lines(words)), group))
        return found


def capitalized(words: str) -> str:
    """Return words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def wrapped(passage: Passage, width: int) -> list[Piece]:
    """Return a text in pieces that fit into a window of this width."""
    text, group = passage
    return [Piece(*found, group) for found in pieces(text, width - len(BEGINS))]


def _name(agent: Subagent) -> str:
    title, kind = (one_line(visible(text), LONGEST_NAME) for text in (agent.title, agent.kind))
    name = f'the subagent "{title}"' if title else "a subagent"
    return f"{name} ({kind})" if kind else name


def _title_key(asked: PermissionAsked) -> str:
    """Return the key of the argument that is the title; empty if there is none."""
    return next((key for key, value in asked.arguments.items() if value == asked.title), "")


def _has_command(asked: PermissionAsked) -> bool:
    return asked.kind == "execute" and isinstance(asked.arguments.get("command"), str)


def _has_code(asked: PermissionAsked) -> bool:
    is_known = asked.name.rpartition("__")[2] in RUN_TOOLS
    return is_known and isinstance(asked.arguments.get("code"), str)


def code_in(rows: Sequence[Row]) -> list[Code]:
    """Return where code is in the rows of a request."""
    found: list[Code] = []
    for number, each in enumerate(rows):
        if not (each.looks and each.looks[0].text in (BEGINS, GOES_ON)):
            continue
        if found and found[-1].last == number:
            found[-1] = found[-1]._replace(last=number + 1)
        else:
            found.append(Code(number, number + 1, LANGUAGE))
    return found


def _is_command(asked: PermissionAsked) -> bool:
    """Return whether it is a command; without a tool's name and input, the title is one."""
    is_bare = (asked.kind, asked.name) == ("execute", UNNAMED) and not asked.arguments
    return _has_command(asked) or is_bare


def _content(kind: str, arguments: dict[str, Any]) -> list[Passage]:
    """Remove the command or the change from the arguments, and return it."""
    found: list[Passage] = []
    if kind == "execute" and isinstance(arguments.get("command"), str):
        found.append((arguments.pop("command"), SHELL))
    for key, (sign, group) in SIGNS.items() if kind == "edit" else ():
        if isinstance(arguments.get(key), str):
            changed = _lines(arguments.pop(key))
            found.append(("\n".join(f"{sign}{line}" for line in changed), group))
    return found


def _named(argument: tuple[str, Any]) -> Passage:
    key, value = argument
    text = value if isinstance(value, str) else _json(value)
    if "\n" not in text:
        return f"{key}: {text}", DETAIL
    return "\n".join([f"{key}:", *(f"  {line}" for line in _lines(text))]), DETAIL


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _json(value: Any) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (TypeError, ValueError, RecursionError):
        return repr(value)


LONGEST_COMMAND = 4000
"""Characters of a command."""

WORD_GROUP = "@{}.bash"
"""The highlight group of a word, as Neovim's parsers name it."""

KEYWORDS = {
    **dict.fromkeys(("!", "{", "do", "elif", "else", "if", "then", "time", "until", "while"), True),
    **dict.fromkeys(("}", "case", "done", "esac", "fi", "for", "function", "in"), False),
}
"""Whether a command follows."""

TOKENS = re.compile(
    r"""
    (?P<end>\n)
    | (?P<comment>(?<![^\s;])\#[^\n]*)
    | (?P<string>'[^']*'? | "(?:\\.|[^"\\])*\\?"?)
    | (?P<heredoc><<[-~]?[ \t]*['"]?(?P<delimiter>\w+)['"]?)
    | (?P<redirection>\d*[<>]+[&|]?)
    | (?P<variable>\$\{[^}\n]{0,99}\} | \$\w+ | \$[#?!@*$-])
    | (?P<operator>\$\( | [|&;()`]+)
    | (?P<word>(?:\\. | [^\s|&;()`<>'"$\\])+)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
ASSIGNED = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


class Word(NamedTuple):
    """A part of a command with a colour: characters from 0, the last one exclusive."""

    first: int
    last: int
    name: str


def shell_words(command: str) -> Iterator[Word]:
    """Yield the words of a command that have a colour."""
    at, starts, delimiter = 0, True, ""
    while found := TOKENS.search(command, at):
        first, at = found.span()
        match found.lastgroup:
            case "end":
                starts = True
                if delimiter:
                    begin, at = at, _end_of_document(command, first, delimiter)
                    if begin < at:
                        yield Word(begin, at, "string")
                delimiter = ""
            case "heredoc" | "redirection" as kind:
                delimiter = found["delimiter"] if kind == "heredoc" else delimiter
                yield Word(first, at, "operator")
            case "operator":
                starts = True
                yield Word(first, at, "operator")
            case "word":
                word = found[0]
                name = _word_name(word, starts=starts)
                starts = starts and (name == "variable" or KEYWORDS.get(word, False))
                if name:
                    yield Word(first, at, name)
            case "string" | "variable" as name:
                starts = False
                yield Word(first, at, name)
            case name:
                yield Word(first, at, str(name))


def _end_of_document(command: str, line: int, delimiter: str) -> int:
    """Return the end of the here-document that begins after a line."""
    end = f"{command}\n".find(f"\n{delimiter}\n", line)
    return len(command) if end < 0 else end + 1 + len(delimiter)


def _word_name(word: str, *, starts: bool) -> str:
    if not starts:
        return "constant" if word.startswith("-") else ""
    if ASSIGNED.match(word):
        return "variable"
    return "keyword" if word in KEYWORDS else "function.call"


def coloured(rows: Sequence[Row], group: str, goes_on: str) -> list[Row]:
    """Return rows in which the words of a command have colours; the command has the group.

    A row that begins with `goes_on` continues the line of the command in the row before it.
    """
    pieces: list[tuple[int, Mark, int]] = []
    command = ""
    for number, each in enumerate(rows):
        for mark in (mark for mark in each.marks if mark.group == group):
            command += "\n" if pieces and not each.text.startswith(goes_on) else ""
            pieces.append((number, mark, len(command)))
            command += _text(each, mark)
    if not command or len(command) > LONGEST_COMMAND:
        return list(rows)
    found = [*shell_words(command)]
    shown = list(rows)
    for number, mark, start in pieces:
        marks = [*_marks(_text(rows[number], mark), mark, start, found)]
        others = (other for other in rows[number].marks if other != mark)
        shown[number] = rows[number]._replace(marks=(*others, *marks))
    return shown


def _text(row: Row, mark: Mark) -> str:
    return row.text.encode()[mark.first : mark.last].decode()


def _marks(text: str, mark: Mark, start: int, found: Sequence[Word]) -> Iterator[Mark]:
    """Yield the marks of a piece of the command: those of its words, and between these its own."""

    def column(character: int) -> int:
        return mark.first + size(text[:character])

    shown = 0
    for word in found:
        first, last = max(word.first - start, 0), min(word.last - start, len(text))
        if first < last:
            if shown < first:
                yield Mark(column(shown), column(first), mark.group)
            yield Mark(column(first), column(last), WORD_GROUP.format(word.name))
            shown = last
    if shown < len(text):
        yield Mark(column(shown), mark.last, mark.group)


# The ways to answer a request that an agent offers: a yes, a no, and others to choose from.

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
    return not options(asked) or _first_of(asked, OptionKind.ALLOW_ONCE) is not None


def yes(asked: Asked, usual: str) -> str:
    """Return the meaning of a yes: the agent's words if they say more than the usual ones."""
    return _meaning(asked, OptionKind.ALLOW_ONCE, usual)


def no(asked: Asked, usual: str) -> str:
    """Return the meaning of a no, like `yes`."""
    return _meaning(asked, OptionKind.REJECT_ONCE, usual)


def others(asked: Asked) -> list[Option]:
    """Return the options beside a yes and a no, in the agent's order."""
    plain = [_first_of(asked, kind) for kind in (OptionKind.ALLOW_ONCE, OptionKind.REJECT_ONCE)]
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
    found = _named_ways(asked)
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


def _named_ways(asked: Asked) -> list[tuple[str, Scope | Option]]:
    """Return the ways beside a yes and a no, with their names; the usual ones first."""
    scopes = asked.scopes if has_rules(asked) else ()
    rules = [(f"by a rule, for {scope.name}", scope) for scope in scopes]
    options = [(described(option), option) for option in others(asked)]
    is_edit = isinstance(asked, PermissionAsked) and asked.is_edit
    return [*options, *rules] if is_edit else [*rules, *options]


def _first_of(asked: Asked, kind: OptionKind) -> Option | None:
    return next((option for option in options(asked) if option.kind is kind), None)


def _meaning(asked: Asked, kind: OptionKind, usual: str) -> str:
    option = _first_of(asked, kind)
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
