"""Frames in both directions, and how the CLI is started."""
