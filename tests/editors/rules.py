"""The invariants of an editor after each step, whatever other plugins do."""

import re
from pathlib import Path
from typing import Any

from editors.sight import Shape, Sight

MARKER = re.compile(r"typed-\d+")
PROPOSAL = re.compile(r"proposal (\d+)\.")
ACCEPTING = (":w<CR>", ":wq<CR>", ":x<CR>", "ZZ", ":ClaudeAccept<CR>")
DECIDING = (*ACCEPTING, ":q<CR>", ":ClaudeReject<CR>")
DISCARDING = ("dd", "u", "!", "ZQ")
OURS = re.compile(r"claude_ide[/.]|claude-ide: .*(E\d+:|cannot be)")
OTHERS = re.compile("a plugin fails in")
RESTLESS = {"resizer", "tree", "explorer"}
"""Plugins that change sizes or add windows on their own."""
WITHDRAWING = {"keys", "keep_typing", "close_tab", "close_all", "reconnect"}
"""Steps in which a diff may be decided."""
HARMLESS = {
    *("open_diff", "close_tab", "close_all", "diagnose", "reconnect", "write_disk"),
    *("open_float", "close_float", "close_float_later", "notify", "chat", "end_chat", "pause"),
}
"""Steps that leave the user's windows alone."""


class Fault(AssertionError):
    """An invariant is violated."""


class Rules:
    """The state when nothing of the plugin was on the screen, and what may have changed since."""

    def __init__(self, plugins: tuple[str, ...]) -> None:
        self.is_restless = bool(RESTLESS & set(plugins))
        self.may_fail = "failing" in plugins
        self.step = ""
        self.unsaved: set[str] = set()
        self.may_accept: set[int] = set()
        self.is_touched = False
        self.is_moved = False
        self.messages = ""

    def begin(self, seen: Sight) -> None:
        """Record the initial state."""
        self.cmdheight = seen.fields["cmdheight"]
        self._calm(seen)

    def note_prompt(self, mode: str, screen: str) -> None:
        """Check a prompt that blocks Neovim: it must not be caused by the plugin."""
        if OURS.search(screen) and not OTHERS.search(screen):
            raise Fault(f"a prompt of ours in mode {mode}:\n{screen}")

    def before(self, step: str, values: tuple[Any, ...], seen: Sight) -> None:
        """Record what the next step is allowed to cause."""
        self.step = step
        keys = str(values[0]) if step in ("keys", "keep_typing") else ""
        if any(word in keys for word in ACCEPTING):
            self.may_accept |= {int(number) for number in PROPOSAL.findall(seen.fields["text"])}
            if "Claude" in keys:
                self.may_accept |= {n for b in seen.buffers for n in _numbers(b["text"])}
        if any(word in keys for word in DISCARDING):
            self.unsaved.clear()
        is_decision = keys in DECIDING and ("Claude" in keys or _is_own(seen.fields["name"]))
        if step not in HARMLESS and not is_decision:
            self.is_touched = True
        is_leaving_float = step == "pause" and seen.fields["in_float"]
        if step.startswith("close_float") or "focus" in values or is_leaving_float:
            self.is_moved = True

    def after(self, seen: Sight, answers: dict[int, str], project: Path) -> None:
        """Check all invariants."""
        self._check_answers(answers)
        self._check_messages(seen)
        self._check_text(seen, answers, project)
        if seen.fields["cmdheight"] != self.cmdheight:
            raise Fault(f"'cmdheight' has become {seen.fields['cmdheight']}")
        if seen.is_clear:
            self._check_traces(seen)
            self._calm(seen)

    def _calm(self, seen: Sight) -> None:
        self.shape: Shape = seen.shape
        self.win = seen.fields["win"]
        self.was_in_float = seen.fields["in_float"]
        self.is_touched = self.is_moved = False

    def _check_answers(self, answers: dict[int, str]) -> None:
        for number, answer in answers.items():
            if answer.startswith("FILE_SAVED") and number not in self.may_accept:
                raise Fault(f"proposal {number} was accepted, but not by the user")
            if self.step not in WITHDRAWING:
                raise Fault(f"proposal {number} was answered by a step that decides nothing")

    def _check_messages(self, seen: Sight) -> None:
        new = seen.fields["messages"].removeprefix(self.messages)
        self.messages = seen.fields["messages"]
        if OURS.search(new) and not (self.may_fail and OTHERS.search(new)):
            raise Fault(f"an error of ours in :messages:\n{new}")

    def _check_text(self, seen: Sight, answers: dict[int, str], project: Path) -> None:
        on_disk = "".join(path.read_text() for path in project.iterdir() if path.is_file())
        for marker in self.unsaved:
            if not (seen.words(marker) or marker in on_disk or marker in "".join(answers.values())):
                raise Fault(f"unsaved text is lost: {marker}")
        self.unsaved = {
            marker
            for buffer in seen.buffers
            if buffer["is_file"] and buffer["is_modified"]
            for marker in MARKER.findall(buffer["text"])
        }

    def _check_traces(self, seen: Sight) -> None:
        if self.is_touched:
            return
        if set(seen.shape) != set(self.shape):
            raise Fault(f"tab pages {list(self.shape)} have become {list(seen.shape)}")
        if self.is_restless:
            return
        if not _is_alike(seen.shape, self.shape, seen.fields["tabpage"]):
            raise Fault(f"the windows {self.shape} have become {seen.shape}")
        is_moved = self.is_moved or self.was_in_float
        if seen.is_at_rest and not is_moved and seen.fields["win"] != self.win:
            raise Fault(f"the user was in window {self.win}, and is in {seen.fields['win']}")


def _is_alike(now: Shape, before: Shape, here: int) -> bool:
    """Whether windows are unchanged; in other tab pages a tab line may have changed the height."""
    return now[here] == before[here] and _without_heights(now) == _without_heights(before)


def _without_heights(shape: Shape) -> list[Any]:
    return [(layout, [size[:2] for size in sizes]) for layout, sizes in shape.values()]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in PROPOSAL.findall(text)]


def _is_own(name: str) -> bool:
    return re.match("claude-[a-z]+://", name) is not None
