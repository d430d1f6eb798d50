"""`costs.py`: what a session has cost when its CLI was killed and resumed."""

import signal

from claude_ide.agents.events import Cleared, Dead, Usage
from claude_ide.agents.stream_json.client import Costs

KILLED = Dead(-signal.SIGKILL)


def corrected(costs: Costs, *reported: float) -> list[float | None]:
    found = [costs.correct(Usage(cost)) for cost in reported]
    return [event.cost for event in found if isinstance(event, Usage)]


def test_a_killed_cli_begins_at_zero_and_its_costs_are_added() -> None:
    costs = Costs()
    assert corrected(costs, 1, 3) == [1, 3]

    costs.correct(KILLED)
    assert corrected(costs, 5, 6) == [8, 9]
    costs.correct(KILLED)
    assert corrected(costs, 1) == [10]


def test_a_cli_that_ends_by_itself_continues_with_its_cost() -> None:
    costs = Costs()
    corrected(costs, 3)

    costs.correct(Dead(0))
    assert corrected(costs, 4) == [4]
    costs.correct(KILLED)
    assert corrected(costs, 5) == [6]


def test_the_stored_cost_of_a_resumed_session_is_counted_once() -> None:
    costs = Costs()
    costs.resume()
    corrected(costs, 10, 12)

    costs.correct(KILLED)

    assert corrected(costs, 11) == [13]


def test_the_cost_of_a_new_session_is_added_to_that_of_the_last() -> None:
    costs = Costs()
    corrected(costs, 3)
    costs.correct(Dead(0))

    costs.begin()
    assert corrected(costs, 3, 5) == [6, 8]
    costs.correct(KILLED)
    costs.begin()
    assert corrected(costs, 1) == [9]


def test_a_cleared_conversation_begins_at_zero() -> None:
    costs = Costs()
    corrected(costs, 3)
    costs.correct(KILLED)

    costs.correct(Cleared())

    assert corrected(costs, 1) == [1]


def test_a_session_that_begins_at_zero_in_a_running_chat_owes_nothing() -> None:
    costs = Costs()
    corrected(costs, 5)
    costs.correct(KILLED)
    corrected(costs, 4)
    costs.correct(Dead(0))

    assert corrected(costs, 1) == [1]
    costs.correct(KILLED)
    assert corrected(costs, 2) == [3]


def test_other_events_and_usage_without_a_cost_are_unchanged() -> None:
    costs = Costs()
    corrected(costs, 3)
    costs.correct(KILLED)

    assert costs.correct(Usage(context_used=7)) == Usage(context_used=7)
