"""`privacy`, in both editors: judging with the rules of the host, and nothing without them."""

import json
from pathlib import Path

import pytest

from support.cpu_time import seconds_of
from support.either_editor import BOTH, Editor, configure, edit, name_of, run
from support.neovim import Neovim, until
from support.private_names import BROKEN, COSTLY, COSTLY_PATHS, GLOBS, PLAIN, SECRETS
from support.pushed_rules import push

pytestmark = BOTH

BY_NAME = "it holds secrets by its name (privacy.allow)"
UNKNOWN = "it is not known yet which files are private"


async def reason(editor: Editor, path: Path | str) -> str | None:
    """Return why a path is private; None, in Vim too, if it is not."""
    return await run(editor, "privacy.reason", str(path)) or None


def deny(path: Path, *rules: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"deny": rules}}))


async def test_names_are_judged_as_by_the_host(nvim: Editor, project: Path) -> None:
    await push(nvim)
    names = dict.fromkeys(SECRETS, BY_NAME) | dict.fromkeys(PLAIN)

    assert {name: await reason(nvim, project / name) for name in names} == names


async def test_globs_are_judged_as_by_the_host(nvim: Editor, project: Path) -> None:
    for glob, (matching, others) in GLOBS.items():
        rules = await push(nvim, {"deny": [glob]})
        expected = dict.fromkeys(matching, f'privacy.deny has "{glob}"') | dict.fromkeys(others)

        found = {name: await reason(nvim, project / name) for name in expected}

        assert found == expected, glob
        assert found == {name: rules.reason(str(project / name)) for name in expected}, glob


@pytest.mark.parametrize("glob", ["[[:x]", "x[a-]b", "$a$", "{a$,b^}c", "a[]]b", r"a\\b", "*{,x}y"])
async def test_odd_globs_are_judged_as_by_the_host(nvim: Editor, project: Path, glob: str) -> None:
    rules = await push(nvim, {"deny": [glob]})
    names = ["[", ":", "x", "xab", "x-b", "$a$", "a$c", "b^c", "a]b", r"a\b", "xy", "zy", "zxy"]

    found = {name: await reason(nvim, project / name) for name in names}

    assert found == {name: rules.reason(str(project / name)) for name in names}
    assert any(found.values())


async def test_a_secret_may_be_allowed(nvim: Editor, project: Path) -> None:
    await push(nvim, {"allow": ["test.pem", "fixtures/**", ".env"], "deny": [".env"]})

    assert await reason(nvim, project / "deep/test.pem") is None
    assert await reason(nvim, project / "fixtures/deep/x.key") is None
    assert await reason(nvim, project / "other.pem") == BY_NAME
    assert await reason(nvim, project / ".env") == 'privacy.deny has ".env"'


async def test_costly_rules_cost_little(nvim: Editor, project: Path) -> None:
    await push(nvim, {"deny": [rule.removeprefix("Read(").removesuffix(")") for rule in COSTLY]})
    assert await reason(nvim, project / ("z" * 40 + "1!"))
    before = seconds_of(nvim.process.pid)

    found = [await reason(nvim, project / path) for path in COSTLY_PATHS]

    assert found == [None] * len(COSTLY_PATHS)
    assert seconds_of(nvim.process.pid) - before < 5


async def test_after_the_end_of_the_host_every_file_is_private(nvim: Editor, project: Path) -> None:
    assert await reason(nvim, project / "a.py") is None

    await run(nvim, "privacy.host_ended")
    assert await reason(nvim, project / "a.py") == UNKNOWN


# Links.


async def test_a_link_to_a_private_file_is_private(nvim: Editor, project: Path) -> None:
    await push(nvim, {"deny": ["secrets/"]})
    (project / ".env").write_text("KEY=1\n")
    (project / "first").symlink_to(".env")
    (project / "second").symlink_to(project / "first")
    (project / "secrets").mkdir()
    (project / "public").symlink_to("secrets")
    (project / "new.txt").symlink_to("secrets/not/yet.txt")
    (project / "loop").symlink_to("loop")

    assert await reason(nvim, project / "second") == BY_NAME
    assert await reason(nvim, project / "public" / "not" / "yet.txt")
    assert await reason(nvim, project / "new.txt")
    assert await reason(nvim, project / "loop") is None


async def test_the_host_knows_of_a_private_link_in_between(serving: Editor, project: Path) -> None:
    (project / "plain.txt").write_text("x\n")
    (project / "server.pem").symlink_to("plain.txt")
    (project / "through").symlink_to("server.pem")
    await edit(serving, project / "through")

    await until(lambda: is_denied(serving, BY_NAME), "the host says so")


# Buffers.


async def of_buffer(editor: Editor) -> str | None:
    return await run(editor, "privacy.of_buffer", await editor.eval("bufnr()")) or None


async def test_a_renamed_buffer_keeps_the_text_private_until_it_is_written(
    nvim: Editor, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    await push(nvim)
    await run(nvim, "privacy.watch", True)

    await nvim.command("edit .env")
    await nvim.command("file plain.txt")
    assert await of_buffer(nvim) == BY_NAME
    assert await reason(nvim, project / "plain.txt") == BY_NAME

    await nvim.command("write")
    assert await of_buffer(nvim) is None

    await nvim.command("file .env")
    assert await of_buffer(nvim) == BY_NAME
    number = await nvim.eval("bufnr()")
    assert await run(nvim, "privacy.why", number) == f".env stays in {name_of(nvim)}: {BY_NAME}"


async def test_what_was_yanked_in_a_private_buffer_is_known(nvim: Editor, project: Path) -> None:
    (project / ".env").write_text("KEY=1\nOTHER=2\n")
    await push(nvim)
    await run(nvim, "privacy.watch", True)
    await nvim.command("edit .env")

    await nvim.keys("yy")
    await nvim.command("enew")
    await nvim.command("call setline(1, 'plain')")
    await nvim.keys('"ayy')

    assert await run(nvim, "privacy.is_in_register", "0")
    assert not await run(nvim, "privacy.is_in_register", "a")


# With the host.


async def test_a_change_of_the_options_holds_at_once(serving: Editor, project: Path) -> None:
    await edit(serving, project / "a.py")
    await until(lambda: run(serving, "privacy.is_known"), "the rules")
    assert not await of_buffer(serving)

    await configure(serving, privacy={"deny": ["*.py"]})
    await edit(serving, project / "b.py")

    assert await of_buffer(serving)
    await until(lambda: is_denied(serving, 'privacy.deny has "*.py"'), "the new rule")


async def is_denied(editor: Editor, words: str) -> bool:
    return words in (await of_buffer(editor) or "")


async def test_options_that_are_no_globs_deny_everything(serving: Editor, project: Path) -> None:
    await edit(serving, project / "a.py")
    if isinstance(serving, Neovim):
        await serving.lua("vim.g.claude_ide = { privacy = { deny = { function() end } } }")
    else:
        await serving.command("let g:claude_ide = #{privacy: {'deny': [function('len')]}}")

    await until(lambda: is_denied(serving, "is not a list of globs, so nothing leaves"), "noticed")


async def test_a_relative_glob_follows_the_working_folder(serving: Editor, project: Path) -> None:
    (project / "inner").mkdir()
    await configure(serving, privacy={"deny": ["a/b.txt"]})
    await edit(serving, project / "inner/a/b.txt")
    await until(lambda: run(serving, "privacy.is_known"), "the rules")

    await serving.command(f"cd {project / 'inner'}")

    await until(lambda: is_denied(serving, "privacy.deny"), "the new folder counts")


async def test_a_change_of_the_settings_is_noticed(
    serving: Editor, project: Path, config_folder: Path
) -> None:
    own = config_folder / "settings.json"
    await edit(serving, project / "a.py")
    assert await of_buffer(serving) is None

    deny(own, "Read(*.py)")
    await until(lambda: is_denied(serving, "denies Read(*.py)"), "the change is noticed")
    deny(own, "Read(*.px)")  # as long, in the same second

    async def is_allowed() -> bool:
        return await of_buffer(serving) is None

    await until(is_allowed, "the second change is noticed")


@pytest.mark.parametrize("text", ["{", '{"permissions": {"deny": "Read(x)"}}'])
async def test_the_status_names_broken_settings(
    serving: Editor, project: Path, config_folder: Path, text: str
) -> None:
    (config_folder / "settings.json").write_text(text)
    await edit(serving, project / "a.py")

    await until(lambda: is_denied(serving, f"{BROKEN[text]}, so nothing leaves"), "noticed")

    await serving.command("ClaudeStatus")
    await until(lambda: f"settings.json {BROKEN[text]}"[:40] in serving.screen.text(), "status")
