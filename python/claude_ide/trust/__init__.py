"""Trusted folders, and the settings that a folder brings for the CLI."""
