"""`:ClaudeEdit`: lines of a buffer, rewritten by the model and shown as a diff."""

import msgspec

from claude_ide.agents.stream_json.headless import Format, Question
from claude_ide.headless.launching import launch
from claude_ide.headless.requests import READING, RewriteRequest
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

Answer with the lines that take the place of the marked ones and nothing else: complete, with their
indentation, without the marks, without a code fence and without comments on what you did. If
nothing is to be changed, answer with the lines as they are.
"""


class Rewritten(msgspec.Struct, frozen=True):
    """The model's answer, as the schema describes it."""

    replacement: str


async def rewrite(run: Run, request: RewriteRequest) -> None:
    """Ask for new lines and show them as a diff; Lua puts accepted lines into the buffer."""
    result = await run.ask(
        launch(run.config, request.cwd, READING),
        Question(prompt(request), Format.TEXT, SCHEMA),
    )
    marked = "\n".join(request.lines[request.first : request.last])
    text = without_fence(structured(result, Rewritten).replacement, marked)
    shown = {"text": text, "title": TITLE}
    shown["layout"] = run.config.diff.layout
    name = f"rewrite {run.id}"
    diff = await run.editor.diffs.open(name, request.name, "question.rewrite.show", run.id, shown)
    try:
        await diff.decision
    finally:
        run.editor.diffs.close(diff)
    run.finished = diff.decided


def prompt(request: RewriteRequest) -> str:
    """Return the prompt: the instruction, and the whole text with the lines marked."""
    before = request.lines[: request.first]
    marked = request.lines[request.first : request.last]
    after = request.lines[request.last :]
    text = "\n".join([*before, "<rewrite>", *marked, "</rewrite>", *after])
    language = f" ({request.filetype})" if request.filetype else ""
    return PROMPT.format(
        name=request.name, language=language, instruction=request.instruction, text=text
    )
