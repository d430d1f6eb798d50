"""The current settings as the CLI reports them: session, title, mode, model.

The CLI reports them repeatedly (`system/init` arrives with every turn); an event is emitted only
when one has changed.
"""

from claude_ide.agents.events import EffortChanged, Event, ModeChanged, ModelChanged, Session
from claude_ide.agents.fields import text
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.own_mode import shown

PREFIX = "claude-"


class Settings:
    """The settings that the CLI reported last."""

    def __init__(self) -> None:
        self.session = ""
        self.title = ""
        self.mode = ""
        self.model = ""
        self.models: dict[str, str] = {}
        """The models by the names under which the CLI offers them."""
        self._initialized = False

    def is_other_session(self, frame: Frame) -> bool:
        """Whether an `init` has a new session id: the conversation was cleared."""
        session = text(frame.get("session_id"))
        return self._initialized and "" not in (session, self.session) and session != self.session

    def apply(self, frame: Frame) -> list[Event]:
        """Update the settings from a `system` frame; return an event for each change."""
        match text(frame.get("subtype")):
            case "init":
                self._initialized = True
                return [
                    *self.set_session(text(frame.get("session_id"))),
                    *self.set_mode(text(frame.get("permissionMode"))),
                    *self.set_model(text(frame.get("model"))),
                ]
            case "status":
                return self.set_mode(text(frame.get("permissionMode")))
            case "model_fallback" | "model_consent_fallback":
                return self.set_model(text(frame.get("fallback_model")))
            case "session_title_changed":
                return self.set_title(text(frame.get("title")))
        return []

    def follow(self, run: Frame, answer: str) -> list[Event]:
        """Follow a command of the CLI that the user has sent as a prompt, such as `/model opus`."""
        chosen = text(run.get("args")).strip()
        match text(run.get("command")):
            case "model" if answer.startswith("Set model to"):
                id_ = chosen if chosen.startswith(PREFIX) else ""
                return self.set_model(self.models.get(chosen) or id_)
            case "effort" if answer.startswith("Set effort level to"):
                return [EffortChanged(chosen)]
        return []

    def set_session(self, session: str) -> list[Event]:
        """Set the session's id; return the event if that is a change."""
        if not session or session == self.session:
            return []
        self.session = session
        return [Session(session, self.title)]

    def set_title(self, title: str) -> list[Event]:
        """Set the session's title; return the event if that is a change."""
        if not title or title == self.title:
            return []
        self.title = title
        return [Session(self.session, title)]

    def set_mode(self, mode: str) -> list[Event]:
        """Set the permission mode; return the event if that is a change."""
        if not mode or shown(mode) == self.mode:
            return []
        self.mode = shown(mode)
        return [ModeChanged(self.mode)]

    def set_model(self, model: str) -> list[Event]:
        """Set the model's name; return the event if that is a change."""
        if not model or model == self.model:
            return []
        self.model = model
        short = model.removeprefix(PREFIX)
        return [ModelChanged(model, "" if short == model else short)]

    def forget_session(self) -> None:
        """Forget the session; the next reported session is a new one."""
        self.session = self.title = ""
