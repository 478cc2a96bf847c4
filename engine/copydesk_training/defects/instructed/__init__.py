"""Edits that people ask for by an instruction: the code before, the wording, and the code after."""
