"""What may come next: rules of ops, precomputed automata for text, tries for finite choices, llguidance for
inner grammars."""
