"""The layer of Python that no parser forgives: quotes, brackets, line joining, indentation, and a body behind every block opener.

Not a grammar of Python: text that this layer takes may still be no Python, but what it does not take is none in CPython 3.11
or in 3.13. Where these two read a text differently (quotes, backslashes and comments in the fields of f-strings), where
indentation mixes tabs and spaces, or where a line begins with the backslash that joins it to the next, nothing is certain: such
text is taken for an error, which in a document only means that nothing is asked behind it (`grammar/parsed_rules.py`).
"""
