#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rights of callers: every operation of openapi.json, by every kind of caller, in every mode of access."""
import itertools
import json
import unittest

from support.case import OwnDaemonCase
from support.http import RawConnection
from support.limits import eventually
from support.openapi import OpenApi

NOBODY, ANYBODY, REPORT, READ, READ_SOME, OVERVIEW, CONTROL, APPROVE, ADMIN = (
    "nobody", "anybody", "report", "read", "read some", "overview", "control", "approve", "admin")

# The table of api/API.md "Access", by operation. READ_SOME: no part of the request names its session.
GUARDS = {
    **dict.fromkeys(("openSession", "openNamedSession", "reportEvents", "reportHeartbeat", "reportHook", "ping", "pingWithText", "pingOf", "pingOfWithText", "exportLogs", "exportTraces", "callMcp", "endSession", "askApproval", "redeemApproval",
                     "askCheck", "askCheckAlias"), REPORT),
    **dict.fromkeys(("getSession", "listEvents", "waitForSession", "waitForSessions", "streamSession", "getProgress", "getProgressAlias",
                     "streamProgress", "streamProgressAlias", "getBudget", "compareTimers", "getApproval", "getChatStatus"), READ),
    **dict.fromkeys(("getCheck", "getCheckAlias"), READ_SOME),
    **dict.fromkeys(("listSessions", "streamAll", "listApprovals", "budgetAnalytics", "timeoutAnalytics", "estimateAnalytics", "getExpectations", "getOverview", "getDigest", "getDayBudget",
                     "getSystem", "getMetrics", "listWebhooks", "listDeliveries"), OVERVIEW),
    **dict.fromkeys(("isReady", "getVersion"), ANYBODY),
    **dict.fromkeys(("cancelSession", "pauseSession", "resumeSession", "nudgeSession", "changeBudget", "recordEvents"), CONTROL),
    **dict.fromkeys(("decideApproval", "revokeGrant", "approveAgent", "approveAgentInChat", "acknowledgeAlarms", "extendDayBudget"), APPROVE),
    **dict.fromkeys(("listTokens", "createToken", "revokeToken", "rotateOperator", "createLoginCode", "makeBackup", "replayWebhook", "forgetSession",
                     "testWebhook"), ADMIN),
    **dict.fromkeys(("isAlive", "getDashboard", "getAsset", "getDocs", "getDocsPage", "getOpenApi", "login", "logIn", "logout", "whoAmI", "showDecisionLink",
                     "decideByLink"), NOBODY),
}

# Bodies and queries that let a request through to where a session is looked at, and no further: they have no effect.
BODIES = {"openSession": b'{"id":"own-1","goal":"another"}', "openNamedSession": b'{"goal":"another"}', "reportEvents": b"[]",
          "reportHeartbeat": b'{"no_such":1}',
          "reportHook": b'{"event":"batch","agent":"own","session":"1","calls":[' + b'{"tool":"x"},' * 1000 + b'{"tool":"x"}]}',
          # A sign of life of a sub-agent: a session of its own.
          **{name: json.dumps({f"resource{kind}": [{"resource": {"attributes": [
              {"key": "headway.session", "value": {"stringValue": "own-1"}}, {"key": "service.name", "value": {"stringValue": "x"}}]},
              f"scope{kind}": [{records: [{"attributes": [{"key": "event.name", "value": {"stringValue": "x"}},
                                                          {"key": "agent.name", "value": {"stringValue": "sub"}}]}]}]}]}).encode()
             for name, kind, records in (("exportLogs", "Logs", "logRecords"), ("exportTraces", "Spans", "spans"))},
          "callMcp": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no such"}}',
          "endSession": b"{}", "askApproval": b"{}", "redeemApproval": b"{}",
          "askCheck": b'{"sessionId":"own-1"}', "askCheckAlias": b'{"sessionId":"own-1"}', "nudgeSession": b"{}", "changeBudget": b"{}", "extendDayBudget": b"{}",
          "recordEvents": b"[]", "cancelSession": b'{"no_such":1}', "pauseSession": b'{"no_such":1}', "resumeSession": b'{"no_such":1}',
          "decideApproval": b"{}", "revokeGrant": b'{"no_such":1}', "acknowledgeAlarms": b'{"no_such":1}', "approveAgent": b"{}", "approveAgentInChat": b"{}", "createToken": b"{}", "makeBackup": b"{}",
          "replayWebhook": b"{}"}
QUERIES = {**dict.fromkeys(("ping", "pingWithText", "pingOf", "pingOfWithText"), "rid=none"), "waitForSession": "wait=0s", "waitForSessions": "any=own-1&wait=0s", "getChatStatus": "sessionId=own-1",
           "rotateOperator": "no_such=1", "logout": "no_such=1", "createLoginCode": "no_such=1"}
HEADERS = {"callMcp": "X-Headway-Session: own-1\r\n"}
VALUES = {"{id}": "own-1", "{approval}": "own-1.a2", "{check}": "no-check", "{hash}/{file}": "0/none.js", "{page}": "none",
          "{agent}": "generic", "{action}": "start"}

# Rights of a token with these scopes, for the session own-1 and for all.
MAY = {
    "report:own-": {REPORT, READ, READ_SOME}, "report:own-1": {REPORT, READ, READ_SOME}, "report:own-12": {READ_SOME},
    "report:other-": {READ_SOME}, "report:": {REPORT, READ, READ_SOME, OVERVIEW}, "read": {READ, READ_SOME, OVERVIEW},
    "control": {CONTROL}, "approve": {APPROVE}, "admin": {ADMIN},
    "report:other- read": {READ, READ_SOME, OVERVIEW}, "control read": {CONTROL, READ, READ_SOME, OVERVIEW},
}
EVERYTHING = set(GUARDS.values())
HARMLESS = ("GET", "HEAD")


def expected(guard: str, method: str, caller: str, mode: dict) -> int:
    """401, 403, or 0 for a caller with access."""
    if caller.startswith("bad: "):
        return 401
    if caller.startswith("scopes: "):
        return 0 if guard in MAY[caller.removeprefix("scopes: ")] | {ANYBODY, NOBODY} else 403
    if caller in ("operator", "page of the logged in") or guard == NOBODY:
        return 0
    if caller == "page" and (method not in HARMLESS or guard == REPORT):  # a ping reports by GET
        return 401
    if mode["access.mode"] == "token" or guard in (APPROVE, ADMIN):
        return 401
    return 401 if guard == CONTROL and mode["access.local_control"] == "token" else 0


class Matrix(OwnDaemonCase):
    def test_every_operation_has_its_line(self):
        self.assertEqual(set(GUARDS), {operation.id for operation in OpenApi().operations})

    def test_what_the_description_promises_is_what_is_asked(self):
        """`security` and `x-scopes` of openapi.json against the same table."""
        scopes = {REPORT: {"report:"}, READ: {"read", "report:"}, READ_SOME: {"read", "report:"}, OVERVIEW: {"read", "report:"},
                  CONTROL: {"control"}, APPROVE: {"approve"}, ADMIN: {"admin"}, ANYBODY: set(), NOBODY: set()}
        for operation in OpenApi().operations:
            guard, security = GUARDS[operation.id], operation.said["security"]
            with self.subTest(operation.id):
                self.assertEqual(set(operation.said.get("x-scopes", ())), scopes[guard])
                self.assertEqual({} in security or not security, guard not in (APPROVE, ADMIN))

    def test_in_mode_local(self):
        self.run_matrix({"access.mode": "local", "access.local_control": "open"})

    def test_in_mode_local_with_control_closed(self):
        self.run_matrix({"access.mode": "local", "access.local_control": "token"})

    def test_in_mode_token(self):
        self.run_matrix({"access.mode": "token", "access.local_control": "open"})

    def run_matrix(self, mode: dict):
        daemon = self.start(mode)
        operator = self.client(daemon, token=daemon.operator_token())
        operator.open("own-1")
        asked = operator.post("/v1/sessions/own-1/approvals", {"tool": "bash", "args": {"command": "rm -r build"}})
        self.assertEqual(asked.json()["id"], "own-1.a2")
        before = operator.journal("own-1")
        addresses = (f"127.0.{high}.{low}" for high in range(1, 250) for low in range(1, 250))
        cases = 0
        for (caller, headers), operation in itertools.product(self.callers(daemon, operator).items(), OpenApi().operations):
            wanted = expected(GUARDS[operation.id], operation.method, caller, mode)
            with self.subTest(f"{caller}: {operation.method} {operation.path}"):
                got = self.ask(daemon, operation, headers, next(addresses))
                if wanted == 0:
                    self.assertNotIn(got, (401, 403, 421, 429, 500, 503))
                else:
                    self.assertEqual(got, wanted)
            cases += 1
        self.assertGreater(cases, 1000)
        # A child that reports is news of the child.
        after = [event for event in operator.journal("own-1") if event["type"] != "child.progress"]
        self.assertEqual(after, before, "something came of it")
        self.assertEqual([t["name"] for t in operator.get("/v1/tokens").json()["tokens"] if t["name"] == "made"], [])

    def callers(self, daemon, operator) -> dict:
        """By name, the lines that each adds to a request."""
        def bearer(text):
            return f"Authorization: Bearer {text}\r\n"

        def made(*scopes, **more):
            reply = operator.post("/v1/tokens", {"name": "x", "scopes": list(scopes), **more})
            self.assertEqual(reply.status, 201, reply.body)
            return reply.json()

        everything = ("read", "control", "approve", "admin")
        revoked, expired = made(*everything), made(*everything, expires_in="1s")
        self.assertEqual(operator.delete(f"/v1/tokens/{revoked['id']}").status, 200)
        good = made(*everything)["token"]
        eventually(lambda: self.client(daemon, token=expired["token"]).get("/livez").status != 200, what="the token's end")
        code = operator.post("/v1/login-codes").json()["url"].partition("code=")[2]
        login = f"Headway-Login: {self.client(daemon).post('/v1/login', {'code': code}).json()['secret']}\r\n"
        page = "Sec-Fetch-Site: same-origin\r\n"
        callers = {f"scopes: {scopes}": bearer(made(*scopes.split())["token"]) for scopes in MAY}
        callers |= {"nobody": "", "operator": bearer(daemon.operator_token()), "page": page,
                    "page of the logged in": page + login,
                    "bad: revoked": bearer(revoked["token"]), "bad: expired": bearer(expired["token"]),
                    "bad: one letter": bearer(good[:-1] + ("a" if good[-1] != "a" else "b")), "bad: two": bearer(good) * 2,
                    "bad: no scheme": f"Authorization: {good}\r\n", "bad: empty": "Authorization:\r\n",
                    "bad: login beside": bearer("nonsense") + login}
        return callers

    def ask(self, daemon, operation, headers: str, source: str) -> int:
        """The status; of a stream no more is read. Each from an address of its own: failures are counted by address."""
        path = operation.path
        for name, value in VALUES.items():
            path = path.replace(name, value)
        if operation.id in QUERIES:
            path += "?" + QUERIES[operation.id]
        body = BODIES.get(operation.id, b"")
        with RawConnection(daemon.port, source=source) as connection:
            connection.send(connection.format(operation.method, path, body, headers + HEADERS.get(operation.id, "")))
            return int(connection.read_until(b"\r\n").split()[1])


if __name__ == "__main__":
    unittest.main()
