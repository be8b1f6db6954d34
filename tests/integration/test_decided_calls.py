#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stops and decisions hold for the agent, its sub-agents and its later generations, and hooks and alarms agree about them."""
import json
import sqlite3
import unittest
from contextlib import closing
from datetime import datetime, timedelta

from support.case import OwnDaemonCase
from test_agent_authority import AgentCase


class DecidedCase(AgentCase):
    RM = {"command": "rm -r /srv"}

    def hook(self, agent, session: str, event: str, call: str, args: dict | None = None, tool: str = "bash", **more) -> dict:
        body = {"event": event, "session": "native", "tool": tool, "call": call, "args": args or {"n": call}, "hold_ms": 50, **more}
        reply = agent.post("/v1/hooks/generic", json.dumps(body).encode(), {"X-Headway-Session": session})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def denied(self, *hook, **more) -> bool:
        said = self.hook(*hook, **more)
        return "deny" in said or "stop" in said

    def run_call(self, agent, session: str, call: str, args: dict | None = None, **more) -> bool:
        """True if the hook lets the call run; its end is then reported."""
        if self.denied(agent, session, "pre", call, args, **more):
            return False
        self.hook(agent, session, "post", call, args, ok=True, result="same answer", **more)
        return True

    def ask(self, agent, session: str, call: str, args: dict | None = None, **more) -> str:
        body = {"tool": "bash", "args": args or self.RM, "call_id": call, **more}
        reply = agent.post(f"/v1/sessions/{session}/approvals", body)
        self.assertIn(reply.status, (200, 201), reply.body)
        return reply.json()["id"]

    def decide(self, operator, approval: str, decision: str, **more):
        reply = operator.post(f"/v1/approvals/{approval}/decision", {"decision": decision, "by": "ana", **more})
        self.assertEqual(reply.status, 200, reply.body)

    def reject(self, operator, approval: str, then: str = "change_approach"):
        self.decide(operator, approval, "reject", then=then, reason="never")

    def alarms(self, operator, session: str) -> list:
        return [alarm["kind"] for alarm in operator.session(session)["alarms"]]

    def end(self, agent, session: str):
        self.assertEqual(agent.post(f"/v1/sessions/{session}/end", {"outcome": "completed"}).status, 200)


class Stops(DecidedCase):
    """No word of the agent lifts a stop."""

    def acknowledge_all(self, agent, session: str):
        advice = agent.post(f"/v1/sessions/{session}/events", {"type": "heartbeat"}).json()["directives"]
        self.assertTrue([d for d in advice if d["type"] == "stop"], advice)
        for directive in advice:
            agent.post(f"/v1/sessions/{session}/events", {"type": "directive.acknowledged", "data": {"id": directive["id"]}})

    def check_stopped(self, agent, session: str):
        self.acknowledge_all(agent, session)
        again = agent.post(f"/v1/sessions/{session}/events", {"type": "heartbeat"}).json()["directives"]
        self.assertEqual([d for d in again if d["type"] == "stop"], [], "an acknowledged stop is not sent again")
        for number in range(3):
            self.assertTrue(self.denied(agent, session, "pre", f"later{number}"), number)

    def test_an_acknowledged_stop_of_a_loop_still_refuses_calls(self):
        _, operator, agent = self.pair()
        operator.put("/v1/sessions/a-1", {"policy": {"on_stuck": "stop"}})
        for number in range(8):
            if not self.run_call(agent, "a-1", f"c{number}", {"same": 1}):
                break
        self.check_stopped(agent, "a-1")

    def test_an_acknowledged_stop_for_too_many_sub_agents_still_refuses_calls(self):
        _, operator, agent = self.pair(config='[fan_out]\nat_once = 2\non_exceeded = "stop"\n')
        agent.put("/v1/sessions/a-1", {})
        for number in range(4):
            agent.put(f"/v1/sessions/a-1.{number}", {"parent": "a-1"})
        self.check_stopped(agent, "a-1")

    def test_an_acknowledged_stop_for_the_parents_end_still_refuses_calls(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1"})
        agent.post("/v1/sessions/a-2/events", {"type": "heartbeat"})
        self.end(agent, "a-1")
        self.check_stopped(agent, "a-2")

    def test_an_agent_does_not_shed_the_stop_for_too_many_sub_agents_by_ending_itself(self):
        _, operator, agent = self.pair(config='[fan_out]\nat_once = 2\non_exceeded = "stop"\n')
        agent.put("/v1/sessions/a-1", {})
        for number in range(4):
            agent.put(f"/v1/sessions/a-1.{number}", {"parent": "a-1"})
        self.end(agent, "a-1")
        self.assertTrue(self.denied(agent, "a-1", "pre", "next"))
        self.assertEqual(agent.put("/v1/sessions/a-1~2", {}).status, 403)
        # A person goes on with it.
        self.hook(agent, "a-1", "prompt", "", text="go on")
        self.assertFalse(self.denied(agent, "a-1", "pre", "later"))

    def test_only_who_may_decide_begins_a_generation_without_the_stop_of_a_rejection(self):
        _, operator, agent = self.pair()
        token = operator.post("/v1/tokens", {"name": "orchestrator", "scopes": ["control", "report:a-"]}).json()["token"]
        for caller, stopped in ((self.client_of(token), True), (operator, False)):
            with self.subTest(stopped=stopped):
                session = f"a-{stopped}"
                agent.put(f"/v1/sessions/{session}", {})
                self.reject(operator, self.ask(agent, session, "q"), then="stop")
                self.end(agent, session)
                self.assertEqual(caller.put(f"/v1/sessions/{session}~2", {}).status, 201)
                self.assertEqual(operator.session(f"{session}~2").get("stopped", False), stopped)
                self.assertEqual(self.denied(agent, session, "pre", "c1"), stopped)

    def client_of(self, token: str):
        client = self.daemon.client(token=token)
        self.addCleanup(client.close)
        return client

    def pair(self, *arguments, **named):
        self.daemon, operator, agent = super().pair(*arguments, **named)
        return self.daemon, operator, agent

    def test_an_agents_own_requests_leave_room_for_those_of_headway(self):
        _, operator, agent = self.pair()
        operator.put("/v1/sessions/a-1", {"policy": {"on_stuck": "ask"}})
        for number in range(32):
            agent.post("/v1/sessions/a-1/approvals", {"kind": "question", "summary": f"may I {number}?"})
        full = agent.post("/v1/sessions/a-1/approvals", {"kind": "question", "summary": "may I?"})
        self.assertEqual((full.status, full.json()["code"]), (409, "too_many_approvals"), full.body)
        for number in range(40):
            agent.post("/v1/sessions/a-1/events", {"type": "tool.finished", "data": {"tool": "ls", "call_id": f"c{number}", "args": {"a": 1}, "ok": True, "result": "x"}})
        asked = operator.get("/v1/approvals?session=a-1&limit=100").json()["approvals"]
        self.assertEqual([a["kind"] for a in asked if a["source"] == "headway"], ["question"])


class Rejections(DecidedCase):
    """A call that a person refused does not run anywhere in its run, and is not accused where it may."""

    def test_a_call_rejected_in_a_sub_agent_is_refused_above_beside_and_later(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        for child in ("a-2", "a-3"):
            agent.put(f"/v1/sessions/{child}", {"parent": "a-1"})
        agent.put("/v1/sessions/a-4", {"parent": "a-2"})
        self.reject(operator, self.ask(agent, "a-4", "q"))
        advice = agent.post("/v1/sessions/a-1/events", {"type": "heartbeat"}).json()["directives"]
        self.assertIn("A person rejected a call of bash in a-4: never", json.dumps(advice))
        for session in ("a-4", "a-2", "a-1", "a-3"):
            self.assertTrue(self.denied(agent, session, "pre", "c1", self.RM), session)
            self.assertFalse(self.denied(agent, session, "pre", "c2", {"command": "ls"}), session)
        agent.post("/v1/sessions/a-1/events", {"type": "tool.finished", "data": {"tool": "bash", "call_id": "x", "args": self.RM, "ok": True}})
        self.assertEqual(self.alarms(operator, "a-1"), ["executed_though_rejected"])
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {})
        self.assertTrue(self.denied(agent, "a-1~2", "pre", "c1", self.RM))
        # A person allows it there.
        self.decide(operator, self.ask(agent, "a-1~2", "c9"), "approve")
        self.assertFalse(self.denied(agent, "a-1~2", "pre", "c9", self.RM))

    def test_a_call_rejected_below_a_session_that_has_ended_is_refused_in_its_next_generation(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1"})
        self.end(agent, "a-1")
        self.reject(operator, self.ask(agent, "a-2", "q"))
        agent.put("/v1/sessions/a-1~2", {})
        self.assertTrue(self.denied(agent, "a-1~2", "pre", "c1", self.RM))

    def test_hook_and_alarm_agree_about_a_call_that_was_asked_about(self):
        daemon, operator, agent = self.pair()
        for how in ("ignore", "expire", "approve", "reject"):
            for call in ("q", "other"):
                with self.subTest(how=how, call=call):
                    session = f"a-{how}-{call}"
                    agent.put(f"/v1/sessions/{session}", {})
                    more = {"expires_in_ms": 1000, "on_expiry": "reject"} if how == "expire" else {}
                    asked = self.ask(agent, session, "q", **more)
                    if how == "expire":
                        daemon.clock.advance(2)
                        self.assertEqual(agent.get(f"/v1/approvals/{asked}?wait=1m").json()["status"], "expired")
                    else:
                        self.decide(operator, asked, how, **({"then": "change_approach"} if how == "reject" else {}))
                    denied = how != "approve"
                    self.assertEqual(not self.run_call(agent, session, call, self.RM), denied)
                    self.assertEqual(self.alarms(operator, session), [])

    def test_what_a_person_has_edited_runs_with_those_arguments_only(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        self.decide(operator, self.ask(agent, "a-1", "q"), "edit", edited_args={"command": "ls"})
        self.assertEqual(self.hook(agent, "a-1", "pre", "q", self.RM)["edit"], {"command": "ls"})
        self.hook(agent, "a-1", "post", "q", {"command": "ls"}, ok=True)
        for call in ("q", "other"):
            self.assertTrue(self.denied(agent, "a-1", "pre", call, self.RM), call)
        self.assertEqual(self.alarms(operator, "a-1"), [])

    def test_a_call_whose_request_was_ignored_runs_under_a_later_grant(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        self.decide(operator, self.ask(agent, "a-1", "q"), "ignore")
        self.assertTrue(self.denied(agent, "a-1", "pre", "c1", self.RM))
        self.decide(operator, self.ask(agent, "a-1", "q2", {"command": "ls"}), "approve", scope="session", match="tool")
        self.assertTrue(self.run_call(agent, "a-1", "c2", self.RM))
        self.assertEqual(self.alarms(operator, "a-1"), [])

    def test_a_revoked_approval_lets_nothing_run_and_takes_no_rejection_back(self):
        _, operator, agent = self.pair({"approvals.require_tools": "deploy"})
        for match in ("args", "tool"):
            with self.subTest(match=match):
                session = f"a-{match}"
                agent.put(f"/v1/sessions/{session}", {})
                self.reject(operator, self.ask(agent, session, "q0"))
                for tool in ("deploy", "bash"):
                    asked = self.ask(agent, session, "q", tool=tool)
                    self.decide(operator, asked, "approve", scope="session", match=match)
                    self.assertEqual(operator.post(f"/v1/approvals/{asked}/revoke", {"by": "ana"}).status, 200)
                    shown = operator.get(f"/v1/approvals/{asked}").json()
                    self.assertEqual((shown["status"], shown["closed"]), ("cancelled", "grant_ended"))
                    self.assertEqual(agent.post(f"/v1/approvals/{asked}/redeem", {"args": self.RM}).status, 409)
                    for call in ("q", "other"):
                        self.assertTrue(self.denied(agent, session, "pre", call, self.RM, tool=tool), call)

    def test_one_execution_is_over_when_it_is_let_go_and_grants_end_with_their_session(self):
        _, operator, agent = self.pair()
        for how in ("hook", "redeem", "denied", "grant", "revoked"):
            with self.subTest(how=how):
                session = f"a-{how}"
                agent.put(f"/v1/sessions/{session}", {})
                agent.put(f"/v1/sessions/{session}.c", {"parent": session})
                self.reject(operator, self.ask(agent, session, "q"))
                asked = self.ask(agent, session, "c1")
                grants = how in ("grant", "revoked")
                self.decide(operator, asked, "approve", **({"scope": "session"} if grants else {}))
                self.assertTrue(self.denied(agent, f"{session}.c", "pre", "c9", self.RM) or grants)
                if how == "redeem":
                    self.assertEqual(agent.post(f"/v1/approvals/{asked}/redeem", {"args": self.RM}).status, 200)
                self.assertFalse(self.denied(agent, session, "pre", "c1", self.RM))
                if how == "denied":
                    self.hook(agent, session, "post", "c1", self.RM, ok=False, **{"class": "denied"})
                if how == "revoked":
                    self.hook(agent, session, "post", "c1", self.RM, ok=True)
                    operator.post(f"/v1/approvals/{asked}/revoke", {"by": "ana"})
                for call in ("c2", "c3"):
                    self.assertEqual(self.denied(agent, session, "pre", call, self.RM), how != "grant", call)
                self.end(agent, session)
                agent.put(f"/v1/sessions/{session}~2", {})
                for call in ("c1", "c4"):
                    self.assertTrue(self.denied(agent, f"{session}~2", "pre", call, self.RM), call)

    def test_no_old_request_with_its_id_hides_a_rejection(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1"})
        self.ask(agent, "a-2", "c1")
        agent.post("/v1/sessions/a-2/events", {"type": "tool.finished", "data": {"tool": "bash", "call_id": "c1", "args": self.RM, "ok": True}})
        self.reject(operator, self.ask(agent, "a-1", "q"))
        for call in ("c1", "c1", "c2"):
            self.assertTrue(self.denied(agent, "a-2", "pre", call, self.RM), call)

    def test_a_grant_of_the_tool_hides_no_alarm_about_a_rejected_call(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        self.reject(operator, self.ask(agent, "a-1", "q"))
        self.decide(operator, self.ask(agent, "a-1", "q2", {"command": "ls"}), "approve", scope="session", match="tool")
        for number, args in enumerate((self.RM, {"command": "ls"})):
            agent.post("/v1/sessions/a-1/events", {"type": "tool.finished", "data": {"tool": "bash", "call_id": f"x{number}", "args": args, "ok": True}})
        self.assertEqual(self.alarms(operator, "a-1"), ["executed_though_rejected"])

    def test_the_last_word_is_a_rejection_in_either_order_of_the_requests(self):
        _, operator, agent = self.pair()
        for first, second in (("q1", "q2"), ("q2", "q1")):
            session = f"a-{first}"
            agent.put(f"/v1/sessions/{session}", {})
            agent.put(f"/v1/sessions/{session}.c", {"parent": session})
            asked = {call: self.ask(agent, session, call) for call in ("q1", "q2")}
            self.decide(operator, self.ask(agent, f"{session}.c", "q3"), "approve")
            self.decide(operator, asked[first], "approve")
            self.reject(operator, asked[second])
            self.assertEqual(operator.get(f"/v1/approvals/{asked[first]}").json()["closed"], "rejected")
            for call in ("q1", "q2", "other"):
                self.assertTrue(self.denied(agent, session, "pre", call, self.RM), (first, call))
            self.assertTrue(self.denied(agent, f"{session}.c", "pre", "q3", self.RM))

    def test_a_grant_of_a_sub_agent_does_not_outlast_a_later_rejection_above(self):
        daemon, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1"})
        self.decide(operator, self.ask(agent, "a-2", "q1"), "approve", scope="session")
        self.assertTrue(self.run_call(agent, "a-2", "q1", self.RM))
        daemon.clock.advance(1)
        self.reject(operator, self.ask(agent, "a-1", "q2"))
        self.assertTrue(self.denied(agent, "a-2", "pre", "c2", self.RM))
        asked = self.ask(agent, "a-2", "q3")
        self.assertEqual(operator.get(f"/v1/approvals/{asked}").json()["status"], "pending")

    def test_a_report_asks_about_a_call_that_was_rejected_before_though_its_tool_has_a_grant(self):
        _, operator, agent = self.pair(config='[approvals]\nrequire_tools = ["bash"]\n')
        agent.put("/v1/sessions/a-1", {})
        self.reject(operator, self.ask(agent, "a-1", "q"))
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1~2"})
        for session in ("a-1~2", "a-2"):
            self.decide(operator, self.ask(agent, session, "q2", {"command": "ls"}), "approve", scope="session", match="tool")
            for call, args, waits in (("c1", self.RM, 1), ("c2", {"command": "id"}, 0)):
                with self.subTest(session=session, call=call):
                    event = {"type": "tool.started", "data": {"tool": "bash", "call_id": call, "args": args}}
                    reply = agent.post(f"/v1/sessions/{session}/events", event).json()
                    self.assertEqual(len([a for a in reply["approvals"] if a["call_id"] == call]), waits, reply)

    def test_an_unused_approval_excuses_no_call_that_was_rejected_above_since(self):
        daemon, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1"})
        self.decide(operator, self.ask(agent, "a-2", "q1"), "approve")
        daemon.clock.advance(1)
        self.reject(operator, self.ask(agent, "a-1", "q2"))
        agent.post("/v1/sessions/a-2/events", {"type": "tool.finished", "data": {"tool": "bash", "call_id": "q1", "args": self.RM, "ok": True}})
        self.assertEqual(self.alarms(operator, "a-2"), ["executed_though_rejected"])

    def test_a_call_of_a_stopped_session_or_below_one_asks_no_person(self):
        for how in ("cancel", "reject"):
            _, operator, agent = self.pair(config='[approvals]\nrequire_tools = ["bash"]\n')
            agent.put("/v1/sessions/a-1", {})
            agent.put("/v1/sessions/a-2", {"parent": "a-1"})
            if how == "cancel":
                operator.post("/v1/sessions/a-1/cancel", {})
            else:
                self.reject(operator, self.ask(agent, "a-1", "q"), then="stop")
            for session in ("a-1", "a-2"):
                for call in ("c1", "c2"):
                    self.assertTrue(self.denied(agent, session, "pre", call, {"command": call}), (how, session, call))
            self.assertEqual(operator.get("/v1/approvals").json()["approvals"], [], how)
            self.assertNotEqual(operator.session("a-1")["verdict"]["status"], "blocked")

    def test_a_heartbeat_that_names_a_call_hides_no_alarm_about_it(self):
        _, operator, agent = self.pair(config='[approvals]\nrequire_tools = ["bash"]\n')
        agent.put("/v1/sessions/a-1", {})
        self.decide(operator, self.ask(agent, "a-1", "q", {"command": "ls"}), "approve", scope="session")
        agent.post("/v1/sessions/a-1/events", {"type": "heartbeat", "data": {"in_flight": {"call_id": "z"}}})
        agent.post("/v1/sessions/a-1/events", {"type": "tool.finished", "data": {"tool": "bash", "call_id": "z", "ok": True}})
        self.assertEqual(self.alarms(operator, "a-1"), ["executed_unapproved"])

    def test_an_operators_opening_of_the_next_generation_may_name_its_labels(self):
        _, operator, agent = self.pair()
        operator.put("/v1/sessions/a-1", {"labels": {"team": "a"}})
        self.hook(agent, "a-1", "prompt", "", text="begin")
        self.end(agent, "a-1")
        self.hook(agent, "a-1", "prompt", "", text="go on")
        self.assertEqual(operator.put("/v1/sessions/a-1~2", {"labels": {"team": "a"}}).status, 200)

    def test_an_approval_until_a_time_lets_nothing_run_after_it(self):
        daemon, operator, agent = self.pair({"approvals.require_tools": "deploy"})
        agent.put("/v1/sessions/a-1", {})
        asked = self.ask(agent, "a-1", "q", tool="deploy")
        until = operator.get(f"/v1/approvals/{asked}").json()["requested_at"].replace("Z", "+00:00")
        until = (datetime.fromisoformat(until) + timedelta(seconds=60)).isoformat().replace("+00:00", "Z")
        self.decide(operator, asked, "approve", scope="until", until=until)
        daemon.clock.advance(61)
        self.assertTrue(self.denied(agent, "a-1", "pre", "q", self.RM, tool="deploy"))
        self.assertEqual(operator.get(f"/v1/approvals/{asked}").json()["closed"], "grant_ended")

    def test_an_operators_command_for_an_ended_session_names_the_one_that_goes_on(self):
        _, operator, agent = self.pair()
        agent.put("/v1/sessions/a-1", {})
        self.reject(operator, self.ask(agent, "a-1", "q"), then="stop")
        self.end(agent, "a-1")
        self.hook(agent, "a-1", "prompt", "", text="go on")
        self.assertIn("a-1~2 goes on only after", self.hook(agent, "a-1", "pre", "c1")["deny"])
        for command in ("resume", "pause", "cancel"):
            self.refused(operator.post(f"/v1/sessions/a-1/{command}", {}), "session_ended", None, "a-1~2", 409)
        self.assertEqual(operator.post("/v1/sessions/a-1~2/resume", {}).status, 200)
        self.assertFalse(self.denied(agent, "a-1", "pre", "c2"))

    def test_a_hook_permission_refuses_a_call_whose_approval_is_used_up(self):
        _, operator, agent = self.pair({"approvals.require_tools": "deploy"})
        to = {"to": "prod"}
        for how in ("approve", "ignore"):
            with self.subTest(how=how):
                session = f"a-{how}"
                self.hook(agent, session, "pre", "c1", to, tool="deploy")
                asked = operator.get(f"/v1/approvals?session={session}").json()["approvals"][0]["id"]
                self.decide(operator, asked, how)
                if how == "approve":
                    self.assertFalse(self.denied(agent, session, "pre", "c1", to, tool="deploy"))
                    self.assertFalse(self.denied(agent, session, "permission", "c1", to, tool="deploy"), "it runs now")
                    self.hook(agent, session, "post", "c1", to, tool="deploy", ok=True)
                self.assertTrue(self.denied(agent, session, "permission", "c1", to, tool="deploy"))

    def test_a_daemon_that_can_store_nothing_refuses_what_was_refused_before(self):
        daemon, operator, agent = self.pair()
        free = "a-free"
        agent.put(f"/v1/sessions/{free}", {})
        agent.put("/v1/sessions/a-1", {})
        self.reject(operator, self.ask(agent, "a-1", "q"))
        self.end(agent, "a-1")
        agent.put("/v1/sessions/a-1~2", {})
        agent.put("/v1/sessions/a-2", {"parent": "a-1~2"})
        agent.put("/v1/sessions/a-3", {})
        operator.post("/v1/sessions/a-3/pause", {})
        self.end(agent, "a-3")
        agent.put("/v1/sessions/a-4", {"parent": "a-3"})
        daemon.stop()
        daemon.settings = {"access.mode": "token", "storage.free_space_min": "1000000GiB", "storage.ballast": "0"}
        daemon.start(daemon.port)
        for client in (operator, agent):
            client.close()
        self.assertEqual(agent.post(f"/v1/sessions/{free}/events", {"type": "heartbeat"}).status, 507)
        for session in ("a-1~2", "a-2", "a-4"):
            self.assertTrue(self.denied(agent, session, "pre", "n", self.RM), session)
        body = {"event": "pre", "session": "native", "tool": "bash", "call": "n", "args": self.RM}
        self.assertEqual(agent.post("/v1/hooks/generic", json.dumps(body).encode(), {"X-Headway-Session": free}).status, 507)


    def test_calls_of_a_session_that_cannot_be_read_are_refused(self):
        daemon, operator, agent = self.pair()
        for session in ("a-1", "a-2"):
            self.assertTrue(self.run_call(agent, session, "c1"))
        operator.post("/v1/sessions/a-1/pause", {})
        daemon.stop()
        with closing(sqlite3.connect(daemon.state_dir / "headway.db")) as database, database:
            self.assertEqual(database.execute("UPDATE session SET tail=tail+7 WHERE name='a-1'").rowcount, 1)
        daemon.start(daemon.port)
        for client in (operator, agent):
            client.close()
        self.assertIn("cannot read", self.hook(agent, "a-1", "pre", "c2")["deny"])
        self.assertTrue(self.run_call(agent, "a-2", "c2"))


class OpenAccess(OwnDaemonCase):
    """In the mode local without tokens."""

    def test_the_rules_of_a_line_go_on_in_a_generation_that_is_opened_by_put_or_by_a_report(self):
        daemon = self.start()
        person, agent = daemon.operator(), self.client(daemon)
        self.addCleanup(person.close)
        for session, begin in (("x", lambda: agent.put("/v1/sessions/x~2", {"goal": "x"})),
                               ("y", lambda: agent.post("/v1/sessions/y~2/events", {"type": "heartbeat"}))):
            person.put(f"/v1/sessions/{session}", {"policy": {"tools": [{"tool": "push", "requires_approval": True}]},
                                                   "labels": {"team": "a"}, "budget": {"max_tokens": 1000}})
            agent.post(f"/v1/sessions/{session}/end", {"outcome": "completed"})
            self.assertIn(begin().status, (200, 201))
            following = person.session(f"{session}~2")
            self.assertEqual([t["tool"] for t in following["policy"]["tools"]], ["push"])
            self.assertEqual((following["labels"]["team"], following["budget"]["max_tokens"]), ("a", 1000))


class DefaultBudgets(DecidedCase):
    """Limits of the configuration hold for a conversation, as long as its agent goes on by itself."""

    def test_an_agent_does_not_renew_its_default_budget_by_ending_itself(self):
        _, operator, agent = self.pair(config="[budget]\ndefault_max_steps = 20\n")
        for number in range(12):
            self.hook(agent, "a-1", "pre", f"c{number}")
            self.hook(agent, "a-1", "post", f"c{number}", ok=True)
        used = operator.get("/v1/sessions/a-1/budget").json()["budget"]
        self.end(agent, "a-1")
        for session, begin in (("a-1~2", lambda: agent.put("/v1/sessions/a-1~2", {})),
                               ("a-1~3", lambda: self.hook(agent, "a-1", "pre", "next"))):
            begin()
            left = operator.get(f"/v1/sessions/{session}/budget").json()["budget"]
            self.assertEqual(left["max_steps"], used["max_steps"] - used["steps_completed"], session)
            self.end(agent, session)
        self.hook(agent, "a-1", "prompt", "", text="go on")
        self.assertEqual(operator.get("/v1/sessions/a-1~4/budget").json()["budget"]["max_steps"], 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
