"""What may come next: rules for ops, precomputed automata for text, tries for finite choices, llguidance for inner grammars."""
