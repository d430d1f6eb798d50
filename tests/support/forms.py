"""A form under test, and questions for it."""

from typing import Any

from support.neovim import Neovim, until

MODULE = "require('claude_ide.chat.form')"


FLOATS = "len(filter(getwininfo(), {_, w -> nvim_win_get_config(w.winid).relative !=# ''}))"


LIBRARY = {
    "text": "Which library?",
    "header": "Library",
    "choices": [
        {"label": "httpx", "description": "async"},
        {"label": "requests", "description": "sync"},
        {"label": "urllib", "description": ""},
    ],
    "multiple": False,
}


FEATURES = {
    "text": "Which features?",
    "header": "Features",
    "choices": [{"label": "Retry", "description": "r"}, {"label": "Cache", "description": "c"}],
    "multiple": True,
}


BOTH = [LIBRARY, FEATURES]


async def ask(nvim: Neovim, questions: list[dict[str, Any]], token: int = 1) -> None:
    await nvim.lua(f"{MODULE}.open(...)", token, {"title": "Claude asks", "questions": questions})


async def open_form(nvim: Neovim, questions: list[dict[str, Any]], token: int = 1) -> None:
    await ask(nvim, questions, token)
    await until(lambda: nvim.eval(FLOATS), "the form is shown")
    await until(lambda: nvim.eval("mode() ==# 'n'"))


async def wait_until_closed(nvim: Neovim) -> None:
    async def closed() -> bool:
        return not await nvim.eval(FLOATS)

    await until(closed, "the form is gone")


def given(library: list[str], features: list[str]) -> dict[str, Any]:
    return {
        "answers": [
            {"question": "Which library?", "chosen": library},
            {"question": "Which features?", "chosen": features},
        ]
    }
