"""A few rounds of the machine, always the same; `make soak` goes on."""

from hypothesis.stateful import run_state_machine_as_test

from editors.machine import EditorMachine, settings


def test_an_editor_with_plugins_keeps_the_rules_whatever_happens_in_it() -> None:
    run_state_machine_as_test(EditorMachine, settings=settings(15, 12, derandomize=True))
