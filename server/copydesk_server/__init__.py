"""Everything of copydesk that talks to a person or a client: the command line, and the language server over the engine."""
