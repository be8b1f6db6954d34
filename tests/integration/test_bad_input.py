#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input: each case gets its documented problem, and other clients do not notice (see support/malformed.py)."""
import json
import unittest

from support.case import SharedDaemonCase, unique
from support.http import RawConnection
from support.malformed import CHUNKED, EVENTS, GET, HOST, POST, TE, MalformedCase, body, event, get, raw

FRAMING = [
    raw("no Host", f"{GET}\r\n", 400, "bad_request", "Host"),
    raw("two Hosts", f"{GET}{HOST}Host: localhost:PORT\r\n\r\n", 400, "bad_request", "Host"),
    raw("the same Host twice", f"{GET}{HOST}{HOST}\r\n", 400, "bad_request", "Host"),
    raw("space before the colon", f"{GET}Host : 127.0.0.1:PORT\r\n\r\n", 400, "bad_request"),
    raw("folded header", f"{GET}{HOST}X: a\r\n b\r\n\r\n", 400, "bad_request"),
    raw("bare CR as line end", "GET /livez HTTP/1.1\rHost: 127.0.0.1\r\r\n\r\n", 400, "bad_request"),
    raw("empty header name", f"{GET}{HOST}: v\r\n\r\n", 400, "bad_request"),
    raw("bad header name", f"{GET}{HOST}X[y]: v\r\n\r\n", 400, "bad_request"),
]

GATE = [
    raw("foreign Host", f"{GET}Host: evil.example\r\n\r\n", 421, "unknown_host", "Host", False),
    raw("our Host, other port", f"{GET}Host: 127.0.0.1:1\r\n\r\n", 421, "unknown_host", "Host", False),
    raw("empty Host", f"{GET}Host:\r\n\r\n", 421, "unknown_host", "Host", False),
    raw("Host with user", f"{GET}Host: u@127.0.0.1:PORT\r\n\r\n", 421, "unknown_host", "Host", False),
    raw("Host with path", f"{GET}Host: 127.0.0.1:PORT/b\r\n\r\n", 421, "unknown_host", "Host", False),
    raw("two names in one Host", f"{GET}Host: 127.0.0.1:PORT, evil\r\n\r\n", 421, "unknown_host", "Host", False),
    get("foreign Origin", "/v1/sessions", 403, "forbidden_origin", "Origin", "Origin: http://evil.example\r\n"),
    get("Origin null", "/v1/sessions", 403, "forbidden_origin", "Origin", "Origin: null\r\n"),
    get("PATCH of a session", "/v1/sessions/bad", 405, "method_not_allowed", method="PATCH"),
]

JSON = [
    body("no JSON", "hello", 400, "invalid_json"),
    body("empty body", "", 400, "invalid_json"),
    body("white space only", " \n\t ", 400, "invalid_json"),
    body("cut off", '{"type":"message"', 400, "invalid_json"),
    body("something after the end", '{"type":"message"} x', 400, "invalid_json"),
    body("two values", '{"type":"message"}{"type":"message"}', 400, "invalid_json"),
    body("65 levels deep", '{"type":"message","data":{"text":' + "[" * 65 + "]" * 65 + "}}", 400, "invalid_json"),
    body("100,000 levels deep", "[" * 100_000, 400, "invalid_json"),
    body("300,000 empty lists", "[" + "[]," * 300_000 + "[]]", 400, "invalid_json"),
    body("duplicate key", '{"type":"message","type":"heartbeat"}', 400, "invalid_json"),
    body("duplicate key deep inside", '{"type":"tool.finished","data":{"tool":"x","args":{"a":{"b":1,"b":2}}}}', 400,
         "invalid_json"),
    body("duplicate key in disguise", '{"type":"message","\\u0074ype":"message"}', 400, "invalid_json"),
    body("NUL byte", b'{"type":"message"}\0', 400, "invalid_json"),
    body("NUL inside", b'{"type":"mess\0age"}', 400, "invalid_json"),
    body("bad UTF-8", b'{"type":"message","data":{"text":"\xff\xfe"}}', 400, "invalid_json"),
    body("overlong UTF-8", b'{"type":"message","data":{"text":"\xc0\xaf"}}', 400, "invalid_json"),
    body("surrogate as UTF-8", b'{"type":"message","data":{"text":"\xed\xa0\x80"}}', 400, "invalid_json"),
    body("lone high surrogate", '{"type":"message","data":{"text":"\\ud800"}}', 400, "invalid_json"),
    body("lone low surrogate", '{"type":"message","data":{"text":"\\udc00"}}', 400, "invalid_json"),
    body("number beyond double", '{"type":"progress.estimated","data":{"percent":1e400}}', 400, "invalid_json"),
    body("NaN", '{"type":"progress.estimated","data":{"percent":NaN}}', 400, "invalid_json"),
    body("leading zeros", '{"type":"heartbeat","data":{"iteration":007}}', 400, "invalid_json"),
    body("comment", '{"type":"message"/* hi */}', 400, "invalid_json"),
    body("trailing comma", '{"type":"message",}', 400, "invalid_json"),
    body("raw control character", b'{"type":"message","data":{"text":"a\x01b"}}', 400, "invalid_json"),
    body("byte order mark of UTF-16", '{"type":"message"}'.encode("utf-16"), 400, "invalid_json"),
]

FIELDS = [
    body("a number as event", "7", 400, "invalid_field"),
    body("empty list", "[]", 400, "empty_report"),
    body("no lines", "\n\n", 400, "empty_report", kind="application/x-ndjson"),
    body("1001 events", json.dumps([{"type": "message"}] * 1001), 400, "too_many_events"),
    body("1001 lines", '{"type":"message"}\n' * 1001, 400, "too_many_events", kind="application/x-ndjson"),
    body("a bad third line", '{"type":"message"}\n{"type":"message"}\n{"type"}\n', 400, "invalid_json", "/2",
         kind="application/x-ndjson"),
    body("no type", '{"data":{}}', 400, "missing_field", "/type"),
    body("unknown type", '{"type":"no.such"}', 400, "invalid_field", "/type"),
    body("type of Headway's own", '{"type":"verdict.changed","data":{}}', 400, "invalid_field", "/type"),
    body("type is a number", '{"type":1}', 400, "invalid_field", "/type"),
    body("unknown envelope field", '{"type":"message","foo":1}', 400, "unknown_field", "/foo"),
    body("n set by the client", '{"type":"message","n":5}', 400, "unknown_field", "/n"),
    body("at set by the client", '{"type":"message","at":"2026-01-01T00:00:00Z"}', 400, "unknown_field", "/at"),
    body("empty event id", '{"type":"message","event_id":""}', 400, "invalid_field", "/event_id"),
    body("long event id", json.dumps({"type": "message", "event_id": "e" * 129}), 400, "invalid_field", "/event_id"),
    body("event id is a number", '{"type":"message","event_id":5}', 400, "invalid_field", "/event_id"),
    body("attempt 0", '{"type":"message","attempt":0}', 400, "invalid_field", "/attempt"),
    body("negative attempt", '{"type":"message","attempt":-1}', 400, "invalid_field", "/attempt"),
    body("attempt is a string", '{"type":"message","attempt":"1"}', 400, "invalid_field", "/attempt"),
    body("data is a list", '{"type":"message","data":[]}', 400, "invalid_field", "/data"),
    body("bad event in a batch", '[{"type":"message"},{"type":"heartbeat","data":{"iteration":"x"}}]', 400, "invalid_field",
         "/1/data/iteration"),
    event("unknown data field", "message", {"txt": "x"}, "/data/txt", "unknown_field"),
    event("field of another type", "heartbeat", {"percent": 5}, "/data/percent", "unknown_field"),
    event("tool missing", "tool.finished", {"ok": True}, "/data/tool", "missing_field"),
    event("call id missing", "tool.started", {"tool": "x"}, "/data/call_id", "missing_field"),
    event("empty call id", "tool.started", {"call_id": "", "tool": "x"}, "/data/call_id"),
    event("empty tool", "tool.started", {"call_id": "c", "tool": ""}, "/data/tool"),
    event("tool is null", "tool.finished", {"tool": None}, "/data/tool", "missing_field"),
    event("tool is a list", "tool.finished", {"tool": ["x"]}, "/data/tool"),
    event("long string", "tool.finished", {"tool": "x" * 513}, "/data/tool"),
    event("ok is a string", "tool.finished", {"tool": "x", "ok": "true"}, "/data/ok"),
    event("duration is a fraction", "tool.finished", {"tool": "x", "duration_ms": 1.5}, "/data/duration_ms"),
    event("duration is negative", "tool.finished", {"tool": "x", "duration_ms": -1}, "/data/duration_ms"),
    event("duration beyond 63 bits", "tool.finished", {"tool": "x", "duration_ms": 2**63}, "/data/duration_ms"),
    event("duration beyond 64 bits", "tool.finished", {"tool": "x", "duration_ms": 2**64}, "/data/duration_ms"),
    event("error is a string", "tool.finished", {"tool": "x", "error": "boom"}, "/data/error"),
    event("error message is a number", "tool.finished", {"tool": "x", "error": {"message": 1}}, "/data/error/message"),
    event("mutation without a path", "tool.finished", {"tool": "x", "mutated": [{"path": "a"}, {"digest": "d"}]},
          "/data/mutated/1/path", "missing_field"),
    event("mutated is an object", "tool.finished", {"tool": "x", "mutated": {}}, "/data/mutated"),
    event("257 list items", "test.result", {"failures": ["f"] * 257}, "/data/failures"),
    event("failures of numbers", "test.result", {"failures": ["a", 1]}, "/data/failures/1"),
    event("iteration is true", "heartbeat", {"iteration": True}, "/data/iteration"),
    event("in_flight without a call", "heartbeat", {"in_flight": {"counter": 1}}, "/data/in_flight/call_id", "missing_field"),
    event("resources of words", "heartbeat", {"resources": {"cpu_ms": "many"}}, "/data/resources/cpu_ms"),
    event("percent above 100", "progress.estimated", {"percent": 100.5}, "/data/percent"),
    event("percent below 0", "progress.estimated", {"percent": -1}, "/data/percent"),
    event("confidence above 1", "reflection", {"confidence": 1.01}, "/data/confidence"),
    event("unknown agent state", "state.changed", {"state": "dancing"}, "/data/state"),
    event("unknown outcome", "session.ended", {"outcome": "won"}, "/data/outcome"),
    event("no data where it is needed", "fact.learned", {}, "/data/text", "missing_field"),
    body("heartbeat of a list", "[]", 400, "invalid_field", path="/v1/sessions/bad/heartbeat"),
    body("heartbeat with a bad phase", '{"phase":7}', 400, "invalid_field", "/phase", "/v1/sessions/bad/heartbeat"),
    body("end without an outcome", "{}", 400, "missing_field", "/outcome", "/v1/sessions/bad/end"),
    body("end with a bad outcome", '{"outcome":"halted"}', 400, "invalid_field", "/outcome", "/v1/sessions/bad/end"),
    body("cancel with a number", '{"reason":1}', 400, "invalid_field", "/reason", "/v1/sessions/bad/cancel"),
    body("unknown opening field", '{"goals":"x"}', 400, "unknown_field", "/goals", "/v1/sessions/new", "PUT"),
    body("unknown profile", '{"policy":{"profile":"wild"}}', 400, "invalid_field", "/policy/profile", "/v1/sessions/new", "PUT"),
    body("interval too short", '{"policy":{"heartbeat_interval_ms":99}}', 400, "invalid_field",
         "/policy/heartbeat_interval_ms", "/v1/sessions/new", "PUT"),
    body("interval too long", '{"policy":{"heartbeat_interval_ms":3600001}}', 400, "invalid_field",
         "/policy/heartbeat_interval_ms", "/v1/sessions/new", "PUT"),
    body("limit too low", '{"policy":{"heartbeat_limit":1}}', 400, "invalid_field", "/policy/heartbeat_limit",
         "/v1/sessions/new", "PUT"),
    body("17 labels", json.dumps({"labels": {str(i): "x" for i in range(17)}}), 400, "invalid_field", "/labels",
         "/v1/sessions/new", "PUT"),
    body("long label", json.dumps({"labels": {"a": "x" * 129}}), 400, "invalid_field", "/labels/a", "/v1/sessions/new", "PUT"),
    body("empty label", '{"labels":{"team":""}}', 400, "invalid_field", "/labels/team", "/v1/sessions/new", "PUT"),
    raw("key of an opening that is no UTF-8", f"POST /v1/sessions HTTP/1.1\r\n{HOST}Idempotency-Key: k\xff\r\n"
        "Content-Length: 0\r\n\r\n", 400, "invalid_field", "Idempotency-Key", False),
    raw("key of a request for approval that is no UTF-8", f"POST /v1/sessions/bad/approvals HTTP/1.1\r\n{HOST}"
        "Idempotency-Key: \xe2\x82\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 400,
        "invalid_field", "Idempotency-Key", False),
    body("policy of a tool without a name", '{"policy":{"tools":[{"tool":"a"},{"tool":""}]}}', 400, "invalid_field",
         "/policy/tools/1/tool", "/v1/sessions/new", "PUT"),
    body("policy of a class that is none", '{"policy":{"tools":[{"tool":"class:bogus","requires_approval":true}]}}', 400,
         "invalid_field", "/policy/tools/0/tool", "/v1/sessions/new", "PUT"),
    body("policy of a class in capitals", '{"policy":{"tools":[{"tool":"Class:shell","ignore":true}]}}', 400,
         "invalid_field", "/policy/tools/0/tool", "/v1/sessions/new", "PUT"),
    body("policy of a tool twice", '{"policy":{"tools":[{"tool":"a"},{"tool":"b"},{"tool":"a","ignore":true}]}}', 400,
         "invalid_field", "/policy/tools/2", "/v1/sessions/new", "PUT"),
    body("label is a number", '{"labels":{"a":1}}', 400, "invalid_field", "/labels/a", "/v1/sessions/new", "PUT"),
    body("bad parent", '{"parent":"a b"}', 400, "invalid_field", "/parent", "/v1/sessions/new", "PUT"),
    body("another id in the body", '{"id":"other"}', 400, "invalid_field", "/id", "/v1/sessions/new", "PUT"),
    body("a NUL in the agent's name", '{"agent":{"name":"a\\u0000b"}}', 400, "invalid_field", "/agent/name", "/v1/sessions/new", "PUT"),
    body("a dot for an id", '{"id":"."}', 400, "invalid_id", "/id", "/v1/sessions"),
    body("bad id in the body", '{"id":"a b"}', 400, "invalid_id", "/id", "/v1/sessions"),
    body("pointer is escaped", '{"type":"message","data":{"a/b~c":1}}', 400, "unknown_field", "/data/a~1b~0c"),
]

PATHS = [
    get("id with a space", "/v1/sessions/a%20b", 400, "invalid_id", "id"),
    get("a dot for an id in the path", "/v1/sessions/.", 400, "invalid_id", "id"),
    get("two dots for an id, escaped", "/v1/sessions/%2e%2e", 400, "invalid_id", "id"),
    get("id with a slash", "/v1/sessions/a%2Fb", 400, "invalid_id", "id"),
    get("id with a broken escape", "/v1/sessions/a%zz", 400, "invalid_id", "id"),
    get("id of 129 bytes", "/v1/sessions/" + "a" * 129, 400, "invalid_id", "id"),
    get("id beyond ASCII", "/v1/sessions/%C3%A9", 400, "invalid_id", "id"),
    get("unknown session", "/v1/sessions/absent", 404, "unknown_session"),
    get("unknown parameter", "/v1/sessions?foo=1", 400, "invalid_parameter", "foo"),
    get("parameter twice", "/v1/sessions?limit=1&limit=2", 400, "invalid_parameter", "limit"),
    get("limit 0", "/v1/sessions?limit=0", 400, "invalid_parameter", "limit"),
    get("limit above the most", "/v1/sessions?limit=201", 400, "invalid_parameter", "limit"),
    get("limit in words", "/v1/sessions?limit=ten", 400, "invalid_parameter", "limit"),
    get("bad cursor", "/v1/sessions?cursor=x", 400, "invalid_parameter", "cursor"),
    get("unknown verdict", "/v1/sessions?verdict=fine", 400, "invalid_parameter"),
    get("open is maybe", "/v1/sessions?open=maybe", 400, "invalid_parameter", "open"),
    get("label without a colon", "/v1/sessions?label=x", 400, "invalid_parameter", "label"),
    get("negative after", "/v1/sessions/bad/events?after=-1", 400, "invalid_parameter", "after"),
    get("page of 1001", "/v1/sessions/bad/events?limit=1001", 400, "invalid_parameter", "limit"),
    get("unknown until", "/v1/sessions/bad/wait?until=done", 400, "invalid_parameter", "until"),
    get("unknown mode", "/v1/sessions/bad/wait?mode=later", 400, "invalid_parameter", "mode"),
    get("wait in years", "/v1/sessions/bad/wait?wait=1y", 400, "invalid_parameter", "wait"),
    get("wait too long", "/v1/sessions/bad/wait?wait=11m", 400, "invalid_parameter", "wait"),
    get("wait without a session", "/v1/wait?until=ended", 400, "invalid_parameter"),
    get("wait for any and all", "/v1/wait?any=a&all=b", 400, "invalid_parameter"),
    get("wait for a bad id", "/v1/wait?any=a,,b", 400, "invalid_id", "any"),
    get("wait for 101 sessions", "/v1/wait?all=" + ",".join(f"s{i}" for i in range(101)), 400, "invalid_parameter", "all"),
    get("chat status without a session", "/api/chat/autonomous/status", 400, "invalid_parameter", "sessionId"),
    get("bad last event id", "/v1/stream?last_event_id=x", 400, "invalid_parameter", "last_event_id"),
    get("bad Last-Event-ID", "/v1/stream", 400, "invalid_parameter", "Last-Event-ID", "Last-Event-ID: x\r\n"),
    get("parameter of no UTF-8", "/v1/sessions?%FF=1", 400, "invalid_parameter"),
    get("value of no UTF-8", "/v1/sessions/bad/wait?until=%FF", 400, "invalid_parameter", "until"),
    get("quote in a parameter", "/v1/sessions?%22%5C%0a=1", 400, "invalid_parameter", '"\\\n'),
    get("broken escape in a parameter", "/v1/sessions?label=%4", 400, "invalid_parameter", "label"),
    get("%00 in a parameter", "/v1/sessions?label=a%00", 400, "bad_request", closes=True),
    get("parameter on a bare route", "/progress/bad?x=1", 400, "invalid_parameter", "x"),
]

STATE = [
    body("stale attempt", '{"type":"message","attempt":1}', 409, "stale_attempt"),
    body("ended session", '{"type":"message"}', 409, "session_ended", path="/v1/sessions/ended/events"),
    body("heartbeat of an ended session", "{}", 409, "session_ended", path="/v1/sessions/ended/heartbeat"),
    body("event behind the end in one report", '[{"type":"session.ended","data":{"outcome":"failed"}},{"type":"message"}]', 409,
         "session_ended"),
    body("another outcome", '{"outcome":"failed"}', 409, "session_ended", path="/v1/sessions/ended/end"),
    body("another opening", '{"goal":"else"}', 409, "session_exists", "/goal", path="/v1/sessions/bad", method="PUT"),
    body("end of an unknown session", '{"outcome":"failed"}', 404, "unknown_session", path="/v1/sessions/absent/end"),
]

class BadInput(MalformedCase):
    def test_broken_framing_is_refused_and_closes(self):
        self.check_table(FRAMING)

    def test_the_gate_refuses_and_the_connection_goes_on(self):
        self.check_table(GATE)

    def test_broken_json_is_refused(self):
        self.check_table(JSON)

    def test_wrong_fields_are_named(self):
        self.check_table(FIELDS)

    def test_wrong_paths_and_parameters_are_named(self):
        self.check_table(PATHS)

    def test_what_contradicts_the_sessions_state_is_409(self):
        self.check_table(STATE)

    def test_the_table_is_as_long_as_promised(self):
        cases = FRAMING + GATE + JSON + FIELDS + PATHS + STATE
        self.assertGreaterEqual(len(cases), 80)
        self.assertEqual(len({c.name for c in cases}), len(cases), "two cases share a name")

    def test_a_refused_batch_stores_nothing(self):
        session = unique()
        events = [{"type": "message", "event_id": f"e{i}"} for i in range(50)] + [{"type": "no.such"}]
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/events", events).status, 400)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)
        advice = self.client.post(f"/v1/sessions/{session}/events", events[:50]).json()
        self.assertEqual((advice["accepted"], advice["duplicates"]), (50, 0))

    def test_a_body_above_1_mib_is_refused_before_it_is_read(self):
        with RawConnection(self.daemon.port) as connection:
            headers = "Content-Length: 1048577\r\nContent-Type: application/json\r\n"
            connection.send(connection.format("POST", EVENTS, headers=headers))
            self.assertEqual(connection.reply().status, 413)

    def test_a_body_of_exactly_1_mib_is_taken(self):
        event = json.dumps({"type": "message", "data": {"text": "x"}}).encode()
        reply = self.client.post(f"/v1/sessions/{unique()}/events", event + b" " * (2**20 - len(event)))
        self.assertEqual(reply.status, 200)

    def test_junk_of_any_kind_leaves_the_server_alive(self):
        for junk in (b"", b"\r\n", b"\0" * 4096, b"\r\n" * 2000, b"A" * 100_000, bytes(range(256)) * 64, b"GET"):
            with RawConnection(self.daemon.port) as connection:
                connection.send_some(junk)
        self.assertEqual(self.client.get("/livez").status, 200)


class Instances(SharedDaemonCase):
    def test_every_problem_names_the_path_of_its_request(self):
        client = self.daemon.operator()
        self.addCleanup(client.close)
        session, gone = unique(), unique()
        client.open(session)
        asked = client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash"}).json()["id"]
        client.post(f"/v1/approvals/{asked}/decision", {"decision": "approve"})
        cases = [  # by the gate, the decoder, the engine, a view, those who wait, and a decision that came second
            ("GET", f"/v1/session/{gone}", None, 404, "unknown_route"),
            ("POST", f"/v1/sessions/{session}/events", {"type": "nonsense"}, 400, "invalid_field"),
            ("POST", f"/v1/sessions/{gone}/end", {"outcome": "failed"}, 404, "unknown_session"),
            ("GET", f"/v1/sessions/{session}?x=1", None, 400, "invalid_parameter"),
            ("GET", f"/v1/sessions/{gone}", None, 404, "unknown_session"),
            ("GET", f"/v1/sessions/{gone}/wait?until=ended&wait=1s", None, 404, "unknown_session"),
            ("GET", f"/v1/wait?any={session},{gone}&until=ended&wait=1s", None, 404, "unknown_session"),
            ("GET", f"/v1/sessions/{gone}/stream", None, 404, "unknown_session"),
            ("GET", f"/v1/approvals/{gone}.a1?wait=1s", None, 404, "unknown_approval"),
            ("POST", f"/v1/approvals/{asked}/decision", {"decision": "reject"}, 409, "already_decided"),
            ("POST", f"/v1/chat/{session}/approve-agent", {"request_id": asked, "approved": False}, 409, "already_decided"),
        ]
        for method, target, sent, status, code in cases:
            with self.subTest(target):
                reply = client.request(method, target, sent)
                problem = reply.json()
                self.assertEqual((reply.status, problem["code"]), (status, code), problem)
                self.assertEqual(reply.headers["content-type"], "application/problem+json")
                self.assertEqual(problem["instance"], target.split("?")[0])
                self.assertEqual("winner" in problem, code == "already_decided", problem)


if __name__ == "__main__":
    unittest.main()
