"""Which files stay in Vim, and why: the same rules as in Neovim."""

import json
import os
import shutil
from pathlib import Path

import pytest

from support.cpu_time import seconds_of
from support.neovim import until
from support.private_names import (
    BROKEN,
    COSTLY,
    COSTLY_PATHS,
    GLOBS,
    PLAIN,
    SECRETS,
    TOO_MANY,
)
from support.vim import Vim

BY_NAME = "it holds secrets by its name (privacy.allow)"


@pytest.fixture
def own(vim: Vim, config_folder: Path) -> Path:
    """The user's settings."""
    config_folder.mkdir(parents=True, exist_ok=True)
    return config_folder / "settings.json"


async def reason(vim: Vim, path: Path | str) -> str:
    return str(await vim.call("claude_ide#privacy#Reason", str(path)))


async def configure(vim: Vim, privacy: object) -> None:
    await vim.command(f"let g:claude_ide = json_decode({_quoted(json.dumps(privacy))})")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def deny(path: Path, *rules: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"deny": rules}}))


async def test_a_secret_is_private_by_its_name(vim: Vim, project: Path) -> None:
    names = dict.fromkeys(SECRETS, BY_NAME) | dict.fromkeys(PLAIN, "")

    assert {name: await reason(vim, project / name) for name in names} == names


async def test_a_secret_may_be_allowed_but_denying_is_stronger(vim: Vim, project: Path) -> None:
    allow = ["test.pem", "fixtures/**", ".env"]
    await configure(vim, {"privacy": {"allow": allow, "deny": [".env"]}})

    assert await reason(vim, project / "deep/test.pem") == ""
    assert await reason(vim, project / "fixtures/deep/x.key") == ""
    assert await reason(vim, project / "other.pem") == BY_NAME
    assert await reason(vim, project / ".env") == 'privacy.deny has ".env"'


@pytest.mark.parametrize("glob", GLOBS)
async def test_globs_are_those_of_gitignore(vim: Vim, project: Path, glob: str) -> None:
    await configure(vim, {"privacy": {"deny": [glob]}})
    matching, others = GLOBS[glob]

    for name in matching:
        assert await reason(vim, project / name) == f'privacy.deny has "{glob}"', name
    for name in others:
        assert await reason(vim, project / name) == "", name


async def test_a_glob_may_name_an_absolute_path(vim: Vim, project: Path, tmp_path: Path) -> None:
    await configure(vim, {"privacy": {"deny": [f"{project}/a.txt", f"//{tmp_path}/b", "~/c.txt"]}})

    assert await reason(vim, project / "a.txt") != ""
    assert await reason(vim, tmp_path / "b" / "x") != ""
    assert await reason(vim, await vim.eval("expand('~/c.txt')")) != ""
    assert await reason(vim, project / "c.txt") == ""


async def test_a_relative_glob_follows_the_working_folder(vim: Vim, project: Path) -> None:
    (project / "inner").mkdir()
    await configure(vim, {"privacy": {"deny": ["a/b.txt"]}})
    assert await reason(vim, project / "inner/a/b.txt") == ""

    await vim.command("cd inner")

    assert await reason(vim, project / "inner/a/b.txt") != ""


# Links.


async def test_a_link_to_a_private_file_is_private(vim: Vim, project: Path) -> None:
    (project / ".env").write_text("KEY=1\n")
    (project / "first").symlink_to(".env")
    (project / "second").symlink_to(project / "first")

    assert await reason(vim, project / "second") == BY_NAME


async def test_a_link_on_the_way_to_a_file_is_private_by_its_name(vim: Vim, project: Path) -> None:
    (project / "plain.txt").write_text("x\n")
    (project / "server.pem").symlink_to("plain.txt")
    (project / "through").symlink_to("server.pem")

    assert await reason(vim, project / "server.pem") == BY_NAME
    assert await reason(vim, project / "through") == BY_NAME


async def test_a_link_is_read_again_only_if_it_leads_elsewhere(
    vim: Vim, project: Path, tmp_path: Path
) -> None:
    program, calls = tmp_path / "bin/readlink", tmp_path / "calls"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho >>{calls}\nexec {shutil.which("readlink")} "$@"\n')
    program.chmod(0o755)
    await vim.command(f"let $PATH = '{program.parent}:' .. $PATH")
    (project / "a.py").symlink_to("b.py")

    for _ in range(3):
        assert await reason(vim, project / "a.py") == ""
    assert calls.read_text() == "\n"

    (project / "a.py").unlink()
    (project / "a.py").symlink_to(".env")
    assert await reason(vim, project / "a.py") == BY_NAME


async def test_a_file_in_a_linked_folder_is_private(vim: Vim, project: Path) -> None:
    (project / "secrets").mkdir()
    (project / "public").symlink_to("secrets")
    await configure(vim, {"privacy": {"deny": ["secrets/"]}})

    assert await reason(vim, project / "public" / "not" / "yet.txt") != ""


async def test_a_link_to_itself_ends(vim: Vim, project: Path) -> None:
    (project / "loop").symlink_to("loop")

    assert await reason(vim, project / "loop") == ""


# Buffers.


async def test_a_renamed_buffer_keeps_the_text_private_until_it_is_written(
    vim: Vim, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    await vim.command("call claude_ide#privacy#Watch(v:true)")
    of_buffer = "claude_ide#privacy#OfBuffer(bufnr())"

    await vim.command("edit .env")
    await vim.command("file plain.txt")
    assert await vim.eval(of_buffer) == BY_NAME
    assert await reason(vim, project / "plain.txt") == BY_NAME

    await vim.command("write")
    assert await vim.eval(of_buffer) == ""

    await vim.command("file .env")
    assert await vim.eval(of_buffer) == BY_NAME
    assert await vim.eval("claude_ide#privacy#Why(bufnr())") == f".env stays in Vim: {BY_NAME}"


async def test_what_was_yanked_in_a_private_buffer_is_known(vim: Vim, project: Path) -> None:
    (project / ".env").write_text("KEY=1\nOTHER=2\n")
    await vim.command("call claude_ide#privacy#Watch(v:true)")
    await vim.command("edit .env")

    await vim.keys("yy")
    await vim.command("enew")
    await vim.command("call setline(1, 'plain')")
    await vim.keys('"ayy')

    assert await vim.eval("claude_ide#privacy#IsInRegister('0')")
    assert not await vim.eval("claude_ide#privacy#IsInRegister('a')")
    assert await vim.eval("claude_ide#privacy#IsNamed('edit .env')")


# Settings of the CLI.


async def test_rules_of_the_user_hold_in_every_folder(
    vim: Vim, project: Path, tmp_path: Path, own: Path
) -> None:
    rules = ["Read(*.secret)", "Read(**/vault/**)", "Edit(*.py)", "Bash(rm *)", "Read(a/b.txt)"]
    deny(own, *rules, "Read(/own.txt)", f"Read(/{tmp_path}/abs/**)")

    found = await reason(vim, tmp_path / "other/x.secret")

    assert found == f"{await vim.call('fnamemodify', str(own), ':~')} denies Read(*.secret)"
    assert await reason(vim, tmp_path / "vault/x") != ""
    assert await reason(vim, tmp_path / "abs/deep/x") != ""
    assert await reason(vim, own.parent / "own.txt") != ""
    assert await reason(vim, project / "a/b.txt") != ""
    assert await reason(vim, tmp_path / "a/b.txt") == ""
    assert await reason(vim, project / "a.py") == ""


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
async def test_rules_of_a_project_hold_only_in_it(
    vim: Vim, project: Path, tmp_path: Path, name: str
) -> None:
    (project / ".git").mkdir()
    (project / "inner").mkdir()
    deny(project / ".claude" / name, "Read(*.secret)", "Read(/top/**)", "Read(./inner/x)")

    for folder in (".", "inner"):
        await vim.command(f"cd {folder}")
        assert await reason(vim, project / "deep/x.secret") != ""
        assert await reason(vim, project / "top/x") != ""
        assert await reason(vim, project / "inner/x") != ""
        assert await reason(vim, project / "deep/top/x") == ""
        assert await reason(vim, tmp_path / "x.secret") == ""


@pytest.mark.parametrize("rule", ["Read", "Read(*)", "Read(**)"])
async def test_a_rule_may_deny_every_file(
    vim: Vim, project: Path, tmp_path: Path, own: Path, rule: str
) -> None:
    deny(own, rule)

    among = await vim.call("claude_ide#privacy#Among", [str(tmp_path / "a.py"), str(project)])

    assert [found["path"] for found in among] == [str(tmp_path / "a.py"), str(project)]


@pytest.mark.parametrize("text", BROKEN)
async def test_broken_settings_of_the_user_deny_everything(
    vim: Vim, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    found = await reason(vim, project / "a.py")

    words = f"{BROKEN[text]}, so nothing leaves Vim (:ClaudeCheck)"
    assert found.endswith(f"settings.json {words}")
    assert len(await vim.eval("claude_ide#privacy#Problems()")) == 1


async def test_broken_settings_of_a_project_deny_its_files(
    vim: Vim, project: Path, tmp_path: Path
) -> None:
    path = project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{")

    assert await reason(vim, project / "deep/a.py") != ""
    assert await reason(vim, tmp_path / "a.py") == ""


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"permissions": {}}', '\ufeff{"a": null}'])
async def test_settings_without_rules_deny_nothing(
    vim: Vim, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    assert await reason(vim, project / "a.py") == ""


async def test_settings_that_cannot_be_read_deny_everything(
    vim: Vim, project: Path, own: Path
) -> None:
    own.mkdir()
    assert "is not a file" in await reason(vim, project / "a.py")

    own.rmdir()
    own.write_text("{" + " " * 1_000_000 + "}")
    assert "is too large" in await reason(vim, project / "a.py")

    if os.getuid() != 0:
        own.chmod(0)
        assert "permission denied" in await reason(vim, project / "a.py")


@pytest.mark.parametrize("kind", TOO_MANY)
async def test_a_project_with_too_many_rules_denies_its_files_and_costs_nothing(
    vim: Vim, project: Path, tmp_path: Path, kind: str
) -> None:
    deny(project / ".claude/settings.json", *TOO_MANY[kind])
    before = seconds_of(vim.process.pid)

    found = [await reason(vim, project / f"{number}.py") for number in range(20)]

    assert all("has more Read rules than can be checked, so nothing" in each for each in found)
    assert await reason(vim, tmp_path / "a.py") == ""
    assert seconds_of(vim.process.pid) - before < 3


async def test_rules_within_the_limit_cost_little(vim: Vim, project: Path) -> None:
    deny(project / ".claude/settings.json", *COSTLY)
    assert "denies" in await reason(vim, project / ("z" * 40 + "1!"))
    before = seconds_of(vim.process.pid)

    found = [await reason(vim, project / path) for path in COSTLY_PATHS]

    assert found == [""] * len(COSTLY_PATHS)
    assert seconds_of(vim.process.pid) - before < 5


async def test_a_change_of_the_settings_is_noticed_without_a_question(vim: Vim, own: Path) -> None:
    await vim.command("let g:changes = 0")
    await vim.command("call claude_ide#privacy#Watch(v:true)")
    await vim.command("call claude_ide#privacy#Subscribe({-> execute('let g:changes += 1')})")

    deny(own, "Read(*.py)")
    await until(lambda: vim.eval("g:changes == 1"), "the change is noticed")
    deny(own, "Read(*.px)")  # as long, in the same second
    await until(lambda: vim.eval("g:changes == 2"), "the second change is noticed")


# Options that cannot be used.


@pytest.mark.parametrize("privacy", [{"deny": "x"}, {"deny": [1]}, {"allow": [""]}, "deny"])
async def test_with_wrong_options_everything_is_private(
    vim: Vim, project: Path, privacy: object
) -> None:
    await configure(vim, {"privacy": privacy})

    found = await reason(vim, project / "a.py")

    assert "is not a list of globs, so nothing leaves Vim" in found
