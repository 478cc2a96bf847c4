"""Pages: the numbered lines one prompt shows."""
