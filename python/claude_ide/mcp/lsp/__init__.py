"""What language servers answer, as a model reads it."""
