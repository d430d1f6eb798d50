"""Why an installation failed, in one line, for `:ClaudeInstall` and for `make`."""

import re
from collections.abc import Iterator, Sequence

UNREACHABLE = "Cannot reach the package index (network, proxy?)"
UNTRUSTED = "The certificate of the package index is not trusted (PIP_CERT, SSL_CERT_FILE?)"


class Failed(Exception):
    """There is no environment; the text is one line with the reason."""


# Errors that the tools print in many lines, or that are hard to understand. Most patterns capture a
# package.
CAUSES = (
    (r"Hash mismatch for `([^`]+)`", "Cannot install: {} has the wrong hash"),
    (r"^\s+(\S+==\S+) from .+:$", "Cannot install: {} has the wrong hash"),
    (r"(\S+==\S+) has no .*wheels", "Cannot install: {} has no wheel for this system"),
    (r"No space left on device", "Cannot install: no space left on the disk"),
    (r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|invalid peer certificate", UNTRUSTED),
    # pip and uv; older versions of uv say 'are you offline'.
    (r"after connection broken by|Max retries exceeded|Read timed out", UNREACHABLE),
    (r"Request failed after \d+ retr|are you offline|client error \(Connect\)", UNREACHABLE),
    # pip ignores such an address, and then finds nothing.
    (r"at (\S+) is not a trusted or secure host", "pip does not trust {}: it needs https"),
)

# How pip and uv mark an error, and how uv explains it.
ERROR = re.compile(r"^\s*(error|╰─▶)", re.IGNORECASE)


def reason(lines: Sequence[str]) -> str:
    """Return a known cause; otherwise the last line with an error, or the last line."""
    for pattern, words in CAUSES:
        for line in lines:
            if found := re.search(pattern, line):
                return words.format(*found.groups())
    return f"Cannot install: {next(_from_the_end(lines), 'the installer gave no reason')}"


def _from_the_end(lines: Sequence[str]) -> Iterator[str]:
    filled = [line.strip() for line in reversed(lines) if line.strip()]
    yield from (line for line in filled if ERROR.search(line))
    yield from filled
