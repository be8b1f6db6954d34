#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verbs that wait: without a daemon they say so, and no server is asked without a pause, whatever it answers."""
import http.server
import json
import os
import tempfile
import threading
import time
import unittest

from support.case import SharedDaemonCase
from support.cli import Cli
from support.limits import patient

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener
ASKED_MAX = 60  # in two seconds, by pauses of 100 ms at least; thousands without


class Hasty(http.server.BaseHTTPRequestHandler):
    """Answers each request at once, with nothing that ends a wait."""
    protocol_version = "HTTP/1.1"

    def answer(self, body: bytes, kind: str = "application/json"):
        self.server.asked += 1
        self.send_response(200)
        self.send_header("X-Headway", "1")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b'{"checkId": "c", "state": "pending"}')

    def do_GET(self):
        if "/wait?" in self.path:
            self.answer(json.dumps({"session": "s", "met": False, "impossible": False, "verdict": {"status": "exploring"}}).encode())
        elif "/stream" in self.path:
            self.answer(b'retry: 0\nevent: hello\ndata: {}\n\n', "text/event-stream")
        else:
            self.answer(b'{"checkId": "c", "state": "pending", "n": 1}')

    def log_message(self, *_):
        pass


class HastyServer(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hasty)
        self.server.asked = 0
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.cli = Cli(None, f"http://127.0.0.1:{self.server.server_address[1]}")
        self.cli.root = "/"

    def test_it_is_asked_with_pauses(self):
        for verb in (["wait", "s", "--timeout", "2s"], ["wait", "s", "t", "--timeout", "2s"], ["check", "s", "--wait=2s"]):
            self.server.asked = 0
            self.assertEqual(self.cli.run(*verb).code, 124, verb)
            self.assertLess(self.server.asked, ASKED_MAX, verb)

    def test_a_stream_that_ends_at_once_is_opened_with_pauses(self):
        process = self.cli.start("watch", "s")
        deadline = time.monotonic() + patient(20)
        while self.server.asked < 5 and time.monotonic() < deadline:
            self.assertIsNone(process.poll())
            process_wait(process, 0.05)
        began, before = time.monotonic(), self.server.asked
        process_wait(process, 1)
        often = (self.server.asked - before) / (time.monotonic() - began)
        process.kill()
        process.communicate()
        self.assertLess(often, ASKED_MAX / 2)


def process_wait(process, seconds):
    try:
        process.wait(seconds)
    except Exception:  # it still runs
        pass


class Away(unittest.TestCase):
    def test_that_no_daemon_answers_is_no_session_that_is_not_settled(self):
        cli = Cli(None, NO_DAEMON)
        for verb in (["wait", "s", "--timeout", "1s"], ["wait", "s", "--timeout", "0s"], ["wait", "s", "t", "--timeout", "300ms"],
                     ["check", "s", "--wait=1s"], ["watch", "s"], ["events", "s"], ["approvals"], ["top", "--once"]):
            ran = cli.run(*verb)
            self.assertEqual(ran.code, 69, (verb, ran.err))
            self.assertIn(f"no daemon answers at {NO_DAEMON}", ran.err)


class Ids(SharedDaemonCase):
    def test_no_line_begins_with_a_command_of_a_ci_service(self):
        cli, ids = Cli(self.daemon), ["::stop-commands::tok", "::add-mask::x", "::error::bad"]
        for session in ids:
            self.client.open(session, goal="##[error]goal ##vso[task.complete]")
            self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": "::debug::x", "summary": "##[group]x"})
        runs = [cli.run("sessions"), cli.run("approvals"), cli.run("wait", *ids, "--timeout", "300ms"), cli.run("sessions", "--json"),
                cli.run("approvals", "--json"), *(cli.run(verb, session) for verb in ("show", "events", "compare") for session in ids)]
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "j.xml")
            runs.append(cli.run("wait", *ids, "--timeout", "300ms", "--junit", report))
        for session in ids:
            self.client.end(session)
        runs.append(cli.run("wait", *ids))
        for ran in runs:
            for line in (ran.out + ran.err).splitlines():
                self.assertFalse(line.lstrip().startswith("::"), line)
                self.assertNotRegex(line, r"##[a-z]*\[")
        self.assertIn("\\u{3a}:stop-commands::tok: completed", runs[-1].out)


if __name__ == "__main__":
    unittest.main()
