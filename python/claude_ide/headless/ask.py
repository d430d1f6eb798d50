"""`:ClaudeAsk` and `ask()`: a question, which may be about lines or a file."""

import json
from pathlib import Path
from typing import Any

from claude_ide.agents.agent import OpenFile, Prompt, Selection, Words
from claude_ide.agents.stream_json import protocol
from claude_ide.agents.stream_json.headless import Conversation, Format, Question
from claude_ide.editor.port.questions import AskRequest
from claude_ide.headless.agent import Needs
from claude_ide.headless.run import Run


async def ask(run: Run, request: AskRequest) -> Any:
    """Return the text of the answer or, with a JSON format, the CLI's whole result."""
    format_ = Format(request.format)
    schema = json.loads(request.schema) if request.schema else None
    content = prompt(request)
    run.is_kept = request.is_kept
    if request.is_kept and run.kind is None:
        run.conversation = Conversation(Path(request.cwd), content)
    result = await run.ask(
        Needs(request.cwd, request.tools, request.model),
        Question(protocol.words(content), format_, schema),
        wants_events=request.wants_events,
    )
    return result.text if format_ is Format.TEXT else result.raw


def prompt(request: AskRequest) -> Prompt:
    """Return the prompt: the lines or the file if there are any, then the question."""
    words = Words(request.prompt)
    if request.lines is not None:
        about = request.lines
        return [Selection(about.name, about.first, about.last, about.text), words]
    return [OpenFile(request.file), words] if request.file else [words]
