"""Load a causal language model and run it over preallocated KV rows."""
