"""`make soak`: many random rounds of the machine.

ROUNDS and SEED select the rounds, STEPS sets their length; GO_ON=1 collects faults unshrunk.
"""

import os
import sys
import time

import hypothesis
from hypothesis.stateful import run_state_machine_as_test

from editors.machine import STEPS, EditorMachine, settings


def main() -> int:
    """Run the rounds; return the number of different faults."""
    rounds = int(os.environ.get("ROUNDS", "1000"))
    number = int(os.environ.get("SEED", "1"))
    EditorMachine.continues = os.environ.get("GO_ON") == "1"
    began = time.monotonic()
    print(f"{rounds} rounds of up to {STEPS} steps, SEED={number}", flush=True)
    try:
        machine = hypothesis.seed(number)(EditorMachine)
        run_state_machine_as_test(machine, settings=settings(rounds, STEPS))
    finally:
        print(f"{time.monotonic() - began:.0f} s")
        print(", ".join(f"{name} {count}" for name, count in EditorMachine.counts.most_common()))
        for signature, script in EditorMachine.faults.items():
            print(f"{script}: {signature}")
    return len(EditorMachine.faults)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
