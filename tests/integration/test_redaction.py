#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets that agents send appear nowhere: not in the journal, a reply, a stream, a log or a metric."""
import copy
import json
import random
import string
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli
from support.json_schema import sample
from support.openapi import OpenApi
from support.limits import SEED, eventually
from support.sse import EventStream

# Names of things, which are compared and so kept as they come.
IDS = {"event_id", "call_id", "id", "parent", "check_id", "checkId", "sessionId", "request_id", "key", "args_digest",
       "result_digest", "digest", "type"}
DECIDES = {"decideApproval", "redeemApproval", "decideByLink"}
DICE = random.Random(SEED)


def canary() -> str:
    """Random, so that nothing else holds it; with digits, as such things have."""
    return "Zq" + "".join(DICE.choices(string.ascii_letters, k=20)) + "7x9"


def places(body, path=()):
    """Where strings stand."""
    if isinstance(body, str):
        yield path
    items = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for name, item in items:
        if name not in IDS:
            yield from places(item, path + (name,))


def put(body, path, text):
    for name in path[:-1]:
        body = body[name]
    body[path[-1]] = text


def calls(client, session: str) -> list:
    return [event["data"] for event in client.journal(session) if event["type"] == "tool.finished"]


class Poisoner:
    """Puts secrets into every string of a body that takes any text."""

    def __init__(self, api: OpenApi):
        self.api = api
        self.secret = canary()
        self.count = 0

    def text(self) -> str:
        return DICE.choice((f"set password={self.secret} first", f"Authorization: Bearer {self.secret}",
                              f"see https://ana:{self.secret}@host/x", f'{{"api_key": "{self.secret}"}}',
                              f"run --token {self.secret}", "ghp" + f"_{self.secret} is mine"))

    def poison(self, schema: dict, body):
        body = copy.deepcopy(body)
        for path in list(places(body)):
            tried = copy.deepcopy(body)
            if path:
                put(tried, path, self.text())
            else:
                tried = self.text()
            if not self.api.schemas.errors(schema, tried):
                body = tried
                self.count += 1
        return body


class Canaries(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        self.api = OpenApi()
        self.poisoner = Poisoner(self.api)
        self.daemon = self.start()
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)

    def test_a_secret_in_any_field_of_any_event_is_kept_nowhere(self):
        types = 0
        for kind, variant in self.api.variants("ReportEvent").items():
            data = sample(self.api.document, variant["properties"]["data"])
            event = self.poisoner.poison(variant, {"type": kind, "data": data})
            if kind == "session.ended":
                event["data"].pop("automatic", None), event["data"].pop("code", None)
            reply = self.operator.post(f"/v1/sessions/of-{kind}/events", event)
            types += reply.status == 200
        self.assertGreaterEqual(types, 15, "most types are reported as they are sampled")
        self.assertGreater(self.poisoner.count, 40)
        self.nowhere("of-tool.finished")

    def test_a_secret_in_any_body_of_any_route_is_kept_nowhere(self):
        self.operator.open("s")
        for operation in self.api.operations:
            if "requestBody" not in operation.said or operation.id in DECIDES or operation.id == "reportEvents":
                continue
            media = operation.said["requestBody"]["content"]["application/json"]
            body = self.poisoner.poison(media["schema"], media["example"])
            self.operator.request(operation.method, operation.path.replace("{id}", "s"), body)
        self.nowhere("s")

    def test_a_secret_in_any_words_of_a_hook_is_kept_nowhere(self):
        def text():
            return f"{self.poisoner.text()} words"
        start = {"event": "start", "agent": "own", "model": text(), "agent_version": text(), "source": text(), "cwd": "/w"}
        bodies = [("generic", {**start, "session": f"g{number}"}) for number in range(4)]
        for number, outcome in enumerate(("failed", "completed", text(), 5)):
            bodies.append(("generic", {"event": "end", "agent": "own", "session": f"g{number}", "reason": text(), "outcome": outcome, "class": text()}))
        claude = {"session_id": "c", "cwd": "/w"}
        bodies += [("claude", {**claude, "hook_event_name": "SessionStart", "source": text(), "model": text()}),
                   ("claude", {**claude, "hook_event_name": "SubagentStart", "agent_id": "x", "agent_type": text()}),
                   ("claude", {**claude, "hook_event_name": "StopFailure", "error": text(), "error_details": text()}),
                   ("claude", {**claude, "hook_event_name": "SessionEnd", "reason": text()})]
        for agent, body in bodies:
            self.assertEqual(self.operator.post(f"/v1/hooks/{agent}", body).status, 200, body)
        self.assertIn("[redacted]", json.dumps(self.operator.session("own-g0")))
        self.nowhere("own-g2")

    def test_members_with_secret_names_and_texts_with_secrets_are_cut_out_and_the_rest_stays(self):
        secret = self.poisoner.secret
        args = {"env": {"DB_PASSWORD": secret, "HOME": "/home/ana"}, "cmd": f"curl -u x --token {secret} host",
                "credentials": [{"name": "ana", "value": secret}], "nested": json.dumps({"secret": secret, "n": 1}),
                "next_token": "cursor-0123456789", "max_tokens": 100}
        self.operator.report("s", "tool.finished", tool="bash", args=args, ok=True, result=f"export API_KEY={secret}\nok",
                             usage={"tokens": 5})
        data = calls(self.operator, "s")[-1]
        self.assertEqual(data["args"], {
            "env": {"DB_PASSWORD": "[redacted]", "HOME": "/home/ana"}, "cmd": "curl -u x --token [redacted] host",
            "credentials": [{"name": "ana", "value": "[redacted]"}], "nested": '{"secret": "[redacted]", "n": 1}',
            "next_token": "cursor-0123456789", "max_tokens": 100})
        self.assertEqual(data["result"], "export API_KEY=[redacted]\nok")
        self.nowhere("s")

    def test_loops_are_seen_by_what_was_called_and_not_by_what_is_shown(self):
        """Six calls that only differ in their secret are no loop; six equal ones are."""
        for i in range(6):
            self.operator.report("varies", "tool.finished", tool="login", args={"password": f"{self.poisoner.secret}{i}"},
                                 ok=True, result="no")
            self.operator.report("equal", "tool.finished", tool="login", args={"password": self.poisoner.secret}, ok=True,
                                 result="no")
        self.assertEqual(self.operator.session("equal")["verdict"]["status"], "stuck")
        self.assertNotEqual(self.operator.session("varies")["verdict"].get("detector"), "exact_repeat")
        self.nowhere("varies")

    def nowhere(self, session: str):
        """In no reply, no file and no line of the log, before and after the daemon has stopped."""
        secret = self.poisoner.secret.encode()
        for path in ("/v1/sessions", "/v1/sessions?view=row", "/v1/overview", "/v1/approvals?status=all", "/metrics", "/v1/system",
                     f"/v1/sessions/{session}", f"/v1/sessions/{session}/events", f"/progress/{session}", "/v1/tokens"):
            reply = self.operator.get(path)
            self.assertEqual(reply.status, 200, path)
            self.assertNotIn(secret, reply.body, path)
        with EventStream(self.daemon.port, "/v1/stream?last_event_id=0") as stream:
            head = self.operator.get("/v1/overview").json()["cursor"]
            for event in stream.until(lambda e: e.id and int(e.id) >= head):
                self.assertNotIn(secret.decode(), str(event.data))
        made = self.operator.post("/v1/backup", {"file": str(self.daemon.root / "backup.db")})
        self.assertEqual(made.status, 201, made.body)
        self.in_no_file()
        self.daemon.stop()
        self.in_no_file()

    def in_no_file(self):
        files = [path for path in self.daemon.root.rglob("*") if path.is_file()]
        self.assertLessEqual({"headway.db", "backup.db", "log"}, {path.name for path in files})
        for path in files:
            self.assertNotIn(self.poisoner.secret.encode(), path.read_bytes(), path.name)


class Approvals(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        self.secret = canary()
        self.daemon = self.start()
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)
        self.args = {"url": f"https://ana:{self.secret}@db/x", "password": self.secret, "dry": True}

    def asked(self) -> dict:
        return self.operator.get("/v1/approvals").json()["approvals"][0]

    def test_what_is_approved_is_what_came_and_not_what_is_shown(self):
        ask = self.operator.post("/v1/sessions/s/approvals", {"tool": "migrate", "args": self.args}).json()
        self.assertEqual(ask["args"], {"url": "https://[redacted]@db/x", "password": "[redacted]", "dry": True})
        self.operator.post(f"/v1/approvals/{ask['id']}/decision", {"decision": "approve"})
        other = self.operator.post(f"/v1/approvals/{ask['id']}/redeem", {"args": ask["args"]})
        self.assertEqual(other.status, 409, other.body)
        self.assertEqual(self.operator.post(f"/v1/approvals/{ask['id']}/redeem", {"args": self.args}).status, 200)
        self.assertNotIn(self.secret.encode(), (self.daemon.state_dir / "headway.db-wal").read_bytes())

    def test_a_call_that_needs_approval_is_bound_to_what_came(self):
        for name, args in (("short", self.args), ("long", {**self.args, "sql": "select 1; " * 1000})):
            with self.subTest(name):
                self.operator.report(name, "tool.started", tool="migrate", call_id="c1", args=args, requires_approval=True)
                ask = self.operator.get(f"/v1/approvals?session={name}").json()["approvals"][0]
                self.assertEqual((ask["args"]["password"], ask["args"]["dry"]), ("[redacted]", True))
                self.assertEqual(ask["args"].get("sql"), args.get("sql"))
                self.operator.post(f"/v1/approvals/{ask['id']}/decision", {"decision": "approve"})
                self.assertEqual(self.operator.post(f"/v1/approvals/{ask['id']}/redeem", {"args": args}).status, 200)
        self.assertNotIn(self.secret.encode(), (self.daemon.state_dir / "headway.db-wal").read_bytes())

    def test_a_redacted_value_cannot_be_edited_into_a_call(self):
        ask = self.operator.post("/v1/sessions/s/approvals", {"tool": "migrate", "args": self.args}).json()
        edited = {**ask["args"], "dry": False}
        reply = self.operator.post(f"/v1/approvals/{ask['id']}/decision", {"decision": "edit", "edited_args": edited})
        self.assertEqual((reply.status, reply.json()["field"]), (400, "/edited_args"), reply.body)
        self.assertIn("[redacted]", reply.json()["detail"])
        reply = self.operator.post(f"/v1/approvals/{ask['id']}/decision", {"decision": "edit", "edited_args": self.args})
        self.assertEqual((reply.status, reply.json()["field"]), (400, "/edited_args"), reply.body)
        self.assertIn("secret", reply.json()["detail"])
        self.assertEqual(self.asked()["status"], "pending")

    def test_an_answer_with_a_secret_is_refused_since_it_would_be_kept(self):
        ask = self.operator.post("/v1/sessions/s/approvals", {"kind": "question", "summary": "Which key?"}).json()
        reply = self.operator.post(f"/v1/approvals/{ask['id']}/decision",
                                   {"decision": "respond", "response": f"password={self.secret}"})
        self.assertEqual((reply.status, reply.json()["field"]), (400, "/response"), reply.body)


class Names(OwnDaemonCase):
    def test_an_operator_adds_and_removes_names_without_a_restart(self):
        daemon = self.start(config="[redaction]\nsecret_names = [\"pin\"]\nplain_names = [\"session_token\"]\n")
        client = self.client(daemon)

        def shown(session: str) -> dict:
            client.report(session, "tool.finished", tool="t", ok=True, args={"card_pin": "1234", "session_token": "abcdefgh1"})
            return calls(client, session)[-1]["args"]

        self.assertEqual(shown("a"), {"card_pin": "[redacted]", "session_token": "abcdefgh1"})
        daemon.config_file.write_text("")
        daemon.process.send_signal(1)
        eventually(lambda: "configuration reloaded" in daemon.log(), what="the reload")
        self.assertEqual(shown("b"), {"card_pin": "1234", "session_token": "[redacted]"})

    def test_a_name_that_would_cover_everything_is_refused(self):
        pattern = Cli(self.start()).run("config", "check", "--set", "redaction.secret_names=acme-*")
        self.assertIn('"acme-*" is a pattern, and no name would match it', pattern.err)
        output = Cli(self.start()).run("config", "check", "--set", "redaction.secret_names=id")
        self.assertEqual(output.code, 2, output)
        self.assertIn("too short", output.err)


if __name__ == "__main__":
    unittest.main()
