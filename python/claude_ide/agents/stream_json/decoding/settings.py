"""The settings that are in force, as the CLI tells them: session, title, mode, model.

It tells them again and again (`system/init` comes with every turn); an event leaves only when one
has changed.
"""

from claude_ide.agents.events import Event, ModeChanged, ModelChanged, Session
from claude_ide.agents.stream_json.wire.frames import Frame, text

PREFIX = "claude-"


class Settings:
    """What the CLI has told last."""

    def __init__(self) -> None:
        self.session = ""
        self.title = ""
        self.mode = ""
        self.model = ""
        self._begun = False

    def begins_anew(self, frame: Frame) -> bool:
        """Whether an `init` tells another session than the one before: the talk was cleared."""
        session = text(frame.get("session_id"))
        return self._begun and "" not in (session, self.session) and session != self.session

    def take(self, frame: Frame) -> list[Event]:
        """Take a `system` frame; return what has changed with it."""
        match text(frame.get("subtype")):
            case "init":
                self._begun = True
                return [
                    *self.set_session(text(frame.get("session_id"))),
                    *self.set_mode(text(frame.get("permissionMode"))),
                    *self.set_model(text(frame.get("model"))),
                ]
            case "status":
                return self.set_mode(text(frame.get("permissionMode")))
            case "session_title_changed":
                return self.set_title(text(frame.get("title")))
        return []

    def set_session(self, session: str) -> list[Event]:
        """Take the session's id."""
        if not session or session == self.session:
            return []
        self.session = session
        return [Session(session, self.title)]

    def set_title(self, title: str) -> list[Event]:
        """Take the session's title."""
        if not title or title == self.title:
            return []
        self.title = title
        return [Session(self.session, title)]

    def set_mode(self, mode: str) -> list[Event]:
        """Take the permission mode."""
        if not mode or mode == self.mode:
            return []
        self.mode = mode
        return [ModeChanged(mode)]

    def set_model(self, model: str) -> list[Event]:
        """Take the model's name."""
        if not model or model == self.model:
            return []
        self.model = model
        short = model.removeprefix(PREFIX)
        return [ModelChanged(model, "" if short == model else short)]

    def forget_session(self) -> None:
        """Forget the session: the next that is told is another."""
        self.session = self.title = ""
