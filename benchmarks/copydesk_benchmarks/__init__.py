"""Every figure copydesk states, measured side by side in one run: `copydesk bench`."""
