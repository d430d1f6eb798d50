"""Rewrites of `:ClaudeEdit` and their refinements, in either editor, whose CLI is the test."""

from support.either_editor import Editor, on_screen, shows_a_diff
from support.fake_headless import Asked, FakeHeadless
from support.neovim import until


async def propose(editor: Editor, claude: FakeHeadless, command: str, text: str) -> None:
    await editor.keys(f":{command}<CR>")
    (await claude.asked()).fit({"replacement": text})
    await until(lambda: shows_a_diff(editor), "a diff")


async def asked(editor: Editor, claude: FakeHeadless, command: str) -> Asked:
    await editor.command(command)
    return await claude.asked()


async def holds(editor: Editor, lines: list[str]) -> bool:
    """Return whether the current buffer has these lines."""
    return bool(await editor.eval("getline(1, '$')") == lines)


async def is_closed(editor: Editor) -> None:
    await until(lambda: editor.eval("tabpagenr('$') == 1"), "the diff is closed")


def marked(prompt: str) -> list[str]:
    """Return the lines of a prompt that Claude is to change."""
    text = prompt.rpartition("<text>\n")[2].partition("\n</text>")[0]
    return text.partition("<rewrite>\n")[2].partition("</rewrite>")[0].splitlines()


async def refine(editor: Editor, claude: FakeHeadless, words: str, text: str) -> None:
    (await asked(editor, claude, f"ClaudeEdit {words}")).fit({"replacement": text})
    await on_screen(editor, "refined (u undoes it)")
