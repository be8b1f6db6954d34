# SPDX-License-Identifier: Apache-2.0
"""Requests that must be refused: the answer to each, and that other clients do not notice.

After every case a new connection must work. Where the framing is intact the same connection must, too; where it is
not, the server must close. Nothing of a refused report is stored.
"""
import json
from dataclasses import dataclass

from .case import SharedDaemonCase
from .http import RawConnection

EVENTS = "/v1/sessions/bad/events"


@dataclass
class Case:
    name: str
    request: bytes  # PORT stands for the port
    status: int
    code: str
    field: str | None = None  # what `field` must be; None = not checked
    closes: bool = False


def raw(name, text, status, code, field=None, closes=True):
    return Case(name, text if isinstance(text, bytes) else text.encode("latin-1"), status, code, field, closes)


def get(name, path, status, code, field=None, headers="", method="GET", closes=False):
    return raw(name, f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n{headers}\r\n", status, code, field, closes)


def body(name, content, status, code, field=None, path=EVENTS, method="POST", kind="application/json", closes=False):
    content = content if isinstance(content, bytes) else content.encode()
    head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n")
    return Case(name, head.encode() + content, status, code, field, closes)


def event(name, kind, data, field, code="invalid_field"):
    """One bad field in the data of one event."""
    return body(name, json.dumps({"type": kind, "data": data}), 400, code, field)


GET = "GET /livez HTTP/1.1\r\n"
HOST = "Host: 127.0.0.1:PORT\r\n"
POST = f"POST {EVENTS} HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n"
TE = "Transfer-Encoding"

PROBLEM_FIELDS = {"type", "title", "status", "detail", "instance", "code", "retryable"}


class MalformedCase(SharedDaemonCase):
    """Sends a table of cases to a daemon that has the sessions `bad` and `ended`, which none of them may touch."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.daemon.client()
        client.open("bad")
        client.report("bad", "message", attempt=2, text="the only event")
        client.open("ended")
        client.end("ended")
        cls.journals = {s: client.journal(s) for s in ("bad", "ended")}
        client.close()

    def check_table(self, cases):
        for case in cases:
            with self.subTest(case.name):
                self.check(case)

    def check(self, case: Case):
        with RawConnection(self.daemon.port) as connection:
            connection.send_some(case.request.replace(b"PORT", str(self.daemon.port).encode()))
            reply = connection.reply(head=case.request.startswith(b"HEAD "))
            self.assertEqual(reply.status, case.status, reply.body)
            self.assertEqual(reply.headers["content-type"], "application/problem+json")
            self.check_problem(reply.json(), case)
            if case.status == 405:
                self.assertTrue(reply.headers["allow"])
            if case.closes:
                self.assertEqual(reply.headers.get("connection"), "close")
                self.assertTrue(connection.closed_by_server(), "the connection stays, or says more")
            else:
                self.assertTrue(reply.keeps_open, "the framing was intact")
                self.assertEqual(connection.request("GET", "/livez").status, 200)
        self.assertEqual(self.client.get("/livez").json(), {"status": "ok"})

    def check_problem(self, problem: dict, case: Case):
        self.assertEqual(problem["code"], case.code, problem)
        self.assertEqual(problem["status"], case.status)
        self.assertEqual(problem["type"], f"https://headway.invalid/problems/{case.code}")
        self.assertTrue(problem["detail"] and problem["title"])
        self.assertIs(problem["retryable"], False)
        self.assertLessEqual(PROBLEM_FIELDS, set(problem))
        self.assertLessEqual(set(problem), PROBLEM_FIELDS | {"field"})
        if case.field is not None:
            self.assertEqual(problem.get("field"), case.field, problem)

    def tearDown(self):
        for session, events in self.journals.items():
            self.assertEqual(self.client.journal(session), events, "a refused request left something behind")
        for session in ("new", "nobody"):
            self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)
