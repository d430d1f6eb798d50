"""The settings that the CLI has beside mode, model and effort: the output style, and fast mode."""

from typing import Any

from claude_ide.agents.events import FAST, Event, Notice, Setting, SettingsChanged, SettingValue
from claude_ide.agents.fields import strings, text
from claude_ide.agents.stream_json.wire.frames import Frame

STYLE = "output-style"
ON, OFF, COOLDOWN = "on", "off", "cooldown"

PASSING = ("pending", "sdk_opt_in_required")
"""The reasons against fast mode that end once it is turned on."""


class Flags:
    """These settings, as the CLI reported them last. One that is unknown is not offered."""

    def __init__(self) -> None:
        self._styles: tuple[str, ...] = ()
        self._style = ""
        self._fast = ""
        self._is_fast_chosen = False
        self._reported: tuple[Setting, ...] = ()

    def offer(self, answer: Frame) -> list[Event]:
        """Read the answer to `initialize`; return the event if there is something to choose."""
        self._styles = strings(answer.get("available_output_styles"))
        return self.apply(answer)

    def apply(self, frame: Frame) -> list[Event]:
        """Read an `init`; return an event for a change."""
        said: list[Event] = []
        self._style = text(frame.get("output_style")) or self._style
        if state := text(frame.get("fast_mode_state")):
            reason = text(frame.get("fast_mode_disabled_reason"))
            self._fast = "" if state == OFF and reason not in ("", *PASSING) else state
            if self._is_fast_chosen and state == OFF and reason not in PASSING:
                self._is_fast_chosen = False
                why = f": {reason.replace('_', ' ')}" if reason else " (not every model has it)"
                said.append(Notice(f"Fast mode is off{why}", "warning"))
        return [*said, *self._changed()]

    def encode(self, setting: str, value: str) -> dict[str, Any]:
        """Return a change of a setting in the CLI's terms."""
        return {"outputStyle": value} if setting == STYLE else {"fastMode": value != OFF}

    def set(self, setting: str, value: str) -> list[Event]:
        """Record a change, which the CLI reports only with the next turn."""
        if setting == STYLE:
            self._style = value
        else:
            self._fast = value
            self._is_fast_chosen = value != OFF
        return self._changed()

    def _changed(self) -> list[Event]:
        styles = tuple(SettingValue(style, style) for style in self._styles)
        speeds = (ON, OFF, COOLDOWN) if self._fast == COOLDOWN else (ON, OFF)
        switch = tuple(SettingValue(speed, speed) for speed in speeds)
        style = Setting(STYLE, "Output style", self._style, styles)
        fast = Setting(FAST, "Fast mode", self._fast, switch)
        now = tuple(each for each in (style, fast) if each.current and each.values)
        if now == self._reported:
            return []
        self._reported = now
        return [SettingsChanged(now)]
