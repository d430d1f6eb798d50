"""JSON-RPC 2.0: messages and peers; independent of the methods."""
