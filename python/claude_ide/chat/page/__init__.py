"""Turns text to rows: pages of parts, views that draw themselves, safe text."""
