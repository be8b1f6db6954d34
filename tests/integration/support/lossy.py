# SPDX-License-Identifier: Apache-2.0
"""Ways to the daemon that lose some requests, and some answers to requests that arrived, or that refuse hooks for a while."""
import random
import select
import socket
import threading


class Lossy:
    """`lost` tells how many of each; with `rate` 0 nothing is lost any more."""

    def __init__(self, port: int, rate: float, seed: int):
        self.port, self.rate, self.random = port, rate, random.Random(seed)
        self.lost = {"requests": 0, "answers": 0}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    @staticmethod
    def _message(sock: socket.socket, before: bytes = b"") -> bytes:
        """One whole request or reply with a Content-Length, or chunked."""
        data = before
        while b"\r\n\r\n" not in data:
            part = sock.recv(65536)
            if not part:
                return b""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        size = next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")), 0)
        chunked = any(line.startswith(b"transfer-encoding:") for line in lines)
        while (not body.endswith(b"0\r\n\r\n")) if chunked else len(body) < size:
            part = sock.recv(65536)
            if not part:
                return b""
            body += part
        return head + b"\r\n\r\n" + body

    def _exchange(self, daemon: socket.socket, request: bytes) -> bytes:
        own = self.listener.getsockname()[1]
        daemon.sendall(request.replace(f"127.0.0.1:{own}".encode(), f"127.0.0.1:{self.port}".encode(), 1))
        return self._message(daemon)

    def _serve(self, client: socket.socket):
        with client:
            try:
                while True:
                    request = self._message(client)
                    if not request:
                        return
                    fate = self.random.random()
                    if fate < self.rate / 2:
                        self.lost["requests"] += 1
                        return
                    with socket.create_connection(("127.0.0.1", self.port)) as daemon:
                        answer = self._exchange(daemon, request)
                    if fate < self.rate:
                        self.lost["answers"] += 1
                        return
                    client.sendall(answer)
            except OSError:
                return

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Slow(Lossy):
    """Keeps back the one request, or the reply to it, that `fits(request, reply)` next; the reply is empty before it has come."""

    def __init__(self, port: int):
        self.lock = threading.Lock()
        super().__init__(port, 0, 0)
        self.keep(None)

    def keep(self, fits):
        with self.lock:
            self.fits, self.kept, self.goes = fits, threading.Event(), threading.Event()

    def _keep(self, request: bytes, reply: bytes):
        with self.lock:
            if self.fits is None or not self.fits(request, reply):
                return
            self.fits, kept, goes = None, self.kept, self.goes
        kept.set()
        goes.wait()

    def _exchange(self, daemon: socket.socket, request: bytes) -> bytes:
        self._keep(request, b"")
        reply = super()._exchange(daemon, request)
        self._keep(request, reply)
        return reply

    def close(self):
        self.goes.set()
        super().close()


class Busy(Lossy):
    """To hooks with these bytes it replies as a daemon that has too much to do, until `free` is set."""

    def __init__(self, port: int, hooks: bytes = b""):
        self.hooks, self.free, self.refused = hooks, threading.Event(), 0
        super().__init__(port, 0, 0)

    def _serve(self, client: socket.socket):
        own = self.listener.getsockname()[1]
        try:
            with client, socket.create_connection(("127.0.0.1", self.port)) as daemon:
                while True:
                    ready, _, _ = select.select([client, daemon], [], [])
                    if daemon in ready:
                        part = daemon.recv(65536)
                        if not part:
                            return
                        client.sendall(part)
                    if client in ready:
                        request = self._message(client)
                        if not request:
                            return
                        if request.startswith(b"POST /v1/hooks/") and self.hooks in request and not self.free.is_set():
                            self.refused += 1
                            client.sendall(b"HTTP/1.1 503 Busy\r\nX-Headway: 1\r\nContent-Length: 2\r\n\r\n{}")
                        else:
                            daemon.sendall(request.replace(f"127.0.0.1:{own}".encode(), f"127.0.0.1:{self.port}".encode(), 1))
        except OSError:
            return
