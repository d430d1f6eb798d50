"""What a run of code has put out, in its order: texts, values, errors and images."""

import re
from typing import Any

import msgspec

ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
IMAGES = ("image/png", "image/jpeg")
MOST_TEXT = 1_000_000
"""Characters that are kept of one run; code may print for ever."""

MOST_ERROR = 100_000
"""The same of its errors, which must not be lost after much output."""

MOST_IMAGES = 50
TOO_MANY = "(an image is left out: there are too many)"


class Output(msgspec.Struct):
    """One output: a text of a stream, a value or an error, or an image with its data in base64."""

    kind: str
    """`stdout`, `stderr`, `value`, `display`, `error` or `image`."""
    text: str
    mime: str = ""
    shown_as: str = ""
    """The id under which code may replace it later."""


class Outputs:
    """Collects the messages of one run."""

    def __init__(self) -> None:
        self.all: list[Output] = []
        self.number: int | None = None
        """The kernel's count of runs."""
        self.has_begun = False
        self.is_idle = False
        self.status = ""
        """The status in the reply: `ok`, `error` or `aborted`; empty while there is none."""
        self.left_out = 0
        """Characters that were not kept."""
        self._room = MOST_TEXT
        self._room_for_errors = MOST_ERROR
        self._clears = False

    @property
    def is_done(self) -> bool:
        """Whether the run has ended, and nothing else comes."""
        return self.is_idle and bool(self.status)

    def apply(self, kind: str, content: dict[str, Any]) -> None:
        """Apply a message of the kernel, which is data from the code that runs."""
        match kind:
            case "status":
                self.has_begun = True
                self.is_idle = content.get("execution_state") == "idle"
            case "execute_input":
                self.number = _number(content)
            case "stream":
                name = "stderr" if content.get("name") == "stderr" else "stdout"
                self._add(name, _text(content.get("text")))
            case "execute_result" | "display_data":
                self._show("value" if kind == "execute_result" else "display", content)
            case "update_display_data":
                self._update(content)
            case "error":
                self._add_error(_traceback(content))
            case "clear_output":
                if content.get("wait"):
                    self._clears = True
                else:
                    self._forget()
            case "execute_reply":
                self.number = _number(content) or self.number
                self.status = _text(content.get("status")) or "ok"
                for payload in content.get("payload") or []:
                    if isinstance(payload, dict) and isinstance(payload.get("data"), dict):
                        self._add("display", _text(payload["data"].get("text/plain")))

    def _add(self, kind: str, text: str) -> None:
        self._clear()
        kept = self._kept(text)
        if not kept:
            return
        if self.all and self.all[-1].kind == kind in ("stdout", "stderr"):
            self.all[-1].text += kept
        else:
            self.all.append(Output(kind, kept))

    def _add_error(self, text: str) -> None:
        self._clear()
        # What went wrong is at the end of a traceback.
        kept = text[max(0, len(text) - self._room_for_errors) :]
        self._room_for_errors -= len(kept)
        self.left_out += len(text) - len(kept)
        if kept:
            self.all.append(Output("error", kept))

    def _kept(self, text: str) -> str:
        """Return as much of a text as there is room for."""
        kept = text[: self._room]
        self._room -= len(kept)
        self.left_out += len(text) - len(kept)
        return kept

    def _show(self, kind: str, content: dict[str, Any]) -> None:
        self._clear()
        shown_as = _display_id(content)
        for output in _bundle(kind, content):
            if output.mime and sum(bool(each.mime) for each in self.all) >= MOST_IMAGES:
                output = Output("display", TOO_MANY)
            elif not output.mime:
                output.text = self._kept(output.text)
            output.shown_as = shown_as
            if output.text:
                self.all.append(output)

    def _update(self, content: dict[str, Any]) -> None:
        name = _display_id(content)
        at = next((n for n, each in enumerate(self.all) if name and each.shown_as == name), None)
        if at is not None:
            kind = "display" if self.all[at].kind == "image" else self.all[at].kind
            replaced = _bundle(kind, content)
            for each in replaced:
                each.shown_as = name
            self.all[at:] = [*replaced, *(each for each in self.all[at:] if each.shown_as != name)]

    def _clear(self) -> None:
        if self._clears:
            self._clears = False
            self._forget()

    def _forget(self) -> None:
        self.all.clear()
        self.left_out = 0
        self._room, self._room_for_errors = MOST_TEXT, MOST_ERROR


def clean(text: str) -> str:
    """Return a text as a terminal would leave it: without codes, and without overwritten parts."""
    text = ANSI.sub("", text).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return CONTROLS.sub("", "\n".join(lines))


def _bundle(kind: str, content: dict[str, Any]) -> list[Output]:
    data = content.get("data")
    if not isinstance(data, dict):
        return []
    for mime in IMAGES:
        if isinstance(image := data.get(mime), str):
            return [Output("image", "".join(image.split()), mime)]
    for mime in ("text/plain", "text/markdown", "text/latex", "text/html"):
        if isinstance(data.get(mime), str):
            return [Output(kind, _text(data[mime])[:MOST_TEXT])]
    return [Output(kind, f"({', '.join(map(str, data)) or 'nothing'})")]


def _traceback(content: dict[str, Any]) -> str:
    lines = content.get("traceback")
    if isinstance(lines, list) and lines:
        return "\n".join(map(_text, lines))
    return f"{_text(content.get('ename'))}: {_text(content.get('evalue'))}"


def _display_id(content: dict[str, Any]) -> str:
    transient = content.get("transient")
    return _text(transient.get("display_id")) if isinstance(transient, dict) else ""


def _number(content: dict[str, Any]) -> int | None:
    count = content.get("execution_count")
    return count if isinstance(count, int) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
