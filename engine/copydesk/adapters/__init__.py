"""Low-rank adapters of pretrained models: their file, the base they belong to, and both merged into one model directory."""
