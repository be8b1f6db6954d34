#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that reset, half close, stall and vanish at any point, beside honest ones who must not notice.

HEADWAY_LONG=1 takes a minute instead of seconds, and resets the last follower of a session 5,000 times instead of 120
(HEADWAY_RESETS says how many). HEADWAY_SEED repeats a run.
"""
import gzip
import json
import os
import random
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.http import RawConnection
from support.limits import LONG, SEED, SLOW, Deadline, eventually
from support.sse import EventStream
from support.tls import make_certificate

SECONDS = 60 if LONG else 2
RESETS = int(os.environ.get("HEADWAY_RESETS", "5000" if LONG else "120"))
LINGER_NONE = struct.pack("ii", 1, 0)


def reset(sock: socket.socket):
    """RST instead of FIN, whatever was read or not."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
    sock.close()


def say(text: str):
    if LONG:
        print(text, file=sys.stderr, flush=True)


class Honest(threading.Thread):
    """Posts to a session and follows it at once: every post must be there, once and in order."""

    def __init__(self, daemon, name: str, path: str):
        super().__init__(daemon=True)
        self.daemon_, self.session, self.path = daemon, name, path
        self.enough = threading.Event()
        self.problem, self.posted, self.seen, self.busy = None, 0, [], 0

    def run(self):
        try:
            client = self.daemon_.client()
            client.open(self.session)
            with EventStream(self.daemon_.port, self.path, timeout=60) as stream:
                stream.next()  # hello
                while not self.enough.is_set():
                    self.post(client)
                    self.posted += 1
                    while len(self.seen) < self.posted:
                        self.take(stream)
            client.close()
        except Exception as error:  # the test says so
            self.problem = f"{type(error).__name__}: {error}"

    def post(self, client):
        """Sends it again where the daemon replies that it is overloaded and has stored nothing: no report is lost."""
        event = {"type": "message", "data": {"text": f"{self.posted}"}}
        while (reply := client.post(f"/v1/sessions/{self.session}/events", event)).status == 503:
            if reply.json()["code"] != "overloaded" or self.busy > 10_000:
                break
            self.busy += 1
            time.sleep(0.01)
        if reply.status != 200:
            raise AssertionError(f"an honest report is answered {reply.status}: {reply.body!r}")

    def take(self, stream):
        event = stream.next(60)
        if event.name == "lagged" or event.name == "reset":
            raise AssertionError(f"an honest follower gets {event.name}")
        if event.name == "message" and event.data["session"] == self.session:
            self.seen.append(int(event.data["data"]["text"]))

    def stop(self, case):
        self.enough.set()
        self.join(timeout=120)
        case.assertFalse(self.is_alive(), "an honest client hangs")
        case.assertIsNone(self.problem)
        case.assertEqual(self.seen, list(range(self.posted)))
        client = self.daemon_.client()
        journal = client.journal(self.session)
        client.close()
        texts = [e["data"]["text"] for e in journal if e["type"] == "message"]
        case.assertEqual(texts, [str(i) for i in range(self.posted)])


class Hostile(threading.Thread):
    """Begins things that a client does, and leaves in the middle."""

    def __init__(self, daemon, seed: int, tls: ssl.SSLContext | None):
        super().__init__(daemon=True)
        self.daemon_, self.random, self.tls = daemon, random.Random(seed), tls
        self.enough = threading.Event()
        self.done = 0
        self.problem = None
        self.stalled = []

    def run(self):
        try:
            while not self.enough.is_set():
                self.once()
                self.done += 1
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"
        for sock in self.stalled:
            sock.close()

    def once(self):
        data = self.request()
        sock = socket.create_connection(("127.0.0.1", self.daemon_.port), timeout=5)
        try:
            if self.tls is not None:
                sock = self.handshake(sock)
            # Some send all of it and do not stay for the answer, most a part.
            cut = len(data) if self.random.random() < 0.4 else self.random.randrange(len(data) + 1)
            while cut > 0:
                size = min(cut, self.random.choice((1, 7, 100, 5000, 100_000)))
                sock.sendall(data[:size])
                data, cut = data[size:], cut - size
            if self.random.random() < 0.3:
                sock.settimeout(0.05)
                sock.recv(self.random.choice((1, 100, 10_000)))
        except OSError:
            pass  # the daemon may have had enough of it
        self.leave(sock)

    def handshake(self, sock):
        """Some leave in the middle of it."""
        if self.random.random() < 0.2:
            sock.sendall(b"\x16\x03\x01" + self.random.randbytes(self.random.randrange(1, 300)))
            return sock
        return self.tls.wrap_socket(sock, server_hostname="localhost")

    def leave(self, sock):
        how = self.random.randrange(5)
        try:
            if how == 0:
                sock.close()
            elif how == 1:
                sock.shutdown(socket.SHUT_WR)
                sock.settimeout(0.02)
                while sock.recv(65536):
                    pass
                sock.close()
            elif how == 2 and len(self.stalled) < 20:
                self.stalled.append(sock)  # neither reads nor leaves, for a while
                if len(self.stalled) == 20:
                    reset(self.stalled.pop(self.random.randrange(20)))
            else:
                reset(sock)
        except OSError:
            sock.close()

    def request(self) -> bytes:
        session = f"hostile-{self.random.randrange(5)}"
        watched = self.random.choice((session, "honest-0", "honest-1"))
        text = "x" * self.random.choice((1, 1000, 100_000))
        body = json.dumps({"type": "message", "data": {"text": text}}).encode()
        kinds = (
            lambda: self.post(session, body, f"Content-Length: {len(body)}\r\n", body),
            lambda: self.post(session, body, "Transfer-Encoding: chunked\r\n", self.chunks(body)),
            lambda: self.packed(session, body),
            lambda: self.get(f"/v1/sessions/{watched}/stream"),
            lambda: self.get("/v1/stream"),
            lambda: self.get(f"/progress/{watched}/stream"),
            lambda: self.get(f"/v1/sessions/{watched}/wait?until=ended&wait=10m"),
            lambda: self.get(f"/v1/sessions/{watched}/events?limit=1000") * self.random.randrange(1, 20),
            lambda: self.get("/login?code=" + "a" * 43),
            lambda: self.get("/v1/sessions?q=x") + self.get("/metrics"),
            lambda: self.random.randbytes(self.random.randrange(1, 2000)),
        )
        return self.random.choice(kinds)()

    def head(self) -> str:
        return f"Host: 127.0.0.1:{self.daemon_.port}\r\n"

    def get(self, path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\n{self.head()}\r\n".encode()

    def post(self, session: str, body: bytes, framing: str, wire: bytes) -> bytes:
        return (f"POST /v1/sessions/{session}/events HTTP/1.1\r\n{self.head()}Content-Type: application/json\r\n{framing}\r\n"
                .encode() + wire)

    def packed(self, session: str, body: bytes) -> bytes:
        small = gzip.compress(body)
        return self.post(session, body, f"Content-Encoding: gzip\r\nContent-Length: {len(small)}\r\n", small)

    def chunks(self, body: bytes) -> bytes:
        wire = b""
        while body:
            piece, body = body[:(size := self.random.choice((1000, 9000, 70_000)))], body[size:]
            wire += f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
        return wire + b"0\r\n\r\n"


class HostileCase(OwnDaemonCase):
    def connections(self, daemon) -> int:
        """Besides the one that asks; by way of the Unix socket, which speaks no TLS."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(daemon.state_dir / "headway.sock"))
            sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            text = b""
            while piece := sock.recv(65536):
                text += piece
        line = next(x for x in text.decode().splitlines() if x.startswith("headway_http_connections "))
        return int(float(line.split()[1])) - 1

    def run_beside(self, daemon, hostile: list, seconds: float):
        for thread in hostile:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and daemon.running():
            time.sleep(0.05)
        for thread in hostile:
            thread.enough.set()
        for thread in hostile:
            thread.join(timeout=60)
            self.assertIsNone(thread.problem, f"HEADWAY_SEED={SEED}")
        self.assertTrue(daemon.running(), f"the daemon died; HEADWAY_SEED={SEED}\n{daemon.log()[-3000:]}")
        say(f"{sum(t.done for t in hostile)} hostile connections, HEADWAY_SEED={SEED}")

    def check_back_to(self, daemon, connections: int, descriptors: int):
        eventually(lambda: self.connections(daemon) <= connections, 60, "the end of the connections")
        eventually(lambda: daemon.descriptors() <= descriptors, 60, "the end of their descriptors")


class Hostiles(HostileCase):
    def test_clients_that_leave_in_the_middle_do_no_harm(self):
        daemon = self.start({"server.header_timeout": "1s", "server.body_timeout": "2s", "server.write_timeout": "2s"})
        connections, descriptors = self.connections(daemon), daemon.descriptors()
        honest = [Honest(daemon, f"honest-{i}", path) for i, path in enumerate(
            ("/v1/sessions/honest-0/stream", "/v1/stream", "/v1/sessions/honest-2/stream"))]
        for thread in honest:
            thread.start()
        # Once round, so that what the heap keeps for later is there; from then on it must not grow.
        self.run_beside(daemon, [Hostile(daemon, SEED + i, None) for i in range(6)], SECONDS / 3)
        before = daemon.resident_bytes()
        self.run_beside(daemon, [Hostile(daemon, SEED + 10 + i, None) for i in range(6)], SECONDS)
        for thread in honest:
            thread.stop(self)
        say(f"honest: {sum(t.posted for t in honest)} reports, {sum(t.busy for t in honest)} sent again")
        self.check_back_to(daemon, connections, descriptors)
        grown = daemon.resident_bytes() - before
        say(f"resident: {before >> 20} MiB, then {grown / 2**20:+.1f} MiB")
        if SLOW == 1:
            self.assertLess(grown, 64 << 20, f"HEADWAY_SEED={SEED}")
        self.assertEqual(daemon.stop(), 0)

    def test_the_same_with_tls(self):
        daemon, tls = self.start_with_tls()
        connections, descriptors = self.connections(daemon), daemon.descriptors()
        self.run_beside(daemon, [Hostile(daemon, SEED + i, tls) for i in range(6)], SECONDS / 2)
        self.check_back_to(daemon, connections, descriptors)
        self.assertEqual(daemon.stop(), 0)

    def start_with_tls(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = make_certificate(folder, "localhost")
        daemon = self.start({"server.tls_cert": certificate, "server.tls_key": key,
                             "server.header_timeout": "1s", "server.body_timeout": "2s", "server.write_timeout": "2s"})
        return daemon, ssl.create_default_context(cafile=str(certificate))


class Followers(HostileCase):
    PATHS = ("/v1/sessions/{}/stream", "/progress/{}/stream", "/v1/stream")

    def test_the_last_follower_may_reset_while_its_event_is_published(self):
        """Each round: the only follower of a session, an event, and its reset at the same moment."""
        daemon = self.start()
        connections, descriptors = self.connections(daemon), daemon.descriptors()
        honest = [Honest(daemon, "beside-0", "/v1/sessions/beside-0/stream"), Honest(daemon, "beside-1", "/v1/stream")]
        for thread in honest:
            thread.start()
        rest, deadline = RESETS, Deadline(RESETS / 20 + 60)
        while rest > 0 and daemon.running() and not deadline.passed():
            rest -= self.resets(daemon, min(rest, 500))
        self.assertTrue(daemon.running(), daemon.log()[-3000:])
        self.assertEqual(rest, 0, "too slow")
        for thread in honest:
            thread.stop(self)
        self.check_back_to(daemon, connections, descriptors)
        self.assertEqual(daemon.stop(), 0)

    def resets(self, daemon, count: int) -> int:
        with RawConnection(daemon.port) as poster:
            for i in range(count):
                session = f"lonely-{i % 7}"
                path = self.PATHS[i % 3].format(session)
                poster.request("PUT", f"/v1/sessions/{session}")
                follower = EventStream(daemon.port, path, receive_buffer=4096)
                follower.next()  # hello: from here on it is live
                # In the order of the two system calls lies what is tested; both are wanted.
                event = poster.format("POST", f"/v1/sessions/{session}/events", b'{"type":"message","data":{"text":"x"}}')
                if i % 2:
                    poster.send(event)
                    follower.reset()
                else:
                    follower.reset()
                    poster.send(event)
                self.assertEqual(poster.reply().status, 200)
        return count


if __name__ == "__main__":
    unittest.main()
