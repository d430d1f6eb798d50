"""Decodes the answers to our control requests, any part of which may be missing."""

from claude_ide.agents.agent import ContextUsage, Rewind, TaskOutput
from claude_ide.agents.events import Mode, Model, Ready
from claude_ide.agents.fields import integer, mapping, mappings, strings, text
from claude_ide.agents.stream_json.decoding.commands import command
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.agents.stream_json.wire.launch import BYPASS, MODES
from claude_ide.own_mode import shown

AUTO = Mode("auto", "auto", in_cycle=False)
DONT_ASK = Mode("dontAsk", "dontAsk", in_cycle=False)


def ready(answer: Frame, *, bypasses: bool = False) -> Ready:
    """Decode the answer to `initialize`: the commands, models and modes on offer.

    With `bypasses` the CLI was started with the permission to run everything without a request.
    """
    models = mappings(answer.get("models"))
    modes = [*map(_mode, (*MODES, *([BYPASS] if bypasses else [])))]
    modes += [AUTO] * any(model.get("supportsAutoMode") is True for model in models)
    return Ready(
        commands=tuple(map(command, mappings(answer.get("commands")))),
        models=tuple(map(_model, models)),
        modes=(*modes, DONT_ASK),
    )


def model_ids(answer: Frame) -> dict[str, str]:
    """Decode the models on offer: their ids, by the names that `/model` accepts."""
    offered = mappings(answer.get("models"))
    return {text(model.get("value")): text(model.get("resolvedModel")) for model in offered}


def usual_mode(answer: Frame) -> str:
    """Decode the default permission mode from the answer to `get_settings`."""
    return text(mapping(mapping(answer.get("effective")).get("permissions")).get("defaultMode"))


def context_usage(answer: Frame) -> ContextUsage:
    """Decode the answer to `get_context_usage`."""
    categories = tuple(
        (text(category.get("name")), integer(category.get("tokens")) or 0)
        for category in mappings(answer.get("categories"))
    )
    used, size = integer(answer.get("totalTokens")), integer(answer.get("maxTokens"))
    return ContextUsage(used or 0, size or 0, categories)


def rewind(answer: Frame) -> Rewind:
    """Decode the answer to `rewind_files`."""
    return Rewind(
        answer.get("canRewind") is True,
        strings(answer.get("filesChanged")),
        integer(answer.get("insertions")) or 0,
        integer(answer.get("deletions")) or 0,
        text(answer.get("error")),
    )


def task_output(answer: Frame, path: str) -> TaskOutput:
    """Decode the answer to `get_task_output`; `path` is the file of the whole output."""
    size = integer(answer.get("total_bytes")) or 0
    return TaskOutput(text(answer.get("output")), size, answer.get("truncated") is True, path)


def _mode(mode: str) -> Mode:
    return Mode(shown(mode), shown(mode))


def _model(model: Frame) -> Model:
    return Model(
        text(model.get("value")),
        text(model.get("displayName")),
        text(model.get("description")),
        strings(model.get("supportedEffortLevels")) if model.get("supportsEffort") else (),
        text(model.get("resolvedModel")),
    )
