"""Requests made ready, served together, checked and reported."""
