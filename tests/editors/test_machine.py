"""A few rounds of the machine, always the same; `make soak` runs more of them."""

from hypothesis.stateful import run_state_machine_as_test

from editors.machine import EditorMachine, settings


def test_an_editor_with_plugins_keeps_the_rules_in_random_rounds() -> None:
    run_state_machine_as_test(EditorMachine, settings=settings(15, 12, derandomize=True))
