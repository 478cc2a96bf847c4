"""Named transforms of Python code, one a file; `registry` has them all, `phrases` reads instructions that name one."""
