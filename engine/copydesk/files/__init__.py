"""Reading, replacing and finding files that others may have put there, safely."""
