"""The messages of `:ClaudeTrust` about a folder."""

from datetime import datetime
from pathlib import Path

from claude_ide.trust.trust import Trust, shown


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
