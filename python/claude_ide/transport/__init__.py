"""Moves text between this process and others; independent of the messages."""
