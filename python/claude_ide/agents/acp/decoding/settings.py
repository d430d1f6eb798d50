"""The modes, models and other settings of a session, in the three forms that agents use.

Source: the ACP schema. `configOptions` is the newer form; it has an option for each setting, with a
category. Older agents list `modes` and `models`. Some send both, of which the newer one counts.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents.events import (
    EffortChanged,
    Event,
    Mode,
    ModeChanged,
    Model,
    ModelChanged,
    OfferChanged,
    Setting,
    SettingsChanged,
    SettingValue,
)
from claude_ide.agents.fields import mapping, mappings, read, text
from claude_ide.errors import AgentError

MODE, MODEL, EFFORT = "mode", "model", "thought_level"
"""The categories of the settings that the panel knows."""

ON, OFF = "true", "false"
"""The values of a boolean option."""


class SetRequest(Struct, frozen=True):
    """The request that changes a setting: its method, and its params without the session."""

    method: str
    params: dict[str, Any]


class Settings:
    """The settings of one session."""

    def __init__(self) -> None:
        self.modes: tuple[Mode, ...] = ()
        self.models: tuple[Model, ...] = ()
        self._mode = ""
        self._model = ""
        self._options: dict[str, Setting] = {}
        self._booleans: set[str] = set()

    @property
    def efforts(self) -> tuple[SettingValue, ...]:
        """The reasoning efforts to choose from, whatever the model."""
        effort = self._of(EFFORT)
        return effort.values if effort else ()

    @property
    def free(self) -> tuple[Setting, ...]:
        """The settings that are neither the mode nor the model nor the effort."""
        known = [self._of(category) for category in (MODE, MODEL, EFFORT)]
        return tuple(option for option in self._options.values() if option not in known)

    def load(self, result: dict[str, Any]) -> None:
        """Read the answer to `session/new`, `load` or `resume`."""
        modes, models = mapping(result.get("modes")), mapping(result.get("models"))
        self._mode = text(modes.get("currentModeId"))
        self._model = text(models.get("currentModelId"))
        self.modes = tuple(read(Mode, each) for each in mappings(modes.get("availableModes")))
        self.models = tuple(
            read(Model, each, {"id": "modelId"}) for each in mappings(models.get("availableModels"))
        )
        self._options, self._booleans = {}, set()
        self._load_options(result)

    def current(self) -> Iterator[Event]:
        """Yield the present values."""
        if self._mode:
            yield ModeChanged(self._mode)
        if self._model:
            yield ModelChanged(self._model, self._name_of_model())
        if effort := self._of(EFFORT):
            yield EffortChanged(effort.current)
        if self.free:
            yield SettingsChanged(self.free)

    def update(self, changed: dict[str, Any]) -> Iterator[Event]:
        """Read a `config_option_update`, or the answer to a request; yield the present values."""
        before = self.models, self.modes, self.efforts
        if "configOptions" in changed:
            self._options = {}
            self._load_options(changed)
        if (self.models, self.modes, self.efforts) != before:
            yield OfferChanged(self.models, self.modes, self.efforts)
        yield from self.current()

    def mode_changed(self, mode: str) -> Iterator[Event]:
        """Note the mode that the agent has reported."""
        self._mode = mode
        if option := self._of(MODE):
            self._options[option.id] = replace(option, current=mode)
        yield ModeChanged(mode)

    def model_changed(self, model: str) -> Iterator[Event]:
        """Note the model that the agent has accepted."""
        self._model = model
        yield ModelChanged(model, self._name_of_model())

    def check_mode(self, mode: str, agent: str) -> None:
        """Raise `AgentError`, which lists the modes, if there is no such mode."""
        offered = [each.id for each in self.modes]
        if offered and mode not in offered:
            raise AgentError(f"{agent} has no mode {mode}; available: {', '.join(offered)}")

    def set_mode(self, mode: str) -> SetRequest:
        """Return the request that sets the mode."""
        option = self._of(MODE)
        return self._set(option, mode) or SetRequest("session/set_mode", {"modeId": mode})

    def set_model(self, model: str) -> SetRequest:
        """Return the request that sets the model."""
        option = self._of(MODEL)
        return self._set(option, model) or SetRequest("session/set_model", {"modelId": model})

    def set_effort(self, effort: str) -> SetRequest | None:
        """Return the request that sets the reasoning effort; None if there is no such setting."""
        return self._set(self._of(EFFORT), effort)

    def set_option(self, id_: str, value: str) -> SetRequest | None:
        """Return the request that sets one of the agent's settings; None if it is unknown."""
        return self._set(self._options.get(id_), value)

    def _set(self, option: Setting | None, value: str) -> SetRequest | None:
        if option is None:
            return None
        params: dict[str, Any] = {"configId": option.id, "value": value}
        if option.id in self._booleans:
            params |= {"type": "boolean", "value": value == ON}
        return SetRequest("session/set_config_option", params)

    def _load_options(self, result: dict[str, Any]) -> None:
        for option in mappings(result.get("configOptions")):
            setting = _setting(option)
            if setting.id and setting.values:
                self._options[setting.id] = setting
            if option.get("type") == "boolean":
                self._booleans.add(setting.id)
        if mode := self._of(MODE):
            self._mode = mode.current
            self.modes = tuple(Mode(value.id, value.name) for value in mode.values)
        if model := self._of(MODEL):
            self._model = model.current
            self.models = tuple(
                Model(value.id, value.name, value.description) for value in model.values
            )

    def _of(self, category: str) -> Setting | None:
        """Return the setting of a category; of several, the one that has its name."""
        found = [each for each in self._options.values() if each.category == category]
        return next((each for each in found if each.id == category), next(iter(found), None))

    def _name_of_model(self) -> str:
        return next((model.name for model in self.models if model.id == self._model), "")


def _setting(option: dict[str, Any]) -> Setting:
    current, id_ = option.get("currentValue"), text(option.get("id"))
    values = tuple(_values(option))
    if isinstance(current, bool):
        current = ON if current else OFF
        values = (SettingValue(ON, "on"), SettingValue(OFF, "off"))
    return read(
        Setting,
        option,
        name=text(option.get("name")) or id_,
        current=text(current),
        values=values,
        # Agents need not give a category; the ids of those that do are the same words.
        category=text(option.get("category")) or id_,
    )


def _values(option: dict[str, Any]) -> Iterator[SettingValue]:
    """Yield the values of an option, which may be in groups."""
    for each in mappings(option.get("options")):
        if "options" in each:
            yield from _values(each)
        elif id_ := text(each.get("value")):
            yield read(SettingValue, each, id=id_, name=text(each.get("name")) or id_)
