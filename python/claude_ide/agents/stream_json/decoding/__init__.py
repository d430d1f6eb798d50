"""From the CLI's frames to events."""
