"""Elicitation: an MCP server asks the user, with a form or an address to open.

Source: doc/stream-json.md, "Elicitation".
"""

from claude_ide.agents import elicitation
from claude_ide.agents.events import QuestionAsked, UrlAsked
from claude_ide.agents.fields import strings, text
from claude_ide.agents.stream_json.wire.frames import Frame

SUBTYPE = "elicitation"
encode = elicitation.encode


def decode(request: str, asked: Frame) -> QuestionAsked | UrlAsked:
    """Return the event for the `request` of an elicitation."""
    server, message = text(asked.get("mcp_server_name")), text(asked.get("message"))
    asker = f"the MCP server {server}"
    if asked.get("mode") == "url":
        return UrlAsked(request, "", asker, message, text(asked.get("url")))
    order = strings(asked.get("property_order"))
    questions = elicitation.questions(asked.get("requested_schema"), order)
    return QuestionAsked(request, "", questions, asker, message)
