# SPDX-License-Identifier: Apache-2.0
"""Another program on the port where the daemon was: it replies to every request with one status and body, without `X-Headway`,
and closes each connection, so that none outlives it."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class OtherProgram:
    def __init__(self, status: int, body: bytes = b"{}", port: int = 0):
        self.asked = asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                asked.append(f"{self.command} {self.path}")
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_PUT = do_GET  # noqa: N815

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
