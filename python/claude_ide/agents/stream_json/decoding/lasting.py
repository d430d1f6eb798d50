"""How long a permission lasts in a folder whose own settings the CLI does not follow.

The CLI suggests to keep a rule in the folder's settings. There it would not be read again, not even
for the next command.
"""

from claude_ide.agents.stream_json.wire.frames import Frame, mapping, mappings, text

OF_FOLDER = ("localSettings", "projectSettings")


def for_session(frame: Frame) -> Frame:
    """Return a frame in which what is suggested for the folder is suggested for the session."""
    request = mapping(frame.get("request"))
    suggested = mappings(request.get("permission_suggestions"))
    if not suggested:
        return frame
    lasting = [
        each | {"destination": "session"} if text(each.get("destination")) in OF_FOLDER else each
        for each in suggested
    ]
    return frame | {"request": request | {"permission_suggestions": lasting}}
