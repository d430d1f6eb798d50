"""How a file is named, and which files have a warning."""

from pathlib import Path

import pytest

from claude_ide.base import names
from claude_ide.base.paths import display_path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def found(path: Path | str, *roots: Path) -> tuple[str, str]:
    where = display_path(str(path), [str(root) for root in roots])
    return where.path, where.warning


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a.py", "a.py"),
        ("src/new/a.py", "src/new/a.py"),
        ("src/../b/./a.py", "b/a.py"),
        ("$HOME/a.py", "$HOME/a.py"),
        (".gitignore", ".gitignore"),
        ("my.git/a", "my.git/a"),
    ],
)
def test_a_file_of_the_project_is_named_relative_to_it(
    project: Path, path: str, shown: str
) -> None:
    assert found(f"{project}/{path}", project) == (shown, "")


def test_every_working_folder_counts_as_the_project(project: Path, tmp_path: Path) -> None:
    assert found(project / "a.py", tmp_path / "x", project) == ("a.py", "")


def test_the_folder_itself_is_not_outside_the_project(project: Path) -> None:
    assert found(project, project)[1] == ""


@pytest.mark.parametrize("path", ["../other/a.py", "../project2/a.py"])
def test_a_file_elsewhere_is_outside_the_project(project: Path, path: str) -> None:
    shown, warning = found(f"{project}/{path}", project)

    assert shown.endswith(path.removeprefix("../"))
    assert shown.startswith(("/", "~/"))
    assert warning == "outside the project"


@pytest.mark.parametrize("name", ["a.py", "new/a.py"])
def test_a_file_behind_a_link_that_leads_outside_is_outside_the_project(
    project: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / "link").symlink_to(tmp_path / "elsewhere")

    assert found(project / "link" / name, project) == (f"link/{name}", "outside the project")


@pytest.mark.parametrize(
    ("link", "target", "path", "warning"),
    [
        ("notes.md", "{home}/.bash_profile", "notes.md", "runs at login"),
        ("conf", "{home}/.config/autostart", "conf/x.desktop", "runs at login"),
        ("conf", "{home}/.config/autostart", "conf/new/x.desktop", "runs at login"),
        ("notes.md", "elsewhere/../.bash_profile", "notes.md", "runs at login"),
        ("notes.md", "../notes.md", "notes.md", "outside the project"),
        ("notes.md", "src/notes.md", "notes.md", ""),
        ("notes.md", "notes.md", "notes.md", ""),
    ],
)
def test_a_link_to_a_missing_file_is_judged_by_its_target(
    home: Path, project: Path, link: str, target: str, path: str, warning: str
) -> None:
    (home / "folder").mkdir()
    (project / "elsewhere").symlink_to(home / "folder")
    (project / link).symlink_to(target.format(home=home))

    assert found(project / path, project) == (path, warning)


def test_a_link_to_a_git_hook_has_the_warning_of_the_hook(project: Path) -> None:
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / "tools").symlink_to(project / ".git" / "hooks")

    assert found(project / "tools" / "pre-commit", project) == ("tools/pre-commit", "git runs it")


def test_a_project_that_is_reached_by_a_link_is_recognized(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)

    assert found(tmp_path / "link" / "a.py", project) == (str(tmp_path / "link" / "a.py"), "")
    assert found(project / "a.py", tmp_path / "link") == ("a.py", "")


@pytest.mark.parametrize(
    ("path", "warning"),
    [
        (".git/hooks/pre-commit", "git runs it"),
        (".git/config", "git runs it"),
        (".GIT/hooks/post-merge", "git runs it"),
        ("sub/.git", "git runs it"),
        (".husky/pre-push", "git runs it"),
        (".claude/settings.json", "Claude runs it"),
        (".claude/settings.local.json", "Claude runs it"),
        (".mcp.json", "Claude runs it"),
        (".gemini/settings.json", "an agent runs it"),
        (".kimi-code/config.toml", "an agent runs it"),
        (".opencode/plugin/fish.ts", "an agent runs it"),
        ("opencode.json", "an agent runs it"),
        (".envrc", "direnv runs it"),
        (".vscode/tasks.json", "VS Code runs it"),
        (".nvim.lua", "Neovim runs it"),
        (".nvimrc", "Neovim runs it"),
        (".lazy.lua", "Neovim runs it"),
        (".exrc", "Neovim runs it"),
    ],
)
def test_a_file_of_the_project_that_runs_automatically_has_a_warning(
    project: Path, path: str, warning: str
) -> None:
    assert found(project / path, project) == (path, warning)


@pytest.mark.parametrize(
    ("path", "warning"),
    [
        (".bash_profile", "runs at login"),
        (".profile", "runs at login"),
        (".zprofile", "runs at login"),
        (".xinitrc", "runs at login"),
        (".config/autostart/x.desktop", "runs at login"),
        (".config/systemd/user/x.service", "runs at login"),
        ("Library/LaunchAgents/x.plist", "runs at login"),
        (".bashrc", "runs in every shell"),
        (".zshrc", "runs in every shell"),
        (".zshenv", "runs in every shell"),
        (".config/fish/config.fish", "runs in every shell"),
        (".ssh/authorized_keys", "ssh trusts it"),
        (".gitconfig", "git runs it"),
        (".config/git/config", "git runs it"),
        (".vimrc", "Neovim runs it"),
        (".config/nvim/init.lua", "Neovim runs it"),
        (".claude/settings.json", "Claude runs it"),
        ("notes.txt", "outside the project"),
    ],
)
def test_a_file_in_the_home_folder_that_runs_automatically_has_a_warning(
    home: Path, project: Path, path: str, warning: str
) -> None:
    assert found(home / path, project) == (f"~/{path}", warning)
    assert found(f"~/{path}", project) == (f"~/{path}", warning)


def test_startup_files_have_a_warning_if_the_home_folder_is_the_project(home: Path) -> None:
    assert found(home / ".bashrc", home) == (".bashrc", "runs in every shell")


@pytest.mark.parametrize(
    ("path", "warning"),
    [
        ("/etc/cron.d/x", "cron runs it"),
        ("/etc/crontab", "cron runs it"),
        ("/var/spool/cron/crontabs/me", "cron runs it"),
        ("/etc/profile.d/x.sh", "runs at login"),
        ("/etc/passwd", "outside the project"),
    ],
)
def test_a_system_file_that_runs_automatically_has_a_warning(
    project: Path, path: str, warning: str
) -> None:
    assert found(path, project) == (path, warning)


@pytest.mark.parametrize("path", ["", "a.py", "fugitive:///x/.git//0/a.py", "term://sh"])
def test_a_name_that_is_not_a_path_is_unchanged(project: Path, path: str) -> None:
    assert found(path, project) == (path, "")


@pytest.mark.parametrize("name", [".vimrc", ".gvimrc", ".vim/plugin/x.vim"])
def test_vim_runs_its_own_files(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(names, "_name", names.VIM)

    assert found(home / name, project) == (f"~/{name}", "Vim runs it")
