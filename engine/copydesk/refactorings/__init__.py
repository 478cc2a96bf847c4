"""Named transforms of Python code, in families; `registry` has them all, `phrases` reads instructions that name one."""
