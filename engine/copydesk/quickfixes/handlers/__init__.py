"""One kind of diagnostic a file: the edits that may fix it."""
