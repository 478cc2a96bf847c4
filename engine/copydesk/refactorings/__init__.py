"""Named transforms of code, and the optional reader of instructions that names them."""
