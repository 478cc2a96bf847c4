"""From a diagnostic to its scope and to the edits that may fix it."""
