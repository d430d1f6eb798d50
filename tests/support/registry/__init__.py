"""Makes the list of the built-in agents from the public registry of the Agent Client Protocol."""
