"""The user's trust in folders, from the CLI's own record and ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from claude_ide.base.paths import config_folder, home
from claude_ide.trust.store import Store, trusting

REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The recorded folders because of which a folder is trusted; false if there are none."""

    by_cli: str = ""
    """The folder in the CLI's record."""
    ours: tuple[tuple[str, datetime], ...] = ()
    """The folders in our record, with the time of each."""

    def __bool__(self) -> bool:
        return bool(self.by_cli or self.ours)


class Trust:
    """The folders that the user trusts, including their subfolders."""

    def __init__(
        self, path: Path, environment: Mapping[str, str], complain: Callable[[str], None]
    ) -> None:
        self._store = Store(path, complain)
        self._environment = environment
        self.declined: set[str] = set()
        """The real paths of folders about which the user does not want to decide now."""

    @property
    def config(self) -> Path:
        """The folder with the user's own settings for the CLI."""
        return config_folder(self._environment)

    def is_trusted(self, folder: str | Path) -> bool:
        """Return whether the settings of a folder may be used."""
        try:
            return bool(self.verdict(folder))
        except OSError:
            return False

    def verdict(self, folder: str | Path) -> Verdict:
        """Return why a folder is trusted."""
        real = Path(folder).resolve()
        ours = [each for each in self._store.folders().items() if self._covers(each[0], real)]
        return Verdict(trusting(real, self._environment), tuple(ours))

    def grant(self, folder: str | Path) -> None:
        """Add a folder to our record."""
        self._store.add(str(Path(folder).resolve()))

    def revoke(self, folder: str | Path) -> list[str]:
        """Remove the folders because of which a folder is trusted from our record; return them."""
        removed = [name for name, _ in self.verdict(folder).ours]
        if removed:
            self._store.remove(removed)
        return removed

    def folders(self) -> dict[str, datetime]:
        """Return the folders in our record."""
        return self._store.folders()

    def _covers(self, trusted: str, real: Path) -> bool:
        above = Path(trusted)
        if above == real:
            return True
        # Otherwise one yes in the home directory would trust every later clone in it.
        return above in real.parents and not home(self._environment).resolve().is_relative_to(above)


def shown(folder: str | Path) -> str:
    """Return a folder as one line for the user, with `~` for the home directory."""
    path, own = Path(folder), Path.home()
    name = f"~/{path.relative_to(own)}" if own in path.parents else str(path)
    return "".join(letter if letter.isprintable() else REPLACEMENT for letter in name)


# The messages of `:ClaudeTrust` about a folder.


def state(trust: Trust, folder: str) -> str:
    """Return one line on whether a folder is trusted, and why; the folder, last, may be cut off."""
    verdict = trust.verdict(folder)
    reasons = [f"since {_day(at)} (:ClaudeTrust revoke ends it)" for _, at in verdict.ours[:1]]
    reasons += ["by the CLI's own record"] if verdict.by_cli else []
    if not reasons:
        return f"not trusted, only your own settings are used: {shown(folder)}"
    above = {*(name for name, _ in verdict.ours[:1]), verdict.by_cli} - {"", _real(folder)}
    part = f" (a part of {', '.join(map(shown, sorted(above)))})" if above else ""
    return f"trusted {' and '.join(reasons)}: {shown(folder)}{part}"


def revoked(trust: Trust, folder: str, removed: list[str]) -> str:
    """Return one line on the trust in a folder after a revocation."""
    verdict = trust.verdict(folder)
    if verdict.by_cli:
        return (
            f"still trusted by the CLI's own record, which only the CLI changes: {verdict.by_cli}"
        )
    names = ", ".join(map(shown, removed))
    return f"no longer trusted: {names}" if removed else f"was not trusted: {shown(folder)}"


def listing(trust: Trust) -> list[str]:
    """Return one line per folder in our record."""
    return [f"{_day(at)}  {shown(name)}" for name, at in trust.folders().items()]


def _day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def _real(folder: str) -> str:
    return str(Path(folder).resolve())
