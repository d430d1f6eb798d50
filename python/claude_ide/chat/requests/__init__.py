"""What waits for the user: the requests of a chat, and what the user has seen of them."""
