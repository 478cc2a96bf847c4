"""Files and programs that somebody else may have put there."""
