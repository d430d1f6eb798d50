"""`privacy/settings.lua`: the `Read(…)` rules in the settings of the CLI."""

import json
from pathlib import Path

import pytest

from support.cpu_time import seconds_of
from support.neovim import Neovim, until
from support.private_names import BROKEN, COSTLY, COSTLY_PATHS, TOO_MANY

from .test_privacy import configure, reason

SHOWN = "~/claude/settings.json"


@pytest.fixture
def own(nvim: Neovim, config_folder: Path) -> Path:
    """The user's settings."""
    return config_folder / "settings.json"


@pytest.fixture
async def nvim(nvim: Neovim, config_folder: Path) -> Neovim:
    config_folder.mkdir(parents=True, exist_ok=True)
    await nvim.command(f"let $CLAUDE_CONFIG_DIR = '{config_folder}'")
    return nvim


def deny(path: Path, *rules: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": {"deny": rules}}))


async def test_rules_of_the_user_hold_in_every_folder(
    nvim: Neovim, project: Path, tmp_path: Path, own: Path
) -> None:
    deny(own, "Read(*.secret)", "Read(**/vault/**)", "Edit(*.py)", "Bash(rm *)", "Read(a/b.txt)")

    found = await reason(nvim, tmp_path / "other/x.secret")

    assert found == f"{SHOWN} denies Read(*.secret)"
    assert await reason(nvim, tmp_path / "vault/x") is not None
    assert await reason(nvim, project / "a/b.txt") is not None
    assert await reason(nvim, tmp_path / "a/b.txt") is None
    assert await reason(nvim, project / "a.py") is None


async def test_the_paths_of_the_users_rules(
    nvim: Neovim, project: Path, tmp_path: Path, own: Path
) -> None:
    deny(own, f"Read(/{tmp_path}/abs/**)", "Read(~/home.txt)", "Read(/own.txt)", "Read(./x/*.md)")

    assert await reason(nvim, tmp_path / "abs/deep/x") is not None
    assert await reason(nvim, await nvim.eval("expand('~/home.txt')")) is not None
    assert await reason(nvim, own.parent / "own.txt") is not None
    assert await reason(nvim, project / "x/a.md") is not None
    assert await reason(nvim, project / "x/y/a.md") is None


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
async def test_rules_of_a_project_hold_only_in_it(
    nvim: Neovim, project: Path, tmp_path: Path, name: str
) -> None:
    deny(project / ".claude" / name, "Read(*.secret)", "Read(/top/**)", "Read(./inner/x)")

    assert await reason(nvim, project / "deep/x.secret") is not None
    assert await reason(nvim, project / "top/x") is not None
    assert await reason(nvim, project / "inner/x") is not None
    assert await reason(nvim, project / "deep/top/x") is None
    assert await reason(nvim, tmp_path / "x.secret") is None


async def test_the_settings_of_the_repository_hold_in_its_folders(
    nvim: Neovim, project: Path
) -> None:
    (project / ".git").mkdir()
    (project / "inner").mkdir()
    deny(project / ".claude/settings.json", "Read(/top.txt)")

    await nvim.command("cd inner")

    assert await reason(nvim, project / "top.txt") is not None


@pytest.mark.parametrize("rule", ["Read", "Read(*)", "Read(**)"])
async def test_a_rule_may_deny_every_file(
    nvim: Neovim, project: Path, tmp_path: Path, own: Path, rule: str
) -> None:
    deny(own, rule)

    assert await reason(nvim, tmp_path / "a.py") is not None
    assert await reason(nvim, project / "a.py") is not None


async def test_the_option_does_not_allow_what_the_settings_deny(
    nvim: Neovim, project: Path, own: Path
) -> None:
    deny(own, "Read(.env)")
    await configure(nvim, allow=[".env"])

    assert await reason(nvim, project / ".env") is not None


@pytest.mark.parametrize("text", BROKEN)
async def test_broken_settings_of_the_user_deny_everything(
    nvim: Neovim, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    found = await reason(nvim, project / "a.py")

    words = "so nothing leaves Neovim (:checkhealth claude_ide)"
    assert found == f"{SHOWN} {BROKEN[text]}, {words}"


async def test_broken_settings_of_a_project_deny_its_files(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    path = project / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{")

    assert await reason(nvim, project / "deep/a.py") is not None
    assert await reason(nvim, tmp_path / "a.py") is None


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"permissions": {}}', '\ufeff{"a": null}'])
async def test_settings_without_rules_deny_nothing(
    nvim: Neovim, project: Path, own: Path, text: str
) -> None:
    own.write_text(text)

    assert await reason(nvim, project / "a.py") is None


async def test_settings_that_are_no_file_deny_everything(
    nvim: Neovim, project: Path, own: Path
) -> None:
    own.mkdir()

    assert "is not a file" in (await reason(nvim, project / "a.py") or "")


async def test_checkhealth_names_broken_settings(nvim: Neovim, own: Path) -> None:
    own.write_text("{")

    await nvim.command("checkhealth claude_ide")

    text = "\n".join(await nvim.eval("getline(1, '$')"))
    assert f"{SHOWN} is not a JSON object" in text


async def test_a_change_of_the_settings_holds_at_once(
    nvim: Neovim, project: Path, own: Path
) -> None:
    assert await reason(nvim, project / "a.py") is None

    deny(own, "Read(*.py)")
    assert await reason(nvim, project / "a.py") is not None

    own.unlink()
    assert await reason(nvim, project / "a.py") is None


async def test_a_change_of_the_settings_is_noticed_without_a_question(
    nvim: Neovim, project: Path, own: Path
) -> None:
    await nvim.lua("_G.changes = 0; require('claude_ide.privacy').watch(true)")
    await nvim.lua(
        "require('claude_ide.privacy').subscribe(function() _G.changes = _G.changes + 1 end)"
    )

    deny(own, "Read(*.py)")

    await until(lambda: nvim.lua("return _G.changes == 1"), "the change is noticed")


@pytest.mark.parametrize("kind", TOO_MANY)
async def test_a_project_with_too_many_rules_denies_its_files_and_costs_nothing(
    nvim: Neovim, project: Path, tmp_path: Path, kind: str
) -> None:
    deny(project / ".claude/settings.json", *TOO_MANY[kind])
    before = seconds_of(nvim.process.pid)

    found = [await reason(nvim, project / f"{number}.py") for number in range(20)]

    assert all(
        "has more Read rules than can be checked, so nothing" in (each or "") for each in found
    )
    assert await reason(nvim, tmp_path / "a.py") is None
    assert seconds_of(nvim.process.pid) - before < 3


async def test_rules_within_the_limit_cost_little(nvim: Neovim, project: Path) -> None:
    deny(project / ".claude/settings.json", *COSTLY)
    assert "denies" in str(await reason(nvim, project / ("z" * 40 + "1!")))
    before = seconds_of(nvim.process.pid)

    found = [await reason(nvim, project / path) for path in COSTLY_PATHS]

    assert found == [None] * len(COSTLY_PATHS)
    assert seconds_of(nvim.process.pid) - before < 5


async def test_the_users_own_rules_have_no_limit(nvim: Neovim, project: Path, own: Path) -> None:
    deny(own, *(f"Read(folder/number/{number}.txt)" for number in range(2_000)))

    assert await reason(nvim, project / "a.py") is None
    assert await reason(nvim, project / "folder/number/1999.txt") is not None
