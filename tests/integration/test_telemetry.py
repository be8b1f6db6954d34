#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Telemetry of agents by OTLP: what becomes of it, beside hooks and without, and what it may not do."""
import gzip
import json
import sys
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.http import RawConnection
from support.limits import eventually

FIXTURES = Path(__file__).parents[1] / "unit/api/otlp/fixtures"


def value(of):
    return {"doubleValue": of} if isinstance(of, float) else {"intValue": str(of)} if isinstance(of, int) else {"stringValue": of}


def attributes(members: dict) -> list:
    return [{"key": key, "value": value(of)} for key, of in members.items()]


def logs(*records, service="claude-code", **resource) -> dict:
    made = [{"timeUnixNano": str(n + 1), "attributes": attributes(record)} for n, record in enumerate(records)]
    return {"resourceLogs": [{"resource": {"attributes": attributes({"service.name": service, **resource})},
                              "scopeLogs": [{"logRecords": made}]}]}


def spans(*records, service="my-agent", **resource) -> dict:
    made = [{"traceId": record.pop("trace", "aa"), "spanId": f"{n:016x}", "parentSpanId": record.pop("parent", "ff"),
             "name": record.pop("name", "x"), "startTimeUnixNano": "1000000", "endTimeUnixNano": str(2000000 + n),
             "status": record.pop("status", {}), "attributes": attributes(record)} for n, record in enumerate(records)]
    return {"resourceSpans": [{"resource": {"attributes": attributes({"service.name": service, **resource})},
                               "scopeSpans": [{"spans": made}]}]}


def used(session: str, tokens=100, n=0) -> dict:
    return {"event.name": "api_request", "session.id": session, "event.sequence": n, "model": "claude-sonnet-4-5",
            "input_tokens": tokens, "output_tokens": 20, "cost_usd": 0.5}


def called(session: str, call: str, command="make", success="true", **more) -> dict:
    return {"event.name": "tool_result", "session.id": session, "tool_name": "Bash", "tool_use_id": call, "success": success,
            "tool_input": json.dumps({"command": command}), **more}


class Telemetry(SharedDaemonCase):
    def send(self, body, signal="logs", headers=None, client=None):
        return (client or self.client).post(f"/v1/{signal}", body, headers)

    def sent(self, body, signal="logs") -> dict:
        reply = self.send(body, signal)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def session(self, name: str) -> dict:
        reply = self.client.get(f"/v1/sessions/{name}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def events(self, name: str, kind: str) -> list:
        return [event["data"] for event in self.client.journal(name) if event["type"] == kind]

    def test_an_export_of_claude_code_is_a_session_with_calls_tokens_and_cost(self):
        self.assertEqual(self.sent(json.loads((FIXTURES / "claude_logs.json").read_bytes())), {})
        shown = self.session("night-7")
        self.assertEqual((shown["used"]["tokens"], shown["used"]["cost_usd"]), (120, 0.0006))
        self.assertNotIn("cost_estimated_usd", shown["used"])
        self.assertEqual((shown["agent"]["name"], shown["agent"]["model"]), ("claude", "claude-sonnet-4-5"))
        self.assertEqual([(call["tool"], call["ok"]) for call in self.events("night-7", "tool.finished")],
                         [("Bash", True), ("Bash", False)])
        self.assertEqual([message["text"] for message in self.events("night-7", "message") if message["role"] == "user"], ["go"])

    def test_protobuf_plain_and_packed_is_answered_in_protobuf(self):
        body = (FIXTURES / "claude_logs.pb").read_bytes()
        for packed in (False, True):
            headers = {"Content-Type": "application/x-protobuf"} | ({"Content-Encoding": "gzip"} if packed else {})
            reply = self.send(gzip.compress(body) if packed else body, headers=headers)
            self.assertEqual((reply.status, reply.body, reply.headers["content-type"]), (200, b"", "application/x-protobuf"))
        # The second one was the same export again.
        self.assertEqual(len([call for call in self.events("night-7", "tool.finished") if call["call_id"] == "toolu_fake0014"]), 1)

    def test_a_partial_success_in_protobuf_counts_what_was_rejected(self):
        def field(number, data):
            return bytes([number << 3 | 2, len(data)]) + data

        name = unique("p").encode()
        resource = field(1, field(1, field(1, b"headway.session") + field(2, field(1, b"no such id"))))
        record = field(6, field(1, b"event.name") + field(2, field(1, b"x")))
        self.assertTrue(name)
        reply = self.send(field(1, resource + field(2, field(2, record))), headers={"Content-Type": "application/x-protobuf"})
        self.assertEqual(reply.status, 200)
        self.assertIn(b"\x08\x01\x12", reply.body)  # one, and why
        self.assertIn(b"no such id", reply.body)

    def test_a_chunked_body_is_read_as_exporters_send_it(self):
        session = unique("c")
        body = json.dumps(logs(used(session))).encode()
        raw = RawConnection(self.daemon.port)
        raw.send(b"POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\n" % self.daemon.port)
        for at in range(0, len(body), 100):
            piece = body[at:at + 100]
            raw.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        raw.send(b"0\r\n\r\n")
        self.assertEqual(raw.reply().status, 200)
        self.assertEqual(self.session(f"claude-{session}")["used"]["tokens"], 120)

    def test_an_export_that_is_sent_again_counts_once(self):
        session = unique("again")
        body = logs(used(session), called(session, "c1"), used(session, n=1))
        for _ in range(3):
            self.assertEqual(self.sent(body), {})
        self.assertEqual(self.session(f"claude-{session}")["used"]["tokens"], 240)
        self.assertEqual(len(self.events(f"claude-{session}", "tool.finished")), 1)

    def test_beside_hooks_that_say_tokens_the_cost_and_what_hooks_left_out_count(self):
        session = unique("both")
        for event, members in (("UserPromptSubmit", {"prompt": "go"}),
                               ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1"}),
                               ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1",
                                                "tool_response": {"stdout": "done"}})):
            reply = self.client.post("/v1/hooks/claude", {"hook_event_name": event, "session_id": session, **members},
                                     {"X-Headway-Usage": "msg_1;2099-01-01T00:00:00Z;90;5"})
            self.assertEqual(reply.status, 200)
        before = len(self.client.journal(f"claude-{session}"))
        self.sent(logs({"event.name": "user_prompt", "session.id": session, "prompt": "go"}, used(session),
                       called(session, "c1"), used(session, n=1) | {"agent.name": "general-purpose"}))
        used_now = self.session(f"claude-{session}")["used"]
        self.assertEqual((used_now["tokens"], used_now["cost_usd"]), (240, 1.0))  # the larger sum, not both
        self.assertNotIn("unpriced_tokens", used_now)
        self.assertEqual(len(self.client.journal(f"claude-{session}")), before + 2)
        self.assertEqual(self.client.get(f"/v1/sessions/claude-{session}.general-purpose").status, 404)

    def test_beside_hooks_that_say_neither_tokens_and_cost_count(self):
        session = unique("qw")
        hook = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "go"}
        self.assertEqual(self.client.post("/v1/hooks/qwen", hook).status, 200)
        self.sent(logs({"event.name": "qwen-code.api_response", "session.id": session, "input_token_count": 7, "output_token_count": 3},
                       service="qwen-code"))
        self.assertEqual(self.session(f"qwen-{session}")["used"]["tokens"], 10)

    def test_tokens_that_hooks_say_are_not_counted_again(self):
        session = unique("gem")
        hook = {"hook_event_name": "AfterModel", "session_id": session, "llm_request": {"model": "m"},
                "llm_response": {"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
                                 "candidates": [{"finishReason": "STOP"}]}}
        self.assertEqual(self.client.post("/v1/hooks/gemini", hook).status, 200)
        before = self.session(f"gemini-{session}")["used"]["tokens"]
        self.sent(logs({"event.name": "gemini_cli.api_response", "session.id": session, "input_token_count": 7,
                        "output_token_count": 3}, service="gemini-cli"))
        self.assertEqual(self.session(f"gemini-{session}")["used"]["tokens"], before)

    def hooked(self, session: str, *answers: tuple, call="") -> None:
        """Hooks of Claude Code with the usage of these answers."""
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": call} \
            if call else {"hook_event_name": "UserPromptSubmit", "prompt": "go"}
        usage = ",".join(f"{name};2099-01-01T00:00:00Z;{tokens};20" for name, tokens in answers)
        reply = self.client.post("/v1/hooks/claude", {"session_id": session, **event}, {"X-Headway-Usage": usage} if usage else {})
        self.assertEqual(reply.status, 200, reply.body)

    def test_an_export_beside_hooks_that_is_sent_again_adds_no_call(self):
        session = unique("twice")
        for n in (1, 2):
            self.hooked(session, call=f"c{n}")
        first, all_three = logs(called(session, "c1")), logs(*(called(session, f"c{n}") for n in (1, 2, 3)))
        for body in (first, first, all_three, all_three):
            self.sent(body)
        calls = self.events(f"claude-{session}", "tool.finished")
        self.assertEqual([call["call_id"] for call in calls], ["c3"])  # hooks reported the others

    def test_answers_that_hooks_and_telemetry_say_count_once_in_either_order(self):
        session = unique("order")
        self.hooked(session)
        self.sent(logs(used(session)))  # before its hook reports it
        self.hooked(session, ("m1", 100), call="c1")
        self.hooked(session, ("m2", 100), call="c2")
        self.sent(logs(used(session, n=1), called(session, "c1")))
        shown = self.session(f"claude-{session}")["used"]
        self.assertEqual((shown["tokens"], shown["cost_usd"]), (240, 1.0))
        self.assertEqual((shown["token_parts"]["input"], shown["token_parts"]["output"]), (200, 40))
        self.assertEqual(self.events(f"claude-{session}", "tool.finished"), [])  # hooks report the calls

    def test_answers_that_a_server_numbers_are_all_counted(self):
        session = unique("numbers")
        for n in range(3):
            answer = {"event.name": "qwen-code.api_response", "session.id": session, "response_id": "chatcmpl-7",
                      "input_token_count": 100 + n, "output_token_count": 10}
            body = logs(answer, called(session, "call_0") | {"event.name": "qwen-code.tool_call", "n": n}, service="qwen-code")
            for record in body["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
                record["timeUnixNano"] = str(int(record["timeUnixNano"]) + 10 * n)
            for _ in range(2):
                self.sent(body)
        self.assertEqual(self.session(f"qwen-{session}")["used"]["tokens"], 333)
        self.assertEqual(len(self.events(f"qwen-{session}", "tool.finished")), 3)

    def test_no_label_hides_telemetry(self):
        for adapter in ("opencode", "claude", "generic", "transcript", "zzz"):
            name = unique("label")
            self.assertEqual(self.client.put(f"/v1/sessions/{name}", {"labels": {"adapter": adapter}}).status, 201)
            self.sent(logs(used("x", n=int(name[-1], 36)), called("x", "c1"), service="my-agent", **{"headway.session": name}))
            shown = self.session(name)["used"]
            self.assertEqual((shown["tokens"], shown["cost_usd"]), (120, 0.5), adapter)
            self.assertEqual(len(self.events(name, "tool.finished")), 1, adapter)

    def test_one_forged_hook_hides_neither_tokens_nor_cost(self):
        name = unique("forged")
        hook = {"event": "usage", "session": "1", "usage": {"input_tokens": 1, "cost": 0.01}}
        self.assertEqual(self.client.post("/v1/hooks/generic", hook, {"X-Headway-Session": name}).status, 200)
        for n in range(2):
            self.sent(logs(used("x", n=n), service="my-agent", **{"headway.session": name}))
        shown = self.session(name)["used"]
        self.assertEqual((shown["tokens"], shown["cost_usd"]), (240, 1.0))

    def test_answers_of_a_sub_agent_with_hooks_of_its_own_count_once(self):
        session = unique("sub")
        self.hooked(session, ("m1", 100))
        start = {"hook_event_name": "SubagentStart", "session_id": session, "agent_id": "s1", "agent_type": "explore"}
        self.assertEqual(self.client.post("/v1/hooks/claude", start, {"X-Headway-Usage": "m2;2099-01-01T00:00:00Z;100;20"}).status, 200)
        eventually(lambda: [told for told in self.events(f"claude-{session}", "child.progress") if told["tokens"] == 120])
        self.sent(logs(used(session), used(session, n=1) | {"agent.name": "explore"}))
        self.assertEqual([self.session(f"claude-{session}{own}")["used"]["tokens"] for own in ("", ".s1")], [120, 120])

    def test_of_log_records_and_spans_the_first_count(self):
        name = "qwen-20209046-5a32-4189-88b9-f58591ea23fb"
        self.sent(json.loads((FIXTURES / "qwen_logs.json").read_bytes()))
        first = self.session(name)["used"]["tokens"]
        self.assertEqual(first, 120)
        self.sent(json.loads((FIXTURES / "qwen_traces.json").read_bytes()), "traces")
        self.assertEqual(self.session(name)["used"]["tokens"], first)
        self.assertEqual(len(self.events(name, "tool.finished")), 2)
        self.assertEqual(self.session(name)["verdict"]["status"], "waiting")  # its turn is over

    def test_a_trace_of_an_sdk_is_a_session_that_ends_with_its_outermost_span(self):
        trace = unique("t")
        tool = {"trace": trace, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "grep",
                "gen_ai.tool.call.id": trace, "gen_ai.tool.call.arguments": '{"q":"x"}', "gen_ai.tool.call.result": "3 hits"}
        model = {"trace": trace, "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2}
        self.assertEqual(self.sent(spans(model.copy()), "traces"), {})
        self.assertEqual(self.client.get(f"/v1/sessions/my-agent-{trace}").status, 404)  # a model is no agent yet
        self.sent(spans(tool, model, {"trace": trace, "parent": "", "gen_ai.operation.name": "invoke_agent"}), "traces")
        shown = self.session(f"my-agent-{trace}")
        self.assertEqual((shown["outcome"], shown["used"]["tokens"]), ("completed", 9))

    def test_a_trace_that_ends_with_the_type_of_an_error_or_an_unknown_status_has_failed(self):
        for status, more in (({}, {"error.type": "timeout"}), ({"code": "ERROR"}, {}), ({"code": 3}, {}), ({"code": 2.0}, {})):
            trace = unique("tr")
            self.sent(spans({"trace": trace, "parent": "", "status": status, "gen_ai.operation.name": "invoke_agent", **more}), "traces")
            name = f"my-agent-{trace}"
            self.assertEqual(self.session(name)["outcome"], "failed", (status, more))

    def test_a_loop_that_says_its_results_is_stuck_and_one_that_does_not_is_no_evidence(self):
        blind, seen = unique("blind"), unique("seen")
        for n in range(12):
            self.sent(logs(called(blind, f"b{n}", command="curl -s http://localhost/next")))
            self.sent(logs(called(seen, f"s{n}", output="No rule to make target"), service="codex_exec"))
        self.assertEqual(self.session(f"codex-{seen}")["verdict"]["status"], "stuck")
        self.assertNotIn(self.session(f"claude-{blind}")["verdict"]["status"], ("stuck", "suspect"),
                         self.session(f"claude-{blind}")["verdict"])

    def test_different_commands_that_fail_without_a_word_are_no_loop(self):
        session = unique("fails")
        for n in range(8):
            self.sent(logs(called(session, f"f{n}", command=f"test -e /tmp/{n}.lock", success="false", error="Shell command failed")))
        self.assertNotEqual(self.session(f"claude-{session}")["verdict"]["status"], "stuck",
                            self.session(f"claude-{session}")["verdict"])

    def test_a_model_that_is_asked_often_without_calls_is_no_sign_of_trouble(self):
        for profile in ("balanced", "strict"):
            session = unique("chat")
            self.client.open(f"claude-{session}", policy={"profile": profile})
            for n in range(30):
                self.sent(logs(used(session, n=n)))
            self.assertNotIn(self.session(f"claude-{session}")["verdict"]["status"], ("suspect", "stuck"), profile)

    def test_errors_and_prompts_of_other_services_open_nothing(self):
        for event in ("api_error", "user_prompt", "tool_result", "session.end"):
            session = unique("shop")
            self.sent(logs({"event.name": event, "session.id": session, "input_tokens": 5, "tool_name": "x"}, service="shop"))
            self.assertEqual(self.client.get(f"/v1/sessions/shop-{session}").status, 404, event)

    def test_records_of_other_services_open_nothing_and_the_reply_says_so(self):
        session = unique("browser")
        reply = self.sent(logs({"event.name": "page_view", "session.id": session}, service="shop"))
        self.assertEqual(reply["partialSuccess"]["rejectedLogRecords"], "0")
        self.assertIn("no record is about a session", reply["partialSuccess"]["errorMessage"])
        self.assertEqual(self.client.get(f"/v1/sessions/shop-{session}").status, 404)

    def test_a_session_that_has_ended_takes_no_more_and_the_reply_says_so(self):
        session = unique("late")
        self.sent(logs(used(session)))
        self.client.post(f"/v1/sessions/claude-{session}/end", {"outcome": "completed"})
        reply = self.sent(logs(used(session, n=1), used(session, n=2)))
        self.assertEqual(reply["partialSuccess"], {"rejectedLogRecords": "2",
                                                   "errorMessage": f"session claude-{session} has ended"})
        self.assertEqual(self.session(f"claude-{session}")["used"]["tokens"], 120)

    def test_secrets_are_cut_out(self):
        session = unique("secret")
        key = "sk-ant-api03-" + "0123456789abcdef" * 3
        self.sent(logs(called(session, "c1", command=f"curl -H 'x-api-key: {key}'", output=f"key {key}"),
                       {"event.name": "user_prompt", "session.id": session, "prompt": f"use {key}"}))
        self.assertNotIn(key, json.dumps(self.client.journal(f"claude-{session}")))

    def test_bodies_that_are_no_export_are_refused_with_the_fix(self):
        for body, headers, status, word in (
                (b"{", None, 400, "invalid_json"), (b'{"resourceSpans":[]}', None, 400, "/resourceLogs"),
                (b"\x0a\xff", {"Content-Type": "application/x-protobuf"}, 400, "protobuf"),
                (b"{}", {"Content-Type": "text/plain"}, 415, "application/x-protobuf"),
                (b"x", {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}, 400, "gzip")):
            reply = self.send(body, headers=headers)
            self.assertEqual(reply.status, status, reply.body)
            self.assertIn(word.encode(), reply.body)
        self.assertEqual(self.client.post("/v1/events", b"x", {"Content-Type": "application/x-protobuf"}).status, 404)

    def test_more_than_fits_into_one_export_is_counted(self):
        body = logs(*(called(unique("many"), f"c{n}") for n in range(70)))
        reply = self.sent(body)
        self.assertEqual(reply["partialSuccess"]["rejectedLogRecords"], "6")
        self.assertIn("64 sessions", reply["partialSuccess"]["errorMessage"])


class Access(OwnDaemonCase):
    def test_a_token_reports_for_its_own_sessions_only(self):
        daemon = self.start({"access.mode": "token"})
        operator = self.client(daemon, token=daemon.operator_token())
        made = operator.post("/v1/tokens", {"name": "agent", "scopes": ["report:claude-mine"]}).json()["token"]
        agent = self.client(daemon, token=made)
        self.assertEqual(agent.post("/v1/logs", logs(used("mine"))).status, 200)
        self.assertEqual(agent.post("/v1/logs", logs(used("mine"), used("other"))).status, 403)
        self.assertEqual(agent.post("/v1/logs", logs(used("mine"), **{"headway.session": "other"})).status, 403)
        self.assertEqual(self.client(daemon).post("/v1/logs", logs(used("mine"))).status, 401)
        self.assertEqual([one["id"] for one in operator.get("/v1/sessions").json()["sessions"]], ["claude-mine"])

    def test_after_a_restart_a_batch_that_comes_again_is_known(self):
        daemon = self.start({})
        body = logs(used("mine"), called("mine", "c1"))
        self.client(daemon).post("/v1/logs", body)
        daemon.kill()
        daemon.restart()
        self.client(daemon).post("/v1/logs", body)
        self.assertEqual(self.client(daemon).get("/v1/sessions/claude-mine").json()["used"]["tokens"], 120)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
