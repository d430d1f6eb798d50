"""The user's settings for pip, from the files and variables that pip documents."""

import configparser
import os
import sys
from pathlib import Path

from claude_ide.install_failure import Failed

Settings = dict[str, str]

NAME = "pip.ini" if os.name == "nt" else "pip.conf"


def pip_settings() -> Settings:
    """Return the settings of `pip install` by name, such as `index-url`.

    Raises `Failed`.
    """
    parser = configparser.RawConfigParser(strict=False)
    try:
        # A later file overrides an earlier one.
        parser.read(_files(), encoding="utf-8")
    except (configparser.Error, UnicodeError) as error:
        text = str(error).partition("\n")[0]
        raise Failed(f"The settings of pip cannot be read: {text}") from None
    found: Settings = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            found |= dict(parser[section])
    found |= {name[4:]: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {name.lower().replace("_", "-"): value for name, value in found.items() if value}


def _files() -> list[Path]:
    given = os.environ.get("PIP_CONFIG_FILE", "")
    if given == os.devnull:
        return []
    folders = _windows() if os.name == "nt" else _mac() if sys.platform == "darwin" else _unix()
    files = [*(folder / NAME for folder in folders), Path(sys.prefix, NAME)]
    return [*files, Path(given)] if given else files


def _home(*names: str) -> Path:
    # Unlike `Path.home()`, this raises no error without a home.
    return Path(os.path.expanduser("~"), *names)  # noqa: PTH111


def _windows() -> list[Path]:
    shared = Path(os.environ.get("PROGRAMDATA", "C:\\ProgramData"))
    roaming = os.environ.get("APPDATA")
    own = Path(roaming) if roaming else _home("AppData", "Roaming")
    return [shared / "pip", _home("pip"), own / "pip"]


def _mac() -> list[Path]:
    own = _home("Library/Application Support/pip")
    own = own if own.is_dir() else _home(".config/pip")
    return [Path("/Library/Application Support/pip"), _home(".pip"), own]


def _unix() -> list[Path]:
    shared = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    config = os.environ.get("XDG_CONFIG_HOME")
    own = Path(config) if config else _home(".config")
    return [
        *(Path(folder, "pip") for folder in shared.split(":")),
        Path("/etc"),
        _home(".pip"),
        own / "pip",
    ]
