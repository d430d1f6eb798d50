"""What the user sees of runs: the question before one, and what ran and what came out."""

import base64
import binascii
import contextlib
import re
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from claude_ide.base import files
from claude_ide.base.errors import ToolError
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.panel import Proposed
from claude_ide.jupyter.kernel import Ending, Outcome
from claude_ide.jupyter.outputs import Output, clean

REFUSED = "The user refused to run this code, and nothing was run."
MORE = "run all from now on"


class Asker(Protocol):
    """Who wants to run code. `may_run_code` is set when the user allows all of it."""

    may_run_code: bool

    @property
    def shown_name(self) -> str:
        """Its name for the user."""


def filetype(language: str) -> str:
    """Return the filetype for the language of a kernel."""
    return language.lower() if re.fullmatch(r"\w+", language, re.ASCII) else "python"


async def asked(editor: Editor, asker: Asker, code: str, kernel: str, language: str) -> str:
    """Ask the user, and return the code, which they may have edited.

    Raises `ToolError`, which tells the model that they refused, and why.
    """
    if asker.may_run_code:
        return code
    proposed = Proposed.code(asker.shown_name, code, kernel, filetype(language), MORE)
    answer = await editor.port.forms.review(proposed)
    match answer.decision:
        case "approve":
            pass
        case "approve_more":
            asker.may_run_code = True
        case _:
            words = answer.comments
            raise ToolError(f"{REFUSED} They said: {words}" if words else REFUSED)
    return answer.text or code


FOLDER = "kernel"
ENDINGS = {".png": "image/png", ".jpg": "image/jpeg"}
MOST_IMAGES = 200
LONGEST = 50_000
"""Characters of one output."""


class Record:
    """Describes runs for `jupyter/record.lua`, and keeps their images in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    def entry(self, asker: str, kernel: str, language: str, code: str) -> dict[str, Any]:
        """Return an entry for code that runs now, without its outputs."""
        at = f"{datetime.now():%H:%M:%S}"
        return {"title": f"{at} {asker}, {kernel}", "filetype": filetype(language), "code": code}

    def outputs(self, outcome: Outcome) -> list[dict[str, str]]:
        """Return the outputs as the buffer shows them; images are saved."""
        found = [self._image(each) if each.mime else _text(each) for each in outcome.outputs]
        if outcome.is_anew:
            found.insert(0, {"kind": "note", "text": "the kernel had died; this is a new one"})
        if outcome.ending is not Ending.DONE:
            found.append({"kind": "note", "text": _note(outcome)})
        return [each for each in found if each["text"]]

    def _image(self, output: Output) -> dict[str, str]:
        suffix = next(end for end, mime in ENDINGS.items() if mime == output.mime)
        try:
            path = self._folder / f"{self._next_number()}{suffix}"
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
        for old in self._kept()[:-MOST_IMAGES]:
            with contextlib.suppress(OSError):
                old.unlink()


def _text(output: Output) -> dict[str, str]:
    text = clean(output.text).rstrip("\n")
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters"
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
