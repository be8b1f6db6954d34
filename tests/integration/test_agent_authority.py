#!/usr/bin/env python3
"""What an agent may say about itself: with a report token alone nothing decides, extends, raises a limit or weakens a rule."""
import unittest

from support.case import OwnDaemonCase, unique
from support.limits import eventually


class AgentCase(OwnDaemonCase):
    """A daemon in mode token, its operator, and an agent that may only report for sessions that begin with `a-`."""

    def pair(self, settings: dict | None = None, config: str = ""):
        daemon = self.start({"access.mode": "token", **(settings or {})}, config)
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
        self.refused(agent.post(path, self.ITSELF), "invalid_field", "/on_expiry", "approvals.approve_on_expiry")
        for kind in ({"kind": "question", "summary": "may I?"}, {"kind": "auth", "summary": "log me in"},
                     {"kind": "budget_extension", "extend": {"max_steps": 10}}):
            self.refused(agent.post(path, {**kind, "expires_in_ms": 1, "on_expiry": "approve"}), "invalid_field", "/on_expiry")
        event = {"type": "approval.requested", "data": self.ITSELF}
        self.refused(agent.post("/v1/sessions/a-1/events", event), "invalid_field", "/data/on_expiry")
        self.refused(agent.post("/v1/sessions/a-1/events", [{"type": "heartbeat"}, event]), "invalid_field", "/1/data/on_expiry")
        self.assertEqual(operator.get("/v1/sessions/a-1").status, 404, "something was stored")

    def test_the_operator_names_the_tools_that_time_may_approve(self):
        _, operator, agent = self.pair({"approvals.require_tools": "deploy", "approvals.approve_on_expiry": "deploy,lint",
                                        "approvals.approve_on_expiry_after": "1s"})
        path = "/v1/sessions/a-1/approvals"
        self.refused(agent.post(path, {**self.ITSELF, "expires_in_ms": 1000}), "invalid_field", "/on_expiry", "require_tools")
        lint = {"tool": "lint", "args": {}, "on_expiry": "approve"}
        self.refused(agent.post(path, {**lint, "expires_in_ms": 999}), "invalid_field", "/expires_in_ms", "1s")
        asked = agent.post(path, {**lint, "expires_in_ms": 1000}).json()
        done = agent.get(f"/v1/approvals/{asked['id']}?wait=1m").json()
        self.assertEqual((done["status"], done["decision"]["by"]), ("approved", "policy"))
        self.assertEqual(agent.post(f"/v1/approvals/{asked['id']}/redeem", {"args": {}}).status, 200)

    def test_a_tool_that_the_session_requires_approval_for_is_not_approved_by_time(self):
        _, _, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        agent.open("a-1", policy={"tools": [{"tool": "lint", "requires_approval": True}]})
        asked = {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 1000}
        self.refused(agent.post("/v1/sessions/a-1/approvals", asked), "invalid_field", "/on_expiry")

    def test_what_was_allowed_when_it_was_asked_is_held_when_the_operator_has_withdrawn_it(self):
        daemon, operator, agent = self.pair({"approvals.approve_on_expiry": "lint", "approvals.approve_on_expiry_after": "1s"})
        asked = agent.post("/v1/sessions/a-1/approvals", {"tool": "lint", "args": {}, "on_expiry": "approve", "expires_in_ms": 3000}).json()
        daemon.stop()
        daemon.settings = {"access.mode": "token"}
        daemon.start(daemon.port)
        shown = eventually(lambda: (d := operator.get(f"/v1/approvals/{asked['id']}").json())["overdue"] and d, what="it is overdue")
        self.assertEqual(shown["status"], "pending")


class Extension(AgentCase):
    """What an extension asks for has the operator's maximum, whoever approves it."""
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
