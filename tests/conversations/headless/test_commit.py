"""`:ClaudeCommit`, from the staged changes to the message."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH, Editor, choose, hidden, name_of, on_screen
from support.fake_headless import Asked, FakeHeadless
from support.headless import holds, lines
from support.neovim import until

COMMENTS = "# Please enter the commit message\n# On branch main\n"


@pytest.fixture
def git(project: Path) -> Any:
    """Runs git in the project, which is a repository with one commit."""

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", *who, *arguments]
        done = subprocess.run(command, cwd=project, check=True, capture_output=True, text=True)
        return done.stdout

    run("init", "-q")
    (project / "a.txt").write_text("old\n")
    run("add", ".")
    run("commit", "-qm", "feat: begin")
    return run


@pytest.fixture
def staged(git: Any, project: Path) -> None:
    """A change is staged in the project."""
    (project / "a.txt").write_text("new\n")
    git("add", ".")


async def open_message(nvim: Editor, project: Path, text: str) -> None:
    """Open a commit message in the editor as git prepares it."""
    (project / ".git/COMMIT_EDITMSG").write_text(text)
    await nvim.command("filetype plugin on | edit .git/COMMIT_EDITMSG")
    assert await nvim.eval("&filetype") == "gitcommit"


async def message(claude: FakeHeadless) -> Asked:
    """Answer the request with a commit message."""
    asked = await claude.asked()
    asked.fit({"message": "feat: go on\n\nBecause.\n"})
    return asked


@BOTH
@pytest.mark.usefixtures("staged")
class TestCommit:
    async def test_the_prompt_contains_the_staged_diff_and_earlier_subjects(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()

        for words in ("-old\n+new", "feat: begin", "a.txt | 2 +-"):
            assert words in asked.prompt
        assert asked.arguments[asked.arguments.index("--tools") + 1] == ""
        await on_screen(nvim, "Claude is writing")

    async def test_a_line_that_git_would_regard_as_a_comment_is_indented(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()
        asked.fit({"message": "feat: go on\n\n#12 is fixed by it."})

        await until(lambda: nvim.eval("getline(3) ==# ' #12 is fixed by it.'"))
        assert "no line that begins with\n`#`" in asked.prompt

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("\n" + COMMENTS, "M\n" + COMMENTS),
            (COMMENTS, "M\n" + COMMENTS),
            ("", "M"),
            ("mine\n\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
            ("mine\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
            (
                "\n\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
                "M\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
            ),
            (
                "\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
                "M\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
            ),
        ],
        ids=["empty", "comments", "nothing", "text", "text, tight", "trailers", "scissors"],
    )
    async def test_the_message_is_inserted_above_the_comments(
        self, nvim: Editor, claude: FakeHeadless, project: Path, before: str, after: str
    ) -> None:
        await open_message(nvim, project, before)
        await nvim.command("ClaudeCommit")
        await message(claude)

        expected = after.replace("M\n", "feat: go on\n\nBecause.\n\n").rstrip("\n")
        expected = expected.replace("M", "feat: go on\n\nBecause.")
        await until(lambda: holds(nvim, expected.split("\n")), expected)
        await nvim.keys("u")
        await until(lambda: holds(nvim, before.rstrip("\n").split("\n")))

    async def test_the_message_is_inserted_even_if_its_window_is_not_the_current_one(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        bufnr = await nvim.eval("bufnr()")
        await nvim.command("new | ClaudeCommit")
        await message(claude)

        await until(lambda: nvim.eval(f"getbufline({bufnr}, 1) == ['feat: go on']"))
        assert await lines(nvim) == [""]

    async def test_without_an_open_commit_message_a_window_shows_the_message(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.command("ClaudeCommit")
        await message(claude)

        await until(lambda: holds(nvim, ["feat: go on", "", "Because."]))
        await on_screen(nvim, "Commit message")

    async def test_an_empty_index_is_reported(self, nvim: Editor, git: Any, project: Path) -> None:
        git("commit", "-qm", "x")
        await open_message(nvim, project, "\n" + COMMENTS)

        await nvim.command("ClaudeCommit")

        await on_screen(nvim, "claude-ide: nothing is staged")

    async def test_a_folder_without_a_repository_is_reported(
        self, nvim: Editor, tmp_path: Path
    ) -> None:
        await nvim.command(f"cd {tmp_path} | ClaudeCommit")

        await on_screen(nvim, "not a git repository")

    async def test_the_repository_of_the_open_message_is_used(
        self, nvim: Editor, claude: FakeHeadless, project: Path, tmp_path: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)

        await nvim.command(f"cd {tmp_path} | ClaudeCommit")

        assert "-old\n+new" in (await claude.asked()).prompt

    async def test_a_huge_diff_is_truncated(
        self, nvim: Editor, claude: FakeHeadless, project: Path, git: Any
    ) -> None:
        (project / "big.txt").write_text("a line of it\n" * 100_000)
        git("add", ".")

        await nvim.command("ClaudeCommit")

        prompt = (await claude.asked()).prompt
        assert "(cut)" in prompt
        assert "big.txt" in prompt and "100000 +" in prompt
        assert len(prompt) < 250_000

    async def test_claude_commit_with_a_bang_stops_the_request(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await open_message(nvim, project, "\n" + COMMENTS)
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()
        await on_screen(nvim, "Claude is writing")

        await nvim.command("ClaudeCommit!")

        await asked.wait_for_end()
        await hidden(nvim, "writing…")

    async def test_claude_commit_with_a_bang_stops_a_message_shown_in_a_window(
        self, nvim: Editor, claude: FakeHeadless
    ) -> None:
        await nvim.command("ClaudeCommit")
        asked = await claude.asked()

        await nvim.command("ClaudeAsk!")
        await on_screen(nvim, "claude-ide: nothing to stop")
        await nvim.command("ClaudeCommit!")

        await asked.wait_for_end()
        await on_screen(nvim, "claude-ide: stopped")


HOOK = "#!/bin/sh\necho checked >> hooked\n"
UNTRUSTED = "This folder is not trusted"


async def written(nvim: Editor, claude: FakeHeadless, project: Path, hook: str = HOOK) -> None:
    """Show a commit message in a window, in a repository with a hook."""
    path = project / ".git/hooks/pre-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text(hook)
    path.chmod(0o755)
    with (project / ".git/config").open("a") as config:
        config.write("[user]\nname = A\nemail = a@example.org\n")
    await nvim.command("ClaudeCommit")
    await message(claude)
    await on_screen(nvim, "gC commits")


@BOTH
@pytest.mark.usefixtures("staged")
class TestKey:
    async def test_a_key_commits_the_message_that_the_user_has_changed(
        self, nvim: Editor, claude: FakeHeadless, git: Any, project: Path
    ) -> None:
        await nvim.command("ClaudeTrust yes")
        await written(nvim, claude, project)

        await nvim.keys("A again<Esc><Esc>gC")

        await on_screen(nvim, "committed: ")
        assert git("log", "-1", "--format=%B").strip() == "feat: go on again\n\nBecause."
        assert (project / "hooked").exists()
        await until(lambda: nvim.eval("winnr('$') == 1"), "the window is closed")
        assert await nvim.eval("v:errmsg") == ""

    @pytest.mark.parametrize("number", [0, 1, 2])
    async def test_hooks_of_a_folder_that_is_not_trusted_need_a_yes(
        self, nvim: Editor, claude: FakeHeadless, git: Any, project: Path, number: int
    ) -> None:
        await written(nvim, claude, project)

        await nvim.keys("gC")
        await on_screen(nvim, UNTRUSTED)
        assert not (project / "hooked").exists()
        await choose(nvim, number)

        await hidden(nvim, UNTRUSTED)
        if number == 2:
            await on_screen(nvim, "committed: ")
        else:
            await nvim.idle(200)
        assert (project / "hooked").exists() == (number == 2)
        assert git("log", "--format=%s").splitlines()[0] == (
            "feat: go on" if number == 2 else "feat: begin"
        )

    async def test_the_user_is_told_that_a_slow_hook_runs(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await nvim.command("ClaudeTrust yes")
        hook = "#!/bin/sh\nuntil [ -e checked ]; do sleep 0.1; done\n"
        await written(nvim, claude, project, hook)

        await nvim.keys("gC")

        await on_screen(nvim, "git commit is running")
        await nvim.keys("gC")
        await on_screen(nvim, "git commit is still running")
        (project / "checked").touch()
        await on_screen(nvim, "committed: ")

    async def test_a_failure_is_said_in_one_line_and_the_message_stays(
        self, nvim: Editor, claude: FakeHeadless, project: Path
    ) -> None:
        await nvim.command("ClaudeTrust yes")
        hook = "#!/bin/sh\necho first; echo 'a.txt is too short'; exit 1\n"
        await written(nvim, claude, project, hook)

        await nvim.keys("gC")

        await on_screen(nvim, "not committed: a.txt is too short")
        assert "feat: go on" in nvim.screen.text()


@BOTH
async def test_private_files_are_left_out(
    nvim: Editor, claude: FakeHeadless, git: Any, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub/.env").write_text("KEY=swordfish\n")
    (project / "a.txt").write_text("new\n")
    git("add", ".")
    await open_message(nvim, project, "\n" + COMMENTS)

    await nvim.command("ClaudeCommit")
    asked = await claude.asked()

    assert "-old\n+new" in asked.prompt
    assert "swordfish" not in asked.prompt
    assert ".env" not in asked.prompt


@BOTH
async def test_a_renamed_private_file_is_left_out(
    nvim: Editor, claude: FakeHeadless, git: Any, project: Path
) -> None:
    (project / ".env").write_text("KEY=swordfish\n")
    git("add", ".")
    git("commit", "-qm", "feat: more")
    git("mv", ".env", "server.pem")
    (project / "a.txt").write_text("new\n")
    git("add", ".")
    await open_message(nvim, project, "\n" + COMMENTS)

    await nvim.command("ClaudeCommit")
    asked = await claude.asked()

    assert "-old\n+new" in asked.prompt
    assert ".env" not in asked.prompt
    assert "server.pem" not in asked.prompt


@BOTH
async def test_only_private_files_give_no_message(
    nvim: Editor, claude: FakeHeadless, git: Any, project: Path
) -> None:
    (project / ".env").write_text("KEY=swordfish\n")
    git("add", ".")
    await open_message(nvim, project, "\n" + COMMENTS)

    await nvim.command("ClaudeCommit")

    await on_screen(nvim, f"only files that stay in {name_of(nvim)} are staged")
