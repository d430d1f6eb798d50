"""Questions as rows of the transcript; they are answered in a form."""

from claude_ide.agents.requests import AnswerKind, Question, QuestionAsked
from claude_ide.chat.page.plain import harmless, lines, one_line
from claude_ide.chat.page.rows import Row, key_row, row
from claude_ide.chat.page.visible import visible
from claude_ide.chat.requests.allowed import capitalized

HEAD, NOTE = "ClaudeChatRequest", "ClaudeChatMeta"
MOST_ROWS = 40
"""The most rows of a message or of a list of choices; the form has all."""

LONGEST_CHOICES = 60


def label(asked: QuestionAsked) -> str:
    """Return the questions in one line."""
    first = asked.questions[0].text if asked.questions else ""
    return one_line(asked.message or first)


def rows(asked: QuestionAsked, name: str) -> list[Row]:
    """Return the questions of the agent with this name, and one line for each way to answer."""
    if asked.asker:
        return [*_form(asked, asked.asker), *_keys("decline", "cancel")]
    if asked.message:
        return [*_form(asked, name), *_keys("skip", "no, because…")]
    shown = [found for question in asked.questions for found in _question(question)]
    return [*shown, *_keys("skip", "no, because…")]


def _keys(no: str, other_no: str) -> list[Row]:
    return [key_row("<CR>", "answer"), key_row("n", no), key_row("N", other_no)]


def _question(question: Question) -> list[Row]:
    first, *rest = lines(question.text) or [""]
    header = f"{harmless(question.header)}: " if question.header else ""
    found = [row((f"? {header}{first}", HEAD)), *(row((f"  {line}", HEAD)) for line in rest)]
    sign = "☐" if question.kind is AnswerKind.CHOICES else "·"
    for choice in question.choices:
        name = (f"  {sign} {one_line(choice.label)}", "")
        description = f" — {one_line(choice.description)}" if choice.description else ""
        found.append(row(name, (description, NOTE)))
    return found


def _form(asked: QuestionAsked, asker: str) -> list[Row]:
    """Return the message and the fields of a form."""
    head = row((f"? {capitalized(visible(asker))} asks:", HEAD))
    message = [row((f"  {line}", HEAD)) for line in lines(asked.message)]
    fields = [_field(question) for question in asked.questions]
    return [head, *message[:MOST_ROWS], *fields[:MOST_ROWS]]


def _field(question: Question) -> Row:
    title, _, description = question.text.partition("\n")
    note = f" — {one_line(description)}" if description else ""
    choices = " / ".join(one_line(choice.label) for choice in question.choices)
    offered = f": {one_line(choices, LONGEST_CHOICES)}" if choices else ""
    optional = "" if question.required else " (optional)"
    return row((f"  · {one_line(title)}", ""), (f"{offered}{note}{optional}", NOTE))
