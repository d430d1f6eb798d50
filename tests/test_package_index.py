"""`package_index.py`: a first pip from the user's index, and why an installation failed."""

import base64
import hashlib
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from claude_ide import package_index
from claude_ide.package_index import UNREACHABLE, UNTRUSTED, Failed, pip_wheel, reason

WHEEL = b"the bytes of a wheel"
NAME = "pip-1.2-py3-none-any.whl"
PAGE = (
    f'<a href="pip-1.1-py3-none-any.whl">old</a> <A HREF="../files/{NAME}#sha256=0&amp;x">new</A>'
)


class Index(ThreadingHTTPServer):
    """A package index on loopback; `asked` has the path and the authorization of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.answers = {"/simple/pip/": PAGE.encode(), f"/simple/files/{NAME}": WHEEL}
        self.asked: list[tuple[str, str | None]] = []

    def address(self, user: str = "", scheme: str = "http") -> str:
        return f"{scheme}://{user}127.0.0.1:{self.server_port}/simple"


class _Request(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["Authorization"]))
        answer = self.server.answers.get(self.path)
        self.send_response(404 if answer is None else 200)
        self.end_headers()
        self.wfile.write(answer or b"")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[Index]:
    with Index() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings; the pin is the wheel of these tests."""
    (tmp_path / "pip.txt").write_text(
        f"pip==1.2 \\\n    --hash=sha256:{hashlib.sha256(WHEEL).hexdigest()}\n"
    )
    monkeypatch.setattr(package_index, "PIN", tmp_path / "pip.txt")
    for name in [name for name in os.environ if name.upper().startswith("PIP_")]:
        monkeypatch.delenv(name)
    for name in ("http_proxy", "https_proxy", "all_proxy", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path))
    # Another file of the system may name an index, too.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    return tmp_path


Configure = Callable[[str, str], None]


@pytest.fixture(params=["variable", "user", "legacy", "PIP_CONFIG_FILE"])
def configure(
    request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Configure:
    """Set one of pip's settings, in one of the places that pip knows."""
    files = {"user": ".config/pip/pip.conf", "legacy": ".pip/pip.conf", "PIP_CONFIG_FILE": "my"}

    def set_one(name: str, value: str) -> None:
        monkeypatch.delenv("PIP_INDEX_URL")
        if request.param == "variable":
            return monkeypatch.setenv("PIP_" + name.upper().replace("-", "_"), value)
        file = home / files[request.param]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"[global]\n{name} = {value}\n")
        if request.param == "PIP_CONFIG_FILE":
            monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
        return None

    return set_one


def test_pip_comes_from_the_index_of_the_settings(index: Index, configure: Configure) -> None:
    configure("index-url", index.address() + "/")

    assert pip_wheel() == WHEEL
    assert [path for path, _ in index.asked] == ["/simple/pip/", f"/simple/files/{NAME}"]


def test_pip_comes_from_a_further_index_if_the_first_has_none(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"http://127.0.0.1:9/simple {index.address()}")

    assert pip_wheel() == WHEEL


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_pip_comes_from_a_folder(home: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "my wheels").mkdir()
    (home / "my wheels" / NAME).write_bytes(WHEEL)
    (home / "wheels").symlink_to(home / "my wheels")
    monkeypatch.setenv("PIP_FIND_LINKS", form.format(home / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    assert pip_wheel() == WHEEL


def test_the_user_and_the_password_of_an_index_are_sent_to_it_alone(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Index() as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        page = f'<a href="{other.address()}/files/{NAME}">'
        index.answers["/simple/pip/"] = page.encode()
        monkeypatch.setenv("PIP_INDEX_URL", index.address("me:a%40b@"))

        assert pip_wheel() == WHEEL

        other.shutdown()
        thread.join()
    basic = "Basic " + base64.b64encode(b"me:a@b").decode()
    assert index.asked == [("/simple/pip/", basic)]
    assert other.asked == [(f"/simple/files/{NAME}", None)]


def test_an_index_is_reached_through_the_proxy_of_the_settings(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "http://index.example/simple"
    files = {f"{address}/pip/": PAGE.encode(), f"{address}/files/{NAME}": WHEEL}
    index.answers = files
    monkeypatch.setenv("PIP_PROXY", f"127.0.0.1:{index.server_port}")
    monkeypatch.setenv("PIP_INDEX_URL", address)

    assert pip_wheel() == WHEEL


def failure() -> str:
    with pytest.raises(Failed) as failed:
        pip_wheel()
    return str(failed.value)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/simple", "http://nowhere.invalid/simple"])
def test_an_index_that_cannot_be_reached_is_reported(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", address)

    assert failure() == UNREACHABLE


def test_a_changed_pip_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.address())
    index.answers[f"/simple/files/{NAME}"] = WHEEL + b"!"

    assert failure() == "Cannot install: pip==1.2 has the wrong hash"


def test_an_index_without_pip_is_reported(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.address())
    index.answers.clear()

    assert failure() == "The package index has no pip==1.2"


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_certificate_is_checked_against_those_of_the_settings(
    index: Index, home: Path, is_trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = home / "key.pem", home / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    index.socket = context.wrap_socket(index.socket, server_side=True)
    monkeypatch.setenv("PIP_INDEX_URL", index.address(scheme="https"))
    if is_trusted:
        monkeypatch.setenv("PIP_CERT", str(certificate))
        assert pip_wheel() == WHEEL
    else:
        assert failure() == UNTRUSTED


def test_certificates_that_cannot_be_read_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CERT", str(home / "none.pem"))
    monkeypatch.setenv("PIP_INDEX_URL", "https://127.0.0.1:9/simple")

    words = f"The certificates in {home}/none.pem cannot be read: No such file or directory"
    assert failure() == words


def test_settings_that_cannot_be_read_are_reported(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "broken").write_text("no section\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(home / "broken"))

    assert failure().startswith("The settings of pip cannot be read: File contains no section")


PIP_FOUND_NOTHING = """\
ERROR: Could not find a version that satisfies the requirement msgpack==1.2.4 (from versions: none)
ERROR: No matching distribution found for msgpack==1.2.4"""

UNREACHED = {
    "pip 23": """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object \
at 0x7f36b386e6d0>: Failed to establish a new connection: [Errno 111] Connection refused')': \
/simple/msgpack/
"""
    + PIP_FOUND_NOTHING,
    "pip 26": """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'NameResolutionError("HTTPSConnection(host='index.example', port=443): Failed \
to resolve 'index.example' ([Errno -2] Name or service not known)")': /simple/msgpack/
"""
    + PIP_FOUND_NOTHING,
    "pip, a proxy": """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'ProxyError('Cannot connect to proxy.', OSError())': /simple/msgpack/
"""
    + PIP_FOUND_NOTHING,
    "uv 0.4": """\
Using Python 3.11.7 environment at venv
error: Failed to fetch: `http://nowhere.invalid/simple/msgpack/`
  Caused by: Could not connect, are you offline?
  Caused by: Request failed after 3 retries
  Caused by: dns error: failed to lookup address information: Name or service not known""",
    "uv 0.13": """\
Using Python 3.11.7 environment at: venv
error: Request failed after 1 retry in 1.0s
  cause: Failed to fetch: http://127.0.0.1:9/simple/msgpack/
  cause: client error (Connect)
  cause: tcp connect error
  cause: Connection refused (os error 111)""",
}


@pytest.mark.parametrize("output", UNREACHED.values(), ids=UNREACHED)
def test_an_index_that_cannot_be_reached_is_the_cause(output: str) -> None:
    assert reason(output.splitlines()) == UNREACHABLE


@pytest.mark.parametrize(
    "line",
    [
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError("
        "SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "
        "self-signed certificate (_ssl.c:992)'))': /simple/msgpack/",
        "  Caused by: invalid peer certificate: UnknownIssuer",
    ],
)
def test_a_certificate_that_is_not_trusted_is_the_cause(line: str) -> None:
    assert reason([line, "ERROR: No matching distribution found"]) == UNTRUSTED


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        ("Hash mismatch for `msgpack==1.2.4`", "msgpack==1.2.4 has the wrong hash"),
        ("    msgpack==1.2.4 from https://a/b.whl:", "msgpack==1.2.4 has the wrong hash"),
        ("because x==1 has no usable wheels", "x==1 has no wheel for this system"),
        ("ERROR: [Errno 28] No space left on device", "no space left on the disk"),
        (PIP_FOUND_NOTHING, "ERROR: No matching distribution found for msgpack==1.2.4"),
        ("error: first\n  cause: second", "error: first"),
        ("Traceback\nModuleNotFoundError: x", "ModuleNotFoundError: x"),
        ("", "the installer gave no reason"),
    ],
)
def test_another_cause_is_named(output: str, cause: str) -> None:
    assert reason(output.splitlines()) == f"Cannot install: {cause}"


def test_an_address_that_pip_does_not_trust_is_named() -> None:
    line = "WARNING: The repository located at index.example is not a trusted or secure host"

    words = "pip does not trust index.example: it needs https"
    assert reason([line, *PIP_FOUND_NOTHING.splitlines()]) == words
