# SPDX-License-Identifier: Apache-2.0
"""HTTP to the daemon: whether it is there, and one exchange at a time on connections that are kept."""
from __future__ import annotations

import http.client
import json
import logging
import os
import socket
import threading
import time
from typing import Any, Optional

from ._address import DEFAULT_URL, NO_ADDRESS, Address, address_of
from ._errors import of_a_handler

LOG = logging.getLogger("headway")
CONNECT_SECONDS = 1.0  # in which a daemon takes a connection, or is away
SILENCE_SECONDS = 15.0  # a daemon that holds a call sends a blank every 5 s
FIRST_PAUSE, PAUSE_MAX = 0.5, 15.0  # between tries while it is away
HUNG_PAUSE = 60.0  # after it took a connection and said nothing
RETRY_AFTER_MAX = 60.0
ANSWER_BYTES_MAX = 4 << 20
KEPT_MAX = 4  # idle connections


class Secret(str):
    """A text that shows itself nowhere, not even among the local variables of a traceback."""
    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'"


class Away(Exception):
    """No answer. `held`: the daemon had the call and was waiting for a decision."""

    def __init__(self, why: str, pause: Optional[float] = None, held: bool = False) -> None:
        super().__init__(why)
        self.pause = pause
        self.held = held
        self.connected = False


class Answer:
    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.body = body


class Abort:
    """Ends an exchange from another thread."""

    def __init__(self) -> None:
        self.fired = False
        self.connection: Optional[http.client.HTTPConnection] = None

    def fire(self) -> None:
        self.fired = True
        connection = self.connection
        sock = connection.sock if connection is not None else None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except (OSError, ValueError):
                pass


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def connection_to(to: Address, seconds: float) -> http.client.HTTPConnection:
    if to.scheme == "unix":
        return _Unix(to.path, seconds)
    if to.scheme == "https":
        import ssl
        trust = ssl.create_default_context(cafile=os.environ.get("HEADWAY_CA_FILE") or None)
        return http.client.HTTPSConnection(to.host, to.port, timeout=seconds, context=trust)
    return http.client.HTTPConnection(to.host, to.port, timeout=seconds)


def silence_seconds() -> float:
    try:
        return max(0.05, float(os.environ.get("HEADWAY_HOOK_SILENCE_MS", "")) / 1000)
    except ValueError:
        return SILENCE_SECONDS


def _token(given: Optional[str]) -> Optional[Secret]:
    token = (given or os.environ.get("HEADWAY_TOKEN") or "").strip()
    if token and not all("!" <= c <= "~" for c in token):
        LOG.warning("the token for Headway is not one line of visible characters, so none is shown")
        return None
    return Secret("Bearer " + token) if token else None


class Wire:
    """Thread-safe; all but `exchange` return at once."""

    def __init__(self, url: Optional[str], token: Optional[str]) -> None:
        self.url = url or os.environ.get("HEADWAY_URL") or DEFAULT_URL
        self.silence = silence_seconds()
        self._token = _token(token)
        self._lock = threading.RLock()
        self._kept: list[http.client.HTTPConnection] = []
        self._pause = FIRST_PAUSE
        self._away_until: Optional[float] = None  # of the monotonic clock; None while it is there, or unknown
        self.known = False  # it has answered, or has not, since the start or a fork
        self._refused = False  # its token, which is said once
        self._address: Optional[Address] = address_of(self.url)
        self.name = self._address.name if self._address is not None else "no URL"
        if self._address is None:
            LOG.warning(NO_ADDRESS)

    def forked(self) -> None:
        """In the child of a fork: connections and locks belong to the parent."""
        self._lock = threading.RLock()
        kept, self._kept = self._kept, []
        for connection in kept:
            if connection.sock is not None:
                os.close(connection.sock.detach())  # without a goodbye of TLS on the parent's connection

    # whether it is there

    def away(self) -> bool:
        return self._address is None or self._away_until is not None

    def may_try(self) -> float:
        """Seconds until a daemon that is away is tried again."""
        if self._address is None:
            return 3600.0
        until = self._away_until
        return 0.0 if until is None else max(0.0, until - time.monotonic())

    def gone(self, away: Away) -> None:
        with self._lock:
            pause = self._pause if away.pause is None else away.pause
            self._pause = min(self._pause * 2, PAUSE_MAX)
            self._away_until = time.monotonic() + pause
            self.known = True

    def back(self) -> None:
        with self._lock:
            self._away_until, self._pause, self.known = None, FIRST_PAUSE, True

    # one exchange

    def exchange(self, method: str, path: str, body: str, headers: dict[str, str], hold: bool, abort: Optional[Abort] = None) -> Answer:
        """Raises Away, and notes it. One stale connection costs one more try: what is sent has an id, so twice is once."""
        while True:
            connection, used = self._take()
            try:
                answer = self._say(connection, method, path, body, headers, hold, abort)
                if abort is not None and abort.fired:
                    raise Away("it was not waited for any more", 0.0)
                self._judge(answer)
                self.back()
                return answer
            except Away as away:
                self._drop(connection)
                if away.pause != 0.0:
                    self.gone(away)
                raise
            except BaseException as error:
                connected = connection.timeout != CONNECT_SECONDS  # as _say() has it then
                self._drop(connection)
                if abort is not None and abort.fired:
                    raise Away("it was not waited for any more", 0.0) from None
                stale = used and not of_a_handler(error) and isinstance(error, (http.client.RemoteDisconnected, ConnectionError))
                if stale:
                    continue
                if not isinstance(error, Exception) or of_a_handler(error):
                    raise  # KeyboardInterrupt and the like
                hung = isinstance(error, socket.timeout) and connected
                lost = Away(type(error).__name__, HUNG_PAUSE if hung else None)
                lost.connected = connected
                self.gone(lost)
                raise lost from None

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._kept:
                return self._kept.pop(), True
        to = self._address
        if to is None:
            raise Away("no URL")
        return connection_to(to, CONNECT_SECONDS), False

    def _drop(self, connection: http.client.HTTPConnection) -> None:
        try:
            connection.close()
        except Exception:
            pass

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._kept) < KEPT_MAX:
                self._kept.append(connection)
                return
        self._drop(connection)

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for connection in kept:
            self._drop(connection)

    def _say(self, connection: http.client.HTTPConnection, method: str, path: str, body: str, headers: dict[str, str],
             hold: bool, abort: Optional[Abort]) -> Answer:
        if abort is not None:
            abort.connection = connection
        if connection.sock is None:
            connection.connect()
            if connection.sock is not None and connection.sock.family != getattr(socket, "AF_UNIX", None):
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.timeout = self.silence
        if connection.sock is not None:
            connection.sock.settimeout(self.silence)
        if abort is not None and abort.fired:
            raise Away("it was not waited for any more", 0.0)
        base = self._address.base if self._address is not None else ""
        whole = {"Content-Type": "application/json", **headers}
        if self._token is not None:
            whole["Authorization"] = self._token
        connection.request(method, base + path, body.encode("ascii") if body else None, whole)
        response = connection.getresponse()
        said = self._read(response, hold)
        response.close()
        if response.will_close:
            self._drop(connection)
        else:
            self._keep(connection)
        return self._understood(response, said, hold)

    def _read(self, response: http.client.HTTPResponse, hold: bool) -> bytes:
        """A call may be held as long as bytes come; anything else is answered soon or not at all."""
        begin, said, size = time.monotonic(), [], 0
        try:
            while True:
                part = response.read1(1 << 16)
                if not part:
                    break
                said.append(part)
                size += len(part)
                if size > ANSWER_BYTES_MAX:
                    raise Away("an answer without end", HUNG_PAUSE)
                if not hold and time.monotonic() - begin > self.silence:
                    raise Away("an answer that takes too long", HUNG_PAUSE)
        except (OSError, http.client.HTTPException) as error:
            if of_a_handler(error):
                raise
            own = response.status == 200 and response.getheader("X-Headway") is not None
            held = hold and own and not b"".join(said).strip()
            hung = isinstance(error, socket.timeout)
            lost = Away(type(error).__name__, HUNG_PAUSE if hung else None, held)
            lost.connected = True
            raise lost from None
        return b"".join(said)

    @staticmethod
    def _understood(response: http.client.HTTPResponse, said: bytes, hold: bool) -> Answer:
        if (200 <= response.status < 300 or response.status in (403, 404, 405)) and response.getheader("X-Headway") is None:
            raise Away("another program listens there, not Headway", HUNG_PAUSE)
        try:
            body = json.loads(said) if said.strip() else None
        except (ValueError, RecursionError):
            body = None
        if response.status == 200 and not isinstance(body, dict):
            blanks = bool(said) and not said.strip()  # of a hold that what stands between has ended
            raise Away("the answer is no JSON object", HUNG_PAUSE, hold and blanks)
        answer = Answer(response.status, body if isinstance(body, dict) else {})
        after = response.getheader("Retry-After", "")
        answer.body.setdefault("retry_after", int(after) if after.isdecimal() and len(after) < 6 else None)
        return answer

    def _judge(self, answer: Answer) -> None:
        if answer.status == 401:  # 403 is about one session: the token is one, but not for that
            if not self._refused:
                self._refused = True
                LOG.warning("the daemon at %s refuses the token (401), so nothing is supervised", self.name)
            raise Away("the token is refused", HUNG_PAUSE)
        if answer.status == 429 or answer.status >= 500:
            after = answer.body.get("retry_after")
            raise Away(f"status {answer.status}", min(float(after), RETRY_AFTER_MAX) if after else None)
