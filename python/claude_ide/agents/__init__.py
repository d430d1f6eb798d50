"""Agents over pipes: their messages become events, and the user's actions become their messages."""
