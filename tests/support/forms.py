"""A form under test, whose host is the test, and questions for it."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from claude_ide.agents.requests import AnswerKind, Choice, Question, QuestionAsked, Value
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import FormPressed
from claude_ide.ui.form import Form
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.neovim import Neovim, until

MODULE = "require('claude_ide.chat.form')"


FLOATS = "len(filter(getwininfo(), {_, w -> nvim_win_get_config(w.winid).relative !=# ''}))"


LIBRARY = Question(
    *("Which library?", "Library"),
    (Choice("httpx", "async"), Choice("requests", "sync"), Choice("urllib")),
)


FEATURES = Question(
    *("Which features?", "Features"),
    (Choice("Retry", "r"), Choice("Cache", "c")),
    AnswerKind.CHOICES,
)


BOTH = (LIBRARY, FEATURES)

Outcome = str | dict[str, Value]
"""The answers, or `declined` or `closed`."""


class Host:
    """The half in Python of the forms in one Neovim."""

    def __init__(self, nvim: Neovim) -> None:
        self._editor = Editor(TestedNeovim(nvim))
        self._forms: dict[int, Form] = {}
        self._open: dict[int, asyncio.Task[None]] = {}
        self.outcomes: dict[int, list[Outcome]] = {}
        self.hangs = False
        nvim.notifications = Notifications(self._receive)

    def _receive(self, name: str, arguments: list[Any]) -> None:
        if name == EVENT and arguments[0] in ("form", "answered") and not self.hangs:
            self._editor.events.dispatch(*arguments)

    def ask(self, questions: tuple[Question, ...], token: int) -> None:
        """Show a form, with the answers that were given before."""
        asked = QuestionAsked("request", "tool", questions)
        form = self._forms.setdefault(token, Form(asked, "Claude"))
        self._open[token] = asyncio.ensure_future(self._fill_in(form, token))

    async def _fill_in(self, form: Form, token: int) -> None:
        forms = self._editor.port.forms

        def press(pressed: FormPressed) -> None:
            forms.show(token, form.press(pressed))

        filled_in = await forms.fill_in(form.page(), token=token, step=press)
        outcome: Outcome = "declined" if filled_in.declined else "closed"
        if outcome == "declined":
            del self._forms[token]
        self.outcomes.setdefault(token, []).append(form.values if form.is_submitted else outcome)

    def withdraw(self, token: int) -> None:
        """Close a form whose answer is no longer needed."""
        self._open[token].cancel()


_hosts: "WeakKeyDictionary[Neovim, Host]" = WeakKeyDictionary()


def host(nvim: Neovim) -> Host:
    """Return the host of the forms of a Neovim."""
    if nvim not in _hosts:
        _hosts[nvim] = Host(nvim)
    return _hosts[nvim]


def outcomes(nvim: Neovim, token: int = 1) -> list[Outcome]:
    """Return how a form has ended so far, each time that it was shown."""
    return host(nvim).outcomes.get(token, [])


async def outcome(nvim: Neovim, token: int = 1) -> Outcome:
    """Wait until a form has ended, which must be the first time."""
    found: list[Outcome] = await until(lambda: outcomes(nvim, token), f"form {token} has ended")
    assert len(found) == 1
    return found[0]


async def open_form(nvim: Neovim, *questions: Question, token: int = 1) -> None:
    """Show a form and wait until the user can fill it in."""
    host(nvim).ask(questions, token)
    await until(lambda: nvim.eval(FLOATS), "the form is shown")
    await until(lambda: nvim.eval("mode() ==# 'n'"))


async def wait_until_closed(nvim: Neovim) -> None:
    async def closed() -> bool:
        return not await nvim.eval(FLOATS)

    await until(closed, "the form is gone")


def given(library: str, *features: str) -> dict[str, Value]:
    """Return the answers to both questions."""
    return {"Which library?": library, "Which features?": features}
