"""Files for an installation: Python and uv on PATH, and a folder instead of an index."""

import shutil
import sys
import zipfile
from pathlib import Path

from support.checkout import program


def tools(folder: Path, with_uv: bool = True) -> str:
    """Put Python and, optionally, uv into a folder; return it as a PATH."""
    program(folder / "python3", f"exec '{sys.executable}' \"$@\"")
    if with_uv:
        uv = shutil.which("uv", path=Path(sys.executable).parent)
        assert uv, "no uv next to this Python; `make test` installs one"
        program(folder / "uv", f"exec '{uv}' \"$@\"")
    return str(folder)


def uv_settings(file: Path, packages: Path) -> Path:
    """Write settings with which uv searches only `packages`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[pip]\nno-index = true\nfind-links = ["{packages}"]\n')
    return file


def pip_settings(file: Path, packages: Path) -> Path:
    """Write settings with which pip searches only `packages`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[global]\nno-index = true\nfind-links = {packages}\n")
    return file


def only_from(packages: Path, folder: Path) -> dict[str, str]:
    """Return an environment in which pip and uv search only `packages`."""
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(packages),
        "UV_CONFIG_FILE": str(uv_settings(folder / "uv.toml", packages)),
    }


def wheel(folder: Path, name: str, version: str, code: str = "", points: str = "") -> Path:
    """Create a wheel with one module, which has this code, and with entry points."""
    information = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": code,
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{information}/entry_points.txt": points,
        f"{information}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in (*files, f"{information}/RECORD"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in {**files, f"{information}/RECORD": record}.items():
            archive.writestr(file, text)
    return path
