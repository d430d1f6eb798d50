"""`.ci/debian-neovim`: installs a newer Neovim, or reports in one line why it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.checkout import program
from support.neovim import ROOT, nvim_binary

SCRIPT = ROOT / ".ci/debian-neovim"
OS_RELEASE = Path("/etc/os-release")
RELEASE = dict(
    line.partition("=")[::2]
    for line in (OS_RELEASE.read_text(encoding="utf-8") if OS_RELEASE.exists() else "").splitlines()
)

debian = pytest.mark.skipif(
    RELEASE.get("ID") != "debian" or not shutil.which("apt-get"), reason="this is not Debian"
)


def install(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, folder],
        env={"PATH": os.environ["PATH"], "PATCHELF": "true", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def failure(folder: Path, **environment: str) -> str:
    """Run the script, which must fail; return the reason from its only line of output."""
    done = install(folder / "neovim", **environment)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("no Neovim of Debian ")
    assert list(folder.glob("neovim*")) == []
    return line.partition(": ")[2]


def apt_config(folder: Path, mirror: str) -> str:
    """Write apt settings with one mirror of this release, or none; return their path."""
    source = f"deb {mirror} {RELEASE['VERSION_CODENAME']} main\n" if mirror else ""
    (folder / "sources.list").write_text(source)
    (folder / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{folder}/sources.list";\nDir::Etc::SourceParts "/dev/null";\n'
    )
    return str(folder / "apt.conf")


def test_an_installed_neovim_is_kept(tmp_path: Path) -> None:
    program(tmp_path / "neovim/usr/bin/nvim", f'exec {nvim_binary()} "$@"')

    done = install(tmp_path / "neovim", PATCHELF="no-such-program")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@debian
def test_a_missing_program_is_named(tmp_path: Path) -> None:
    assert failure(tmp_path, PATCHELF="no-such-program") == "there is no no-such-program"


@debian
def test_a_missing_mirror_is_reported(tmp_path: Path) -> None:
    assert failure(tmp_path, APT_CONFIG=apt_config(tmp_path, "")) == "apt knows no mirror"


@debian
def test_an_unreachable_mirror_is_named(tmp_path: Path) -> None:
    closed = apt_config(tmp_path, "http://127.0.0.1:9/debian")

    assert "127.0.0.1" in failure(tmp_path, APT_CONFIG=closed)


@debian
def test_an_unsigned_mirror_is_rejected(tmp_path: Path) -> None:
    packages = tmp_path / "mirror/dists/forky/main/binary-amd64"
    packages.mkdir(parents=True)
    (packages / "Packages").touch()
    (tmp_path / "mirror/dists/forky/Release").write_text("Codename: forky\nSuite: forky\n")
    unsigned = apt_config(tmp_path, f"file:{tmp_path}/mirror")

    assert failure(tmp_path, APT_CONFIG=unsigned).endswith("is not signed.")
