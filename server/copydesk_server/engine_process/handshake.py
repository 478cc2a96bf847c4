"""How an engine that is a command and the server greet each other: by the protocol's version, before anything else.

Of this the form never changes; all else may, with the version.
"""

from __future__ import annotations

from copydesk import __version__
from copydesk_server.engine_process.messages import EngineSettings, Message
from copydesk_server.errors import EngineProtocolError

PROTOCOL = 2
"""Counts up with every change of what messages say, or how."""


def server_hello(settings: EngineSettings, beat: float) -> Message:
    """What the server says first. beat: seconds between two signs of life, of either side."""
    names = ("model", "device", "dtype", "cache_bytes", "log_level", "served_model")
    wanted = {name: getattr(settings, name) for name in names}
    return {
        "kind": "hello",
        "protocol": PROTOCOL,
        "copydesk": __version__,
        "settings": wanted,
        "beat": beat,
    }


def engine_hello() -> Message:
    """What the engine answers."""
    return {"kind": "hello", "protocol": PROTOCOL, "copydesk": __version__}


def mismatch(hello: Message) -> str | None:
    """Why this side cannot talk to the one that said so; None: it can. Raises EngineProtocolError for what is no greeting."""
    theirs = hello.get("protocol")
    if hello["kind"] != "hello" or type(theirs) is not int or not isinstance(hello.get("copydesk"), str):
        raise EngineProtocolError("the first message is no greeting")
    if theirs == PROTOCOL:
        return None
    return (
        f"the other side speaks version {theirs} of the engine's protocol (copydesk {hello['copydesk'][:32]}), and this one "
        f"version {PROTOCOL} (copydesk {__version__}): install the same copydesk on both machines"
    )


def settings_of(hello: Message, defaults: EngineSettings) -> EngineSettings:
    """What the server asks for in its greeting, and where it leaves that open what the engine was started with.

    A served model is reached from the engine's machine: its address is meant there, and its key is looked for there.
    """
    said = hello["settings"]
    return EngineSettings(
        model=said["model"] if said["model"] is not None else defaults.model,
        device=said["device"] if said["device"] != "auto" else defaults.device,
        dtype=said["dtype"] if said["dtype"] != "auto" else defaults.dtype,
        cache_bytes=said["cache_bytes"],
        log_level=said["log_level"],
        served_model=said["served_model"] if said["served_model"] is not None else defaults.served_model,
    )
