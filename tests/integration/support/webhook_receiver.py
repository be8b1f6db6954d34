# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks as a thread of the test: checks the rules of Standard Webhooks, and gives scripted answers."""
import base64
import hashlib
import hmac
import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .limits import Deadline

SECRET = "whsec_" + base64.b64encode(b"a secret of the tests, long enough").decode()
TOLERANCE_SECONDS = 300


@dataclass
class Message:
    id: str
    type: str
    data: dict
    timestamp: str
    path: str
    headers: dict
    body: bytes


def signature(secret: str, id: str, seconds: str, body: bytes) -> str:
    """By the standard, independent of the daemon's code."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, f"{id}.{seconds}.".encode() + body, hashlib.sha256).digest()).decode()


def problems(headers: dict, body: bytes, secrets) -> list:
    """Errors of a message; every secret has to have signed it."""
    wrong = [f"no {name}" for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if name not in headers]
    if wrong:
        return wrong
    seconds = headers["webhook-timestamp"]
    if abs(time.time() - int(seconds)) > TOLERANCE_SECONDS:
        wrong.append(f"the time {seconds} is not now")
    expected = [signature(secret, headers["webhook-id"], seconds, body) for secret in secrets]
    if headers["webhook-signature"].split(" ") != expected:
        wrong.append(f"signature {headers['webhook-signature']}, expected {expected}")
    if headers.get("content-type") != "application/json" or len(body) >= 20_000:
        wrong.append("no JSON, or too much of it")
    if set(json.loads(body)) != {"type", "timestamp", "data"}:
        wrong.append(f"members {sorted(json.loads(body))}")
    for name in ("cookie", "authorization"):
        if name in headers:
            wrong.append(f"{name} is sent")
    return wrong


class Receiver:
    """with Receiver() as receiver: ... receiver.url is what url has to be. The messages are in `messages`, also when it
    answers with a failure; `answers` is a list of what comes next (status, or (status, headers), or "hang"), then `always`."""

    def __init__(self, secrets=(SECRET,), port: int = 0):
        self.secrets = secrets
        self.messages, self.wrong, self.answers = [], [], []
        self.always = 204
        self.hanging = 0  # how many hang now
        self._told = threading.Condition()
        self._released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802
                receiver._take(self)

            do_GET = do_POST  # a redirect that is followed would come as one

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a daemon that is killed leaves connections behind

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def _take(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        headers = {k.lower(): v for k, v in handler.headers.items()}
        with self._told:
            self.wrong += problems(headers, body, self.secrets)
            said = json.loads(body) if body else {}
            self.messages.append(Message(headers.get("webhook-id", ""), said.get("type", ""), said.get("data", {}),
                                         said.get("timestamp", ""), handler.path, headers, body))
            answer = self.answers.pop(0) if self.answers else self.always
            self.hanging += answer == "hang"
            self._told.notify_all()
        if answer == "hang":
            self._released.wait()
            handler.close_connection = True
            return
        status, more = answer if isinstance(answer, tuple) else (answer, {})
        handler.send_response(status)
        for name, value in {"Content-Length": "0", **more}.items():
            handler.send_header(name, value)
        handler.end_headers()

    def wait(self, condition, seconds: float = 60, what: str = "a message") -> list:
        """Until `condition(messages)` holds; all messages so far."""
        deadline = Deadline(seconds)
        with self._told:
            while not condition(self.messages):
                if not self._told.wait(deadline.left()) and deadline.passed():
                    raise AssertionError(f"{what} did not come; so far: {[(m.type, m.data) for m in self.messages]}, {self.wrong}")
            return list(self.messages)

    def wait_for(self, count: int) -> list:
        return self.wait(lambda messages: len(messages) >= count, what=f"message {count}")

    def release(self):
        """Hanging requests end without an answer."""
        self._released.set()

    def stop(self):
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_):
        self.stop()
