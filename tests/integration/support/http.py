# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 clients: one for tests of the API, one that sends any bytes."""
import http.client
import json
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass

from .limits import Deadline, patient


@dataclass
class Reply:
    status: int
    headers: dict  # names in lower case; of repeated ones the last
    body: bytes

    def json(self):
        return json.loads(self.body)

    @property
    def keeps_open(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


class Client:
    """One keep-alive connection; a new one is made when the server closed the last.

    It belongs to the thread of its first request: two threads on one connection fail only when they overlap, which a
    slow machine sees first, so a second thread is refused at once.
    """

    def __init__(self, port: int, timeout: float = 60, token: str | None = None, source: str | None = None, now=time.monotonic):
        self.port = port
        self.token = token
        self._now = now
        address = None if source is None else (source, 0)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patient(timeout), source_address=address)
        self._used = self._now()
        self._thread = None

    def request(self, method: str, path: str, body=None, headers: dict | None = None) -> Reply:
        """`body` may be bytes, sent as they are, or anything that JSON can say."""
        self._thread = self._thread or threading.current_thread()
        if self._thread is not threading.current_thread():
            raise RuntimeError(f"a client of {self._thread.name} is used by {threading.current_thread().name}: give each its own")
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, bytearray)):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        if self._now() - self._used > 60:  # the server is about to close what has rested for so long
            self._connection.close()
        self._used = self._now()
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            content = answer.read()
        except Exception:
            self._connection.close()
            raise
        return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, content)

    def get(self, path: str, **headers) -> Reply:
        return self.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path: str, body=None, headers: dict | None = None) -> Reply:
        return self.request("POST", path, body, headers)

    def put(self, path: str, body=None) -> Reply:
        return self.request("PUT", path, body)

    def delete(self, path: str) -> Reply:
        return self.request("DELETE", path)

    def close(self):
        self._connection.close()

    # what most tests say

    def open(self, session: str, **about) -> dict:
        return self._expect((200, 201), self.put(f"/v1/sessions/{session}", about or None))

    def report(self, session: str, kind: str, event_id: str | None = None, attempt: int | None = None, **data) -> dict:
        event = {"type": kind, "data": data}
        if event_id is not None:
            event["event_id"] = event_id
        if attempt is not None:
            event["attempt"] = attempt
        return self._expect((200,), self.post(f"/v1/sessions/{session}/events", event))

    def beat(self, session: str, **data) -> dict:
        return self._expect((200,), self.post(f"/v1/sessions/{session}/heartbeat", data or None))

    def end(self, session: str, outcome: str = "completed", **more) -> dict:
        return self._expect((200,), self.post(f"/v1/sessions/{session}/end", {"outcome": outcome, **more}))

    def session(self, session: str) -> dict:
        return self._expect((200,), self.get(f"/v1/sessions/{session}"))

    def wait(self, session: str, **query) -> dict:
        parameters = "&".join(f"{k}={v}" for k, v in query.items())
        return self._expect((200,), self.get(f"/v1/sessions/{session}/wait?{parameters}"))

    def journal(self, session: str, page: int = 1000) -> list:
        """All events of a session."""
        events, after = [], 0
        while True:
            reply = self._expect((200,), self.get(f"/v1/sessions/{session}/events?after={after}&limit={page}"))
            events += reply["events"]
            if not reply["more"]:
                return events
            after = reply["events"][-1]["n"]

    @staticmethod
    def _expect(statuses, reply: Reply) -> dict:
        if reply.status not in statuses:
            raise AssertionError(f"status {reply.status}, not {statuses}: {reply.body[:2000]!r}")
        return reply.json()


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=patient(20))
        self.socket_path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(patient(20))
        self.sock.connect(self.socket_path)


def over_socket(path, **options) -> Client:
    client = Client(0, **options)
    client._connection = SocketConnection(path)
    return client


class RawConnection:
    """A socket that speaks no HTTP of its own, and reads replies strictly."""

    def __init__(self, port: int, timeout: float = 40, receive_buffer: int | None = None, source: str | None = None):
        self.socket = socket.socket()
        if source is not None:
            self.socket.bind((source, 0))
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(patient(timeout))
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = port
        self.buffer = b""

    def readable(self) -> bool:
        """Something has arrived, or the server has closed it."""
        return bool(self.buffer) or bool(select.select([self.socket], [], [], 0)[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """RST instead of FIN, whatever was read or not."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def send_some(self, data: bytes):
        """For requests that the server may refuse before it has all of them."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def request(self, method: str, path: str, body: bytes = b"", headers: str = "") -> Reply:
        self.send(self.format(method, path, body, headers))
        return self.reply(head=method == "HEAD")

    def format(self, method: str, path: str, body: bytes = b"", headers: str = "") -> bytes:
        """`headers` are whole lines; Host, and what a body needs, are added when they are missing."""
        lines = f"{method} {path} HTTP/1.1\r\n"
        if "host:" not in headers.lower():
            lines += f"Host: 127.0.0.1:{self.port}\r\n"
        if body and "content-length:" not in headers.lower():
            lines += f"Content-Length: {len(body)}\r\n"
        if body and "content-type:" not in headers.lower():
            lines += "Content-Type: application/json\r\n"
        return (lines + headers + "\r\n").encode("latin-1") + body

    def reply(self, head: bool = False) -> Reply:
        """The next reply; EOFError when the server closed instead."""
        status, headers = self._head()
        length = 0 if head or status in (100, 204, 304) else int(headers["content-length"])
        return Reply(status, headers, self.read(length))

    def stream_reply(self) -> Reply:
        """The next reply, which is a stream: up to its first event."""
        status, headers = self._head()
        return Reply(status, headers, self.read_until(b"\n\n"))

    def _head(self) -> tuple:
        """(status, headers) of the next reply."""
        text = self.read_until(b"\r\n\r\n")
        status_line, *lines = text.decode("latin-1").split("\r\n")[:-2]
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        if not status_line.startswith("HTTP/1.1 "):
            raise AssertionError(f"not a status line: {status_line!r}")
        return int(status_line.split(" ")[1]), headers

    def read_until(self, end: bytes) -> bytes:
        while end not in self.buffer:
            self._receive()
        cut = self.buffer.index(end) + len(end)
        text, self.buffer = self.buffer[:cut], self.buffer[cut:]
        return text

    def read(self, count: int) -> bytes:
        while len(self.buffer) < count:
            self._receive()
        text, self.buffer = self.buffer[:count], self.buffer[count:]
        return text

    def closed_by_server(self, seconds: float = 10) -> bool:
        """Waits for the server's end of stream; False when it sends more or stays."""
        deadline = Deadline(seconds)
        if self.buffer:
            return False
        self.socket.settimeout(deadline.left())
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def _receive(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError(f"the server closed; unread: {self.buffer[:500]!r}")
        self.buffer += piece
