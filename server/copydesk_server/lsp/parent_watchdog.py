"""Ends the server when its client has died without a word."""

from __future__ import annotations

import asyncio

import psutil

SECONDS = 1.0
"""How often is looked. Where a client dies properly its end of the pipe closes, and nobody waits for this."""


async def outlived(pid: int) -> None:
    """Returns once the process `pid` is no more. A number that another process has got since counts as gone."""
    try:
        process = psutil.Process(pid)
        while process.is_running() and not _is_zombie(process):
            await asyncio.sleep(SECONDS)
    except psutil.NoSuchProcess:
        return


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.AccessDenied:
        return False
