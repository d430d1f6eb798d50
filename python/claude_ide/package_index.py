"""Finds pip in the package index that the user's settings for pip name.

For a Python without `ensurepip`, as in Debian and Ubuntu: it needs a first pip, which then installs
everything else and reads the same settings itself.
"""

import hashlib
import http.client
import os
import re
import ssl
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPPasswordMgrWithPriorAuth,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from claude_ide.install_failure import UNREACHABLE, UNTRUSTED, Failed
from claude_ide.pip_settings import Settings, pip_settings

PIN = Path(__file__).resolve().parents[1] / "pip.txt"

PUBLIC = "https://pypi.org/simple"
SECONDS = 15
LARGEST = 50_000_000
"""Bytes of an answer."""

NOT_FOUND = 404


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
    """Yield each file with this name; add the reasons why a place could not be searched."""
    settings = pip_settings()
    for place in _places(settings):
        try:
            for address in _links(place, settings):
                if unquote(urlsplit(address).path).rpartition("/")[2] == name:
                    yield _read(address, settings)[0]
        except (OSError, ValueError, http.client.HTTPException) as error:
            print(f"{_split_user(place)[0]}: {error}", flush=True)
            if (words := _words(error)) is not None:
                problems.append(words)


def _words(error: Exception) -> str | None:
    """Return an error in words; None if the place exists, but has no pip."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(error, HTTPError):
        answer = f"The package index answers {error.code} {error.reason}"
        return None if error.code == NOT_FOUND else answer
    if isinstance(cause, FileNotFoundError):
        return None
    return UNTRUSTED if isinstance(cause, ssl.SSLCertVerificationError) else UNREACHABLE


def _places(settings: Settings) -> Iterator[str]:
    """Yield the addresses of pages with links, and folders with files."""
    yield from settings.get("find-links", "").split()
    if settings.get("no-index", "").lower() in ("1", "t", "true", "y", "yes", "on"):
        return
    indexes = [settings.get("index-url", PUBLIC), *settings.get("extra-index-url", "").split()]
    yield from (f"{index.rstrip('/')}/pip/" for index in indexes)


# Reading pages and files.


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


def _links(place: str, settings: Settings) -> list[str]:
    if (folder := _local(place)) is not None and folder.is_dir():
        page = folder / "index.html"
        if not page.is_file():
            return [path.as_uri() for path in folder.iterdir()]
        place = page.as_uri()
    text, address = _read(place, settings)
    return [urljoin(address, link) for link in _Page(text.decode("utf-8", "replace")).links]


def _local(address: str) -> Path | None:
    """Return the path if this is one, or an address of a file."""
    if "://" not in address and not address.startswith("file:"):
        return Path(address).expanduser().absolute()
    parts = urlsplit(address)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _read(address: str, settings: Settings) -> tuple[bytes, str]:
    """Return a file or a page, and the address at which it was found."""
    if (path := _local(address)) is not None:
        return path.read_bytes(), path.as_uri()
    plain, user, password = _split_user(address)
    known = HTTPPasswordMgrWithPriorAuth()
    if user:
        origin = urlunsplit((*urlsplit(plain)[:2], "/", "", ""))
        known.add_password(None, origin, user, password, is_authenticated=True)
    opener = build_opener(
        _proxy(settings),
        HTTPSHandler(context=_context(plain, settings)),
        HTTPBasicAuthHandler(known),
    )
    request = Request(plain, headers={"Accept": "text/html, */*;q=0.1"})
    with opener.open(request, timeout=SECONDS) as answer:
        found: bytes = answer.read(LARGEST)
        return found, _with_user(answer.geturl(), plain, address)


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


def _with_user(found: str, plain: str, address: str) -> str:
    """Keep the user and the password for links to the same host, but for no other."""
    same = urlsplit(found)[:2] == urlsplit(plain)[:2]
    return urlunsplit(urlsplit(found)._replace(netloc=urlsplit(address).netloc)) if same else found


def _proxy(settings: Settings) -> ProxyHandler:
    if proxy := settings.get("proxy"):
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        return ProxyHandler({"http": proxy, "https": proxy})
    return ProxyHandler()


def _context(address: str, settings: Settings) -> ssl.SSLContext:
    names = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
    bundles = [settings.get("cert"), *(os.environ.get(name) for name in names)]
    context = ssl.create_default_context()
    if given := next(filter(None, bundles), None):
        bundle = Path(given).expanduser()
        is_folder = bundle.is_dir()
        try:
            context.load_verify_locations(
                cafile=None if is_folder else bundle, capath=bundle if is_folder else None
            )
        except OSError as error:
            reason = error.strerror or error
            raise Failed(f"The certificates in {bundle} cannot be read: {reason}") from None
    parts = urlsplit(address)
    if {parts.netloc, parts.hostname} & set(settings.get("trusted-host", "").split()):
        # The hash of what comes is checked.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
