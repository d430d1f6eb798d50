"""The logins that the user has chosen, by agent: the ids of methods, which are no secrets."""

import logging
from pathlib import Path

import msgspec

from claude_ide import files

logger = logging.getLogger(__name__)

LARGEST = 100_000
"""Bytes."""


class Remembered:
    """The ids of methods in the file `path`; without one, only while this process runs."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._methods: dict[str, str] = {}

    def of(self, agent: str) -> str:
        """Return the id of an agent's method, or ""."""
        return self._read().get(agent, "")

    def add(self, agent: str, method: str) -> None:
        """Remember an agent's method. A file that cannot be written is reported in the log."""
        known = self._read()
        if known.get(agent) == method:
            return
        self._methods = known | {agent: method}
        if self._path is not None:
            try:
                files.write_private(self._path, msgspec.json.encode(self._methods))
            except OSError as error:
                logger.warning("%s cannot be written: %s", self._path, error.strerror)

    def _read(self) -> dict[str, str]:
        """Return the content of the file; another Neovim may have written it."""
        content = files.read_if_sound(self._path, LARGEST) if self._path else None
        if content is None:
            return self._methods
        try:
            return msgspec.json.decode(content, type=dict[str, str])
        except msgspec.DecodeError:
            return self._methods
