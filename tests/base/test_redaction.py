"""`base/redaction.py`: secrets are in no log."""

import logging
from pathlib import Path

from claude_ide.base.log import LogFile
from claude_ide.base.redaction import conceal, without_secrets


def test_a_secret_is_replaced_by_a_mark_from_then_on() -> None:
    before = without_secrets("the first-secret")
    conceal("first-secret")
    conceal("second-secret")

    assert before == "the first-secret"
    assert (
        without_secrets('{"a": "first-secret", "b": "second-secret"}')
        == '{"a": "[hidden]", "b": "[hidden]"}'
    )


def test_the_log_contains_no_secret_even_in_a_traceback(tmp_path: Path) -> None:
    conceal("third-secret")
    log = LogFile(tmp_path / "a.log")
    logger = logging.Logger("test")
    logger.addHandler(log)

    try:
        raise ValueError("third-secret in an error")
    except ValueError:
        logger.exception("with %s", "third-secret")
    log.close()

    text = (tmp_path / "a.log").read_text()
    assert "third-secret" not in text
    assert "with [hidden]" in text
    assert "[hidden] in an error" in text
