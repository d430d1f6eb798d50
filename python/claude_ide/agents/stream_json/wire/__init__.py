"""Frames both ways, and how the CLI is started."""
