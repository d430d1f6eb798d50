"""The stored sessions that an agent lists."""

from datetime import UTC, datetime
from typing import Any

from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.fields import mapping, mappings, text

BEGINNING = datetime.fromtimestamp(0, UTC)


def summaries(result: Any) -> list[SessionSummary]:
    """Return the sessions in an answer to `session/list`."""
    return [
        SessionSummary(text(each.get("sessionId")), text(each.get("title")), _time(each))
        for each in mappings(mapping(result).get("sessions"))
        if each.get("sessionId")
    ]


def _time(session: dict[str, Any]) -> datetime:
    try:
        changed = datetime.fromisoformat(text(session.get("updatedAt")))
    except ValueError:
        return BEGINNING
    return changed if changed.tzinfo else changed.replace(tzinfo=UTC)
