"""Training: from public Python sources to a model that writes programs in the engine's own tokens."""
