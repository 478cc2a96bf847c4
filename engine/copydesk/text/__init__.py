"""Text as lines: positions, splices, edits and limits; no tokens, no syntax."""
