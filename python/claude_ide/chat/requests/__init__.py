"""The requests of a chat that wait for the user, and how much of them the user has seen."""
