"""The commands of the CLI in a terminal, of the user and of the project."""

from pathlib import Path

from claude_ide.chat.prompt_buffers import BUILT_IN, Command, commands


def write(path: Path, text: str = "Do it.\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(root: Path, config: Path) -> dict[str, Command]:
    listed = commands(root, {"CLAUDE_CONFIG_DIR": str(config)})
    assert [each["name"] for each in listed] == sorted(each["name"] for each in listed)
    return {each["name"]: each for each in listed}


def test_commands_and_skills_are_found_and_described(tmp_path: Path) -> None:
    root, config = tmp_path / "project", tmp_path / "config"
    build = '---\nname: x\ndescription: Build it\nargument-hint: "[what]"\n---\nBuild.\n'
    write(root / ".claude/commands/front/build.md", build)
    write(root / ".claude/commands/plain.md", "description: no\n")
    write(root / ".claude/commands/notes.txt")
    write(root / ".claude/skills/mend/SKILL.md", "---\ndescription: 'Mend'\n---\n")
    write(root / ".claude/skills/mend/other.md")
    write(config / "commands/a/b/c/deep.md")
    write(config / "commands/a/b/c/d/deeper.md")

    shown = found(root, config)

    assert set(shown) - set(BUILT_IN) == {"front:build", "plain", "mend", "a:b:c:deep"}
    expected = {"name": "front:build", "description": "Build it", "hint": "[what]"}
    assert shown["front:build"] == expected
    assert shown["plain"]["description"] == ""
    assert shown["mend"]["description"] == "Mend"
    assert shown["compact"]["hint"] == "<what to keep>"


def test_a_command_of_the_project_replaces_others(tmp_path: Path) -> None:
    write(tmp_path / "config/commands/clear.md", "---\ndescription: the user's\n---\n")
    write(tmp_path / ".claude/commands/clear.md", "---\ndescription: the project's\n---\n")

    assert found(tmp_path, tmp_path / "config")["clear"]["description"] == "the project's"
    assert found(tmp_path / "x", tmp_path / "config")["clear"]["description"] == "the user's"


def test_without_folders_only_the_built_in_ones_are_offered(tmp_path: Path) -> None:
    assert set(found(tmp_path / "none", tmp_path / "nowhere")) == set(BUILT_IN)
