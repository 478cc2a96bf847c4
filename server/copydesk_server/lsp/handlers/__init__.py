"""One file for each LSP method or group of methods the server answers."""
