#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits of an agent's own reports: with a report token alone nothing decides, extends, raises a limit or weakens a rule."""
import json
import unittest

from support.case import OwnDaemonCase
from support.limits import eventually
from support.openapi import OpenApi


class AgentCase(OwnDaemonCase):
    """A daemon in mode token, its operator, and an agent that may only report for sessions that begin with `a-`."""

    def pair(self, settings: dict | None = None, config: str = ""):
        daemon = self.start({"access.mode": "token", **(settings or {})}, config, test_clock=True)
        operator = daemon.operator()
        self.addCleanup(operator.close)
        token = operator.post("/v1/tokens", {"name": "agent", "scopes": ["report:a-"]}).json()["token"]
        agent = daemon.client(token=token)
        self.addCleanup(agent.close)
        return daemon, operator, agent

    def refused(self, reply, code, field, says="", status=400):
        problem = reply.json()
        self.assertEqual((reply.status, problem["code"], problem.get("field")), (status, code, field), reply.body)
        self.assertIn(says, problem["detail"])


class Expiry(AgentCase):
    """`on_expiry: approve` is the operator's to allow."""
    ITSELF = {"tool": "deploy", "args": {}, "expires_in_ms": 1, "on_expiry": "approve"}

    def test_an_agent_cannot_have_its_own_request_approved_by_expiry(self):
        _, operator, agent = self.pair({"approvals.require_tools": "deploy"})
        path = "/v1/sessions/a-1/approvals"
        self.refused(agent.post(path, self.ITSELF), "invalid_field", "/on_expiry", "approvals.require_tools")
        self.refused(agent.post(path, {**self.ITSELF, "tool": "other"}), "invalid_field", "/on_expiry", "approvals.approve_on_expiry")
        for kind in ({"kind": "question", "summary": "may I?"}, {"kind": "auth", "summary": "log me in"},
                     {"kind": "budget_extension", "extend": {"max_steps": 10}}):
            self.refused(agent.post(path, {**kind, "expires_in_ms": 1, "on_expiry": "approve"}), "invalid_field", "/on_expiry")
        event = {"type": "approval.requested", "data": self.ITSELF}
        self.refused(agent.post("/v1/sessions/a-1/events", event), "invalid_field", "/data/on_expiry")
        self.refused(agent.post("/v1/sessions/a-1/events", [{"type": "heartbeat"}, event]), "invalid_field", "/1/data/on_expiry")
        self.assertEqual(operator.get("/v1/sessions/a-1").status, 404, "something was stored")

    def test_the_operator_names_the_tools_that_time_may_approve(self):
        daemon, operator, agent = self.pair({"approvals.require_tools": "deploy", "approvals.approve_on_expiry": "deploy,lint",
                                        "approvals.approve_on_expiry_after": "1s"})
        path = "/v1/sessions/a-1/approvals"
        self.refused(agent.post(path, {**self.ITSELF, "expires_in_ms": 1000}), "invalid_field", "/on_expiry", "require_tools")
        lint = {"tool": "lint", "args": {}, "on_expiry": "approve"}
        self.refused(agent.post(path, {**lint, "expires_in_ms": 999}), "invalid_field", "/expires_in_ms", "1000 ms")
        asked = agent.post(path, {**lint, "expires_in_ms": 1000}).json()
        daemon.clock.advance(2)
        done = agent.get(f"/v1/approvals/{asked['id']}?wait=1m").json()
        self.assertEqual((done["status"], done["decision"]["by"]), ("approved", "policy"))
        self.assertEqual(agent.post(f"/v1/approvals/{asked['id']}/redeem", {"args": {}}).status, 200)

    def test_a_tool_that_the_session_requires_approval_for_is_not_approved_by_time(self):
        _, _, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        agent.open("a-1", policy={"tools": [{"tool": "lint", "requires_approval": True}]})
        asked = {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 1000}
        self.refused(agent.post("/v1/sessions/a-1/approvals", asked), "invalid_field", "/on_expiry")

    def test_a_tool_that_a_session_above_requires_approval_for_is_not_approved_by_time(self):
        _, _, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        agent.open("a-1", policy={"tools": [{"tool": "lint", "requires_approval": True}]})
        agent.open("a-2", parent="a-1")
        asked = {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 1000}
        self.refused(agent.post("/v1/sessions/a-2/approvals", asked), "invalid_field", "/on_expiry", "above this one")
        event = {"type": "approval.requested", "data": asked}
        self.refused(agent.post("/v1/sessions/a-2/events", event), "invalid_field", "/data/on_expiry", "above this one")

    def test_time_approves_nothing_once_the_session_above_requires_a_person(self):
        daemon, operator, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        agent.beat("a-1")
        agent.open("a-2", parent="a-1")
        asked = agent.post("/v1/sessions/a-2/approvals", {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 60_000}).json()
        operator.put("/v1/sessions/a-1", {"policy": {"tools": [{"tool": "lint", "requires_approval": True}]}})
        daemon.clock.advance(61)
        shown = eventually(lambda: (d := operator.get(f"/v1/approvals/{asked['id']}").json())["overdue"] and d, what="it is overdue")
        self.assertEqual(shown["status"], "pending")

    def test_a_sub_agents_call_that_the_session_above_requires_approval_for_raises_an_alarm(self):
        _, operator, agent = self.pair({})
        operator.open("a-1", policy={"tools": [{"tool": "lint", "requires_approval": True}]})
        agent.open("a-2", parent="a-1")
        for event in ("tool.started", "tool.finished"):
            agent.post("/v1/sessions/a-2/events", {"type": event, "data": {"call_id": "c1", "tool": "lint", "args": {}, "ok": True}})
        alarms = operator.get("/v1/sessions/a-2").json()["alarms"]
        self.assertEqual([a["kind"] for a in alarms], ["executed_unapproved"])

    def test_what_was_allowed_when_it_was_asked_is_held_when_the_operator_has_withdrawn_it(self):
        daemon, operator, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 60_000}).json()
        daemon.stop()
        daemon.settings = {"access.mode": "token"}
        daemon.start(daemon.port)
        operator.close()
        self.assertFalse(operator.get(f"/v1/approvals/{asked['id']}").json()["overdue"])
        daemon.clock.advance(61)
        shown = eventually(lambda: (d := operator.get(f"/v1/approvals/{asked['id']}").json())["overdue"] and d, what="it is overdue")
        self.assertEqual(shown["status"], "pending")


class Retention(AgentCase):
    """Decisions about a conversation outlive its first sessions."""

    def pre(self, agent, call: str) -> dict:
        return agent.post("/v1/hooks/generic", {"event": "pre", "agent": "a", "session": "1", "tool": "read", "args": {}, "call": call, "hold_ms": 1}).json()

    def test_an_earlier_session_is_kept_as_long_as_one_that_goes_on_from_it(self):
        daemon, operator, agent = self.pair({"storage.retention": "1h"})
        self.assertEqual(self.pre(agent, "c1"), {})
        for event in ({"event": "end"}, {"event": "start", "source": "resume"}):
            agent.post("/v1/hooks/generic", {"agent": "a", "session": "1", **event})
        self.assertEqual(self.pre(agent, "c2"), {})
        operator.post("/v1/sessions/a-1~2/pause", {})
        agent.open("a-old")
        agent.end("a-old")
        daemon.clock.advance(2 * 3600)
        eventually(lambda: operator.get("/v1/sessions/a-old").status == 404, what="no retention")
        self.assertIn("paused", self.pre(agent, "c3").get("deny", ""))
        self.assertEqual(operator.delete("/v1/sessions/a-1").status, 409)
        operator.post("/v1/sessions/a-1~2/end", {"outcome": "completed"})
        daemon.clock.advance(2 * 3600)
        eventually(lambda: operator.get("/v1/sessions/a-1").status == 404, what="the first is not deleted behind the last")


class Extension(AgentCase):
    """An extension is limited by the operator's maximum, also with an approval."""
    CONFIG = {"budget.max_steps_max": "60", "budget.timeout_seconds_max": "120", "budget.max_tokens_max": "1000", "budget.max_cost_usd_max": "2"}

    def ask(self, agent, **extend):
        return agent.post("/v1/sessions/a-1/approvals", {"kind": "budget_extension", "summary": "more", "extend": extend})

    def test_an_extension_above_the_maximum_is_refused_when_it_is_asked(self):
        _, _, agent = self.pair(self.CONFIG)
        agent.open("a-1", budget={"max_steps": 50, "timeout_seconds": 100, "max_tokens": 900, "max_cost_usd": 1})
        for extend in ({"max_steps": 61}, {"timeout_seconds": 121}, {"max_tokens": 1001}, {"max_cost_usd": 2.5}):
            self.refused(self.ask(agent, **extend), "invalid_field", f"/extend/{next(iter(extend))}", "maximum")
            event = {"type": "approval.requested", "data": {"kind": "budget_extension", "extend": extend}}
            self.refused(agent.post("/v1/sessions/a-1/events", event), "invalid_field", f"/data/extend/{next(iter(extend))}")

    def test_an_approved_extension_ends_at_the_maximum(self):
        _, operator, agent = self.pair(self.CONFIG)
        agent.open("a-1", budget={"max_steps": 50, "max_tokens": 900})
        first, second = (self.ask(agent, max_steps=30 + i, max_tokens=1000).json()["id"] for i in range(2))
        approve = {"decision": "approve"}
        self.assertEqual(operator.post(f"/v1/approvals/{first}/decision", approve).status, 200)
        (extended,) = [e["data"] for e in operator.journal("a-1") if e["type"] == "budget.extended"]
        self.assertEqual(extended["added"], {"max_steps": 10, "max_tokens": 100})
        self.assertIn("maximum", extended["reason"])
        self.refused(operator.post(f"/v1/approvals/{second}/decision", approve), "invalid_field", "/decision", "maximum")
        self.assertEqual(operator.post(f"/v1/approvals/{second}/decision", {"decision": "ignore"}).status, 200)
        raised = operator.post("/v1/sessions/a-1/budget", {"extend": {"max_steps": 30}})
        self.assertEqual(raised.status, 200, raised.body)  # said explicitly, with the scope for it
        self.assertEqual(operator.get("/v1/sessions/a-1/budget").json()["budget"]["max_steps"], 90)

    def test_an_opening_cannot_ask_for_more_than_the_maximum(self):
        _, _, agent = self.pair(self.CONFIG)
        for budget in ({"max_steps": 61}, {"timeout_seconds": 121}, {"max_tokens": 1001}, {"max_cost_usd": 2.5}):
            self.refused(agent.put("/v1/sessions/a-1", {"budget": budget}), "invalid_field", f"/budget/{next(iter(budget))}")

    def test_a_session_that_a_report_opens_has_the_operators_budget(self):
        _, operator, agent = self.pair({"budget.default_max_steps": "7"})
        agent.beat("a-1")
        agent.post("/v1/sessions/a-2/approvals", {"tool": "x"})
        for session in ("a-1", "a-2"):
            self.assertEqual(operator.get(f"/v1/sessions/{session}/budget").json()["budget"]["max_steps"], 7)


class Ends(AgentCase):
    def test_a_session_of_an_operators_run_ends_with_its_command_only(self):
        _, operator, agent = self.pair({})
        self.assertEqual(operator.put("/v1/sessions/a-run", {"agent": {"type": "command"}}).status, 201)
        end = {"outcome": "completed", "reason": "all tests pass"}
        for path, body in (("end", end), ("events", {"type": "session.ended", "data": end})):
            self.assertEqual(agent.post(f"/v1/sessions/a-run/{path}", body).status, 200)
            state = operator.session("a-run")
            self.assertEqual((state["outcome"], state["state"]), (None, "idle"))
        operator.post("/v1/sessions/a-run/end", {"outcome": "failed"})
        self.assertEqual(operator.session("a-run")["outcome"], "failed")
        for session in ("a-1", "a-2"):  # one that names itself so is a session like any other
            agent.put(f"/v1/sessions/{session}", {"agent": {"type": "command"}} if session == "a-2" else {})
            self.assertEqual(agent.post(f"/v1/sessions/{session}/end", end).status, 200)
            self.assertEqual(operator.session(session)["outcome"], "completed")


class Openings(AgentCase):
    """Rules that an agent's opening may contain."""
    WEAK = {"profile": "balanced", "loop_detection": False, "on_stuck": "advise", "max_iterations": 0, "max_tool_failures": 99,
            "heartbeat_interval_ms": 3_600_000, "heartbeat_limit": 1000, "tool_time_limit_ms": 86_400_000, "trust_origin": True,
            "tools": [{"tool": "bash", "ignore": True, "patience": 100}],
            "detectors": [{"detector": "exact_repeat", "off": True}, {"detector": "cycle", "suspect": 999, "stuck": 999}]}
    RAISED = {"/policy/profile", "/policy/loop_detection", "/policy/on_stuck", "/policy/heartbeat_interval_ms", "/policy/heartbeat_limit",
              "/policy/tool_time_limit_ms", "/policy/trust_origin", "/policy/tools/0/ignore", "/policy/tools/0/patience",
              "/policy/detectors/0/off", "/policy/detectors/1/suspect", "/policy/detectors/1/stuck"}
    STRICT = {"policy.profile": "strict", "policy.on_stuck": "stop", "policy.tool_time_limit": "1m"}

    def test_a_session_that_a_hook_or_a_ping_opens_trusts_no_origin(self):
        _, operator, agent = self.pair(self.STRICT)
        hook = {"event": "prompt", "agent": "x", "session": "s", "text": "fix"}
        self.assertEqual(agent.post("/v1/hooks/generic", hook, headers={"X-Headway-Session": "a-h"}).status, 200)
        self.assertIs(operator.session("a-h")["policy"]["trust_origin"], False)

    def test_weaker_values_get_the_floor_and_are_named(self):
        _, operator, agent = self.pair(self.STRICT)
        opened = agent.put("/v1/sessions/a-1", {"policy": self.WEAK})
        self.assertEqual(opened.status, 201, opened.body)
        self.assertEqual(set(opened.json()["raised"]), self.RAISED)
        policy = opened.json()["policy"]
        self.assertEqual({k: policy[k] for k in ("profile", "loop_detection", "on_stuck", "heartbeat_interval_ms", "heartbeat_limit",
                                                 "tool_time_limit_ms", "trust_origin")},
                         {"profile": "strict", "loop_detection": True, "on_stuck": "stop", "heartbeat_interval_ms": 600_000,
                          "heartbeat_limit": 20, "tool_time_limit_ms": 60_000, "trust_origin": False})
        started = operator.journal("a-1")[0]["data"]
        self.assertEqual((set(started["raised"]), started["policy"]["on_stuck"]), (self.RAISED, "stop"))
        self.assertEqual(agent.put("/v1/sessions/a-1", {"policy": self.WEAK}).status, 200, "the same opening again")

    def test_the_operators_floor_applies(self):
        config = """[policy.floor]
profile = "balanced"
loop_detection = "off"
on_stuck = "advise"
detectors = "off"
origin = "trusted"
ignore_tools = ["bash"]
patience = 100
threshold_factor = 100
heartbeat_interval = "1h"
heartbeat_limit = 1000
tool_time_limit = "1d"
"""
        _, _, agent = self.pair({**self.STRICT, "policy.floor.judge": "on"}, config)
        weak = {**self.WEAK, "detectors": [{"detector": "exact_repeat", "off": True}]}
        opened = agent.put("/v1/sessions/a-1", {"policy": weak}).json()
        self.assertNotIn("raised", opened)
        self.assertEqual({k: opened["policy"][k] for k in ("profile", "loop_detection", "trust_origin")},
                         {"profile": "balanced", "loop_detection": False, "trust_origin": True})
        self.assertEqual(agent.put("/v1/sessions/a-2", {"policy": {"judge": False}}).json()["raised"], ["/policy/judge"])

    def test_callers_with_control_are_not_bound(self):
        _, operator, _ = self.pair(self.STRICT)
        opened = operator.put("/v1/sessions/a-1", {"policy": self.WEAK})
        self.assertNotIn("raised", opened.json())
        self.assertEqual(opened.json()["policy"]["loop_detection"], False)

    def test_a_call_that_is_said_to_be_a_hooks_is_evidence(self):
        _, _, agent = self.pair()
        agent.open("a-1")
        for i in range(8):
            reply = agent.report("a-1", "tool.finished", tool="bash", args={"command": "make"}, result="the same answer", round=i, origin="hook")
        self.assertEqual(reply["verdict"]["status"], "stuck")


class OpeningAgain(AgentCase):
    """PUT on a session that is open."""
    ABOUT = {"goal": "g", "labels": {"a": "1"}, "agent": {"type": "coder"}, "budget": {"max_steps": 50},
             "policy": {"profile": "strict", "on_stuck": "stop", "max_iterations": 25, "max_tool_failures": 3, "max_parse_failures": 3,
                        "min_confidence": 0.5, "tool_time_limit_ms": 5000, "judge": True, "loop_detection": True,
                        "heartbeat_interval_ms": 5000, "heartbeat_limit": 4,
                        "tools": [{"tool": "rm", "requires_approval": True}], "detectors": [{"detector": "cycle", "suspect": 2, "stuck": 3}]}}
    OTHERS = {"profile": "balanced", "on_stuck": "halt", "max_iterations": 24, "max_tool_failures": 2, "max_parse_failures": 2,
              "min_confidence": 0.4, "tool_time_limit_ms": 4000, "judge": False, "loop_detection": False, "heartbeat_interval_ms": 4000,
              "heartbeat_limit": 3, "trust_origin": False, "trust_user": False, "stats_every": 7, "confirm_stop": "judge", "wait_polls": 7, "wait_patience_ms": 1000, "low_confidence_attempts": 2, "tools": [{"tool": "rm"}], "detectors": [{"detector": "cycle", "suspect": 1, "stuck": 3}]}

    def test_an_opening_after_the_fact_lifts_no_limit_that_it_does_not_name(self):
        _, operator, agent = self.pair()
        agent.beat("a-1")
        operator.post("/v1/sessions/a-1/budget", {"set": {"max_steps": 5}})
        for client in (agent, operator):
            self.assertEqual(client.put("/v1/sessions/a-1", {"goal": "g"}).status, 200)
            self.assertEqual(operator.session("a-1")["budget"]["max_steps"], 5)

    def test_the_same_is_200_and_each_other_field_409_by_its_name(self):
        _, operator, _ = self.pair()
        operator.open("a-1", **self.ABOUT)
        before = operator.session("a-1")["policy"]
        self.assertEqual(set(self.OTHERS), set(before), "a field of the policy that this test does not know")
        for body in (None, self.ABOUT, {**self.ABOUT, "policy": {"max_iterations": 25}}):
            self.assertEqual(operator.put("/v1/sessions/a-1", body).status, 200, body)
        for field, value in self.OTHERS.items():
            with self.subTest(field):
                self.refused(operator.put("/v1/sessions/a-1", {**self.ABOUT, "policy": {field: value}}), "session_exists", f"/policy/{field}", status=409)
        for field, value in {"goal": "h", "labels": {"a": "2"}, "agent": {"type": "x"}, "parent": "a-2"}.items():
            self.refused(operator.put("/v1/sessions/a-1", {**self.ABOUT, field: value}), "session_exists", f"/{field}", status=409)
        self.refused(operator.put("/v1/sessions/a-1", {**self.ABOUT, "budget": {"max_steps": 51}}), "session_exists", "/budget/max_steps", status=409)
        self.assertEqual(operator.session("a-1")["policy"], before)

    def test_a_session_that_a_report_opened_takes_what_tightens(self):
        _, operator, agent = self.pair()
        agent.beat("a-1")
        tools = [{"tool": "rm", "requires_approval": True}]
        opened = agent.put("/v1/sessions/a-1", {"goal": "clean up", "labels": {"k": "v"}, "agent": {"type": "coder"}, "budget": {"max_steps": 9},
                                                "policy": {"tools": tools, "on_stuck": "halt", "max_iterations": 5}})
        self.assertEqual(opened.status, 200, opened.body)
        shown = operator.session("a-1")
        self.assertEqual((shown["goal"], shown["policy"]["on_stuck"], shown["policy"]["max_iterations"], shown["budget"]["max_steps"]), ("clean up", "halt", 5, 9))
        self.assertEqual([s["id"] for s in operator.get("/v1/sessions?label=k:v").json()["sessions"]], ["a-1"])
        (amended,) = [e["data"] for e in operator.journal("a-1") if e["type"] == "session.amended"]
        self.assertEqual((amended["goal"], amended["policy"]["tools"][0]["requires_approval"]), ("clean up", True))
        asked = agent.report("a-1", "tool.started", tool="rm", call_id="c1", args={"path": "/"})
        self.assertEqual(asked["approvals"][0]["status"], "pending")
        self.refused(agent.put("/v1/sessions/a-1", {"goal": "another"}), "session_exists", "/goal", status=409)

    def test_what_loosens_such_a_session_needs_the_scope_control(self):
        _, operator, agent = self.pair({"budget.default_max_steps": "20"})
        for n, (body, field) in enumerate((({"policy": {"heartbeat_interval_ms": 20_000}}, "/policy/heartbeat_interval_ms"),
                                           ({"policy": {"judge": False}}, "/policy/judge"), ({"budget": {"max_steps": 21}}, "/budget/max_steps"))):
            agent.beat(f"a-{n}")
            self.refused(agent.put(f"/v1/sessions/a-{n}", body), "forbidden", field, "control", status=403)
            self.assertEqual(operator.put(f"/v1/sessions/a-{n}", body).status, 200)
        self.assertEqual(operator.session("a-2")["budget"]["max_steps"], 21)


class HooksWords(AgentCase):
    """The words of its hooks about an agent: no report token takes them back."""

    def hook(self, agent, event: str, **members) -> dict:
        reply = agent.post("/v1/hooks/generic", {"event": event, "session": "z", "agent": "a", **members})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def limited(self):
        return self.pair(config="[budget.agents.a]\ndefault_max_steps = 3\n[budget.agents.x]\ndefault_max_steps = 99\n")

    def test_an_agent_renames_neither_its_type_and_name_nor_adapter_and_workspace(self):
        _, operator, agent = self.limited()
        self.hook(agent, "pre", tool="t", call="1", cwd="/work")
        asked = {"agent": {"type": "x", "name": "y", "model": "m"}, "goal": "its own word",
                 "labels": {"adapter": "x", "workspace": "/x", "team": "t"}}
        for _ in range(2):  # sent again, it is the same
            reply = agent.put("/v1/sessions/a-z", asked)
            self.assertEqual(reply.status, 200, reply.body)
        shown = operator.get("/v1/sessions/a-z").json()
        self.assertEqual((shown["agent"]["type"], shown["agent"]["name"], shown["agent"]["model"]), ("a", "a", "m"))
        self.assertEqual(shown["labels"], {"adapter": "a", "workspace": "/work", "team": "t"})
        self.assertEqual((shown["goal"], shown["budget"]["max_steps"]), ("its own word", 3))
        agent.post("/v1/sessions/a-z/end", {"outcome": "completed"})
        self.hook(agent, "pre", tool="t", call="2")
        shown = operator.get("/v1/sessions/a-z~2").json()
        self.assertEqual((shown["agent"]["type"], shown["budget"]["max_steps"]), ("a", 2))

    def test_a_generation_has_the_type_that_its_hooks_say(self):
        _, operator, agent = self.limited()
        self.assertEqual(agent.put("/v1/sessions/a-z", {"agent": {"type": "x"}}).status, 201)
        self.hook(agent, "pre", tool="t", call="1")
        agent.post("/v1/sessions/a-z/end", {"outcome": "completed"})
        self.hook(agent, "pre", tool="t", call="2")
        shown = operator.get("/v1/sessions/a-z~2").json()
        self.assertEqual((shown["agent"]["type"], shown["budget"]["max_steps"]), ("a", 3))
        agent.put("/v1/sessions/a-z~2", {"agent": {"type": "x"}})
        self.assertEqual(operator.get("/v1/sessions/a-z~2").json()["agent"]["type"], "a")

    def test_the_type_that_an_operator_gave_stays(self):
        _, operator, agent = self.limited()
        self.hook(agent, "pre", tool="t", call="1")
        self.assertEqual(operator.put("/v1/sessions/a-z", {"agent": {"type": "x"}}).status, 200)
        for generation, rest in (("a-z~2", 2), ("a-z~3", 1)):
            agent.post(f"/v1/sessions/{generation[:-2] if generation.endswith('2') else 'a-z~2'}/end", {"outcome": "completed"})
            self.hook(agent, "pre", tool="t", call=generation)
            shown = operator.get(f"/v1/sessions/{generation}").json()
            self.assertEqual((shown["agent"]["type"], shown["budget"]["max_steps"]), ("x", rest))


class Hidden(AgentCase):
    """Parts that are cut out of a text for people."""

    def test_an_approval_says_how_much_of_it_is_hidden_and_is_risky_then(self):
        _, operator, agent = self.pair()
        secret = "sk-" + "a1B2" * 12
        asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "deploy", "args": {"command": f"deploy --token {secret}"}, "risk": "low"}).json()
        self.assertEqual((asked["hidden_bytes"], asked["risk"]), (len(secret), "high"))
        self.assertNotIn(secret, str(asked))
        plain = agent.post("/v1/sessions/a-1/approvals", {"tool": "deploy", "args": {"command": "deploy [redacted]"}, "risk": "low"}).json()
        self.assertEqual((plain["hidden_bytes"], plain["risk"]), (0, "low"))
        grave = agent.post("/v1/sessions/a-1/approvals", {"tool": "x", "args": {"password": "hunter22"}, "risk": "critical"}).json()
        self.assertEqual((grave["hidden_bytes"], grave["risk"]), (8, "critical"))
        called = agent.report("a-2", "tool.started", tool="deploy", call_id="c", args={"password": "hunter22"}, requires_approval=True)
        shown = operator.get(f"/v1/approvals/{called['approvals'][0]['id']}").json()
        self.assertEqual((shown["hidden_bytes"], shown["risk"]), (8, "high"))
        event = {"type": "approval.requested", "data": {"tool": "x", "hidden_bytes": 1}}
        self.refused(agent.post("/v1/sessions/a-1/events", event), "invalid_field", "/data/hidden_bytes")


class Fields(AgentCase):
    """Every field of every request that a report token may send, with the values that say most, one at a time and together."""
    # The floor of the configuration below, and the settings of an operator for their own session.
    SETTINGS = {"policy.profile": "strict", "policy.on_stuck": "stop", "policy.tool_time_limit": "1m", "approvals.require_tools": "deploy",
                "budget.default_max_steps": "30", "budget.max_steps_max": "60", "budget.timeout_seconds_max": "120",
                "budget.max_tokens_max": "1000", "budget.max_cost_usd_max": "2", "policy.floor.judge": "on"}
    POLICY = {"profile": "strict", "on_stuck": "halt", "max_iterations": 25, "max_tool_failures": 3, "tools": [{"tool": "rm", "requires_approval": True}]}
    # Routes of the scope report:, by operation; test_access_matrix.py holds that there are no others.
    ROUTES = {"openSession", "openNamedSession", "reportEvents", "reportHeartbeat", "endSession", "askApproval", "redeemApproval", "askCheck"}
    # Actions of people, which no report may bring about; a request that expires may reject itself.
    BY_PEOPLE = {"approval.decided", "approval.revoked", "budget.set"}
    LIMITS = ("max_steps", "timeout_seconds", "max_tokens", "max_cost_usd")

    def setUp(self):
        self.daemon, self.operator, self.agent = self.pair(self.SETTINGS)
        self.described = OpenApi()
        self.number = 0

    def test_no_field_of_a_report_decides_extends_raises_or_ends_a_halt(self):
        bodies = [("reportEvents", path, {"type": kind, "data": data, **more})
                  for kind, schema in self.event_kinds(self.described) for path, data in variants(self.described, schema)
                  for more in ({},) + (({"attempt": 1_000_000_000},) if path == "" else ())]
        bodies += [("reportHeartbeat", path, body) for path, body in variants(self.described, self.body_of("reportHeartbeat"))]
        bodies += [("endSession", path, body) for path, body in variants(self.described, self.body_of("endSession"))]
        bodies += [("askCheck", path, {**body, "sessionId": "SESSION"}) for path, body in variants(self.described, self.body_of("askCheck"))]
        bodies += [("askApproval", path, body) for path, body in variants(self.described, self.body_of("askApproval"))]
        bodies += [("askApproval", "together", {"kind": kind, "tool": tool, "summary": "s", "expires_in_ms": ms, "on_expiry": expiry, "risk": "low", **more})
                   for kind, more in (("tool", {}), ("question", {}), ("auth", {}), ("budget_extension", {"extend": {"max_steps": 10**6}}),
                                      ("budget_extension", {"extend": {"max_steps": 10, "timeout_seconds": 10, "max_tokens": 10}}))
                   for tool in ("deploy", "other") for ms in (1, 10**9) for expiry in ("hold", "reject", "approve", "escalate")]
        bodies += [("redeemApproval", path, body) for path, body in variants(self.described, self.body_of("redeemApproval"))]
        bodies += [("openNamedSession", path, body) for path, body in variants(self.described, self.body_of("openNamedSession"))]
        self.assertGreater(len(bodies), 400)
        accepted = 0
        for route, path, body in bodies:
            with self.subTest(f"{route} {path}: {body}"):
                accepted += self.attack(route, body)
        self.assertGreater(accepted, 150)

    def attack(self, route: str, body: dict) -> bool:
        """One request against a session with everything at stake: an open question, a pause, a cancel, a budget, a policy."""
        self.number += 1
        name = f"a-{self.number}"
        self.operator.open(name, policy=self.POLICY, budget={"max_steps": 50, "timeout_seconds": 100})
        asked = self.agent.post(f"/v1/sessions/{name}/approvals", {"tool": "deploy", "args": {"to": "production"}}).json()["id"]
        self.operator.post(f"/v1/sessions/{name}/pause", {"reason": "wait"})
        self.operator.post(f"/v1/sessions/{name}/cancel", {"reason": "enough"})
        before = self.operator.session(name)
        body = json.loads(json.dumps(body).replace("SESSION", name))
        status = self.send(route, name, asked, body).status
        self.assertNotIn(status, (500, 503))
        self.agent.beat(name) if self.operator.session(name)["outcome"] is None else None  # what time decides has come by now
        after, journal = self.operator.session(name), self.operator.journal(name)
        self.assertEqual([e for e in journal if e["type"] in self.BY_PEOPLE and e["data"].get("decision") != "reject"], [], "decided")
        self.assertEqual([e for e in journal if e["type"] == "directive.issued" and e["data"].get("kind", "continue") == "continue"], [], "resumed")
        extended = [e for e in journal if e["type"] == "budget.extended" and not e["data"].get("credited_ms")]
        self.assertEqual(extended, [], "extended")
        status_of = {a["id"]: a["status"] for a in self.operator.get(f"/v1/approvals?status=all&session={name}").json()["approvals"]}
        self.assertIn(status_of[asked], ("pending", "cancelled"))
        self.assertLessEqual(set(status_of.values()), {"pending", "cancelled", "expired"})
        self.assertEqual((after["policy"], after["cancel_requested"]), (before["policy"], True))
        self.assertEqual([after["budget"].get(limit) for limit in self.LIMITS], [before["budget"].get(limit) for limit in self.LIMITS])
        return status < 300

    def test_no_field_of_an_opening_weakens_the_policy_or_raises_a_limit(self):
        bodies = [*variants(self.described, self.body_of("openNamedSession"))]
        bodies += [("together", {"policy": Openings.WEAK, "agent": {"type": kind}}) for kind in ("", "plan", "explore", "x")]
        accepted = 0
        for path, body in bodies:
            with self.subTest(f"{path}: {body}"):
                self.number += 1
                name = f"a-{self.number}"
                named = self.agent.put(f"/v1/sessions/{name}", {k: v for k, v in body.items() if k != "id"})
                reported = self.agent.put(f"/v1/sessions/{name}", {**body, "id": f"{name}-x"})
                self.assertNotIn(named.status, (500, 503))
                self.assertGreaterEqual(reported.status, 400)
                if named.status < 300:
                    accepted += 1
                    self.check_policy(self.operator.session(name))
        self.assertGreater(accepted, 40)

    def test_a_session_that_a_report_opened_is_bound_alike(self):
        for number, (path, body) in enumerate(variants(self.described, self.body_of("openNamedSession"))):
            with self.subTest(f"{path}: {body}"):
                name = f"a-i{number}"
                self.agent.beat(name)
                self.agent.put(f"/v1/sessions/{name}", body)
                self.check_policy(self.operator.session(name))

    def check_policy(self, shown: dict):
        policy = shown["policy"]
        self.assertEqual((policy["profile"], policy["loop_detection"], policy["judge"], policy["trust_origin"]), ("strict", True, True, False))
        self.assertIn(policy["on_stuck"], ("by_profile", "stop", "halt"))
        self.assertLessEqual(policy["heartbeat_interval_ms"], 600_000)
        self.assertLessEqual(policy["heartbeat_limit"], 20)
        self.assertTrue(0 < policy["tool_time_limit_ms"] <= 60_000)
        for tool in policy["tools"]:
            self.assertFalse(tool.get("ignore", False), tool)
            self.assertLessEqual(tool.get("patience", 1), 10)
        for detector in policy["detectors"]:
            self.assertFalse(detector.get("off", False), detector)
            self.assertLessEqual(max(detector.get("suspect", 0), detector.get("stuck", 0)), 60)
        limits = self.limits(shown["id"])
        self.assertTrue(0 < limits["max_steps"] <= 60, limits)
        for name, most in (("timeout_seconds", 120), ("max_tokens", 1000), ("max_cost_usd", 2)):
            # plan and explore have budgets of their own; the configuration may give an agent type what it likes.
            if shown["agent"].get("type") not in ("plan", "explore") and limits[name] is not None:
                self.assertLessEqual(limits[name], most)

    def limits(self, name: str) -> dict:
        budget = self.operator.get(f"/v1/sessions/{name}/budget").json()["budget"]
        return {limit: budget.get(limit) for limit in self.LIMITS}

    def send(self, route: str, name: str, approval: str, body: dict):
        if route == "openNamedSession":
            return self.agent.put(f"/v1/sessions/{name}", body)
        path = {"reportEvents": f"/v1/sessions/{name}/events", "reportHeartbeat": f"/v1/sessions/{name}/heartbeat", "endSession": f"/v1/sessions/{name}/end",
                "askApproval": f"/v1/sessions/{name}/approvals", "redeemApproval": f"/v1/approvals/{approval}/redeem", "askCheck": "/check-status"}[route]
        return self.agent.post(path, body)

    def body_of(self, name: str) -> dict:
        (operation,) = [one for one in self.described.operations if one.id == name]
        return self.described.whole(operation.said["requestBody"])["content"]["application/json"]["schema"]

    @staticmethod
    def event_kinds(described) -> list:
        """Type and schema of the data of each event that may be reported."""
        found = {}

        def walk(schema):
            schema = described.whole(schema)
            properties = schema.get("properties", {})
            kind = described.whole(properties.get("type", {})).get("const")
            if kind is not None and "data" in properties:
                found[kind] = properties["data"]
            for key in ("oneOf", "anyOf", "allOf"):
                for part in schema.get(key, ()):
                    walk(part)
        walk({"$ref": "#/components/schemas/ReportEvent"})
        assert len(found) > 15, sorted(found)
        return sorted(found.items())


class Generations(AgentCase):
    """An agent that ends its own session goes on in the next one under what was set for the first."""
    RULES = {"budget": {"max_steps": 10}, "policy": {"profile": "strict", "tools": [{"tool": "deploy", "requires_approval": True}]}, "parent": "o-above"}

    def hook(self, agent, event: str, number: int = 0, tool: str = "bash", status: int = 200, session: str = "a-1") -> dict:
        body = {"event": event, "session": "native", "text": "go", "tool": tool, "call": f"t{number}", "args": {"command": f"ls {number}"}}
        reply = agent.post("/v1/hooks/generic", json.dumps(body).encode(), {"X-Headway-Session": session})
        self.assertEqual(reply.status, status, reply.body)
        return reply.json()

    def step(self, agent, number: int) -> dict:
        said = self.hook(agent, "pre", number)
        self.hook(agent, "post", number)
        return said

    def end(self, agent, session: str):
        self.assertEqual(agent.post(f"/v1/sessions/{session}/end", {"outcome": "completed"}).status, 200)

    def test_an_agent_does_not_shed_its_budget_and_policy_by_ending_itself(self):
        for begins in ("start", "prompt", "pre"):
            with self.subTest(begins=begins):
                _, operator, agent = self.pair()
                self.assertEqual(operator.put("/v1/sessions/a-1", self.RULES).status, 201)
                for i in range(8):
                    self.step(agent, i)
                self.assertEqual(operator.get("/v1/sessions/a-1/budget").json()["budget"]["level"], "critical")
                self.end(agent, "a-1")
                self.hook(agent, begins, 20)
                following = operator.session("a-1~2")
                self.assertEqual((following["policy"]["profile"], following["parent"]), ("strict", "o-above"))
                self.assertEqual([t["tool"] for t in following["policy"]["tools"] if t["requires_approval"]], ["deploy"])
                self.assertEqual(operator.get("/v1/sessions/a-1~2/budget").json()["budget"]["max_steps"], 2)
                said = [self.step(agent, i) for i in range(30, 35)]
                self.assertTrue(any("decision" in json.dumps(s) or "stop" in json.dumps(s) for s in said), said)
                self.assertEqual(operator.session("a-1~2")["outcome"], "budget_exhausted")
                self.step(agent, 40)
                self.assertEqual(operator.get("/v1/sessions/a-1~3").status, 404)

    def test_a_budget_that_is_used_up_is_used_up_in_each_later_generation(self):
        for limit, use in (("max_tokens", {"tokens": 50}), ("max_cost_usd", {"cost_usd": 2})):
            with self.subTest(limit):
                _, operator, agent = self.pair()
                self.assertEqual(operator.put("/v1/sessions/a-1", {"budget": {limit: 1}}).status, 201)
                agent.report("a-1", "tool.finished", tool="read", args={}, result="", usage=use)
                self.assertEqual(operator.session("a-1")["outcome"], "budget_exhausted")
                for number in (2, 3, 4):
                    self.hook(agent, "start")
                    self.assertIn("deny", self.hook(agent, "pre", number))
                    budget = operator.get(f"/v1/sessions/a-1~{number}/budget").json()["budget"]
                    self.assertEqual((budget["level"], budget[limit]), ("exhausted", 0), budget)
                    self.assertIsNone(operator.session(f"a-1~{number}")["ended_at"], "a person could not raise it")
                    if number < 4:
                        self.end(agent, f"a-1~{number}")
                raised = operator.post("/v1/sessions/a-1~4/budget", {"extend": {limit: 100}})
                self.assertEqual(raised.status, 200, raised.body)
                self.assertEqual(self.hook(agent, "pre", 9), {})

    def test_a_used_up_budget_beside_a_rejection_or_a_pause_breaks_no_later_generation(self):
        for what in ("reject", "pause"):
            with self.subTest(what):
                _, operator, agent = self.pair()
                self.assertEqual(operator.put("/v1/sessions/a-1", {"budget": {"max_tokens": 1}}).status, 201)
                if what == "reject":
                    asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "deploy", "args": {}}).json()["id"]
                    self.assertEqual(operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}).status, 200)
                else:
                    self.assertEqual(operator.post("/v1/sessions/a-1/pause", {}).status, 200)
                agent.report("a-1", "tool.finished", tool="read", args={}, result="", usage={"tokens": 50})
                for number in (2, 3):
                    if operator.session("a-1" if number == 2 else f"a-1~{number - 1}")["ended_at"] is None:
                        self.end(agent, "a-1" if number == 2 else f"a-1~{number - 1}")
                    self.hook(agent, "start")
                    self.assertRegex(json.dumps(self.hook(agent, "pre", number)), "deny|stop")

    def test_a_child_of_an_earlier_generation_is_charged_to_the_one_in_force(self):
        _, operator, agent = self.pair()
        self.assertEqual(operator.put("/v1/sessions/a-1", {"budget": {"max_tokens": 1000}}).status, 201)
        agent.open("a-kid", parent="a-1")
        self.end(agent, "a-kid")
        self.end(agent, "a-1")
        self.hook(agent, "start")
        for name in ("a-new", "a-kid~2"):
            opened = agent.put(f"/v1/sessions/{name}", {"parent": "a-1"})
            self.assertEqual(opened.status, 201, opened.body)
            self.assertEqual(opened.json()["parent"], "a-1~2")
            self.assertEqual(agent.put(f"/v1/sessions/{name}", {"parent": "a-1"}).status, 200)
            agent.report(name, "tool.finished", tool="read", args={}, result="", usage={"tokens": 400})
        eventually(lambda: operator.get("/v1/sessions/a-1~2/budget").json()["budget"]["tokens_used"] == 800, what="children are not charged")

    def test_a_child_that_names_an_earlier_generation_in_a_second_opening_is_charged_to_the_one_in_force(self):
        _, operator, agent = self.pair()
        self.assertEqual(operator.put("/v1/sessions/a-1", {"budget": {"max_tokens": 1000}}).status, 201)
        self.end(agent, "a-1")
        self.hook(agent, "start")
        agent.report("a-kid", "heartbeat")
        self.assertEqual(agent.put("/v1/sessions/a-kid", {"parent": "a-1"}).json()["parent"], "a-1~2")
        agent.report("a-kid", "tool.finished", tool="read", args={}, result="", usage={"tokens": 400})
        eventually(lambda: operator.get("/v1/sessions/a-1~2/budget").json()["budget"]["tokens_used"] == 400, what="the child is not charged")
        self.assertIsNone(agent.put("/v1/sessions/a-1~2", {"parent": "a-1"}).json().get("parent"), "no session is its own child")

    def test_the_stop_of_a_rejection_that_a_person_lifted_is_lifted_for_children(self):
        _, operator, agent = self.pair()
        self.hook(agent, "prompt")
        asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        self.assertEqual(operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}).status, 200)
        self.assertTrue(operator.session("a-1")["stopped"])
        self.end(agent, "a-1")
        agent.report("a-kid", "heartbeat")
        self.assertEqual(agent.put("/v1/sessions/a-kid", {"parent": "a-1"}).json()["parent"], "a-1")
        self.hook(agent, "start")
        self.assertIn("stopped the session above", json.dumps(self.hook(agent, "pre", 1, session="a-kid")))
        self.assertEqual(operator.post("/v1/sessions/a-1~2/resume", {"by": "ann"}).status, 200)
        self.assertNotIn("stopped the session above", json.dumps(self.hook(agent, "pre", 2, session="a-kid")))

    def test_a_rejected_call_that_runs_in_a_sub_agent_or_a_later_generation_raises(self):
        _, operator, agent = self.pair()
        command = {"command": "rm -r /srv"}

        def run(session, call_id, **more):
            agent.post(f"/v1/sessions/{session}/events",
                       {"type": "tool.finished", "data": {"tool": "bash", "call_id": call_id, "args": command, "ok": True, **more}})
            return [alarm["kind"] for alarm in operator.get(f"/v1/sessions/{session}").json()["alarms"]]
        agent.put("/v1/sessions/a-r", {"goal": "g"})
        agent.put("/v1/sessions/a-r.c", {"goal": "g", "parent": "a-r"})
        asked = agent.post("/v1/sessions/a-r/approvals", {"tool": "bash", "args": command, "call_id": "q"}).json()["id"]
        operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject", "by": "ana", "then": "change_approach", "reason": "never"})
        refused = {"ok": False, "error": {"class": "denied", "message": "refused by the hook"}}
        self.assertEqual(run("a-r.c", "c0", **refused), [])
        self.assertEqual(run("a-r.c", "c1"), ["executed_though_rejected"])
        agent.post("/v1/sessions/a-r/end", {"outcome": "completed"})
        agent.put("/v1/sessions/a-r~2", {})
        self.assertEqual(run("a-r~2", "c2"), ["executed_though_rejected"])
        # Allowed by a person there, it runs.
        operator.post("/v1/sessions/a-r~2/alarms/acknowledge", {})
        again = agent.post("/v1/sessions/a-r~2/approvals", {"tool": "bash", "args": command, "call_id": "c3"}).json()["id"]
        operator.post(f"/v1/approvals/{again}/decision", {"decision": "approve", "by": "ana"})
        self.assertEqual(run("a-r~2", "c3"), [])

    def test_a_rejected_call_is_refused_in_a_later_generation_by_each_hook_that_can(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "bash", "args": {"command": "ls 7"}, "call_id": "q"}).json()["id"]
        operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject", "by": "ana", "then": "change_approach", "reason": "never"})
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {})
        for event in ("pre", "permission"):
            self.assertIn("rejected", self.hook(agent, event, 7, session="a-1~2").get("deny", ""), event)
            self.assertNotIn("rejected", self.hook(agent, event, 8, session="a-1~2").get("deny", ""), event)

    def test_a_line_has_no_second_line(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {})
        self.end(agent, "a-1~2")
        self.assertEqual(agent.put("/v1/sessions/a-1~2~2", {}).status, 403)
        self.assertEqual(agent.put("/v1/sessions/a-1~3", {}).status, 201)

    def test_the_labels_of_a_line_stay_whatever_its_agent_adds(self):
        _, operator, agent = self.pair()
        operator.put("/v1/sessions/a-1", {"labels": {"team": "pay"}})
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {"labels": {f"k{n}": "v" for n in range(16)}})
        self.assertEqual(operator.session("a-1~2")["labels"].get("team"), "pay")

    def test_two_pings_of_an_agent_lift_no_cancel(self):
        _, operator, agent = self.pair()
        operator.put("/v1/sessions/a-1", {"labels": {"team": "pay"}})
        self.hook(agent, "pre", 1)
        for path in ("", "/start"):
            self.assertEqual(agent.get(f"/ping/a-1{path}").status, 200)
        self.assertEqual(operator.post("/v1/sessions/a-1~2/cancel", {}).status, 200)
        for path in ("", "/start"):
            agent.get(f"/ping/a-1{path}")
        self.assertEqual(agent.get("/v1/sessions/a-1~3").status, 404)

    def test_only_an_approval_takes_a_rejection_back(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        calls = iter(range(100))

        def hook(event="pre"):
            body = {"event": event, "session": "native", "tool": "bash", "call": f"t{next(calls)}", "args": {"command": "ls"}, "ok": True}
            return agent.post("/v1/hooks/generic", json.dumps(body).encode(), {"X-Headway-Session": "a-1"}).json()

        def decide(**decision):
            asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "bash", "args": {"command": "ls"}, "call_id": f"q{next(calls)}"}).json()["id"]
            reply = operator.post(f"/v1/approvals/{asked}/decision", {"by": "ana", **decision})
            self.assertEqual(reply.status, 200, reply.body)
            return hook()
        self.assertIn("deny", decide(decision="reject", then="change_approach", reason="never"))
        self.assertIn("deny", decide(decision="ignore"))
        self.assertNotEqual(decide(decision="edit", edited_args={"command": "ls -l"}), {})
        self.assertIn("deny", hook(), "only what the person made of it may run")
        self.assertNotIn("deny", decide(decision="approve"))
        hook("post")
        self.assertIn("deny", hook(), "one approval is one execution")

    def test_a_grant_of_a_tool_takes_no_rejection_of_a_call_back(self):
        _, operator, agent = self.pair()

        def ask(session, call_id, to):
            return agent.post(f"/v1/sessions/{session}/approvals", {"tool": "deploy", "args": {"to": to}, "call_id": call_id}).json()

        def decide(asked, **decision):
            self.assertEqual(operator.post(f"/v1/approvals/{asked['id']}/decision", {"by": "ana", **decision}).status, 200)
        for rejected, granted in (("a-one", "a-one"), ("a-above", "a-above.c")):
            agent.put(f"/v1/sessions/{rejected}", {})
            if granted != rejected:
                agent.put(f"/v1/sessions/{granted}", {"parent": rejected})
            decide(ask(rejected, "c1", "production"), decision="reject", then="change_approach", reason="never production")
            before = ask(granted, "c2", "production")
            decide(ask(granted, "c3", "staging"), decision="approve", scope="session", match="tool")
            self.assertEqual(ask(granted, "c4", "test")["status"], "approved")
            for asked in (before, ask(granted, "c5", "production")):
                self.assertEqual(operator.get(f"/v1/approvals/{asked['id']}").json()["status"], "pending", granted)

    def test_an_agent_does_not_shed_a_pause_by_ending_itself(self):
        _, operator, agent = self.pair()
        self.hook(agent, "prompt")
        self.assertEqual(operator.post("/v1/sessions/a-1/pause", {"by": "ann"}).status, 200)
        for last, following in (("a-1", "a-1~2"), ("a-1~2", "a-1~3")):
            self.end(agent, last)
            self.hook(agent, "start")
            self.assertEqual([d["type"] for d in operator.session(following)["directives"]], ["pause"])
        self.assertEqual(operator.post("/v1/sessions/a-1~3/resume", {"by": "ann"}).status, 200)
        self.assertEqual(self.hook(agent, "pre", 1), {})

    def test_an_agent_opens_no_generation_of_its_own(self):
        _, operator, agent = self.pair()
        self.assertEqual(operator.put("/v1/sessions/a-1", self.RULES).status, 201)
        event = {"type": "heartbeat"}
        self.refused(agent.put("/v1/sessions/a-1~2", {"goal": "x"}), "forbidden", "id", "a-1", 403)
        self.refused(agent.post("/v1/sessions/a-1~2/events", event), "forbidden", "id", "a-1", 403)
        self.refused(agent.post("/v1/sessions/a-1~3/approvals", {"tool": "x"}), "forbidden", "id", "a-1~2", 403)
        self.assertIn("deny", self.hook(agent, "pre", session="a-1~2"))
        self.assertEqual(agent.get("/ping/a-1~2/start").status, 403)
        self.end(agent, "a-1")
        opened = agent.put("/v1/sessions/a-1~2", {"budget": {"max_steps": 100}, "policy": {"profile": "balanced"}})
        self.assertEqual(opened.status, 201, opened.body)
        self.assertEqual((opened.json()["policy"]["profile"], opened.json()["raised"]), ("strict", ["/policy/profile", "/policy/tools"]))
        self.assertEqual(operator.get("/v1/sessions/a-1~2/budget").json()["budget"]["max_steps"], 10)


class Evidence(AgentCase):
    """Reports of an agent that lift what was counted against it, and how often."""
    # core/detectors/README.md, "What lifts what was counted". The first ends the loop, the next two ask a person (`blocked`).
    LIFTS = {"session.ended", "approval.requested", "tool.started", "message", "directive.acknowledged", "phase.started", "phase.completed", "heartbeat",
             "tool.finished", "test.result"}

    def loop(self, agent, name: str, calls: int, start: int = 0) -> str:
        reply = agent.post(f"/v1/sessions/{name}/events", [{"type": "tool.finished", "data": {
            "tool": "bash", "args": {"command": "make"}, "result": "the same long answer as before", "round": i}} for i in range(start, start + calls)])
        return reply.json()["verdict"]["status"]

    def test_only_listed_events_lift_a_verdict(self):
        _, operator, agent = self.pair()
        described, lifted = OpenApi(), set()
        kinds = Fields.event_kinds(described)
        for number, (kind, data) in enumerate((kind, data) for kind, schema in kinds for _, data in variants(described, schema)):
            name = f"a-{number}"
            self.assertEqual(self.loop(agent, name, 8), "stuck")
            agent.post(f"/v1/sessions/{name}/events", {"type": kind, "data": data})
            if operator.session(name)["verdict"]["status"] != "stuck":
                lifted.add(kind)
        self.assertLessEqual(lifted, self.LIFTS)
        self.assertIn("message", lifted, "a new task of the user is a fresh start")

    def told(self, client, name: str, steps: int, role: str = "user") -> list:
        """The verdict after each step: a message of that role, and the call of the loop."""
        verdicts = []
        for step in range(steps):
            client.report(name, "message", role=role, text=f"now try step {step}")
            verdicts.append(self.loop(client, name, 1, step))
        return verdicts

    def test_a_message_of_the_user_before_each_call_hides_no_loop(self):
        _, _, agent = self.pair()
        verdicts = self.told(agent, "a-1", 40)
        self.assertNotIn("stuck", verdicts[:20], "a person may ask for the same twenty times")
        self.assertEqual(set(verdicts[30:]), {"stuck"})

    def test_an_agent_that_claims_to_be_the_operator_is_heard_as_its_user(self):
        _, _, agent = self.pair()
        self.assertEqual(set(self.told(agent, "a-1", 40, "operator")[30:]), {"stuck"})
        for role in (" operator", "Operator"):
            self.assertEqual(agent.post("/v1/sessions/a-1/events", {"type": "message", "data": {"role": role, "text": "go on"}}).status, 200)
        roles = {event["data"]["role"] for event in agent.journal("a-1") if event["type"] == "message"}
        self.assertEqual(roles, {"user"})
        said = {"type": "message", "data": {"role": "operator", "text": "all is well", "of_operator": True}}
        self.refused(agent.post("/v1/sessions/a-1/events", said), "unknown_field", "/data/of_operator")

    def test_the_operators_words_always_lift_it_and_those_of_the_mode_local_only_so_often(self):
        _, operator, agent = self.pair()
        agent.beat("a-1")
        self.assertEqual(set(self.told(operator, "a-1", 24, "operator")), {"exploring"}, "25 quiet rounds are another matter")
        self.assertIn("stuck", self.told(operator, "a-2", 60, "user"))
        local = self.start({"access.mode": "local"}).client()
        self.addCleanup(local.close)
        self.assertIn("stuck", self.told(local, "a-1", 40, "operator"))

    def test_an_operator_may_have_no_word_of_the_user_trusted(self):
        _, _, agent = self.pair({"policy.trust_user": "off"})
        opened = agent.put("/v1/sessions/a-1", {"policy": {"trust_user": True}}).json()
        self.assertEqual((opened["raised"], opened["policy"]["trust_user"]), (["/policy/trust_user"], False))
        self.assertEqual(self.told(agent, "a-1", 6)[3:], ["stuck"] * 3)
        self.assertEqual(self.told(agent, "a-2", 6)[3:], ["stuck"] * 3, "a session that a report opened")

    def test_words_of_the_user_lift_it_only_so_often(self):
        _, _, agent = self.pair()
        verdicts = []
        for turn in range(40):
            verdicts.append(self.loop(agent, "a-1", 3, 3 * turn))
            agent.report("a-1", "message", role="user", text=f"go on {turn}")
        self.assertEqual(set(verdicts[-8:]), {"stuck"})


def sample(described, schema: dict):
    """A small value that the schema allows."""
    schema = described.whole(schema)
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema and "properties" not in schema:
            return sample(described, schema[key][0])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object" if "properties" in schema else None)
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: sample(described, schema["properties"][name]) for name in schema.get("required", ()) if name in schema.get("properties", {})}
    return {"array": [], "string": "x", "integer": max(1, schema.get("minimum", 1)), "number": max(0.5, schema.get("minimum", 0)), "boolean": True}.get(kind, {"any": 1})


def variants(described, schema: dict, depth: int = 0) -> list:
    """(path, value): the schema's values with one field each at its most telling value, and with only the required ones."""
    schema = described.whole(schema)
    found = [("", sample(described, schema))] if depth == 0 else []
    for key in ("oneOf", "anyOf", "allOf"):
        for part in schema.get(key, ()):
            found += variants(described, part, depth + 1)
    if "enum" in schema:
        return found + [("", value) for value in schema["enum"]]
    kinds = schema.get("type", "object" if "properties" in schema else None)
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "boolean" in kinds:
        found += [("", True), ("", False)]
    if "integer" in kinds or "number" in kinds:
        found += [("", value) for value in sorted({schema.get("minimum", 0), 1, schema.get("maximum", 10**9)})]
    if "string" in kinds and "const" not in schema:
        found += [("", "deploy"), ("", "user"), ("", "hook"), ("", "SESSION")]
    if "array" in kinds and depth < 6:
        found += [(f"/0{path}", [value]) for path, value in variants(described, schema.get("items", {}), depth + 1)]
    if "object" in kinds and depth < 6:
        base = sample(described, schema)
        for name, part in schema.get("properties", {}).items():
            found += [(f"/{name}{path}", {**base, name: value}) for path, value in variants(described, part, depth + 1)]
    return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
