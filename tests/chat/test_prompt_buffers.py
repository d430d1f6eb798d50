"""`prompt_buffers.py`: the files and commands that a prompt may mention."""

import os
import random
from pathlib import Path

import pytest

from claude_ide.chat import context, prompt_buffers
from claude_ide.chat.prompt_buffers import (
    BUILT_IN,
    CACHED,
    MOST_MATCHES,
    MenuItem,
    Paths,
    PromptFiles,
    commands,
)
from support.git_index import EMPTY, git, index


async def listed(folder: Path) -> list[str]:
    return await (await PromptFiles().of(str(folder))).match("", lambda: True)


async def test_folders_precede_their_first_file_and_are_listed_once(tmp_path: Path) -> None:
    index(tmp_path, "a/b/c.py", "a/d.py", "a/e/f.py", "g.py")
    (tmp_path / "a" / "e").mkdir(parents=True)
    (tmp_path / "a" / "e" / "new.py").write_text("")

    found = await listed(tmp_path)
    assert len(found) == 8
    assert set(found) == {
        *("a/b/", "a/", "a/b/c.py", "a/d.py", "a/e/", "a/e/f.py", "g.py", "a/e/new.py")
    }


async def test_a_file_with_a_conflict_is_listed_once(tmp_path: Path) -> None:
    index(tmp_path, "a.py")
    stages = "".join(f"100644 {EMPTY} {stage}\tboth.py\n" for stage in (1, 2, 3))
    git(tmp_path, "update-index", "--index-info", text=stages)

    assert sorted(await listed(tmp_path)) == ["a.py", "both.py"]


async def test_odd_names_are_listed_as_they_are(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    names = ["ö b.txt", "line\nbreak", os.fsdecode(b"not-\xff-utf8"), "[a]^-.*\\"]
    for name in names:
        (tmp_path / name).touch()
    paths = await PromptFiles().of(str(tmp_path))

    assert sorted(await paths.match("", lambda: True)) == sorted(names)
    assert await paths.match("[^-*", lambda: True) == ["[a]^-.*\\"]
    assert await paths.match("ÖB", lambda: True) == []
    assert await paths.match("öB.", lambda: True) == ["ö b.txt"]


async def test_a_walk_finds_the_files_without_a_repository(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    for name in ("one.txt", ".two", "sub/three.txt", "sub/.hidden/four.txt"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "/".join("abcdefgh")).mkdir(parents=True)
    (tmp_path / "a/b/c/d/e/f/g/last").touch()
    (tmp_path / "a/b/c/d/e/f/g/h/beyond").touch()

    found = [path for path in await listed(tmp_path) if not path.endswith("/")]
    assert sorted(found) == ["a/b/c/d/e/f/g/last", "link", "one.txt", "sub/three.txt"]


async def test_a_walk_and_a_list_have_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_buffers, "MOST_WALKED", 5)
    for number in range(9):
        (tmp_path / f"file{number}").touch()
    assert len(await listed(tmp_path)) == 5
    monkeypatch.setattr(prompt_buffers, "LARGEST_LIST_BYTES", 20)
    git(tmp_path, "init", "--quiet")

    assert len(await listed(tmp_path)) == 3


async def test_a_folder_that_does_not_exist_has_no_files(tmp_path: Path) -> None:
    assert await listed(tmp_path / "none") == []


async def test_a_list_is_searched_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_buffers, "COST", 0)
    files = PromptFiles()
    await files.of(str(tmp_path))
    (tmp_path / "new").touch()

    assert await (await files.of(str(tmp_path))).match("", lambda: True) == []
    monkeypatch.setattr(prompt_buffers, "FRESH_SECONDS", 0.0)
    for number in range(CACHED):
        await files.of(str(tmp_path / str(number)))
    assert await (await files.of(str(tmp_path))).match("", lambda: True) == ["new"]


def has_letters(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


@pytest.mark.parametrize("seed", range(5))
async def test_the_same_paths_match_as_in_a_simple_search(seed: int) -> None:
    chance = random.Random(seed)
    paths = list({"".join(chance.choices("abAB_.", k=chance.randint(1, 6))) for _ in range(1500)})
    known = Paths(path.encode() for path in paths)
    for pattern in ("a", "ab", "aB_", "b.a", "....", "aaaaaaa"):
        wanted = pattern.lower()
        whole = [path for path in paths if wanted in path.lower()]
        others = [path for path in paths if wanted not in path.lower()]
        others = [path for path in others if has_letters(path.lower(), wanted)]
        assert await known.match(pattern, lambda: True) == [*whole, *others]


async def test_a_search_prefers_what_contains_the_pattern_and_has_an_end() -> None:
    names = [f"a/b{number}" for number in range(5000)] + ["ab"]
    paths = Paths(name.encode() for name in names)

    found = await paths.match("ab", lambda: True)

    assert found[0] == "ab"
    assert len(found) == MOST_MATCHES
    assert await paths.match("ab", lambda: False) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@nope.txt, please", ["@nope.txt"]),
        ("see (@nope.txt)", []),
        ("@there.txt#L3 @nope.txt#L3-5.", ["@nope.txt#L3-5"]),
        ('@"no such.txt" é @src/nope ', ['@"no such.txt"', "@src/nope"]),
        ("@src/ @src me@nope.txt @agent-a.b @server:a/b @app.get() @pytest.fixture ", []),
    ],
)
def test_mentions_without_a_file_are_found_with_their_columns(
    tmp_path: Path, line: str, expected: list[str]
) -> None:
    (tmp_path / "there.txt").touch()
    (tmp_path / "src").mkdir()

    unknown = context.unknown(["", line], str(tmp_path))

    assert [line.encode()[each.first : each.last].decode() for each in unknown] == expected
    assert {each.row for each in unknown} <= {1}
    assert all(each.path.startswith(str(tmp_path)) for each in unknown)


def write(path: Path, text: str = "Do it.\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(root: Path, config: Path) -> dict[str, MenuItem]:
    listed = commands(root, {"CLAUDE_CONFIG_DIR": str(config)})
    assert [each["word"] for each in listed] == sorted(each["word"] for each in listed)
    return {each["word"]: each for each in listed}


def test_a_link_to_a_large_folder_is_followed_only_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_buffers, "MOST_COMMAND_FILES", 50)
    for number in range(40):
        write(tmp_path / f"large/folder{number}/a.md")
    (tmp_path / "project/.claude").mkdir(parents=True)
    (tmp_path / "project/.claude/commands").symlink_to(tmp_path / "large")

    shown = found(tmp_path / "project", tmp_path / "config")

    assert len(shown) - len(BUILT_IN) == 10


def test_commands_and_skills_are_found_and_described(tmp_path: Path) -> None:
    root, config = tmp_path / "project", tmp_path / "config"
    build = '---\nname: x\ndescription: Build it\nargument-hint: "[what]"\n---\nBuild.\n'
    write(root / ".claude/commands/front/build.md", build)
    write(root / ".claude/commands/plain.md", "description: no\n")
    write(root / ".claude/commands/notes.txt")
    write(root / ".claude/skills/mend/SKILL.md", "---\ndescription: 'Mend'\n---\n")
    write(root / ".claude/skills/mend/other.md")
    os.mkfifo(root / ".claude/commands/pipe.md")
    write(config / "commands/a/b/c/deep.md")
    write(config / "commands/a/b/c/d/deeper.md")

    shown = found(root, config)

    own = set(shown) - {f"/{name}" for name in BUILT_IN}
    assert own == {"/front:build", "/pipe", "/plain", "/mend", "/a:b:c:deep"}
    expected = {
        **{"word": "/front:build", "abbr": "/front:build [what]"},
        **{"menu": "Build it", "info": "Build it"},
    }
    assert shown["/front:build"] == expected
    assert shown["/plain"]["info"] == ""
    assert shown["/mend"]["info"] == "Mend"
    assert shown["/compact"]["abbr"] == "/compact <what to keep>"


def test_a_command_of_the_project_replaces_others(tmp_path: Path) -> None:
    write(tmp_path / "config/commands/clear.md", "---\ndescription: the user's\n---\n")
    write(tmp_path / ".claude/commands/clear.md", "---\ndescription: the project's\n---\n")

    assert found(tmp_path, tmp_path / "config")["/clear"]["info"] == "the project's"
    assert found(tmp_path / "x", tmp_path / "config")["/clear"]["info"] == "the user's"


def test_without_folders_only_the_built_in_ones_are_offered(tmp_path: Path) -> None:
    assert set(found(tmp_path / "none", tmp_path / "nowhere")) == {f"/{name}" for name in BUILT_IN}
