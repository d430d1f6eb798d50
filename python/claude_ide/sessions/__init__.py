"""All sessions in one list: those that run, wherever that is, and those that have ended."""
