"""JSON Schemas as deterministic pushdown automata: what of a schema a stack can hold, while a text is written.

Held are the types of values, which keys an object may have, and enumerated values. What takes counting or looking back is not:
`required`, `uniqueItems`, `pattern`, `not`, `if`, that exactly one of `oneOf` fits. So the automaton takes more texts than the
schema. It takes fewer where a known key or an enumerated string is spelled with escapes, or an integer as `1.0`.
"""
