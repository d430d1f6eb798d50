"""The list of the running and the stored sessions."""
