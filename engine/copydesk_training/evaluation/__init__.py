"""How good a model is: held-out examples and HumanEvalFix, asked through the engine that serves people."""
