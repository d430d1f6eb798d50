"""Agents over pipes: what they say becomes events, what the user does becomes their messages."""
