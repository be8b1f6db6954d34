#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MCP server: a person asked by an agent's tools, and how the agent stands."""
import json
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.http import RawConnection
from support.limits import eventually

INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude code", "version": "1"}}


class McpClient:
    """A client of its own connections, as one that calls several tools at once."""

    def __init__(self, daemon, session: str | None = None, token: str | None = None):
        self.daemon, self.token = daemon, token
        self.headers = {"X-Headway-Session": session} if session else {}
        self.number = 0
        self.lock = threading.Lock()

    def send(self, body, headers=None):
        client = self.daemon.client(token=self.token) if self.token else self.daemon.client()
        try:
            return client.post("/mcp", body, {**self.headers, **(headers or {}), "Accept": "application/json, text/event-stream"})
        finally:
            client.close()

    def ask(self, method, params=None):
        with self.lock:
            self.number += 1
            number = self.number
        reply = self.send({"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params is not None else {})})
        assert reply.status == 200, (reply.status, reply.body)
        answer = reply.json()
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", number), answer
        return answer

    def begin(self) -> str:
        reply = self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE})
        self.headers["Mcp-Session-Id"] = reply.headers["mcp-session-id"]
        assert self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return reply.headers["mcp-session-id"]

    def call(self, name, **arguments):
        """Text that the model reads."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        (content,) = answer["result"]["content"]
        return content["text"]

    def approve(self, call="c1", tool="Bash", **arguments):
        return json.loads(self.call("approve", tool_name=tool, input=arguments or {"command": "make"}, tool_use_id=call))


class Mcp(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.pool = ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown, wait=False)  # what still waits ends with the daemon

    def waiting(self, session: str) -> dict:
        def find():
            found = self.client.get(f"/v1/approvals?session={session}")
            return found.status == 200 and found.json()["approvals"]

        return eventually(find)[0]

    def decide(self, approval: dict, **body):
        client = self.daemon.operator()
        self.addCleanup(client.close)
        reply = client.post(f"/v1/approvals/{approval['id']}/decision", body)
        self.assertEqual(reply.status, 200, reply.body)

    def test_a_client_is_greeted_and_finds_the_tools(self):
        agent = McpClient(self.daemon)
        session = agent.begin()
        self.assertRegex(session, r"^mcp-claude-code-[0-9a-f-]{36}$")
        self.assertEqual([tool["name"] for tool in agent.ask("tools/list")["result"]["tools"]], ["approve", "ask_human", "status"])
        self.assertEqual(agent.ask("ping")["result"], {})
        for asked, got in (("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
            answer = agent.ask("initialize", {**INITIALIZE, "protocolVersion": asked})["result"]
            self.assertEqual((answer["protocolVersion"], answer["serverInfo"]["name"]), (got, "headway"))

    def test_a_call_waits_for_a_person_and_runs_with_its_own_input(self):
        session = unique("ok")
        agent = McpClient(self.daemon, session)
        answer = self.pool.submit(agent.approve, command="rm -rf build", extra={"deep": [1, 2.50]})
        approval = self.waiting(session)
        self.assertEqual((approval["kind"], approval["tool"], approval["call_id"], approval["source"]), ("tool", "Bash", "c1", "agent"))
        self.assertEqual(approval["args"], {"command": "rm -rf build", "extra": {"deep": [1, 2.5]}})
        self.assertFalse(answer.done())
        self.decide(approval, decision="approve")
        self.assertEqual(answer.result(20), {"behavior": "allow", "updatedInput": {"command": "rm -rf build", "extra": {"deep": [1, 2.5]}}})

    def test_an_approval_lets_one_call_run_and_no_more(self):
        session = unique("once")
        agent = McpClient(self.daemon, session)
        both = [self.pool.submit(agent.approve, "same") for _ in range(2)]
        first = self.waiting(session)
        eventually(lambda: len(self.client.get(f"/v1/approvals?session={session}").json()["approvals"]) == 1)
        self.decide(first, decision="approve")
        self.assertEqual(sorted(answer.result(20)["behavior"] for answer in both), ["allow", "deny"])
        third = self.pool.submit(agent.approve, "same")
        self.decide(self.waiting(session), decision="reject")
        self.assertEqual(third.result(20)["behavior"], "deny")
        self.assertIsNone(self.client.get(f"/v1/approvals/{first['id']}").json()["alarm"])

    def test_the_session_of_a_run_at_another_daemon_is_not_the_one_of_that_name_here(self):
        session = unique("run")
        agent = McpClient(self.daemon, session)
        agent.headers["X-Headway-Url"] = f"http://127.0.0.1:{self.daemon.port - 1}"
        reply = agent.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status", "arguments": {}}})
        self.assertEqual((reply.status, reply.json()["field"]), (400, "Mcp-Session-Id"))
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)

    def test_a_decision_that_the_agent_did_not_wait_for_is_there_when_it_asks_again(self):
        session = unique("gone")
        with RawConnection(self.daemon.port) as raw:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "approve", "arguments": {"tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "d1"}}}).encode()
            raw.send(raw.format("POST", "/mcp", body, f"X-Headway-Session: {session}\r\n"))
            raw.read_until(b"\r\n\r\n")
        self.decide(self.waiting(session), decision="approve")
        agent = McpClient(self.daemon, session)
        self.assertEqual(agent.approve("d2")["behavior"], "allow")
        held = self.pool.submit(agent.approve, "d3")
        self.decide(self.waiting(session), decision="reject")
        self.assertEqual(held.result(20)["behavior"], "deny")

    def test_status_opens_no_session(self):
        session = unique("never")
        self.assertEqual(McpClient(self.daemon, session).call("status"), "Nothing was reported of this session yet.")
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)

    def test_a_call_that_is_rejected_says_why(self):
        session = unique("no")
        answer = self.pool.submit(McpClient(self.daemon, session).approve)
        self.decide(self.waiting(session), decision="reject", reason="not at night")
        refused = answer.result(20)
        self.assertEqual(refused["behavior"], "deny")
        self.assertIn("not at night", refused["message"])

    def test_a_call_that_is_edited_runs_with_the_new_input(self):
        session = unique("edit")
        answer = self.pool.submit(McpClient(self.daemon, session).approve)
        approval = self.waiting(session)
        self.decide(approval, decision="edit", edited_args={"command": "make -n"})
        self.assertEqual(answer.result(20), {"behavior": "allow", "updatedInput": {"command": "make -n"}})

    def test_a_question_is_answered_by_a_person_and_each_question_anew(self):
        session = unique("q")
        agent = McpClient(self.daemon, session)
        for answer in ("blue", "red"):
            reply = self.pool.submit(agent.call, "ask_human", question="Which colour?", options=["blue", "red"])
            asked = self.waiting(session)
            self.assertEqual((asked["kind"], asked["summary"], asked["options"]), ("question", "Which colour?", ["blue", "red"]))
            self.decide(asked, decision="respond", response=answer)
            self.assertEqual(reply.result(20), answer)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").json()["approvals_pending"], 0)

    def test_a_question_without_an_answer_in_time_is_asked_once_however_often_it_is_repeated(self):
        session = unique("slow")
        agent = McpClient(self.daemon, session)
        for _ in range(3):
            said = agent.call("ask_human", question="Deploy?", wait_seconds=0)
            self.assertIn("No person has answered yet", said)
        approval = self.waiting(session)
        self.assertEqual(len(self.client.get(f"/v1/approvals?session={session}").json()["approvals"]), 1)
        self.decide(approval, decision="respond", response="yes")
        self.assertEqual(agent.call("ask_human", question="Deploy?", wait_seconds=0), "yes")

    def test_status_says_the_verdict_the_budget_and_what_the_operator_wants(self):
        session = unique("st")
        self.client.open(session, goal="g", budget={"max_steps": 9})
        agent = McpClient(self.daemon, session)
        self.assertIn("Verdict: starting", agent.call("status"))
        self.assertIn("EXECUTION BUDGET", agent.call("status"))
        self.client.post(f"/v1/sessions/{session}/nudge", {"text": "look at the log"})
        self.assertIn("look at the log", agent.call("status"))
        self.assertNotIn("look at the log", agent.call("status"))

    def test_a_paused_or_stopped_session_lets_no_call_run(self):
        session = unique("stop")
        agent = McpClient(self.daemon, session)
        self.client.open(session, goal="g")
        self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "enough"})
        refused = agent.approve()
        self.assertEqual(refused["behavior"], "deny")
        self.assertIn("enough", refused["message"])
        self.assertEqual(self.client.get(f"/v1/approvals?session={session}&status=pending").json()["approvals"], [])

    def test_beside_hooks_the_call_is_the_same_call(self):
        native = unique("both")
        session = f"claude-{native}"

        def hook(event, **members):
            return self.client.post("/v1/hooks/claude", {"hook_event_name": event, "session_id": native, "tool_name": "Bash",
                                                         "tool_input": {"command": "make"}, "tool_use_id": "c9", **members})

        hook("PreToolUse")
        answer = self.pool.submit(McpClient(self.daemon, session).approve, "c9")
        approval = self.waiting(session)
        self.decide(approval, decision="approve")
        self.assertEqual(answer.result(20)["behavior"], "allow")
        hook("PostToolUse", tool_response={"stdout": "done"})
        shown = self.client.get(f"/v1/approvals/{approval['id']}").json()
        self.assertIsNotNone(shown["executed_n"])
        self.assertIsNone(shown["alarm"])

    def test_messages_that_are_wrong_are_answered_with_the_fix(self):
        agent = McpClient(self.daemon, unique("bad"))
        for params, word in ((None, "approve, ask_human, status"), ({"name": "rm"}, "approve, ask_human, status"),
                             ({"name": "approve"}, "arguments"), ({"name": "approve", "arguments": {"tool_name": 7}}, "tool_name"),
                             ({"name": "approve", "arguments": {"tool_name": "x", "input": []}}, "input"),
                             ({"name": "ask_human", "arguments": {"question": ""}}, "question"),
                             ({"name": "ask_human", "arguments": {"question": "?", "wait_seconds": -1}}, "wait_seconds"),
                             ({"name": "ask_human", "arguments": {"question": "?", "options": "a"}}, "options"),
                             ({"name": "ask_human", "arguments": {"question": "?", "options": ["a"] * 17}}, "options"),
                             ({"name": "approve", "arguments": {"tool_name": "x", "input": {"text": "x" * 70_000}}}, "65536")):
            answer = agent.ask("tools/call", params)
            self.assertEqual(answer["error"]["code"], -32602, answer)
            self.assertIn(word, answer["error"]["message"])
        self.assertEqual(agent.ask("resources/list")["error"]["code"], -32601)
        for body in (b"{", [], {"id": 1, "method": "ping"}, {"jsonrpc": "1.0", "id": 1, "method": "ping"},
                     {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "id": 1, "method": 5}):
            self.assertEqual(agent.send(body).status, 400)
        for body in ({"jsonrpc": "2.0", "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "result": {}}):
            self.assertEqual(agent.send(body).status, 202)
        nameless = McpClient(self.daemon)
        for headers in ({}, {"Mcp-Session-Id": "claude-of-another"}, {"Mcp-Session-Id": "mcp-ä".encode().decode("latin-1")}):
            reply = nameless.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status"}}, headers)
            self.assertEqual((reply.status, reply.json()["field"]), (400, "Mcp-Session-Id"), headers)
        self.assertEqual(self.client.get("/mcp").status, 405)

    def test_an_id_that_is_a_text_comes_back_as_it_was(self):
        reply = McpClient(self.daemon, unique("id")).send({"jsonrpc": "2.0", "id": "a\"b", "method": "ping"})
        self.assertEqual(reply.json()["id"], "a\"b")


class OwnDaemon(OwnDaemonCase):
    def test_a_token_asks_for_its_own_session_only(self):
        daemon = self.start({"access.mode": "token"})
        operator = self.client(daemon, token=daemon.operator_token())
        made = operator.post("/v1/tokens", {"name": "agent", "scopes": ["report:mine"]}).json()["token"]
        self.assertIn("Nothing was reported", McpClient(daemon, "mine", made).call("status"))
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status"}}
        self.assertEqual(McpClient(daemon, "other", made).send(body).status, 403)
        self.assertEqual(McpClient(daemon, "mine").send(body).status, 401)

    def test_a_daemon_that_goes_down_refuses_the_call_and_the_request_stays(self):
        daemon = self.start({})
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(McpClient(daemon, "mine").approve)
            eventually(lambda: self.client(daemon).get("/v1/approvals").json()["pending"] == 1)
            daemon.stop()
            self.assertEqual(answer.result(20)["behavior"], "deny")
        daemon.restart()
        self.assertEqual(self.client(daemon).get("/v1/approvals").json()["pending"], 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
