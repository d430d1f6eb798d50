"""What a run of code puts out, in its order: texts, values, errors and images; and the record."""

import asyncio
import base64
import binascii
import contextlib
import re
import time
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base import files

ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
IMAGES = {"image/png": ".png", "image/jpeg": ".jpg"}
"""The endings of their files."""

KEPT_CHARACTERS = 1_000_000
"""Of one run; code may print for ever."""

KEPT_ERROR_CHARACTERS = 100_000
"""The same of its errors, which must not be lost after much output."""

MOST_IMAGES = 50
TOO_MANY = "(an image is left out: there are too many)"

FOLDER = "kernel"
MOST_SAVED = 200
"""Images in this folder."""

SAVED_CHARACTERS = 50_000
"""Of one output in the record."""


class Output(msgspec.Struct):
    """One output: a text of a stream, a value or an error, or an image with its data in base64."""

    kind: str
    """`stdout`, `stderr`, `value`, `display`, `error` or `image`."""
    text: str
    mime: str = ""
    shown_as: str = ""
    """The id under which code may replace it later."""


class Ending(Enum):
    """How a run has ended."""

    DONE = "done"
    INTERRUPTED = "interrupted"
    """By the time limit."""
    STOPPED = "stopped"
    """Interrupted by the user."""
    STUCK = "stuck"
    """It goes on although it was interrupted."""
    QUEUED = "queued"
    """The kernel was busy with something else, and will run the code later."""
    DIED = "died"


class Outcome(msgspec.Struct):
    """What a run of code has put out, and how it has ended."""

    outputs: list[Output]
    ending: Ending
    left_out: int = 0
    reason: str = ""
    """Why the kernel has died."""
    is_anew: bool = False
    """Whether the kernel is a new one because the last one had died since the run before."""


class KernelRun:
    """A run of code: collects what the kernel says about it."""

    def __init__(self) -> None:
        self.all: list[Output] = []
        self.has_begun = False
        self.ended = asyncio.Event()
        """Set when nothing else comes."""
        self._is_idle = False
        self._status = ""
        """The status in the reply: `ok`, `error` or `aborted`; empty while there is none."""
        self.left_out = 0
        """Characters that were not kept."""
        self._room = KEPT_CHARACTERS
        self._room_for_errors = KEPT_ERROR_CHARACTERS
        self._clears = False

    def apply(self, kind: str, content: dict[str, Any]) -> None:
        """Apply a message of the kernel, which is data from the code that runs."""
        match kind:
            case "status":
                self.has_begun = True
                self._is_idle = content.get("execution_state") == "idle"
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
                self._status = _text(content.get("status")) or "ok"
                for payload in content.get("payload") or []:
                    if isinstance(payload, dict) and isinstance(payload.get("data"), dict):
                        self._add("display", _text(payload["data"].get("text/plain")))
        if self._is_idle and self._status:
            self.ended.set()

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
        self._room, self._room_for_errors = KEPT_CHARACTERS, KEPT_ERROR_CHARACTERS


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
            return [Output(kind, _text(data[mime])[:KEPT_CHARACTERS])]
    return [Output(kind, f"({', '.join(map(str, data)) or 'nothing'})")]


def _traceback(content: dict[str, Any]) -> str:
    lines = content.get("traceback")
    if isinstance(lines, list) and lines:
        return "\n".join(map(_text, lines))
    return f"{_text(content.get('ename'))}: {_text(content.get('evalue'))}"


def _display_id(content: dict[str, Any]) -> str:
    transient = content.get("transient")
    return _text(transient.get("display_id")) if isinstance(transient, dict) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def filetype(language: str) -> str:
    """Return the filetype for the language of a kernel."""
    return language.lower() if re.fullmatch(r"\w+", language, re.ASCII) else "python"


class Record:
    """Describes runs for `jupyter.lua`, and keeps their images in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    def entry(self, asker: str, kernel: str, language: str, code: str) -> dict[str, Any]:
        """Return an entry for code that runs now, without its outputs."""
        at = f"{datetime.now():%H:%M:%S}"
        return {"title": f"{at} {asker}, {kernel}", "filetype": filetype(language), "code": code}

    def outputs(self, outcome: Outcome) -> list[dict[str, str]]:
        """Return the outputs as the buffer shows them; images are saved."""
        found = [self._image(each) if each.mime else _entry(each) for each in outcome.outputs]
        if outcome.is_anew:
            found.insert(0, {"kind": "note", "text": "the kernel had died; this is a new one"})
        if outcome.ending is not Ending.DONE:
            found.append({"kind": "note", "text": _note(outcome)})
        return [each for each in found if each["text"]]

    def _image(self, output: Output) -> dict[str, str]:
        try:
            path = self._folder / f"{self._next_number()}{IMAGES[output.mime]}"
            files.write_private(path, base64.b64decode(output.text, validate=True))
        except (OSError, binascii.Error) as error:
            return {"kind": "note", "text": f"an image could not be saved: {error}"}
        self._forget_old()
        return {"kind": "image", "text": str(path)}

    def _next_number(self) -> int:
        """Return the time, or more if the clock has been set back: the newest is always the last.

        Raises `OSError`.
        """
        kept = self._kept() if self._folder.is_dir() else []
        return max(time.time_ns(), int(kept[-1].stem) + 1 if kept else 0)

    def _kept(self) -> list[Path]:
        """Return the images in the folder, the oldest first."""
        found = (each for each in self._folder.iterdir() if each.stem.isdecimal())
        return sorted(found, key=lambda image: int(image.stem))

    def _forget_old(self) -> None:
        for old in self._kept()[:-MOST_SAVED]:
            with contextlib.suppress(OSError):
                old.unlink()


def _entry(output: Output) -> dict[str, str]:
    text = clean(output.text).rstrip("\n")
    if len(text) > SAVED_CHARACTERS:
        text = f"{text[:SAVED_CHARACTERS]}\n… {len(text) - SAVED_CHARACTERS:,} more characters"
    return {"kind": output.kind, "text": text}


def _note(outcome: Outcome) -> str:
    match outcome.ending:
        case Ending.DIED:
            return f"the kernel has died: {outcome.reason}"
        case Ending.STUCK:
            return "interrupted at the time limit, but it goes on (:ClaudeKernel restart)"
        case Ending.QUEUED:
            return "the kernel is busy; this is still waiting to run"
        case Ending.STOPPED:
            return "interrupted"
        case _:
            return "interrupted at the time limit"
