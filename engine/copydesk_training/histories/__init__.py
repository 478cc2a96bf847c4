"""Real edits from git histories: commits that change one function or class, with subjects that say what to change."""
