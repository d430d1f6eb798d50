"""From text to rows: pages of parts, views that draw themselves, and harmless text."""
