"""The changes of an agent, turn by turn: kept, shown in a quickfix list, reverted by the user."""
