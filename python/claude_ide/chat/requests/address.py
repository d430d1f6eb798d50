"""An address that a program asks the user to open: its host, and warnings."""

from urllib.parse import SplitResult, urlsplit

from claude_ide.agents.requests import UrlAsked
from claude_ide.chat.page.rows import Row, row
from claude_ide.chat.page.visible import visible
from claude_ide.chat.requests.allowed import Piece, wrapped

HEAD, WARNING = "ClaudeChatRequest", "ClaudeChatWarning"
TEXT, LINK = "ClaudeChatDetail", "ClaudeChatLink"
SCHEMES = ("https", "http")


def head(asked: UrlAsked) -> list[Row]:
    """Return the question, which names the host, and the warnings."""
    question = f"? May {visible(asked.asker)} open {host(asked.url)} in your browser?"
    notes = [row((f"  {warning}", WARNING)) for warning in warnings(asked.url)]
    return [row((question, HEAD)), *notes]


def body(asked: UrlAsked, width: int) -> list[Piece]:
    """Return the message, and the whole address."""
    message = wrapped((asked.message, TEXT), width) if asked.message else []
    return [*message, *wrapped((asked.url, LINK), width)]


def can_open(url: str) -> bool:
    """Return whether an address leads to a web page; others could start any program."""
    split = _split(url)
    return split is not None and split.scheme in SCHEMES and bool(split.hostname)


def host(url: str) -> str:
    """Return the host to which an address leads."""
    split = _split(url)
    return visible(split.hostname or "") if split and split.hostname else "an unknown host"


def warnings(url: str) -> list[str]:
    """Return the reasons to suspect an address."""
    split = _split(url)
    if split is None or not can_open(url):
        return ["it cannot be opened from here: it is not the address of a web page"]
    name = split.hostname or ""
    found = []
    if split.scheme == "http":
        found.append("the connection is not encrypted")
    if "@" in split.netloc:
        found.append(f"the address begins with a user name; the host is {visible(name)}")
    if not name.isascii() or "xn--" in name:
        found.append("the name of the host contains letters of other alphabets")
    return found


def _split(url: str) -> SplitResult | None:
    try:
        split = urlsplit(url)
        _ = split.port
    except ValueError:
        return None
    return None if _is_ambiguous(url) else split


def _is_ambiguous(url: str) -> bool:
    """Return whether a browser might read an address differently."""
    return any(each <= " " or each == "\\" for each in url)
