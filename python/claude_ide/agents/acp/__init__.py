"""Agents that speak the Agent Client Protocol (ACP): JSON-RPC 2.0 over the pipes of a child."""
