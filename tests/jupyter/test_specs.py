"""Kernels that can be started, without starting one."""

import json
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from claude_ide.base.errors import ToolError
from claude_ide.jupyter import connection, kernels, specs


def environment(folder: Path, *packages: str) -> Path:
    """Create what looks like a virtual environment."""
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.touch()
    for package in packages:
        (folder / ".venv/lib/python3.12/site-packages" / package).mkdir(parents=True)
    return python


def test_an_environment_with_ipykernel_is_a_kernel(tmp_path: Path) -> None:
    python = environment(tmp_path, "ipykernel")

    spec = specs.of_folder(tmp_path)

    assert spec is not None
    assert spec.filled(Path("/c.json")) == [
        *(str(python), "-m", "ipykernel_launcher", "-f", "/c.json")
    ]
    assert spec.folder == tmp_path


def test_an_environment_without_ipykernel_is_none(tmp_path: Path) -> None:
    environment(tmp_path, "numpy")

    assert specs.of_folder(tmp_path) is None
    assert specs.of_folder(tmp_path / "nowhere") is None


def test_a_kernelspec_in_an_environment_runs_its_python(tmp_path: Path) -> None:
    python = environment(tmp_path)
    resources = tmp_path / ".venv/share/jupyter/kernels/mine"
    resources.mkdir(parents=True)
    given = {"argv": ["python", "{resource_dir}/x", "{connection_file}"], "display_name": "Mine"}
    (resources / "kernel.json").write_text(json.dumps(given))

    spec = specs.of_folder(tmp_path, "mine")

    assert spec is not None
    assert spec.title == f"Mine of {tmp_path.name}/.venv"
    assert spec.filled(Path("/c.json")) == [str(python), f"{resources}/x", "/c.json"]
    assert specs.of_folder(tmp_path, "../kernels/mine") == spec
    assert specs.of_folder(tmp_path, "other") is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"argv": []}', '{"argv": [1]}', "[" * 5000])
def test_a_broken_kernelspec_is_none(tmp_path: Path, text: str) -> None:
    environment(tmp_path)
    resources = tmp_path / ".venv/share/jupyter/kernels/mine"
    resources.mkdir(parents=True)
    (resources / "kernel.json").write_text(text)

    assert specs.of_folder(tmp_path, "mine") is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"metadata": {"kernelspec": {"name": "ir"}}}', "ir"),
        ('{"metadata": {"kernelspec": {"name": 1}}}', ""),
        ('{"metadata": []}', ""),
        ("", ""),
        ("[" * 5000, ""),
    ],
)
def test_a_notebook_names_its_kernelspec(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)

    assert specs.of_notebook(path) == name


def test_the_folders_from_a_file_to_the_project_are_searched(tmp_path: Path) -> None:
    inside = tmp_path / "a/b/c.py"

    assert [*specs.above(inside, tmp_path)] == [tmp_path / "a/b", tmp_path / "a", tmp_path]
    assert [*specs.above(Path("/elsewhere/c.py"), tmp_path)] == [tmp_path]


def test_without_the_library_the_error_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jupyter_client", None)

    with pytest.raises(ToolError, match=":ClaudeInstall jupyter"):
        connection.load("jupyter_client")


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the environments in which Jupyter finds kernelspecs; the user has no other."""
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    return tmp_path


def install(prefix: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> None:
    """Give an environment a kernelspec, and have Jupyter find it."""
    resources = prefix / "share/jupyter/kernels/mine"
    resources.mkdir(parents=True)
    (resources / "kernel.json").write_text(json.dumps({"argv": command, "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(prefix / "share/jupyter"))


@pytest.mark.parametrize(
    ("module", "command", "expected"),
    [
        ("ipykernel_launcher.py", ("python", "-m", "ipykernel_launcher"), "{prefix}/bin/python"),
        ("mine", ("python3", "-m", "mine.kernel"), "{prefix}/bin/python"),
        ("other", ("python", "-m", "msgspec"), sys.executable),
        ("other", ("python", "-m", "nowhere.to.be.found"), "python"),
        ("mine", ("/usr/bin/python3", "-m", "mine"), "/usr/bin/python3"),
        ("mine", ("Rscript", "-m", "mine"), "Rscript"),
        ("mine", ("python", "mine.py"), "python"),
        ("mine", ("python", "-m"), "python"),
        ("mine", ("python", "-m", "."), "python"),
    ],
)
def test_a_kernelspec_that_names_any_python_runs_the_one_that_has_its_module(
    users: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    command: tuple[str, ...],
    expected: str,
) -> None:
    prefix = users / "environment"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/python").touch()
    (prefix / "lib/python3.12/site-packages" / module).mkdir(parents=True)
    if module.endswith(".py"):
        (prefix / "lib/python3.12/site-packages" / module).rmdir()
        (prefix / "lib/python3.12/site-packages" / module).touch()
    install(prefix, monkeypatch, *command)

    found = {spec.name: spec for spec in specs.of_user()}["mine"]

    assert found.command == (expected.format(prefix=prefix), *command[1:])


@pytest.mark.parametrize(
    ("command", "language", "is_private"),
    [
        (("/opt/bin/python3.9", "-m", "ipykernel_launcher"), "python", True),
        (("/opt/bin/xpython",), "python", True),
        (("python3", "-m", "bash_kernel"), "bash", True),
        (("/usr/bin/R", "--slave"), "R", False),
    ],
)
def test_the_name_of_a_kernel_says_whether_other_users_can_reach_it(
    command: tuple[str, ...], language: str, is_private: bool
) -> None:
    spec = specs.Spec("mine", "Mine", command, language)

    assert spec.is_private == is_private
    assert spec.full_title == ("Mine" if is_private else "Mine, not private (TCP)")


@pytest.mark.parametrize(
    ("content", "is_private"),
    [
        ({"transport": "ipc"}, True),
        ({"transport": "tcp", "curve_publickey": "x"}, True),
        ({"transport": "tcp"}, False),
        ({}, False),
        ([], False),
    ],
)
def test_the_name_of_a_running_kernel_says_it_too(
    tmp_path: Path, content: object, is_private: bool
) -> None:
    file = tmp_path / "kernel-x.json"
    file.write_text(json.dumps(content))

    assert kernels.described(file).title.endswith(", not private (TCP)") != is_private


def test_the_sockets_have_a_short_path_in_a_folder_that_nobody_else_can_replace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    shared = Path(tempfile.mkdtemp(dir="/tmp"))
    shared.chmod(0o777)
    for unfit in (shared, tmp_path / ("x" * 100), tmp_path / "missing"):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(unfit))
        made = connection.create(is_ipc=True)
        assert made.folder is not None
        folder = made.folder.parent
        made.remove()
        assert folder != unfit
        assert not made.file.exists()
    shared.rmdir()


async def test_the_library_is_imported_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.py").write_text("import threading\nat = threading.current_thread()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(connection, "MODULES", ("slow",))

    await connection.prepare()

    assert connection.load("slow").at is not threading.main_thread()
