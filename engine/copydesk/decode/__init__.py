"""The decoding loop: from a warm page and a request to a program, in as few forward passes as the program allows."""
