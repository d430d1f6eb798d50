"""The Model Context Protocol, server side: what Claude may ask of the editor, and is told."""
