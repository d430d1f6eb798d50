"""`:ClaudeInstall`: the plugin's own Python environment, created by uv or by venv and pip."""

import asyncio
import re
import shutil
import sys
from pathlib import Path

import pytest

from support.checkout import arguments, copy_plugin, program
from support.claude_code import the_lock
from support.either_editor import BOTH, Editor
from support.installations import MINUTE, READY, StartEditor, StartNeovim, held_uv, wait_for_message
from support.installs import only_from, wheel
from support.neovim import ROOT, Neovim, until
from support.processes import alive
from support.vim import Vim
from support.wheels import LOCK, run

BUSY = "claude-ide: Another installation is already running; see :ClaudeLog"


@pytest.fixture
def without_uv(tmp_path: Path, environment: dict[str, str]) -> None:
    """Remove uv from the PATH."""
    (tmp_path / "bin/uv").unlink()


async def start_server(nvim: Editor) -> None:
    """Start the server in the environment that was installed."""
    await nvim.command("ClaudeStart")
    assert await wait_for_message(nvim, "ready (127.0.0.1:")


async def install_and_wait(nvim: Editor) -> None:
    """Run `:ClaudeInstall!`, which returns only when it has ended."""
    request = "TestCommand" if isinstance(nvim, Vim) else "nvim_command"
    await asyncio.wait_for(nvim.send_request(request, "ClaudeInstall!"), MINUTE)


@BOTH
async def test_a_running_host_is_replaced_when_it_is_stopped_and_started(
    nvim: Editor, config_folder: Path
) -> None:
    await install_and_wait(nvim)
    await start_server(nvim)
    _, before = await the_lock(config_folder)
    await nvim.command("messages clear | ClaudeInstall")
    assert await wait_for_message(nvim, "is updated") == (
        "claude-ide: Python is updated; :ClaudeStop | ClaudeStart restarts the server with it"
    )

    await nvim.keys(":ClaudeStop | ClaudeStart<CR>")

    await start_server(nvim)
    _, after = await the_lock(config_folder)
    assert after["hostPid"] != before["hostPid"]
    assert not alive(before["hostPid"])
    messages = str(await nvim.eval("execute('messages')"))
    assert "stopped" in messages
    assert "died" not in messages


@BOTH
async def test_with_uv_an_environment_is_created_in_which_the_server_runs(
    nvim: Editor, own: Path
) -> None:
    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY
    assert "uv = " in (own / "pyvenv.cfg").read_text()
    await start_server(nvim)


@BOTH
@pytest.mark.usefixtures("without_uv")
async def test_without_uv_an_environment_is_created_by_venv_and_pip(
    nvim: Editor, own: Path
) -> None:
    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY
    assert "uv = " not in (own / "pyvenv.cfg").read_text()
    await start_server(nvim)


@BOTH
async def test_only_the_dependencies_are_installed(nvim: Editor, own: Path) -> None:
    await install_and_wait(nvim)

    (installed,) = own.glob("lib/python3*/site-packages")
    assert (installed / "websockets").is_dir()
    assert not list(installed.glob("claude_ide*"))
    needs_client = not isinstance(nvim, Vim)
    for name in ("pynvim", "msgpack", "greenlet"):
        assert bool(list(installed.glob(name))) == needs_client


async def test_a_second_run_updates_the_environment_in_place(nvim: Neovim, own: Path) -> None:
    await install_and_wait(nvim)
    (own / "kept").touch()
    shutil.rmtree(next(own.glob("lib/python3*/site-packages/pynvim")))

    run(Path(sys.executable).with_name("uv"), "pip", "uninstall", "--python", own, "pynvim")
    await install_and_wait(nvim)

    assert (own / "kept").exists()
    assert list(own.glob("lib/python3*/site-packages/pynvim"))


@pytest.mark.parametrize("installer", ["uv", "pip"])
@pytest.mark.parametrize("other", ["0.0.1", "99.0"])
async def test_another_version_is_replaced_by_the_pinned_one(
    nvim: Neovim, own: Path, tmp_path: Path, installer: str, other: str
) -> None:
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    await install_and_wait(nvim)
    installed = wheel(tmp_path / "other", "msgpack", other)
    uv = Path(sys.executable).with_name("uv")
    run(uv, "pip", "install", "--offline", "--python", own, installed)

    await install_and_wait(nvim)

    (found,) = own.glob("lib/python3*/site-packages/msgpack-*.dist-info")
    assert f"\nmsgpack=={found.name[8:-10]} " in LOCK.read_text()


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_second_run_needs_no_index(
    start_neovim: StartNeovim, environment: dict[str, str], tmp_path: Path, installer: str
) -> None:
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    await install_and_wait(await start_neovim())
    environment |= only_from(tmp_path / "nothing", tmp_path)
    (tmp_path / "nothing").mkdir()
    nvim = await start_neovim()

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_package_that_is_not_the_pinned_file_is_not_installed(
    start_neovim: StartNeovim, own: Path, tmp_path: Path, installer: str
) -> None:
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    checkout = copy_plugin(tmp_path / "checkout")
    lock = checkout / "python/requirements.txt"
    lock.write_text(re.sub(r"sha256:\w{8}", "sha256:00000000", lock.read_text()))
    nvim = await start_neovim(*arguments(checkout))
    await nvim.request("nvim_ui_try_resize", 120, 30)

    await nvim.command("ClaudeInstall")

    line = await wait_for_message(nvim, "Cannot install")
    assert re.search(r": [\w-]+==[\w.]+ has the wrong hash; see :ClaudeLog$", line)
    assert not list(own.glob("lib/python3*/site-packages/msgpack"))


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_source_distribution_is_not_built(
    start_neovim: StartNeovim,
    environment: dict[str, str],
    packages: Path,
    tmp_path: Path,
    installer: str,
) -> None:
    """Building it would run code, and download unchecked build dependencies."""
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    (sources := tmp_path / "sources").mkdir()
    for path in packages.glob("*.whl"):
        if not path.name.startswith("msgpack-"):
            (sources / path.name).symlink_to(path)
    (version,) = re.findall(r"\nmsgpack==(\S+) ", LOCK.read_text())
    (sources / f"msgpack-{version}.tar.gz").write_bytes(b"")
    environment |= only_from(sources, tmp_path)
    nvim = await start_neovim()
    await nvim.command("set columns=200")

    await nvim.command("ClaudeInstall")

    reason = {
        "uv": f"msgpack=={version} has no wheel for this system",
        "pip": "ERROR: No matching distribution found for ",
    }
    assert reason[installer] in await wait_for_message(nvim, "Cannot install")


@BOTH
async def test_an_environment_whose_python_has_disappeared_is_created_again(
    nvim: Editor, own: Path
) -> None:
    (own / "bin").mkdir(parents=True)
    (own / "bin/python").symlink_to("/no/python3")

    await install_and_wait(nvim)

    await start_server(nvim)


async def test_a_python_that_belongs_to_another_environment_gets_no_packages(
    nvim: Neovim, own: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    run(Path(sys.base_prefix, "bin/python3"), "-I", "-m", "venv", "--without-pip", other)
    program(own / "bin/python", f"exec '{other}/bin/python' \"$@\"")

    await install_and_wait(nvim)

    assert not list(other.glob("lib/python3*/site-packages/*"))
    await start_server(nvim)


@pytest.mark.usefixtures("without_uv")
async def test_an_environment_of_uv_is_created_again_once_uv_has_disappeared(
    nvim: Neovim, own: Path, packages: Path
) -> None:
    uv = Path(sys.executable).with_name("uv")
    run(uv, "venv", "--quiet", "--python", sys.executable, own)

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY
    await start_server(nvim)


@BOTH
async def test_an_installation_shows_its_progress_and_leaves_the_keys_usable(
    nvim: Editor, tmp_path: Path
) -> None:
    end = held_uv(tmp_path)
    await nvim.command("ClaudeInstall")
    await until(lambda: ": fetching things" in nvim.screen.text(), "the progress")

    await nvim.keys("ihello<Esc>")
    assert await until(lambda: nvim.eval("getline(1)")) == "hello"
    assert await nvim.eval("winnr()") == 1

    end()
    await wait_for_message(nvim, "Cannot install")
    await until(lambda: "fetching things" not in nvim.screen.text(), "the progress is gone")


@BOTH
async def test_a_second_run_during_the_first_is_refused(nvim: Editor) -> None:
    await nvim.command("ClaudeInstall | ClaudeInstall")

    assert (
        await wait_for_message(nvim, "already running")
        == "claude-ide: An installation is already running"
    )
    assert await wait_for_message(nvim, "is ready") == READY


@BOTH
async def test_a_run_in_another_editor_is_refused(
    nvim: Editor, start_editor: StartEditor, tmp_path: Path
) -> None:
    end = held_uv(tmp_path)
    await nvim.command("ClaudeInstall")
    await until(lambda: "fetching things" in nvim.screen.text(), "the first is running")
    other = await start_editor()

    await other.command("ClaudeInstall")

    assert await wait_for_message(other, "Another") == BUSY
    end()
    await wait_for_message(nvim, "the end")


@pytest.mark.parametrize("installer", ["uv", "pip"])
async def test_a_failure_is_reported_in_one_line_and_logged_in_full(
    start_neovim: StartNeovim, environment: dict[str, str], tmp_path: Path, installer: str
) -> None:
    environment |= only_from(tmp_path, tmp_path)
    if installer == "pip":
        (tmp_path / "bin/uv").unlink()
    nvim = await start_neovim()
    await nvim.command("set columns=200")

    await nvim.command("ClaudeInstall")

    # A Python without ensurepip cannot even get pip.
    reason = {
        "uv": "Cannot install: error: No solution found",
        "pip": "Cannot install: ERROR: No matching distribution|The package index has no pip",
    }[installer]
    line = await wait_for_message(nvim, "; see :ClaudeLog")
    assert (found := re.match(f"claude-ide: ({reason})", line))
    await nvim.command("ClaudeLog")
    assert found[1] in "\n".join(await nvim.eval("getline(1, '$')"))


@BOTH
async def test_a_bang_waits_for_the_end(nvim: Editor, own: Path) -> None:
    await install_and_wait(nvim)

    assert list(own.glob("lib/python3*/site-packages/websockets"))
    assert await wait_for_message(nvim, "is ready") == READY


@BOTH
async def test_a_configured_python_that_takes_precedence_is_named(nvim: Editor) -> None:
    await nvim.command("let g:claude_ide = {'python': '/my/python'}")

    await install_and_wait(nvim)

    assert await wait_for_message(nvim, "installed") == (
        "claude-ide: installed, but g:claude_ide.python is set and used instead: /my/python"
    )


@BOTH
async def test_a_missing_recent_python_is_reported(nvim: Editor, tmp_path: Path) -> None:
    (tmp_path / "bin/python3").unlink()

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "found") == (
        "claude-ide: No Python 3.11 or newer found. Install one, then run :ClaudeInstall"
    )


def hide(module: str, tmp_path: Path) -> None:
    """Put a Python on PATH that has no such module when it runs a script."""
    without = (
        f"import runpy, sys; sys.modules['{module}'] = None; sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    program(
        tmp_path / "bin/python3",
        f"case $2 in -[cm]) exec '{sys.executable}' \"$@\" ;; esac\n"
        f'shift; exec \'{sys.executable}\' -I -c "{without}" "$@"',
    )


@pytest.mark.usefixtures("without_uv")
async def test_for_a_python_without_ensurepip_a_pinned_pip_is_downloaded(
    nvim: Neovim, own: Path, tmp_path: Path
) -> None:
    """Debian and Ubuntu ship such a Python."""
    hide("ensurepip", tmp_path)

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY
    (pip,) = own.glob("lib/python3*/site-packages/pip-*.dist-info")
    assert f"pip=={pip.name[4:-10]} " in (ROOT / "python/pip.txt").read_text()
    await start_server(nvim)


@pytest.mark.usefixtures("without_uv")
async def test_an_incomplete_pip_is_replaced(nvim: Neovim, own: Path, tmp_path: Path) -> None:
    hide("ensurepip", tmp_path)
    run(sys.executable, "-m", "venv", "--without-pip", own)
    (own / "pip.new/pip").mkdir(parents=True)

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready") == READY
    assert not (own / "pip.new").exists()


@pytest.mark.usefixtures("without_uv")
async def test_for_a_python_without_venv_the_message_says_what_to_install(
    nvim: Neovim, tmp_path: Path
) -> None:
    hide("venv", tmp_path)
    await nvim.request("nvim_ui_try_resize", 250, 30)

    await nvim.command("ClaudeInstall")

    assert re.fullmatch(
        r"claude-ide: \S+ has no venv module\. Install it \(Debian, Ubuntu: sudo apt install "
        r"python3-venv\) or install uv, then try again; see :ClaudeLog",
        await wait_for_message(nvim, "no venv"),
    )


async def test_the_installation_creates_the_tags_of_the_help(
    start_neovim: StartNeovim, tmp_path: Path
) -> None:
    checkout = copy_plugin(tmp_path / "checkout")
    shutil.copytree(ROOT / "doc", checkout / "doc", ignore=shutil.ignore_patterns("tags"))
    nvim = await start_neovim(*arguments(checkout))

    await install_and_wait(nvim)
    await nvim.command("help claude_ide")

    assert await nvim.eval("expand('%:p')") == str(checkout / "doc/claude_ide.txt")
