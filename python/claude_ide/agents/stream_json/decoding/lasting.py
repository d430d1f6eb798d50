"""Makes permission rules last for the session in a folder whose settings the CLI ignores.

The CLI suggests saving a rule in the folder's settings. It would not read the rule from there, so
"always" would not even cover the next command.
"""

from claude_ide.agents.stream_json.wire.frames import Frame, mapping, mappings, text

OF_FOLDER = ("localSettings", "projectSettings")


def for_session(frame: Frame) -> Frame:
    """Return the frame with its suggestions for the folder changed to the session."""
    request = mapping(frame.get("request"))
    suggested = mappings(request.get("permission_suggestions"))
    if not suggested:
        return frame
    lasting = [
        each | {"destination": "session"} if text(each.get("destination")) in OF_FOLDER else each
        for each in suggested
    ]
    return frame | {"request": request | {"permission_suggestions": lasting}}
