"""The chat panel: what an agent tells comes in, what is shown leaves."""
