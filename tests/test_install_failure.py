"""`package_index.py`: the cause of a failed installation, from the output of the installers."""

import pytest

from claude_ide.package_index import UNREACHABLE, UNTRUSTED, reason

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
