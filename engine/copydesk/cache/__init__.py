"""Warm prefixes per page: acquire, warm in chunks, roll back, share, evict by a byte budget."""

from copydesk.cache.entry import Key, Lease
from copydesk.cache.pages import PageCache

__all__ = ["Key", "Lease", "PageCache"]
