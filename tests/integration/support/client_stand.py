# SPDX-License-Identifier: Apache-2.0
"""For the tests of clients: a server in the place of the daemon, whose answers a test chooses."""
import http.server
import json
import threading

from .limits import patient


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _any(self):
        size = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(size)
        body = json.loads(raw) if raw else {}
        stand = self.server.stand
        with stand.lock:
            stand.got.append((self.command, self.path, dict(self.headers), body))
        answer = stand.answer(self.command, self.path, body)
        try:
            self._give(answer)
        except OSError:
            self.close_connection = True

    do_POST = do_PUT = do_GET = _any

    def _give(self, answer):
        if answer is None:  # it hangs
            self.server.stand.hang.wait(patient(60))
            self.close_connection = True
            return
        if answer == "reset":
            self.close_connection = True
            return
        status, headers = 200, {}
        if isinstance(answer, tuple):
            status, headers, answer = answer
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, value in {"X-Headway": "1", **headers}.items():
            if value is not None:
                self.send_header(name, value)
        if isinstance(answer, list):  # parts of a chunked body, and pauses between them; None breaks it off
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in answer:
                if part is None:
                    self.close_connection = True
                    return
                if isinstance(part, float):
                    self.wfile.flush()
                    self.server.stand.hang.wait(part)
                else:
                    self.wfile.write(f"{len(part):x}\r\n{part}\r\n".encode())
            self.wfile.write(b"0\r\n\r\n")
            return
        data = json.dumps(answer).encode()
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Stand:
    """`answer(method, path, body)` gives a JSON object, (status, headers, object), a list of parts, "reset" or None for silence. A header
    that is None is not sent."""

    def __init__(self, answer=lambda method, path, body: {}):
        self.answer, self.got, self.lock, self.hang = answer, [], threading.Lock(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.daemon_threads, self.server.stand = True, self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.hang.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def bodies(self) -> list:
        with self.lock:
            return [body for _, path, _, body in self.got if path.endswith("/v1/hooks/generic")]

    def events(self) -> list:
        return [body["event"] for body in self.bodies()]
