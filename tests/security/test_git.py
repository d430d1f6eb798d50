"""A hostile repository whose configuration names programs: git runs none of them."""

import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.base import git
from claude_ide.base.errors import UserError
from claude_ide.chat.prompt_buffers import PromptFiles
from claude_ide.review.snapshot import Snapshots
from support.either_editor import BOTH, Editor, configure
from support.fake_headless import FakeHeadless
from support.neovim import until

WHO = ("-c", "user.name=x", "-c", "user.email=x", "-c", "protocol.file.allow=always")
SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ=\n -----END PGP SIGNATURE-----"


class Repository:
    """A repository with a staged change, in which every program that runs leaves a note."""

    def __init__(self, folder: Path, notes: Path) -> None:
        self.folder = folder
        self._notes = notes
        folder.mkdir(exist_ok=True)
        notes.write_text("")
        self.git("init", "-q")
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text("one\n")
        (folder / ".gitattributes").write_text("*.txt filter=x diff=x\n")
        self.git("add", ".")
        self.git("commit", "-qm", "First")
        self._sign()
        (folder / "a.txt").write_text("two\n")
        self.git("add", "a.txt")
        (folder / "b.txt").write_text("three\n")

    @property
    def ran(self) -> set[str]:
        """The names of the programs that have run so far."""
        return set(self._notes.read_text().split())

    def git(self, *words: str, text: str | None = None, **fields: str) -> str:
        """Run git unguarded and return its output."""
        return subprocess.run(
            ["git", *WHO, *words],
            cwd=self.folder,
            env=os.environ | fields,
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def arm(self) -> None:
        """Configure a program wherever git lets a repository do so."""
        for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external"):
            self.git("config", name, self._note(name))
        for name in ("core.editor", "credential.helper", "pager.diff", "pager.log"):
            self.git("config", name, self._note(name))
        for name in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.x.command"):
            self.git("config", name, self._note(name) + "; cat")
        for name in ("alias.diff", "alias.log", "alias.ls-files", "alias.config"):
            self.git("config", name, f"!{self._note(name)}")
        program = self._notes.with_name("gpg")  # run without a shell
        self._script(program, "gpg.program")
        self.git("config", "gpg.program", str(program))
        self.git("config", "log.showSignature", "true")
        self.git("config", "diff.submodule", "diff")
        hooks = self.folder / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
            self._script(hooks / name, f"hook-{name}")

    def become_partial(self) -> None:
        """Turn into a partial clone lacking a staged file, which git would fetch with a command."""
        blob = self.git("rev-parse", ":a.txt")
        (self.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        self.git("config", "core.repositoryFormatVersion", "1")
        self.git("config", "extensions.partialClone", "origin")
        self.git("config", "remote.origin.promisor", "true")
        self.git("config", "remote.origin.url", str(self.folder))
        self.git("config", "remote.origin.uploadpack", f"{self._note('fetch')};")

    def _sign(self) -> None:
        head, _, body = self.git("cat-file", "commit", "HEAD").partition("\n\n")
        signed = f"{head}\n{SIGNATURE}\n\n{body}\n"
        commit = self.git("hash-object", "-t", "commit", "-w", "--stdin", text=signed)
        self.git("update-ref", "HEAD", commit)

    def _script(self, path: Path, word: str) -> None:
        path.write_text(f"#!/bin/sh\n{self._note(word)}\n")
        path.chmod(0o755)

    def _note(self, word: str) -> str:
        return f"echo {word} >> {self._notes}"


@pytest.fixture
def repository(project: Path, tmp_path: Path) -> Repository:
    """The project as a hostile repository."""
    repository = Repository(project, tmp_path / "ran")
    repository.arm()
    return repository


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    async with FakeHeadless.serve() as claude:
        yield claude


def test_unguarded_git_runs_the_programs_of_the_repository(repository: Repository) -> None:
    repository.git("status")
    repository.git("diff", "--cached", "--ext-diff")
    repository.git("diff", "--cached", "--no-ext-diff")
    repository.git("log")

    assert repository.ran >= {
        *("core.fsmonitor", "filter.x.clean", "diff.x.command", "diff.x.textconv"),
        *("gpg.program", "hook-post-index-change"),
    }


async def test_completing_files_runs_no_program_of_the_repository(repository: Repository) -> None:
    listed = await (await PromptFiles().of(str(repository.folder))).match("", lambda: True)

    assert {"a.txt", "b.txt"} <= set(listed)
    assert repository.ran == set()


@BOTH
async def test_composing_a_commit_message_runs_no_program_of_the_repository(
    nvim: Editor, repository: Repository, claude: FakeHeadless
) -> None:
    await configure(nvim, cmd=claude.command)

    await nvim.command("ClaudeCommit")
    asked = await claude.asked()
    asked.fit({"message": "Say two"})

    assert "-one\n+two" in asked.prompt
    assert "<latest-commits>\nFirst\n</latest-commits>" in asked.prompt
    await until(lambda: _holds(nvim, "Say two"), "the message")
    assert repository.ran == set()


async def _holds(nvim: Editor, words: str) -> bool:
    return words in "\n".join(await nvim.eval("getline(1, '$')"))


@BOTH
async def test_composing_a_commit_message_fetches_nothing(
    nvim: Editor, repository: Repository, claude: FakeHeadless
) -> None:
    repository.become_partial()
    repository.git("diff", "--cached", "--no-ext-diff", "--no-textconv")
    assert "fetch" in repository.ran
    (repository.folder.parent / "ran").write_text("")
    await configure(nvim, cmd=claude.command)

    await nvim.command("ClaudeCommit")

    await until(lambda: "unable to read" in nvim.screen.text(), "the error")
    assert repository.ran == set()


def test_the_guarding_environment_keeps_git_from_running_programs(
    repository: Repository, tmp_path: Path
) -> None:
    inner = Repository(repository.folder / "inner", tmp_path / "inner-ran")
    repository.git("submodule", "add", "./inner")
    repository.git("config", "-f", ".gitmodules", "submodule.inner.ignore", "none")
    inner.arm()
    (tmp_path / "ran").write_text("")
    (tmp_path / "inner-ran").write_text("")
    given = git.for_programs(os.environ, repository.folder)

    repository.git("status", **given)
    repository.git("log", "--oneline", **given)

    assert repository.ran == inner.ran == set()


def test_git_does_not_run_unguarded(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "CONFIG_SECONDS", 0)

    with pytest.raises(UserError, match="git has not told its configuration"):
        git.guarded(os.environ, repository.folder)


async def test_a_review_without_the_configuration_knows_nothing_of_git(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "CONFIG_SECONDS", 0)

    snapshot = await Snapshots(str(repository.folder)).take()

    assert not snapshot.head
    assert repository.ran == set()


@pytest.mark.parametrize("config", ["", '[filter "x"]\n\tclean = sed s/three/four/\n'])
def test_the_filters_in_the_global_configuration_still_apply(
    repository: Repository, tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gitconfig").write_text(config)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    given = git.guarded(os.environ, repository.folder)

    assert ("+four" if config else "+three") in repository.git(
        "diff", "--no-ext-diff", "--no-textconv", **given
    )
