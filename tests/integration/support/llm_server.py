#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for an OpenAI-compatible model server, in a process of its own: POST /v1/chat/completions, scripted by the
name of the model ("MODE" or "MODE:ARGUMENT") or by the script that was set last.

    python3 -I llm_server.py [--tls] [--port N]     (-I: http.py beside it would hide the library of that name)

Prints the port, with --tls then the file of its self-signed certificate; ends when its standard input does. Modes:

    ok:TEXT          streams TEXT token by token, usage, [DONE]      plain:TEXT     one JSON object, whatever was asked
    slow:SECONDS     a token each 50 ms for so long, then the end    sleep:SECONDS  answers after a silence
    silent           a header, then nothing                          mute           not even a header
    close            hangs up in the middle of the stream            nodone:TEXT    ends well, but without [DONE]
    linger:TEXT      the connection stays open after [DONE]          rubbish        HTML with status 200
    huge             10 MB of tokens                                 midway         an error object inside the stream
    401 403 404 ...  that status, with an error object               echo           401 that repeats the Authorization
    429:N            429 with Retry-After N once, then ok            500x:N         500 N times, then ok
    429date:N        the same as a date                              302            to somewhere else
    prose            the answer inside prose and a code fence        badjson        text that is cut in its JSON
    letter           a letter that does not exist                    evidence       events that do not exist
    obey             the letter that the user message orders: "answer X"; else A

Besides: GET /requests the requests so far [{path, headers, body}], DELETE /requests forgets them and the counters, PUT /script
{"mode": "..."} is obeyed instead of the model's name ("" ends it), GET /v1/models, GET /busy the most requests at once.
"""
import argparse
import email.utils
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWER = '{"answer": "A", "reason": "files change", "evidence": [2], "confidence": 0.9}'
REQUESTS_KEPT = 10_000
FIRST_BAD_EVIDENCE = 999_999_999
STOPPED = threading.Event()  # waited on instead of sleeping


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.script = ""
        self.forget()
        self.busy = 0

    def forget(self):
        self.requests, self.counts, self.busy_max = [], {}, 0

    def nth(self, mode: str) -> int:
        """How often a mode was asked for, this time included."""
        with self.lock:
            self.counts[mode] = self.counts.get(mode, 0) + 1
            return self.counts[mode]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: State

    def log_message(self, *_):
        pass

    # replies

    def send_json(self, status: int, value, headers: dict | None = None):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_error_object(self, status: int, message: str, **headers):
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        self.send_json(status, {"error": {"message": message, "type": "stand_in", "code": status}}, names)

    def open_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()

    def raw(self, text: str):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, value):
        self.raw(f"data: {json.dumps(value)}\n\n")

    def token(self, text: str):
        delta = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        self.event({"object": "chat.completion.chunk", "model": "stand-in-1", "choices": [delta]})

    def end_stream(self, usage: bool = True, done: bool = True, end: bool = True):
        self.event({"model": "stand-in-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if usage:
            self.event({"model": "stand-in-1", "choices": [],
                        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}})
        if done:
            self.raw("data: [DONE]\n\n")
        if end:
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

    def stream(self, text: str, **how):
        self.open_stream()
        for word in re.findall(r"\s*\S+\s*", text):
            self.token(word)
        self.end_stream(**how)

    # modes

    def mode_ok(self, argument, _):
        self.stream(argument or ANSWER)

    def mode_drip(self, *_):
        """Keeps the connection alive, and never answers."""
        self.open_stream()
        while True:
            self.raw(": waiting\n\n")
            time.sleep(0.05)

    def mode_plain(self, argument, _):
        message = {"role": "assistant", "content": argument or ANSWER}
        self.send_json(200, {"object": "chat.completion", "model": "stand-in-1",
                             "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                             "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}})

    def mode_slow(self, argument, _):
        self.open_stream()
        end = time.monotonic() + float(argument or 60)
        while time.monotonic() < end and not STOPPED.wait(0.05):
            self.token("so ")
        self.token(ANSWER)
        self.end_stream()

    def mode_sleep(self, argument, _):
        STOPPED.wait(float(argument or 30))
        self.stream(ANSWER)

    def mode_silent(self, *_):
        self.open_stream()
        STOPPED.wait()

    def mode_mute(self, *_):
        STOPPED.wait()

    def mode_close(self, *_):
        self.open_stream()
        self.token("A: because")
        self.close_connection = True

    def mode_nodone(self, argument, _):
        self.stream(argument or ANSWER, done=False)

    def mode_linger(self, argument, _):
        self.stream(argument or ANSWER, end=False)
        STOPPED.wait()

    def mode_rubbish(self, *_):
        body = b"<html><body>It works!</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def mode_huge(self, *_):
        self.open_stream()
        for _ in range(10_000):
            self.token("x" * 1000)
        self.end_stream()

    def mode_midway(self, *_):
        self.open_stream()
        self.token("A: ")
        self.event({"error": {"message": "out of memory", "code": 500}})
        self.wfile.write(b"0\r\n\r\n")

    def mode_echo(self, *_):
        self.send_error_object(401, "Incorrect API key: " + self.headers.get("Authorization", "none"))

    def mode_302(self, *_):
        self.send_error_object(302, "moved", Location="/v2/chat/completions")

    def mode_429(self, argument, _):
        if self.state.nth("429") > 1:
            return self.mode_ok("", "")
        self.send_error_object(429, "slow down", Retry_After=argument or "1")

    def mode_429date(self, argument, _):
        if self.state.nth("429date") > 1:
            return self.mode_ok("", "")
        at = email.utils.formatdate(time.time() + float(argument or 2), usegmt=True)
        self.send_error_object(429, "slow down", Retry_After=at)

    def mode_500x(self, argument, _):
        if self.state.nth("500x") > int(argument or 2):
            return self.mode_ok("", "")
        self.send_error_object(500, "out of luck")

    def mode_prose(self, *_):
        self.stream(f"Let me think. The agent edits files, so:\n\n```json\n{ANSWER}\n```\nI hope that helps!")

    def mode_badjson(self, *_):
        self.stream('{"answer": "A", "reason": "files ch')

    def mode_letter(self, *_):
        self.stream(ANSWER.replace('"A"', '"E"'))

    def mode_evidence(self, *_):
        self.stream(ANSWER.replace("[2]", f"[{FIRST_BAD_EVIDENCE}]"))

    def mode_obey(self, _, body):
        user = " ".join(str(m.get("content")) for m in body.get("messages", []) if m.get("role") == "user")
        order = re.search(r"\banswer(?:\s+with|\s+only)?\W+([A-D])\b", user, re.I)
        self.stream(ANSWER.replace('"A"', f'"{order.group(1).upper() if order else "A"}"'))

    # requests

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        state = self.state
        try:
            body = json.loads(raw)
        except ValueError:
            return self.send_error_object(400, "the body is no JSON")
        with state.lock:
            if len(state.requests) < REQUESTS_KEPT:
                state.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
            state.busy += 1
            state.busy_max = max(state.busy_max, state.busy)
        try:
            if self.path != "/v1/chat/completions":
                return self.send_error_object(404, "no such path")
            self.obey_mode(state.script or str(body.get("model", "")), body)
        except OSError:
            self.close_connection = True  # the client hung up, which some tests want
        finally:
            with state.lock:
                state.busy -= 1

    def obey_mode(self, script: str, body: dict):
        mode, _, argument = script.partition(":")
        handler = getattr(self, "mode_" + mode, None)
        if handler is not None:
            handler(argument, body)
        elif mode.isdigit():
            self.send_error_object(int(mode), f"told to answer {mode}")
        else:
            self.send_error_object(404, f"no model {script}")

    def do_GET(self):
        if self.path == "/requests":
            with self.state.lock:
                requests = list(self.state.requests)
            self.send_json(200, requests)
        elif self.path == "/busy":
            self.send_json(200, {"max": self.state.busy_max})
        elif self.path == "/v1/models":
            self.send_json(200, {"object": "list", "data": [{"id": "ok", "object": "model"}]})
        else:
            self.send_error_object(404, "no such path")

    def do_DELETE(self):
        with self.state.lock:
            self.state.forget()
        self.send_json(200, {})

    def do_PUT(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.state.script = body["mode"]
        self.send_json(200, {})


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, *_):
        pass  # clients that hang up or do not like our certificate


def make_certificate(directory: Path) -> Path:
    """One file with the key and a self-signed certificate for 127.0.0.1."""
    file = directory / "certificate.pem"
    key = directory / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(file)], check=True, capture_output=True)
    return file


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    Handler.state = State()
    server = Server(("127.0.0.1", options.port), Handler)
    directory = Path(tempfile.mkdtemp(prefix="headway-llm-"))
    lines = [str(server.server_address[1])]
    try:
        if options.tls:
            certificate = make_certificate(directory)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, directory / "key.pem")
            # The handshake is made by the thread of the connection, not by the one that accepts.
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            lines.append(str(certificate))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print("\n".join(lines), flush=True)
        while os.read(sys.stdin.fileno(), 4096):
            pass
    finally:
        STOPPED.set()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
