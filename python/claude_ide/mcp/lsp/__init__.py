"""What language servers answer: places, symbols and edits, as a model or the user reads them."""
