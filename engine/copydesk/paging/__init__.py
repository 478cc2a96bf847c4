"""Pages: the numbered lines that one prompt shows."""
