"""Syntax trees, and what works on them: fragments that parse alone, splices at nodes, import blocks."""
