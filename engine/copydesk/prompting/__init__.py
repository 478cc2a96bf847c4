"""What a model reads: edit formats, tokens and prompts."""
