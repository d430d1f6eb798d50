"""`:ClaudeEdit`: lines of a buffer, rewritten by the model and shown as a diff."""

import msgspec

from claude_ide.agents.stream_json.headless import Format, Question
from claude_ide.editor.port.questions import READING, RefineRequest, RewriteRequest
from claude_ide.headless.launching import launch
from claude_ide.headless.run import Run
from claude_ide.headless.structured import structured, without_fence

TITLE = "Claude's rewrite"

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


async def rewrite(run: Run, request: RewriteRequest) -> None:
    """Ask for new lines and show them as a diff; Lua puts accepted lines into the buffer."""
    shown = {"text": await _ask(run, request), "title": TITLE, "layout": run.config.diff.layout}
    name = f"rewrite {run.id}"
    show = run.editor.port.question.show_rewrite
    diff = await run.editor.diffs.open(name, request.name, lambda id_: show(id_, run.id, shown))
    try:
        await diff.decision
    finally:
        run.editor.diffs.close(diff)
    run.finished = diff.decided


async def refine(run: Run, request: RefineRequest) -> str:
    """Ask for other lines in the place of those that a diff proposes; return them, with ends."""
    return await _ask(run, request)


async def _ask(run: Run, request: RewriteRequest | RefineRequest) -> str:
    result = await run.ask(
        launch(run.config, request.cwd, READING),
        Question(prompt(request), Format.TEXT, SCHEMA),
    )
    marked = "\n".join(request.text.split("\n")[request.first : request.last])
    return lines_of(without_fence(structured(result, Rewritten).replacement, marked), marked)


def lines_of(answer: str, marked: str) -> str:
    """Return the lines of an answer, each with its end.

    The answer may end with a line feed, which ends the last line, or with as many as the marked
    lines: then the last one precedes an empty line.
    """
    text = answer.replace("\r\n", "\n")
    is_ended = _line_feeds_after(text) > _line_feeds_after(marked)
    return text if is_ended or not text else f"{text}\n"


def _line_feeds_after(text: str) -> int:
    return len(text) - len(text.rstrip("\n"))


def prompt(request: RewriteRequest | RefineRequest) -> str:
    """Return the prompt: the instruction, and the whole text with the lines marked."""
    lines = request.text.split("\n")
    before = lines[: request.first]
    marked = lines[request.first : request.last]
    after = lines[request.last :]
    given = {
        "name": request.name,
        "language": f" ({request.filetype})" if request.filetype else "",
        "instruction": request.instruction,
        "text": "\n".join([*before, "<rewrite>", *marked, "</rewrite>", *after]),
        "answer": ANSWER,
    }
    if isinstance(request, RewriteRequest):
        return PROMPT.format(**given)
    earlier = "\n\n".join(request.earlier)
    return REFINE.format(**given, original=request.original.text, earlier=earlier)
