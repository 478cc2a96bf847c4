"""Warm prefixes of pages: acquired, warmed in chunks, shared, rolled back, and evicted under a byte budget."""

from copydesk.cache.entry import Key, Lease
from copydesk.cache.pages import PageCache

__all__ = ["Key", "Lease", "PageCache"]
