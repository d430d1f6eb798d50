"""The chat panel: shows an agent's events, and handles the user's actions."""
