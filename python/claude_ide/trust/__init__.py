"""Which folders the user trusts, and what a folder would have the CLI run."""
