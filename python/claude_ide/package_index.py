"""The package index: a first pip from there, and why an installation from there has failed.

A Python without `ensurepip`, as in Debian and Ubuntu, needs a first pip, which then installs
everything else and reads the user's settings for pip itself.
"""

import configparser
import hashlib
import http.client
import os
import re
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

if TYPE_CHECKING:
    import ssl

PIN = Path(__file__).resolve().parents[1] / "pip.txt"

PUBLIC = "https://pypi.org/simple"
TIMEOUT_SECONDS = 15
ANSWER_BYTES = 50_000_000
"""Bytes of an answer."""

NOT_FOUND = 404

UNREACHABLE = "Cannot reach the package index (network, proxy?)"
UNTRUSTED = "The certificate of the package index is not trusted (PIP_CERT, SSL_CERT_FILE?)"

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

Settings = dict[str, str]


class Failed(Exception):
    """There is no environment; the text is one line with the reason."""


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


def pip_wheel() -> bytes:
    """Return the pinned pip, as a wheel.

    Raises `Failed`.
    """
    pin = PIN.read_text(encoding="utf-8")
    (version,) = re.findall(r"^pip==(\S+)", pin, re.MULTILINE)
    hashes = re.findall(r"sha256:([0-9a-f]{64})", pin)
    problems: list[str] = []
    for wheel in _wheels(f"pip-{version}-py3-none-any.whl", problems):
        if hashlib.sha256(wheel).hexdigest() in hashes:
            return wheel
        problems.append(f"Cannot install: pip=={version} has the wrong hash")
    raise Failed(problems[0] if problems else f"The package index has no pip=={version}")


def _wheels(name: str, problems: list[str]) -> Iterator[bytes]:
    """Yield each file with this name; add the reasons why an index could not be searched."""
    settings = _settings()
    for folder in settings.get("find-links", "").split():
        wheel = Path(unquote(folder.removeprefix("file://"))).expanduser() / name
        if wheel.is_file():
            yield wheel.read_bytes()
    if settings.get("no-index", "").lower() in ("1", "t", "true", "y", "yes", "on"):
        return
    for index in [settings.get("index-url", PUBLIC), *settings.get("extra-index-url", "").split()]:
        place = f"{index.rstrip('/')}/pip/"
        try:
            page = _Page(_read(place, settings).decode("utf-8", "replace"))
            for address in (urljoin(place, link) for link in page.links):
                if unquote(urlsplit(address).path).rpartition("/")[2] == name:
                    yield _read(address, settings)
        except (OSError, ValueError, http.client.HTTPException) as error:
            print(f"{_split_user(place)[0]}: {error}", flush=True)
            if (words := _words(error)) is not None:
                problems.append(words)


def _words(error: Exception) -> str | None:
    """Return an error in words; None if the index exists, but has no pip."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(error, HTTPError):
        answer = f"The package index answers {error.code} {error.reason}"
        return None if error.code == NOT_FOUND else answer
    import ssl

    return UNTRUSTED if isinstance(cause, ssl.SSLCertVerificationError) else UNREACHABLE


class _Page(HTMLParser):
    """The addresses to which a page links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the address of a link."""
        if tag == "a":
            self.links += [value for name, value in attributes if name == "href" and value]


def _read(address: str, settings: Settings) -> bytes:
    """Return a file or a page; a user and a password are sent only to the host that has them."""
    # A Python without ssl may install with uv.
    from urllib.request import (
        HTTPBasicAuthHandler,
        HTTPPasswordMgrWithPriorAuth,
        HTTPSHandler,
        ProxyHandler,
        build_opener,
    )

    plain, user, password = _split_user(address)
    known = HTTPPasswordMgrWithPriorAuth()
    if user:
        origin = urlunsplit((*urlsplit(plain)[:2], "/", "", ""))
        known.add_password(None, origin, user, password, is_authenticated=True)
    proxy = settings.get("proxy", "")
    proxy = proxy if "://" in proxy else f"http://{proxy}" if proxy else ""
    opener = build_opener(
        ProxyHandler({"http": proxy, "https": proxy}) if proxy else ProxyHandler(),
        HTTPSHandler(context=_context(plain, settings)),
        HTTPBasicAuthHandler(known),
    )
    with opener.open(plain, timeout=TIMEOUT_SECONDS) as answer:
        found: bytes = answer.read(ANSWER_BYTES)
        return found


def _split_user(address: str) -> tuple[str, str, str]:
    """Return the address without its user, password and fragment, and the first two."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return (
        # A proxy would be asked for the fragment, too.
        urlunsplit(parts._replace(netloc=host, fragment="")),
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def _context(address: str, settings: Settings) -> "ssl.SSLContext":
    import ssl

    names = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
    bundles = [settings.get("cert"), *(os.environ.get(name) for name in names)]
    context = ssl.create_default_context()
    if given := next(filter(None, bundles), None):
        bundle = Path(given).expanduser()
        place: dict[str, Any] = {"capath" if bundle.is_dir() else "cafile": bundle}
        try:
            context.load_verify_locations(**place)
        except OSError as error:
            reason = error.strerror or error
            raise Failed(f"The certificates in {bundle} cannot be read: {reason}") from None
    parts = urlsplit(address)
    if {parts.netloc, parts.hostname} & set(settings.get("trusted-host", "").split()):
        # The hash of what comes is checked.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


# The user's settings, from the files and variables that pip documents.


def _settings() -> Settings:
    """Return the settings of `pip install` by name, such as `index-url`. Raises `Failed`."""
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


def _files() -> list[str]:
    given = os.environ.get("PIP_CONFIG_FILE", "")
    if given == os.devnull:
        return []
    shared = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    mac = "/Library/Application Support/pip"
    folders = [mac, *(f"{each}/pip" for each in shared.split(":")), "/etc", "~/.pip", f"~{mac}"]
    folders += [f"{os.environ.get('XDG_CONFIG_HOME') or '~/.config'}/pip", sys.prefix]
    files = [os.path.expanduser(f"{folder}/pip.conf") for folder in folders]  # noqa: PTH111
    return [*files, given] if given else files
