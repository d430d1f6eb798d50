"""The Claude CLI's stream-json: one JSON object per line, in both directions."""
