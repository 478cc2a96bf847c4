"""One file for each LSP method, or group of methods, that the server answers.

Each has functions named after a method that take services and return the handler, for `app.py` to register. Services do not know
handlers.
"""
