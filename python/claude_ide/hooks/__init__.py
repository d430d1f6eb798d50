"""The hooks of the CLI in a terminal: it reports what it does, over HTTP."""
