"""`:ClaudeEdit`: lines of a buffer, rewritten by the model and shown as a diff."""

import re

import msgspec

from claude_ide.agents.stream_json.headless import Format, HeadlessQuestion
from claude_ide.base.errors import EditorError
from claude_ide.base.text_diff import hunks, merge_lines
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import Gate, Guard, retry, step, tick
from claude_ide.editor.port.prompts import (
    READING,
    QuestionPort,
    RewriteRequest,
    lines_of,
    with_ends,
)
from claude_ide.headless.agent import Needs
from claude_ide.headless.answer import STARTING
from claude_ide.headless.run import Run, structured, without_fence

TITLE = "{}'s rewrite"
CHANGED = "the lines have changed"
UNCHANGED = "{} suggests no changes"
REFINED = "refined (u undoes it)"

FENCE = re.compile(r"^```.*$", re.MULTILINE)
HAVE_FENCES = ("", "gitcommit", "help", "markdown", "mdx", "quarto", "rmd", "text", "vimwiki")
"""Filetypes of texts in which a code block may belong to the answer."""

SCHEMA = {
    "type": "object",
    "properties": {
        "replacement": {
            "type": "string",
            "description": "The complete lines that replace the marked ones",
        }
    },
    "required": ["replacement"],
    "additionalProperties": False,
}

PROMPT = """\
Rewrite lines of {name}{language} as this instruction says:

<instruction>
{instruction}
</instruction>

This is its text as it stands in the editor, which may not be saved. The lines to rewrite are those
between <rewrite> and </rewrite>; these two marks are not part of the text.

<text>
{text}
</text>

{answer}
"""

REFINE = """\
You have rewritten lines of {name}{language}. The user looks at your result in a diff, and wants it
changed as this instruction says:

<instruction>
{instruction}
</instruction>

Your result is from the instructions before it, the oldest first:

<earlier>
{earlier}
</earlier>

These are the original lines:

<original>
{original}
</original>

This is the text with your result, as it stands in the editor. The lines to change are those between
<rewrite> and </rewrite>; these two marks are not part of the text. The user may have edited them:
keep such edits, unless the instruction says otherwise.

<text>
{text}
</text>

{answer}
"""

ANSWER = """\
Answer with the lines that take the place of the marked ones and nothing else: complete, with their
indentation, without the marks, without a code fence and without comments on what you did. If
nothing is to be changed, answer with the lines as they are."""


class Rewritten(msgspec.Struct, frozen=True):
    """The model's answer, as the schema describes it."""

    replacement: str


class Target:
    """Lines of a buffer for which the model writes others: some rows of `lines`, all of them."""

    def __init__(self, bufnr: int, lines: list[str], rows: tuple[int, int]) -> None:
        self.bufnr = bufnr
        self.lines = lines
        self.first, self.last = rows

    @property
    def marked(self) -> list[str]:
        """The lines to rewrite."""
        return self.lines[self.first : self.last]

    async def put(self, port: Port, lines: list[str]) -> tuple[list[str], int]:
        """Put lines in the place of these into the text of now, which this is about afterwards.

        Returns all lines, and the 'changedtick'. Raises `EditorError` if that is impossible.
        """
        found = await port.question.look(self.bufnr)
        ours = [*self.lines[: self.first], *lines, *self.lines[self.last :]]
        current = found.lines
        merged = merge_lines(self.lines, ours, current)
        if merged is None:
            raise EditorError(CHANGED)
        self.first, self.last = rows_in(self.lines, current, self.first, self.last)
        self.lines = current
        return merged, found.tick


class Rewrite:
    """A rewrite while it is open: its lines, and the instructions that led to each version."""

    def __init__(self, request: RewriteRequest) -> None:
        self.target = Target(request.bufnr, lines_of(request.text), request.rows)
        self.instructions: dict[int, list[str]] = {}
        self.first = [request.instruction]

    def refined(self, request: RewriteRequest) -> Target:
        """Return the lines of the proposal that a request is about."""
        rows, lines, target = request.rows, lines_of(request.text), self.target
        if rows == (0, 0):
            rows = rows_in(target.lines, lines, target.first, target.last)
        return Target(request.bufnr, lines, rows)


async def rewrite(run: Run, request: RewriteRequest) -> None:
    """Ask for new lines and show them as a diff; the editor puts accepted ones into the buffer."""
    run.rewrite = opened = Rewrite(request)
    target, port, diffs = opened.target, run.editor.port, run.editor.diffs
    lines = await _ask(run, request, target, prompt(request, target))
    try:
        proposed, _ = await target.put(port, lines)
    except EditorError as error:
        await port.question.keep_rewrite(run.id, with_ends(lines), str(error))
        return
    if proposed == target.lines:
        run.said = UNCHANGED.format(run.name)
        return
    texts = {"text": with_ends(proposed).text, "base": with_ends(target.lines)}
    shown = texts | {"title": TITLE.format(run.name), "layout": run.config.diff.layout}
    show = port.question.show_rewrite
    name = f"rewrite {run.id}"
    diff = await diffs.open(name, request.name, lambda id_: show(id_, run.id, shown))
    try:
        await diff.decision
    finally:
        diffs.close(diff)
    run.finished = diff.decided


async def refine(run: Run, request: RewriteRequest, opened: Rewrite) -> None:
    """Ask for other lines in the place of those that a diff proposes, and put them there."""
    port, target = run.editor.port, opened.refined(request)
    earlier = opened.instructions.get(request.version, opened.first)
    started = {"progress": STARTING, "name": run.name, "row": target.first}
    await port.question.update(run.id, started)
    asked = refinement_prompt(request, target, opened.target.marked, earlier)
    lines = await _ask(run, request, target, asked)

    async def attempt() -> int | None:
        refined, seen = await target.put(port, lines)
        if refined == target.lines:
            return None
        # The text must not change under a user who is typing in it, or selecting.
        guard = Guard(Gate.CHANGEABLE, (tick(target.bufnr, seen),))
        revise = step(QuestionPort.revise, request.refines, with_ends(refined))
        return (await port.batch([revise], guard))[0]

    try:
        version = await retry(attempt)
    except EditorError as error:
        await port.question.keep_rewrite(request.refines, with_ends(lines), str(error))
        return
    if version is not None:
        opened.instructions[version] = [*earlier, request.instruction]
    run.said = UNCHANGED.format(run.name) if version is None else REFINED


async def _ask(run: Run, request: RewriteRequest, target: Target, words: str) -> list[str]:
    result = await run.ask(
        Needs(request.cwd, READING), HeadlessQuestion(words, Format.TEXT, SCHEMA)
    )
    marked = "\n".join(target.marked)
    replacement = structured(result, Rewritten, run.name).replacement
    if run.kind is not None and request.filetype not in HAVE_FENCES and "```" not in marked:
        replacement = without_words(replacement)
    return answered(without_fence(replacement, marked), marked)


def rows_in(base: list[str], current: list[str], first: int, last: int) -> tuple[int, int]:
    """Return the rows of lines in a later text. What was inserted at either end belongs to them."""
    below = len(current) - (len(base) - last)
    if below >= first and base[:first] == current[:first] and base[last:] == current[below:]:
        return first, below
    start, stop, shift = first, last, 0
    for old_first, old_last, new_first, new_last in hunks(base, current):
        if old_first > last or (old_first == last and old_last > last):
            break
        shift = new_last - old_last
        if old_first < first:
            start = first + shift if old_last <= first else new_first
        stop = new_last if old_last > last else last + shift
    return start, stop


def without_words(answer: str) -> str:
    """Return the code block of an answer, if it has a single one: agents say what they did."""
    fences = [*FENCE.finditer(answer)]
    return answer[fences[0].start() : fences[1].end()] if len(fences) == 2 else answer


def answered(answer: str, marked: str) -> list[str]:
    """Return the lines of an answer.

    The answer may end with a line feed, which ends the last line, or with as many as the marked
    lines: then the last one precedes an empty line.
    """
    text = answer.replace("\r\n", "\n")
    if _line_feeds_after(text) > _line_feeds_after(marked):
        text = text[:-1]
    elif not text:
        return []
    return text.split("\n")


def _line_feeds_after(text: str) -> int:
    return len(text) - len(text.rstrip("\n"))


def prompt(request: RewriteRequest, target: Target) -> str:
    """Return the prompt: the instruction, and the whole text with the lines marked."""
    return PROMPT.format(**_given(request, target))


def refinement_prompt(
    request: RewriteRequest, target: Target, original: list[str], earlier: list[str]
) -> str:
    """Return the prompt with the original lines, too, and the instructions so far."""
    before = {"original": "\n".join(original), "earlier": "\n\n".join(earlier)}
    return REFINE.format(**_given(request, target), **before)


def _given(request: RewriteRequest, target: Target) -> dict[str, str]:
    before, after = target.lines[: target.first], target.lines[target.last :]
    return {
        "name": request.name,
        "language": f" ({request.filetype})" if request.filetype else "",
        "instruction": request.instruction,
        "text": "\n".join([*before, "<rewrite>", *target.marked, "</rewrite>", *after]),
        "answer": ANSWER,
    }
