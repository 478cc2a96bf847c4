"""Models that another program serves over HTTP: what it can do, how it is asked, and how decoders get along with what it answers.

A server writes tokens under a grammar; whatever it writes is checked here token by token against the automata that the engine's
own models are masked with, so a server that ignores its grammar is refused.
"""
