"""Kernels that can be started, without starting one."""

import json
import sys
from pathlib import Path

import pytest

from claude_ide.errors import ToolError
from claude_ide.jupyter import library, specs


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
        library.load("jupyter_client")
