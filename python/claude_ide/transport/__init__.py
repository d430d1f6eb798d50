"""Moves text between this process and another; knows no message."""
