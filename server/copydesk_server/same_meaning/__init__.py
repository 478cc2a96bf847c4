"""Whether two texts of Python are known to mean the same, by a normal form of their syntax trees."""
