"""Benchmarks with tables of their own, each a module whose `main` reads the command line and prints Markdown."""
