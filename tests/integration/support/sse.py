# SPDX-License-Identifier: Apache-2.0
"""A client for Server-Sent Events that keeps what it read, line endings and all."""
import json
from dataclasses import dataclass

from .http import RawConnection
from .limits import Deadline


@dataclass
class Event:
    name: str
    id: int | None
    data: object

    @property
    def is_journal(self) -> bool:
        return self.id is not None and self.name != "progress"


class EventStream:
    """Reads events one by one. Remembers the last id, for resume()."""

    def __init__(self, port: int, path: str, last_event_id=None, receive_buffer: int | None = None, timeout: float = 40,
                 token: str | None = None, more: dict | None = None):
        self.port, self.path = port, path
        self.last_id = None
        self.retry = None
        self._connection = RawConnection(port, timeout, receive_buffer)
        headers = "Accept: text/event-stream\r\n"
        if token is not None:
            headers += f"Authorization: Bearer {token}\r\n"
        for name, value in (more or {}).items():
            headers += f"{name}: {value}\r\n"
        if last_event_id is not None:
            headers += f"Last-Event-ID: {last_event_id}\r\n"
        try:
            self._connection.send(self._connection.format("GET", path, headers=headers))
            head = self._connection.read_until(b"\r\n\r\n").decode()
        except (OSError, EOFError):
            self._connection.close()
            raise
        self.status = int(head.split(" ")[1])
        self.head = head.lower()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._connection.close()

    def reset(self):
        self._connection.reset()

    def next(self, seconds: float = 15) -> Event:
        """The next event without comments. EOFError when the server closed, TimeoutError when nothing came."""
        deadline = Deadline(seconds)
        while True:
            self._connection.socket.settimeout(deadline.left())
            event = self._parse(self._connection.read_until(b"\n\n").decode())
            if event is not None:
                return event

    def until(self, wanted, seconds: float = 15) -> list:
        """Events up to and including the first for which wanted(event)."""
        events, deadline = [], Deadline(seconds)
        while True:
            events.append(self.next(deadline.left()))
            if wanted(events[-1]):
                return events

    def rest(self, seconds: float = 15) -> list:
        """Events until the server closes."""
        events, deadline = [], Deadline(seconds)
        try:
            while True:
                events.append(self.next(deadline.left()))
        except (EOFError, ConnectionResetError):
            return events

    def _parse(self, block: str) -> Event | None:
        name, identity, data = "message", None, None
        for line in block.split("\n"):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "id":
                identity = int(value)
            elif field == "data":
                data = value if data is None else data + "\n" + value
            elif field == "retry":
                self.retry = int(value)
        if data is None:
            return None
        if identity is not None:
            self.last_id = identity
        return Event(name, identity, json.loads(data))
