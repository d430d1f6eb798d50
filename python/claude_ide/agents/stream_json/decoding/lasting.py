"""Makes permission rules last for the session in a folder whose settings the CLI ignores.

The CLI suggests saving a rule in the folder's settings. It would not read the rule from there, so
"always" would not even cover the next command.
"""

from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.wire.frames import Frame

OF_FOLDER = ("localSettings", "projectSettings")
MARK = "ignores_folder"
"""A key of our own in such a request."""


def for_session(frame: Frame) -> Frame:
    """Return a permission request with its suggestions for the folder changed to the session."""
    request = mapping(frame.get("request"))
    if request.get("subtype") != "can_use_tool":
        return frame
    changed = request | {MARK: True}
    if suggested := mappings(request.get("permission_suggestions")):
        changed["permission_suggestions"] = [*map(_lasting, suggested)]
    return frame | {"request": changed}


def _lasting(suggestion: Frame) -> Frame:
    is_of_folder = text(suggestion.get("destination")) in OF_FOLDER
    return suggestion | {"destination": "session"} if is_of_folder else suggestion
