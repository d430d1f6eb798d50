"""What `:ClaudeTrust` says of a folder."""

from datetime import datetime

from claude_ide.trust.trust import Trust, Verdict, shown


def state(trust: Trust, folder: str) -> str:
    """Return in a line whether a folder is trusted, and why."""
    verdict = trust.verdict(folder)
    reasons = [_ours(folder, name, at) for name, at in verdict.ours]
    reasons += [_cli(folder, verdict)] if verdict.by_cli else []
    if not reasons:
        return f"{shown(folder)} is not trusted: Claude uses your own settings only"
    return f"{shown(folder)} is trusted {' and '.join(reasons)}"


def revoked(trust: Trust, folder: str, removed: list[str]) -> str:
    """Return in a line what has become of the trust in a folder."""
    names = ", ".join(map(shown, removed))
    verdict = trust.verdict(folder)
    if verdict.by_cli:
        before = f"{names} was removed, but" if removed else "only"
        return f"{before} the CLI's own record trusts {shown(verdict.by_cli)}; change it there"
    return f"{names} is no longer trusted" if removed else f"{shown(folder)} was not trusted"


def listing(trust: Trust) -> list[str]:
    """Return a line for each folder in our record."""
    return [f"{_day(at)}  {shown(name)}" for name, at in trust.folders().items()]


def _ours(folder: str, name: str, at: datetime) -> str:
    below = "" if shown(name) == shown(folder) else f" with {shown(name)}"
    return f"since {_day(at)}{below} (:ClaudeTrust revoke)"


def _cli(folder: str, verdict: Verdict) -> str:
    below = "" if shown(verdict.by_cli) == shown(folder) else f" with {shown(verdict.by_cli)}"
    return f"by the CLI's own record{below}"


def _day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
