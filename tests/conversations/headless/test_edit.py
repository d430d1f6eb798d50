"""`:ClaudeEdit`, from the key press to the CLI and into the buffer."""

import json
from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, has_host, hidden, on_screen
from support.fake_headless import FakeHeadless
from support.headless import TEXT, accept, diff, holds, lines
from support.neovim import until


@BOTH
class TestEdit:
    async def test_the_prompt_marks_the_range_in_its_file(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2,3ClaudeEdit shout please")
        asked = await claude.asked()

        assert "<text>\none\n<rewrite>\ntwo\nthree\n</rewrite>\nfour\n</text>" in asked.prompt
        assert f"{file} (python)" in asked.prompt
        assert "shout please" in asked.prompt
        schema = json.loads(asked.arguments[asked.arguments.index("--json-schema") + 1])
        assert schema["required"] == ["replacement"]
        await on_screen(nvim, "Claude is rewriting")

    async def test_an_accepted_rewrite_is_one_undoable_change(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        await nvim.keys("G")
        (await claude.asked()).fit({"replacement": "TWO\nand a half\n"})
        await accept(nvim)

        await until(lambda: holds(nvim, ["one", "TWO", "and a half", "three", "four"]))
        assert await nvim.eval("[&modified, line('.')]") == [1, 5]
        assert file.read_text() == "one\ntwo\nthree\nfour\n"
        await hidden(nvim, "rewriting")
        await nvim.keys("u")
        await until(lambda: holds(nvim, TEXT))

    async def test_an_accepted_rewrite_is_written_when_the_user_saves(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await accept(nvim)
        await until(lambda: holds(nvim, ["one", "TWO", "three", "four"]))

        await nvim.keys(":w<CR>")

        await until(lambda: file.read_text() == "one\nTWO\nthree\nfour\n")
        assert (await nvim.mode()) == {"mode": "n", "blocking": False}

    async def test_accepting_and_quitting_in_one_command_does_not_lose_the_rewrite(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)

        await nvim.keys(":write | silent! qall<CR>")

        await until(lambda: holds(nvim, ["one", "TWO", "three", "four"]))

    async def test_accepting_and_saving_in_one_command_writes_the_rewrite(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)

        await nvim.keys(":write | wall<CR>")

        await until(lambda: file.read_text() == "one\nTWO\nthree\nfour\n")

    async def test_a_rejected_rewrite_changes_nothing(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)

        await nvim.keys(":q<CR>")

        await until(lambda: nvim.eval("tabpagenr('$') == 1"))
        assert await lines(nvim) == TEXT
        assert await nvim.eval("&modified") == 0

    async def test_edits_of_the_proposed_text_are_applied(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("ggOzero<Esc>Go five<Esc>")

        await accept(nvim)

        await until(lambda: holds(nvim, ["zero", "one", "TWO", "three", "four", " five"]))

    async def test_the_diff_names_its_author(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.keys("ox<Esc>")
        await nvim.command("1ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "ONE"})
        await diff(nvim)

        await on_screen(nvim, "Claude's rewrite")
        assert "unsaved" not in nvim.screen.text()

    async def test_the_whole_file_is_rewritten_without_a_range(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("ClaudeEdit shorten")
        asked = await claude.asked()
        assert "<text>\n<rewrite>\none\n" in asked.prompt
        asked.fit({"replacement": "one\n"})
        await accept(nvim)

        await until(lambda: holds(nvim, ["one"]))

    async def test_a_rewrite_is_applied_to_lines_that_have_moved(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("3ClaudeEdit shout")
        asked = await claude.asked()
        await nvim.keys("ggOzero<Esc>Gofive<Esc>:2d<CR>")
        await until(lambda: holds(nvim, ["zero", "two", "three", "four", "five"]))
        asked.fit({"replacement": "THREE"})
        await accept(nvim)

        await until(lambda: holds(nvim, ["zero", "two", "THREE", "four", "five"]))

    async def test_a_rewrite_of_lines_that_have_changed_is_kept_in_a_buffer(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        asked = await claude.asked()
        await nvim.keys("2ggccmine<Esc>")
        await until(lambda: nvim.eval("getline(2) == 'mine'"))
        asked.fit({"replacement": "TWO\nTWO"})

        await on_screen(nvim, "the lines have changed; the rewrite is kept in buffer")
        assert await lines(nvim) == ["one", "mine", "three", "four"]
        kept = await nvim.eval("filter(getbufinfo(), 'v:val.name =~# \"Kept\"')[0].bufnr")
        assert await lines(nvim, kept) == ["TWO", "TWO"]
        assert await nvim.eval("tabpagenr('$')") == 1

    async def test_edits_of_the_original_during_the_diff_are_kept(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("<C-w>hggOzero<Esc><C-w>l")
        await until(lambda: nvim.eval("expand('%:t') =~ '^Claude ('"))

        await accept(nvim)

        await until(lambda: holds(nvim, ["zero", "one", "TWO", "three", "four"]))

    @pytest.mark.parametrize(
        ("content", "after"),
        [
            (b"a\r\nb\r\n", b"a\r\nX\r\n"),
            (b"a\nb", b"a\nX"),
            (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nX\n"),
            ("ä\nö\n".encode(), "ä\nX\n".encode()),
        ],
        ids=["dos", "no newline at the end", "bom", "umlauts"],
    )
    async def test_line_endings_bom_and_encoding_are_preserved(
        self, nvim: Editor, claude: FakeHeadless, project: Path, content: bytes, after: bytes
    ) -> None:
        path = project / "b.txt"
        path.write_bytes(content)
        await nvim.command(f"set nofixendofline | edit {path}")
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"replacement": "X\r\n"})
        await accept(nvim)
        await until(lambda: nvim.eval("getline(2) == 'X'"))

        await nvim.command("write")

        assert path.read_bytes() == after

    async def test_a_buffer_without_a_name_is_rewritten(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.command("call setline(1, ['one', 'two'])")
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.keys("<C-w>h")
        assert await lines(nvim) == ["one", "two"]
        await nvim.keys("<C-w>l")
        await accept(nvim)

        await until(lambda: holds(nvim, ["one", "TWO"]))

    async def test_an_empty_buffer_is_filled(self, nvim: Editor, claude: FakeHeadless) -> None:
        await nvim.command("ClaudeEdit write something")
        (await claude.asked()).fit({"replacement": "some\nthing\n"})
        await accept(nvim)

        await until(lambda: holds(nvim, ["some", "thing"]))

    async def test_an_empty_replacement_deletes_the_lines(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2,3ClaudeEdit delete")
        (await claude.asked()).fit({"replacement": ""})
        await accept(nvim)

        await until(lambda: holds(nvim, ["one", "four"]))

    async def test_a_buffer_that_cannot_be_modified_is_rejected_before_the_host_starts(
        self, nvim: Editor, file: Path
    ) -> None:
        await nvim.command("set nomodifiable")

        await nvim.keys(":ClaudeEdit x<CR>")

        await on_screen(nvim, "this buffer is read-only ('nomodifiable')")
        assert not await has_host(nvim)

    async def test_a_rewrite_without_changes_is_reported(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"replacement": "two"})

        await on_screen(nvim, "Claude suggests no changes")
        assert await nvim.eval("[&modified, tabpagenr('$')]") == [0, 1]

    async def test_claude_edit_with_a_bang_stops_the_rewrite(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        asked = await claude.asked()
        await on_screen(nvim, "Claude is rewriting")

        await nvim.command("ClaudeEdit!")

        await asked.wait_for_end()
        await hidden(nvim, "rewriting")
        await on_screen(nvim, "stopped")

    async def test_a_rewrite_for_a_deleted_buffer_is_kept_in_another(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        asked = await claude.asked()
        await nvim.command("enew | bwipeout 1")
        asked.fit({"replacement": "TWO"})

        await on_screen(nvim, "the buffer is gone; the rewrite is kept in buffer")

    async def test_an_answer_in_words_is_shown(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).end("I cannot do that:\nthe line is empty.")

        await on_screen(nvim, "Claude answered in words: I cannot do that: the line is empty.")
        await hidden(nvim, "rewriting")

    async def test_an_answer_of_the_wrong_shape_is_an_error(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit x")
        (await claude.asked()).fit({"other": 1})

        await on_screen(nvim, "answer could not be used")
        await hidden(nvim, "rewriting")


class TestRefine:
    async def test_the_result_replaces_the_text_of_the_diff(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)

        await nvim.command("ClaudeEdit shorter")
        asked = await claude.asked()
        await on_screen(nvim, "Claude is refining")
        asked.fit({"replacement": "```\n2\n```\n"})
        await until(lambda: holds(nvim, ["one", "2", "three", "four"]))
        await hidden(nvim, "refining")
        await accept(nvim)

        await until(lambda: holds(nvim, ["one", "2", "three", "four"]))
        assert f"lines of {file} (python)" in asked.prompt
        assert "<earlier>\nshout\n</earlier>" in asked.prompt
        assert "<original>\ntwo\n</original>" in asked.prompt
        assert "<text>\none\n<rewrite>\nTWO\n</rewrite>\nthree\nfour\n</text>" in asked.prompt
        assert asked.arguments[asked.arguments.index("--tools") + 1] == "Read,Grep,Glob"
        assert "--no-session-persistence" in asked.arguments

    async def test_the_bang_ends_its_cli_and_leaves_the_diff(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.command("ClaudeEdit shorter")
        asked = await claude.asked()

        await nvim.command("ClaudeEdit!")

        await asked.wait_for_end()
        await hidden(nvim, "refining")
        assert await holds(nvim, ["one", "TWO", "three", "four"])
        await nvim.command("ClaudeEdit!")
        await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
        assert await lines(nvim) == TEXT

    async def test_a_decision_ends_its_cli(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.command("ClaudeEdit shorter")
        asked = await claude.asked()

        await accept(nvim)

        await asked.wait_for_end()
        await until(lambda: holds(nvim, ["one", "TWO", "three", "four"]))

    async def test_an_answer_in_words_leaves_the_diff(
        self, nvim: Editor, claude: FakeHeadless, file: Path
    ) -> None:
        await nvim.command("2ClaudeEdit shout")
        (await claude.asked()).fit({"replacement": "TWO"})
        await diff(nvim)
        await nvim.command("ClaudeEdit shorter")

        (await claude.asked()).end("I cannot do that.")

        await on_screen(nvim, "Claude answered in words: I cannot do that.")
        await hidden(nvim, "refining")
        assert await holds(nvim, ["one", "TWO", "three", "four"])
