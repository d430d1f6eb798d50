"""JSON-RPC 2.0: messages and the two sides of a conversation; knows no method by name."""
