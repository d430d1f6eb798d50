"""Types prompts into the terminals in which CLIs run, as a user does: the text, then Enter.

The CLI regards keys that arrive together with a text as a part of it, so Enter waits until the
prompt box shows the text. Dialogs replace that box: none is answered by a prompt. A dialog that
opens at that moment swallows the text, and just after a dialog the CLI ignores Enter: both are
typed again then. No other text is: a CLI that is busy shows it late, and would get it twice.
"""

import asyncio
import contextlib
import logging
import os
import re
import time
from collections.abc import Sequence

from claude_ide.base.errors import EditorError
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.base.program import locate, output
from claude_ide.editor.port import Port
from claude_ide.editor.port.terminals import TypedPrompt

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.05
TAKEN_SECONDS = 5.0
"""The box shows a text within this time."""
UNSHOWN_SECONDS = 15.0
"""After this, a box that has not changed is regarded as one that has not got the text."""
PASTE_AGAIN_SECONDS, AGAIN_SECONDS = 3.0, 1.5
"""After this, a text that a dialog has swallowed, or an ignored Enter, is typed again."""
REDRAWN_SECONDS = 1.0
"""After this, a CLI that shows no box has to draw its screen again, once."""
NOTICE_SECONDS = 3.0
"""After this, a message says what a prompt waits for."""
TMUX_SECONDS = 5.0
MOST_PRINTED_BYTES = 1_000_000
"""Of a pane."""

ESCAPES = 20
"""How often Escape is tried while the screen changes."""

TRIES = 3
LOWEST = 60
"""Rows of the screen in which the box may be."""

CARET = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
RULE = re.compile("──.*────")
"""After a resize, the CLI may have drawn the line below over a rule, which is then interrupted."""
SCROLLED = re.compile("──+ ↑ ")
"""The rule above a box that is too low for its text: its last rows are on the screen."""
CUT = "…"
ABOUT_TO_ASK = re.compile(r"\s*Waiting for permission")
"""Above the box."""
FOLDED = re.compile(r"\[Pastedtext#\d+[^\]]*\]")
"""The CLI folds a long text; here without blanks."""
KEPT = re.compile(r"\[exited \d+; Enter closes this\]")
"""The last row of a pane whose CLI has ended (`hooks/panes.py`)."""
HINT = re.compile(r'Try".*"')
"""What the CLI shows in an empty box; here without blanks."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
BEGUN_MENTION = re.compile(r'@(?:\S*|"[^"\n]*"?)\Z')

PASTE, END_OF_PASTE, ENTER, ESCAPE = "\x1b[200~", "\x1b[201~", "\r", "\x1b"
IN_BOX = "your words are in Claude's prompt: press Enter there to send them"
ENDED = "Claude has ended, and has not got your words"
REFUSED = "Claude takes no text now, and has not got your words"
UNSHOWN = "Claude does not show your words"
WAITS = "Claude gets your words once its terminal shows the prompt again"


def harmless(text: str) -> str:
    """Return only the text: control characters could end the paste, and would then be keys.

    A `!` at its beginning would be a key, too: it makes a command for the shell of the text. After
    `@file` or `@"a file"`, Enter would choose from a menu, whose text may be another one.
    """
    text = CONTROL.sub("", re.sub(r"\r\n?", "\n", text)).rstrip()
    text = f" {text}" if text.startswith("!") else text
    return f"{text} " if BEGUN_MENTION.search(text) else text


def box_of(rows: Sequence[str]) -> str | None:
    """Return the content of the prompt box, between the last two rules, without blanks.

    Of a text that is too long for it, that is the end, after `CUT`. None if there is no box, or if
    a dialog is about to replace it. A dialog has a caret below a rule, too, but in front of a
    numbered answer or further below.
    """
    rules = [index for index, row in enumerate(rows) if RULE.match(row)]
    if len(rules) < 2:
        return None
    upper, lower = rules[-2:]
    is_cut = SCROLLED.match(rows[upper]) is not None
    if not is_cut and not rows[upper + 1].startswith(CARET):
        return None
    if upper and ABOUT_TO_ASK.match(rows[upper - 1]):
        return None
    if any(row.lstrip().startswith(CARET) for row in rows[lower + 1 :]):
        return None
    content = "".join(rows[upper + 1 : lower])
    if is_cut:
        return CUT + _without_blanks(content)
    content = content[len(CARET) :]
    return re.sub(r"\A\[⧉[^\]]*\]", "", _without_blanks(content))


def _without_blanks(text: str) -> str:
    """Blanks differ: the CLI breaks lines, and pads them."""
    return re.sub(r"\s", "", text)


def has_taken(content: str, text: str, before: str) -> bool:
    """Return whether a box shows only a text, of which it had this before."""
    whole = _without_blanks(text)
    if content.startswith(CUT) and not HINT.sub("", before):
        return len(content) > len(CUT) and whole.endswith(content[len(CUT) :])
    return content == whole or FOLDED.fullmatch(content) is not None


class _Buffer:
    """A terminal of the editor. It is one instant there in which the screen is compared.

    `read` returns the lowest rows of its screen; none once the CLI has ended. `paste` and `press`
    do nothing if the screen has changed since it was `seen`: then they return False. `redraw` has
    the CLI draw its whole screen again.
    """

    def __init__(self, port: Port, bufnr: int) -> None:
        self._port = port
        self._bufnr = bufnr

    async def read(self) -> list[str]:
        return await self._port.typing.read(self._bufnr, LOWEST)

    async def paste(self, text: str, seen: list[str]) -> bool:
        return await self.press(PASTE + text + END_OF_PASTE, seen)

    async def press(self, key: str, seen: list[str]) -> bool:
        return await self._port.typing.press(self._bufnr, key, seen)

    def redraw(self) -> None:
        # Vim's windows do not resize a terminal twice at once.
        if editor_name() == NEOVIM:
            self._port.typing.redraw(self._bufnr)


class _Pane:
    """A pane of tmux, with the same methods.

    A buffer of tmux reaches the CLI even while the user reads in the copy mode, which takes keys.
    """

    def __init__(self, id_: str, tmux: str) -> None:
        self._id = id_
        self._environment = {**os.environ, "TMUX": tmux}

    async def read(self) -> list[str]:
        printed = await self._tmux("capture-pane", "-p", "-t", self._id)
        rows = printed.strip().split("\n") if printed else []
        return [] if rows and KEPT.match(rows[-1]) else rows[-LOWEST:]

    async def paste(self, text: str, seen: list[str]) -> bool:
        return await self._send(text, seen, "-p")

    async def press(self, key: str, seen: list[str]) -> bool:
        return await self._send(key, seen)

    def redraw(self) -> None:
        """Windows of the editor do not resize a pane."""

    async def _send(self, text: str, seen: list[str], *options: str) -> bool:
        # Only the box: what is above it may move all the time.
        if box_of(await self.read()) != box_of(seen):
            return False
        name = f"claude-ide-{os.getpid()}"
        words = ["load-buffer", "-b", name, "-", ";", "paste-buffer", "-d", "-r", "-b", name]
        await self._tmux(*words, "-t", self._id, *options, text=text)
        return True

    async def _tmux(self, *words: str, text: str = "") -> str:
        """Return what a command of tmux prints; nothing if it fails."""
        printed, given = None, text.encode()
        with contextlib.suppress(OSError, TimeoutError):
            command = locate("tmux", self._environment.get("PATH", "")), *words
            async with asyncio.timeout(TMUX_SECONDS):
                printed = await output(command, MOST_PRINTED_BYTES, self._environment, given=given)
        return (printed or b"").decode(errors="replace")


Device = _Buffer | _Pane
"""What a CLI runs in."""


class _Prompt:
    """A prompt on its way. Times are those of `time.monotonic()`."""

    def __init__(self, number: int, text: str, *, submits: bool) -> None:
        self.number = number
        self.text = text
        self.submits = submits
        """Whether Enter follows."""
        self.since = time.monotonic()
        """When it became the first of its queue."""
        self.pasted = 0.0
        """When it was pasted, or a dialog last covered the box after that; 0 before."""
        self.is_covered = False
        """Whether a dialog has covered the box since then."""
        self.before = ""
        """The content of the box when it was pasted."""
        self.entered = 0.0
        self.pastes = self.presses = 0
        self.hidden = 0.0
        """When there was no box any more; 0 while there is one."""
        self.is_redrawn = False
        self.is_mentioned = False


class Typing:
    """The prompts that wait for terminals. The editor keeps their words until they are typed."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._queues: dict[int | str, list[_Prompt]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def say(self, words: str, pid: int, terminal: str = "", *, submits: bool = True) -> None:
        """Type words into the terminal in which a client runs, after those that wait already.

        They are left in the box if the user has begun a prompt there, or without `submits`. `pid` 0
        means the CLI of `:Claude`; a terminal with a name gets them in place of these. Raises
        `EditorError` if neither a terminal of the editor nor a pane of `:Claude` is found.
        """
        text = harmless(words)
        if words.endswith("\n") and not submits:
            text += "\n"
        found = await self._port.typing.begin(pid, text, terminal)
        key, prompt = found.pane or found.bufnr, _Prompt(found.number, text, submits=submits)
        if key in self._queues:
            self._queues[key].append(prompt)
            return
        self._queues[key] = [prompt]
        task = asyncio.get_running_loop().create_task(self._type_all(found, key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def takes_text(self, terminal: str) -> bool:
        """Return whether a terminal shows an empty prompt box, and nothing waits for it already."""
        found = await self._found(terminal)
        rows = await self._device(found).read()
        content = box_of(rows)
        is_empty = content is not None and not HINT.sub("", content)
        return is_empty and (found.pane or found.bufnr) not in self._queues

    async def interrupt(self, terminal: str) -> None:
        """Press Escape in a terminal, whose CLI then stops its turn."""
        device = self._device(await self._found(terminal))
        for _ in range(ESCAPES):
            # What it shows changes all the time while it works.
            if await device.press(ESCAPE, await device.read()):
                return

    async def _found(self, terminal: str) -> TypedPrompt:
        found = await self._port.typing.begin(0, "", terminal)
        self._port.typing.finish(found.number)
        return found

    async def _type_all(self, found: TypedPrompt, key: int | str) -> None:
        queue = self._queues[key]
        device = self._device(found)
        why = "Claude has not got your words"
        try:
            while queue:
                rows = await device.read()
                if not rows:
                    why = ENDED
                    return
                if await self._advance(device, queue[0], rows):
                    self._port.typing.finish(queue.pop(0).number)
                    if queue:
                        queue[0].since = time.monotonic()
                await asyncio.sleep(POLL_SECONDS)
        except EditorError as error:
            logger.warning("typing: %s", error)
        finally:
            del self._queues[key]
            if queue:
                self._lose(queue, why)

    def _device(self, found: TypedPrompt) -> Device:
        if found.pane:
            return _Pane(found.pane, found.tmux)
        return _Buffer(self._port, found.bufnr)

    async def _advance(self, device: Device, prompt: _Prompt, rows: list[str]) -> bool:
        """Type as much as is possible now; return whether the prompt is finished."""
        content, now = box_of(rows), time.monotonic()
        prompt.hidden = 0.0 if content is not None else prompt.hidden or now
        # The user may have this very text in the box, or one that is folded like it.
        if content is not None and prompt.pasted and content != prompt.before:
            if not prompt.submits:
                return True
            if has_taken(content, prompt.text, prompt.before):
                is_due = not prompt.entered or now - prompt.entered >= AGAIN_SECONDS
                return is_due and await self._enter(device, prompt, rows)
        if prompt.entered:
            return True
        if content is None:
            self._wait_for_box(device, prompt)
            return False
        seconds, is_unchanged = now - prompt.pasted, content == prompt.before
        is_swallowed = prompt.is_covered and is_unchanged and seconds >= PASTE_AGAIN_SECONDS
        if not prompt.pasted or is_swallowed:
            return await self._paste(device, prompt, content, rows)
        if seconds < (UNSHOWN_SECONDS if is_unchanged else TAKEN_SECONDS):
            return False
        if is_unchanged:
            self._lose([prompt], UNSHOWN)
            return True
        # Perhaps the user had begun a prompt: what happens to it is for them to decide.
        self._show(IN_BOX, "warn")
        return True

    async def _paste(self, device: Device, prompt: _Prompt, content: str, rows: list[str]) -> bool:
        """Paste the text into the box; return whether that is given up."""
        if prompt.pastes == TRIES:
            self._lose([prompt], REFUSED)
            return True
        is_begun = content and not HINT.fullmatch(content)
        gap = " " if is_begun and not prompt.submits else ""
        if await device.paste(gap + prompt.text, rows):
            prompt.pastes += 1
            prompt.pasted, prompt.before = time.monotonic(), content
            prompt.is_covered = False
        return False

    async def _enter(self, device: Device, prompt: _Prompt, rows: list[str]) -> bool:
        """Press Enter; return whether that is given up."""
        if prompt.presses == TRIES:
            self._show(IN_BOX, "warn")
            return True
        if await device.press(ENTER, rows):
            prompt.presses += 1
            # What follows would be regarded as pasted with it, before it has left the box.
            prompt.entered = time.monotonic()
        return False

    def _wait_for_box(self, device: Device, prompt: _Prompt) -> None:
        """A dialog is open, or what the CLI has drawn for another size of its terminal hides it."""
        now = time.monotonic()
        prompt.is_covered = bool(prompt.pasted)
        # What a dialog does with a text is seen when the box is there again.
        prompt.pasted = now if prompt.pasted else 0.0
        if not prompt.is_redrawn and now - prompt.hidden >= REDRAWN_SECONDS:
            prompt.is_redrawn = True
            device.redraw()
        self._mention(prompt)

    def _mention(self, prompt: _Prompt) -> None:
        if not prompt.is_mentioned and time.monotonic() - prompt.since >= NOTICE_SECONDS:
            prompt.is_mentioned = True
            self._show(WAITS, "info")

    def _lose(self, prompts: Sequence[_Prompt], why: str) -> None:
        """Have the editor keep words that the CLI has not got."""
        self._port.typing.lose([each.number for each in prompts], why)

    def _show(self, text: str, level: str) -> None:
        self._port.windows.notify(text, level)
