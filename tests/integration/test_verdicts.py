#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: which one wins, a loop and a slow model, and the meanings of silence."""
import unittest

from support.case import SharedDaemonCase, unique

STRICT = {"profile": "strict", "on_stuck": "stop"}


class VerdictCase(SharedDaemonCase):
    def status(self, session: str) -> str:
        return self.client.session(session)["verdict"]["status"]

    def operator(self):
        client = self.daemon.operator()
        self.addCleanup(client.close)
        return client

    def repeat(self, session: str, times: int = 5):
        for _ in range(times):
            self.client.report(session, "tool.finished", tool="search", args={"q": "x"}, result="the same long enough answer")


class Order(VerdictCase):
    def test_heartbeats_do_not_take_a_session_out_of_blocked(self):
        session = unique()
        self.client.report(session, "error.reported", message="no", **{"class": "auth"}, status=401)
        for _ in range(12):
            self.client.beat(session)
            self.assertEqual(self.status(session), "blocked")
        overview = self.client._expect((200,), self.client.get("/v1/overview"))
        self.assertIn((session, "blocked"), [(n["session"], n["kind"]) for n in overview["needs_you"]])

    def test_a_paused_session_waits_until_it_is_resumed_even_when_it_is_stuck(self):
        session = unique()
        self.repeat(session)
        self.assertEqual(self.status(session), "stuck")
        operator = self.operator()
        operator._expect((200,), operator.post(f"/v1/sessions/{session}/pause", {}))
        self.assertEqual(self.status(session), "waiting")
        self.client.beat(session)
        self.assertEqual(self.status(session), "waiting")
        operator._expect((200,), operator.post(f"/v1/sessions/{session}/resume", {}))
        self.assertEqual(self.status(session), "stuck")

    def test_under_strict_a_new_phase_lifts_stuck_and_withdraws_the_stop(self):
        session = unique()
        self.client.open(session, policy={**STRICT, "detectors": [{"detector": "same_file_error", "suspect": 2, "stuck": 3}]})
        for number in range(3):
            self.client.report(session, "tool.finished", tool=f"edit{number}", args={"path": "a.cpp", "n": number}, target="a.cpp", ok=False,
                               error={"class": "mismatch", "message": "old_string not found"})
        self.assertEqual(self.status(session), "stuck")
        self.assertEqual([d["type"] for d in self.client.session(session)["directives"]], ["stop"])
        advice = self.client.report(session, "phase.started", name="another way")
        self.assertNotIn(advice["verdict"]["status"], ("stuck", "suspect"))
        self.assertEqual(advice["directives"], [])


class Heartbeats(VerdictCase):
    def test_a_loop_that_only_alternates_its_phase_is_found(self):
        balanced, strict = unique(), unique()
        self.client.open(strict, policy=STRICT)
        for number in range(12):
            for session in (balanced, strict):
                self.client.beat(session, phase="reflection" if number % 2 else "execution", iteration=number // 2)
        self.assertEqual(self.status(balanced), "suspect")
        self.assertEqual(self.status(strict), "stuck")

    def test_a_slow_model_is_slow_and_strict_does_not_stop_it(self):
        session = unique()
        self.client.open(session, policy=STRICT)
        self.client.beat(session, phase="execution", iteration=1)
        for _ in range(40):
            advice = self.client.beat(session, phase="reflection", iteration=1)
            self.assertNotIn(advice["verdict"]["status"], ("suspect", "stuck"))
        self.assertEqual((advice["verdict"]["status"], advice["directives"]), ("slow", []))


class Tools(VerdictCase):
    def test_a_tools_own_timeout_is_its_failure_and_the_model_hears_of_it(self):
        session = unique()
        for number in range(5):
            advice = self.client.report(session, "tool.finished", tool="deployer", args={"host": number}, ok=False,
                                        error={"class": "timeout", "message": "killed after 60 s"})
            self.assertNotEqual(advice["verdict"]["status"], "blocked")
        self.assertIn("failed 5 times in a row", advice["feedback"])
        self.assertEqual(advice["verdict"]["status"], "suspect")

    def test_each_modified_file_is_counted_once(self):
        session = unique()
        for round_ in range(2):
            events = [{"type": "tool.finished", "data": {"tool": "edit", "args": {"n": n, "r": round_},
                                                         "mutated": [{"path": f"f{n}", "digest": f"{round_}"}]}} for n in range(300)]
            self.client._expect((200,), self.client.post(f"/v1/sessions/{session}/events", events))
        self.assertEqual(self.client.session(session)["tools"]["files_modified"], 300)

    def test_the_phase_that_lasts_ends_with_its_session(self):
        session = unique()
        self.client.report(session, "phase.started", name="build")
        self.client.end(session)
        document = self.client.session(session)
        self.assertEqual(document["phases"]["current"]["ended_at"], document["ended_at"])


class Silence(VerdictCase):
    test_clock = True

    def test_an_idle_agent_that_says_nothing_waits_for_a_task(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.client.report(session, "state.changed", state="idle")
        self.clock.advance(21)
        reply = self.client.wait(session, until="waiting,silent", wait="0s")
        self.assertEqual(reply["matched"], "waiting")

    def test_a_grandparent_waits_while_only_its_grandchild_works(self):
        top, middle, low = unique(), unique(), unique()
        self.client.open(top, policy={"heartbeat_interval_ms": 10_000})
        self.client.open(middle, parent=top, policy={"heartbeat_interval_ms": 10_000})
        self.client.open(low, parent=middle, policy={"heartbeat_interval_ms": 3_600_000})
        self.clock.advance(30)
        for session in (middle, top):
            reply = self.client.wait(session, until="waiting,silent", wait="0s")
            self.assertEqual(reply["matched"], "waiting", session)
        self.client.end(low)
        self.clock.advance(30)
        self.assertEqual(self.status(top), "silent")


class Budgets(VerdictCase):
    def test_no_agent_type_has_a_budget_by_its_name(self):
        for kind in ("plan", "explore"):
            opened = self.client.open(unique(), agent={"type": kind})
            self.assertEqual((opened["budget"], opened["budget_source"]), (None, "none"))
        opened = self.client.open(unique(), budget={"max_steps": 9})
        self.assertEqual((opened["budget"]["source"], opened["budget_source"]), ("request", "request"))

    def test_children_of_an_exhausted_session_get_a_stop(self):
        boss, child = unique(), unique()
        self.client.open(boss, budget={"max_steps": 10})
        self.client.open(child, parent=boss)
        self.client.beat(child, iteration=9)
        advice = self.client.beat(child, iteration=9)
        self.assertEqual([d["type"] for d in advice["directives"]], ["stop"])
        self.assertIn(boss, advice["directives"][0]["reason"])
        (told,) = [e["data"] for e in self.client.journal(child) if e["type"] == "directive.issued"]
        self.assertEqual((told["from"], told["budget"]), (boss, "exhausted"))



if __name__ == "__main__":
    unittest.main()
