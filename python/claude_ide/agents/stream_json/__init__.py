"""The Claude CLI's stream-json: one JSON object a line, both ways (doc/stream-json.md)."""
