"""Random turns of a chat: what is written, a model that pauses, the user, and the checks."""
