"""Models that can be had by name: what there is, where it comes from, and how it becomes a directory the engine loads."""
