"""Bytes: what the server takes for a message, what it answers to what is none, and where it hangs up."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk_server.lsp import jsonrpc, outgoing, transport
from copydesk_server.lsp.listening import listen_unix, loopback_address
from copydesk_server.lsp.transport import Connection, TransportError
from lsp_client import BARE, DEADLINE, LspClient, ResponseError, environment, frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}


# -- frames ------------------------------------------------------------------------------------------------------------


@given(st.lists(JSON, max_size=4), st.lists(st.integers(0, 400), max_size=12), st.booleans())
def test_however_the_bytes_are_cut_the_messages_are_the_same(
    params: list[Any], cuts: list[int], typed: bool
) -> None:
    messages = [{"jsonrpc": "2.0", "method": "m", "params": [param]} for param in params]
    data = b"".join(map(jsonrpc.encode, messages))
    if typed:
        content = b"\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{"
        data = data.replace(b"\r\n\r\n{", content)
    frames = jsonrpc.Frames()
    found = []
    ends = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, end in itertools.pairwise(ends):
        found += [jsonrpc.decode(body) for body in frames.feed(data[start:end])]
    assert found == messages
    assert not frames.midway


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        b"Host: localhost\r\n",
        b"Content-Length: 2\r\nHost: localhost\r\n\r\n{}",
        b"Content-Length: 2\n\n{}",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: two\r\n\r\n",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Length\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Type: x; charset=latin-1\r\n\r\n{}",
        b"\r\n",
        b"x" * 5000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",  # TLS
        b'{"jsonrpc": "2.0"}\n',
    ],
)
def test_what_is_not_lsps_framing_is_refused(data: bytes) -> None:
    with pytest.raises(jsonrpc.FramingError):
        list(jsonrpc.Frames().feed(data))


@pytest.mark.parametrize("data", [b"content-length: 2\r\n\r\n{}", b"Content-Length:2\r\n\r\n{}"])
def test_headers_are_read_as_http_reads_them(data: bytes) -> None:
    assert list(jsonrpc.Frames().feed(data)) == [b"{}"]


NOT_JSON = [
    b"",
    b"{",
    b"{'a': 1}",
    b'{"jsonrpc": "2.0", "method": "m", "params": NaN}',
    b'"\xff"',
    b"\xff\xfe{\x00}\x00",
    b"[" * 100_000,
]
NO_MESSAGE: list[Any] = [
    [],
    [{"jsonrpc": "2.0", "method": "m"}],
    1,
    None,
    {},
    {"jsonrpc": "1.0", "id": 1, "method": "m"},
    {"id": 1, "method": "m"},
    {"jsonrpc": "2.0"},
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}},
    {"jsonrpc": "2.0", "id": 1, "method": 7},
    {"jsonrpc": "2.0", "id": None, "method": "m"},
    {"jsonrpc": "2.0", "id": 1.5, "method": "m"},
    {"jsonrpc": "2.0", "id": True, "method": "m"},
    {"jsonrpc": "2.0", "id": [1], "method": "m"},
    {"jsonrpc": "2.0", "result": 1},
]


@pytest.mark.parametrize("body", NOT_JSON, ids=lambda body: repr(body[:12]))
def test_what_is_no_json(body: bytes) -> None:
    with pytest.raises(jsonrpc.MessageError) as error:
        jsonrpc.decode(body)
    assert error.value.code == -32700


@pytest.mark.parametrize("message", NO_MESSAGE, ids=json.dumps)
def test_what_is_no_message(message: Any) -> None:
    with pytest.raises(jsonrpc.MessageError) as error:
        jsonrpc.decode(json.dumps(message).encode())
    assert error.value.code == -32600


# -- a server ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tcp", [False, True], ids=["stdio", "tcp"])
@pytest.mark.parametrize("greeted", [False, True], ids=["before", "after"])
def test_malformed_json_is_answered_and_the_loop_goes_on(tcp: bool, greeted: bool) -> None:
    with LspClient(tcp=tcp) as client:
        if greeted:
            client.initialize(BARE)
        for body, code in [(b"{nonsense", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0"}', -32600)]:
            client.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            with pytest.raises(ResponseError) as error:
                client.answer(None)
            assert error.value.code == code
        if not greeted:
            client.initialize(BARE)
        client.barrier()


@pytest.mark.parametrize("tcp", [False, True], ids=["stdio", "tcp"])
def test_malformed_framing_closes(tcp: bool) -> None:
    with LspClient(tcp=tcp) as client:
        client.initialize(BARE)
        client.barrier()
        client.expected_code = 1
        client.raw(b"Content-Length: nonsense\r\n\r\n" + frame(INITIALIZE))
        client.closed()
        assert client.exit_code() == 1
    assert len(client.frames) == 2  # initialize's answer and the barrier's: not a word to what came last


def test_bytes_may_come_one_by_one() -> None:
    with LspClient() as client:
        for byte in frame(INITIALIZE):
            client.raw(bytes([byte]))
        assert client.answer(1)["serverInfo"]["name"] == "copydesk"
        client._answered.clear()  # this id was ours, and the client counts from 1 too


def test_an_http_request_gets_no_word() -> None:
    body = json.dumps(INITIALIZE).encode()
    request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    with LspClient(tcp=True) as client:
        with socket.create_connection(client.address, timeout=DEADLINE) as browser:
            browser.sendall(request)
            assert received(browser) == b""
        client.initialize(BARE)


def test_exactly_one_connection() -> None:
    with LspClient(tcp=True) as client:
        client.initialize(BARE)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(client.address, timeout=DEADLINE)
        client.barrier()


# -- who is served -----------------------------------------------------------------------------------------------------


WITHOUT_THE_TOKEN: list[Any] = [
    None,
    {},
    {"copydesk": {"token": "x"}},
    {"copydesk": {"token": 7}},
    {"copydesk": {"token": "\ud800"}},
]


def test_clients_without_the_token_are_refused_and_the_right_one_served() -> None:
    with LspClient(tcp=True) as client:
        for options in WITHOUT_THE_TOKEN:
            message = {**INITIALIZE, "params": {**INITIALIZE["params"], "initializationOptions": options}}
            with socket.create_connection(client.address, timeout=DEADLINE) as other:
                other.sendall(frame(message))
                (body,) = jsonrpc.Frames().feed(received(other))
            answer = json.loads(body)
            assert (answer["id"], answer["error"]["code"]) == (1, -32602), options
            assert client.token is not None
            assert client.token not in body.decode(), options
        client.initialize(BARE)
        assert client.request("copydesk/status")
    assert sum(client.token in line for line in client.stderr) == 1, "printed once"


def test_silent_connections_keep_nobody_waiting() -> None:
    with LspClient(tcp=True) as client:
        idle = [socket.create_connection(client.address, timeout=DEADLINE) for _ in range(20)]
        assert received(idle[0]) == b"", "the oldest goes"
        idle.append(socket.create_connection(client.address, timeout=DEADLINE))
        idle[-1].sendall(
            frame(
                {
                    **INITIALIZE,
                    "params": {
                        **INITIALIZE["params"],
                        "initializationOptions": {"copydesk": {"token": client.token}},
                    },
                }
            )
        )
        (body,) = jsonrpc.Frames().feed(idle[-1].recv(65536))
        assert "result" in json.loads(body)
        client.expected_code = None
        client.process.terminate()
        client.exit_code()
        for one in idle:
            one.close()


def test_a_stranger_may_take_next_to_no_memory() -> None:
    """Until it has shown the token, that is; then its messages may be as long as anybody's."""
    size = transport.STRANGER + 1
    long = b"Content-Length: %d\r\n\r\n" % size + b"x" * size
    parts = SimpleQueue[bytes]()

    async def scenario() -> None:
        connection = Connection(parts.get, lambda _: None, lambda: None, stranger=True)
        async with asyncio.timeout(DEADLINE):
            parts.put(long)
            assert await connection.frame() is jsonrpc.TOO_LONG
            assert connection._out.limit == connection._waiting == transport.STRANGER
            connection.welcome()
            parts.put(long)
            assert len(await connection.frame() or b"") == size
            assert connection._out.limit == transport.HELD
            assert connection._waiting == transport.WAITING
            parts.put(b"")
            assert await connection.frame() is None
        await connection.close()

    asyncio.run(scenario())


UNIX = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")


@UNIX
def test_a_unix_socket_serves_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "s"
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk_server", "lsp", "--socket", str(path)],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=environment(),
        text=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline().endswith(f"listening on {path}\n")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        again = command("--socket", str(path))  # it looks whether the socket is stale, which harms nobody
        assert again.returncode == 2
        assert "another server" in again.stderr
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(DEADLINE)
            client.connect(str(path))
            client.sendall(frame(INITIALIZE))
            frames = jsonrpc.Frames()
            while not (bodies := list(frames.feed(client.recv(65536)))):
                pass
            assert "result" in json.loads(bodies[0])
            client.sendall(frame({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))
            client.sendall(frame({"jsonrpc": "2.0", "method": "exit"}))
            assert process.wait(DEADLINE) == 0
        assert not path.exists()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(DEADLINE)
        assert process.stderr is not None
        process.stderr.close()


@UNIX
def test_a_socket_left_behind_is_replaced_and_nothing_else_is(tmp_path: Path) -> None:
    path = tmp_path / "s"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    listener = listen_unix(path)
    listener.close()
    path.unlink()
    path.write_text("something of somebody's")
    with pytest.raises(TransportError, match="something else"):
        listen_unix(path)
    assert path.read_text() == "something of somebody's"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TransportError, match="something else"):
        listen_unix(path)
    with pytest.raises(TransportError, match="cannot listen in"):
        listen_unix(tmp_path / "none" / "s")


@UNIX
@pytest.mark.parametrize(
    ("mode", "served"), [(0o700, True), (0o755, True), (0o1777, True), (0o777, False), (0o770, False)]
)
def test_a_folder_in_which_others_write_is_refused(mode: int, served: bool, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    folder.chmod(mode)
    if served:
        listen_unix(folder / "s").close()
    else:
        with pytest.raises(TransportError, match="others may write"):
            listen_unix(folder / "s")
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", ["127.0.0.1:0", "127.9.8.7:1", "localhost:4389", "[::1]:80", "::1:80"])
def test_loopback_is_served(text: str) -> None:
    host, port = loopback_address(text)
    assert host in ("127.0.0.1", "127.9.8.7", "::1")
    assert port == int(text.rpartition(":")[2])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0.0.0.0:80", "loopback only"),
        ("[::]:80", "loopback only"),
        ("192.168.0.1:80", "loopback only"),
        ("example.org:80", "loopback only"),
        ("127.0.0.1.example.org:80", "loopback only"),
        ("127.1:80", "loopback only"),
        (":80", "HOST:PORT"),
        ("127.0.0.1", "HOST:PORT"),
        ("127.0.0.1:", "HOST:PORT"),
        ("127.0.0.1:99999", "HOST:PORT"),
        ("127.0.0.1:-1", "HOST:PORT"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(TransportError, match=reason):
        loopback_address(text)


def test_the_command_refuses_them_and_says_why() -> None:
    done = command("--tcp", "0.0.0.0:0")
    assert done.returncode == 2
    assert "loopback only" in done.stderr
    assert done.stdout == ""


def test_an_address_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = command("--tcp", f"127.0.0.1:{port}")
    assert done.returncode == 2
    assert f"127.0.0.1:{port}" in done.stderr


def test_nothing_but_the_protocol_is_on_stdout() -> None:
    """Whoever prints, in this process or a child, prints to standard error."""
    script = (
        "import asyncio, os, subprocess, sys\n"
        "from copydesk_server.lsp import transport\n"
        "private = transport.guard_standard_streams()\n"
        "print('printed', flush=True)\n"
        "os.write(1, b'written\\n')\n"
        "subprocess.run([sys.executable, '-c', 'print(input())'], check=False)\n"  # and no child eats a message
        "async def main():\n"
        "    connection = transport.over_descriptors(*private)\n"
        "    connection.send(await connection.frame())\n"
        "    await connection.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"Content-Length: 2\r\n\r\n{}",
        capture_output=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"{}"
    assert b"printed" in done.stderr
    assert b"written" in done.stderr
    assert b"EOFError" in done.stderr


def test_a_client_that_does_not_read_holds_nothing_up(tmp_path: Path) -> None:
    """Answers that nobody takes wait in the server; what the client sends is handled all the same, down to `exit`."""
    log = tmp_path / "log"
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk_server", "lsp", "--log-file", str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(frame(INITIALIZE))
    unknown = {"jsonrpc": "2.0", "method": "m" * 1000}
    process.stdin.write(b"".join(frame({**unknown, "id": ident}) for ident in range(2, 1002)))
    process.stdin.write(frame({"jsonrpc": "2.0", "id": 1002, "method": "shutdown"}))
    process.stdin.flush()
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(process.stdout.read()), daemon=True)  # type: ignore[union-attr]
    process.stdin.write(frame({"jsonrpc": "2.0", "method": "exit"}))
    process.stdin.flush()
    reader.start()
    assert process.wait(DEADLINE) == 0
    reader.join(DEADLINE)
    bodies = [jsonrpc.decode(body) for body in jsonrpc.Frames().feed(received[0])]
    assert [body["id"] for body in bodies] == list(range(1, 1003))
    process.stdin.close()
    process.stdout.close()


def test_a_client_that_does_not_read_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server holds so many bytes for it and no more, and goes on where it stopped."""
    monkeypatch.setattr(transport, "WAITING", 2000)
    monkeypatch.setattr(transport, "HELD", 5000)
    body, count = b"x" * 100, 1000
    reads = itertools.count()
    may_write = threading.Event()
    written: list[bytes] = []

    def read() -> bytes:
        return b"" if next(reads) >= count else b"Content-Length: 100\r\n\r\n" + body

    def write(data: bytes) -> None:
        may_write.wait(DEADLINE)
        written.append(data)

    async def scenario() -> None:
        connection = Connection(read, write, lambda: None)
        handled = 0

        async def serve() -> None:
            nonlocal handled
            while (taken := await connection.frame()) is not None:
                handled += 1
                connection.send(taken)

        serving = asyncio.create_task(serve())
        async with asyncio.timeout(DEADLINE):
            while not (connection._out._bytes > 5000 and connection._arrived > 2000):
                await asyncio.sleep(0)
            for _ in range(100):
                await asyncio.sleep(0)
            assert handled < 60
            assert connection._arrived < 2300
            assert next(reads) < 100
            may_write.set()
            await serving
        await connection.close()
        assert handled == len(written) == count - 1

    asyncio.run(scenario())


def test_what_a_later_message_makes_pointless_is_not_written() -> None:
    told: list[None] = []
    out = outgoing.Outgoing(lambda: told.append(None), limit=10)
    for frame_, key in [
        (b"a1", "a"),
        (b"x", None),
        (b"b1", "b"),
        (b"a2", "a"),
        (b"y" * 9, None),
        (b"a3", "a"),
    ]:
        out.put(frame_, key)
    assert out.full
    out.end()
    assert [out.get() for _ in range(5)] == [b"a3", b"x", b"b1", b"y" * 9, None]
    assert len(told) == 1
    assert not out.full
    out.put(b"a4", "a")
    assert out.get() == b"a4"


# -- helpers -----------------------------------------------------------------------------------------------------------


def received(connection: socket.socket) -> bytes:
    """Everything until the other side closes; a reset says the same."""
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    return data


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "copydesk_server", "lsp", *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **environment()},
        timeout=DEADLINE,
        check=False,
    )
