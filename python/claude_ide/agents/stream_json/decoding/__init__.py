"""Decodes the CLI's frames to events."""
