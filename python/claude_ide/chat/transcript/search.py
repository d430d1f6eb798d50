"""Finds turns in a transcript, and what happened in them."""

import itertools

from claude_ide.agents.events import Change
from claude_ide.chat.page.sheet import Sheet, View
from claude_ide.chat.transcript.prompts import Turn
from claude_ide.chat.transcript.talk import Prose
from claude_ide.chat.transcript.tool import ToolUse


def since(sheet: Sheet, prompt: str) -> list[View]:
    """Return the turn that started with this prompt, and all views after it."""
    turns = itertools.dropwhile(
        lambda view: not (isinstance(view, Turn) and view.prompt == prompt), sheet.views()
    )
    return list(turns)


def changes_since(sheet: Sheet, prompt: str) -> list[Change]:
    """Return the changes of tools since the turn that started with this prompt."""
    ended = (view.ended for view in since(sheet, prompt) if isinstance(view, ToolUse))
    return [change for end in ended if end is not None for change in end.changes]


def commands_since(sheet: Sheet, prompt: str) -> list[str]:
    """Return the commands that were run since the turn that started with this prompt."""
    tools = (view for view in since(sheet, prompt) if isinstance(view, ToolUse))
    return [tool.title for tool in tools if tool.kind == "execute" and tool.ended is not None]


def prompt_like(sheet: Sheet, text: str) -> str:
    """Return the text of the last prompt that has started and that `text` ends with.

    If `text` is empty, that is the last prompt.
    """
    turns = [view.text for view in sheet.views() if type(view) is Turn]
    matching = (each for each in reversed(turns) if not text or text.endswith(each.strip()))
    return next(filter(str.strip, matching), text)


def last_text(sheet: Sheet) -> str:
    """Return the agent's last text in the current turn; empty if it has said nothing yet."""
    views = list(sheet.views())
    for view in reversed(views):
        if type(view) is Turn:
            break
        if isinstance(view, Prose) and view.above is None:
            return view.markdown()
    return ""


def turn_at(sheet: Sheet, part: int) -> str | None:
    """Return the prompt of the turn to which a part belongs; None before the first turn."""
    prompt = None
    for view in sheet.views():
        if type(view) is Turn:
            prompt = view.prompt
        if view.part.id == part:
            return prompt
    return None
