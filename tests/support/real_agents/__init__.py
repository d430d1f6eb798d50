"""Real agents that speak ACP, installed for the tests, and a stand-in for their models."""
