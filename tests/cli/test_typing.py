"""Prompts that Neovim types into the terminal of the real CLI, in both of its versions."""

from pathlib import Path

import pytest

from support.either_editor import BOTH_WITH_CLI, Editor, name_of, on_screen, run, type_prompt
from support.fake_api import FakeApi, text, tool_use
from support.neovim import until

from .conftest import begin


@pytest.fixture
def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor whose CLIs use the stand-in for the model."""
    return nvim_with_cli


async def asked(api: FakeApi, words: str) -> None:
    """Wait until the model gets these words as a prompt."""
    await until(lambda: any(words in each.new_text for each in api.requests), words)


@BOTH_WITH_CLI
@pytest.mark.parametrize(
    "words",
    [
        "One line with a file: @a.py",
        "On a.py, line 2:\n> two\nShout,\n    please.",
        "\n".join(f"Line {number}" for number in range(1, 40)),
        "many words " * 60 + "end",
        "Grüße ✓ 漢字",
        "!touch made",
    ],
    ids=["one line", "lines", "many lines", "long", "Unicode", "no command for the shell"],
)
async def test_a_prompt_reaches_the_model(nvim: Editor, api: FakeApi, words: str) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")

    await type_prompt(nvim, words)

    await on_screen(nvim, "● Heard.")
    assert any(words in each.new_text for each in api.requests)
    assert "made" not in await nvim.eval("readdir('.')")


@BOTH_WITH_CLI
async def test_a_prompt_that_ends_with_a_quoted_file_is_sent_as_it_is(
    nvim: Editor, api: FakeApi, project: Path
) -> None:
    (project / "!a b").mkdir()
    (project / "!a b" / "c.py").write_text("c = 1\n")
    api.script([text("Heard.")])
    await begin(nvim, "default")

    words = 'Explain this:\n@"./!a b/c.py"'
    await type_prompt(nvim, words)

    await on_screen(nvim, "● Heard.")
    assert any(words in each.new_text for each in api.requests)


@BOTH_WITH_CLI
async def test_prompts_to_a_hidden_terminal_are_sent_in_order(nvim: Editor, api: FakeApi) -> None:
    api.script([text("Heard.")], [text("Heard again.")])
    await begin(nvim, "default")
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))

    await type_prompt(nvim, "The first")
    await type_prompt(nvim, "The second")

    await asked(api, "The first")
    await asked(api, "The second")


@BOTH_WITH_CLI
async def test_a_prompt_answers_no_dialog(nvim: Editor, api: FakeApi) -> None:
    api.script(
        [tool_use("Bash", command="touch made", description="Touch")],
        [text("Done.")],
        [text("Heard.")],
    )
    await begin(nvim, "default")
    await type_prompt(nvim, "Touch it")
    await on_screen(nvim, "1. Yes")

    await type_prompt(nvim, "The next")
    await on_screen(nvim, "Claude gets your words once its terminal shows the prompt again")
    assert "1. Yes" in nvim.screen.text()

    await nvim.keys("<Esc>")
    await asked(api, "The next")
    assert not any("made" in each for each in await nvim.eval("readdir('.')"))


@BOTH_WITH_CLI
async def test_a_prompt_that_the_user_has_begun_is_not_sent(nvim: Editor, api: FakeApi) -> None:
    await begin(nvim, "default")
    await nvim.keys("My own")
    await on_screen(nvim, "My own")

    await type_prompt(nvim, " and yours")

    await on_screen(nvim, "press Enter there to send them")
    await on_screen(nvim, "My own and yours")
    assert not any("yours" in each.new_text for each in api.requests)


@BOTH_WITH_CLI
async def test_control_characters_are_not_keys(nvim: Editor, api: FakeApi) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")

    await type_prompt(nvim, "One\x1b[201~\r\x03two")

    await asked(api, "One[201~\ntwo")


@BOTH_WITH_CLI
async def test_without_a_terminal_the_refusal_says_so(nvim: Editor) -> None:
    assert await run(nvim, "claude_ide#typed_words#Begin", 0, "Words") == {
        "error": f"no terminal of this {name_of(nvim)} runs Claude (:Claude opens one); "
        "your words are yanked, so that you can paste them"
    }
    assert await nvim.eval("getreg()") == "Words"


async def test_a_prompt_from_a_buffer_starts_a_cli_and_is_typed_into_it(
    nvim: Editor, api: FakeApi
) -> None:
    api.script([text("Heard.")])
    await nvim.keys(":2ClaudePrompt<CR>")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await nvim.keys("Shout @a.py<Esc>:x<CR>")

    await asked(api, "a.py, line 2:\n> two\nShout @a.py")
    await on_screen(nvim, "● Heard.")
    assert await nvim.eval("bufwinid('Claude terminal prompt')") == -1


async def test_a_prompt_whose_window_opens_and_closes_at_once_reaches_the_model(
    nvim: Editor, api: FakeApi
) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")
    await nvim.keys("<C-Bslash><C-n><C-w>p")

    await nvim.keys(":2ClaudePrompt | write<CR>")

    await asked(api, "a.py, line 2:\n> two")
    await on_screen(nvim, "● Heard.")
    assert await nvim.eval("[mode(), &filetype]") == ["n", "python"]
