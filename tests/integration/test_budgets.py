#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Budgets, as agents, operators and dashboards meet them: limits, levels, directives, the end, roll-up, restarts, history."""
import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.daemon import clean_environment
from support.limits import eventually, patient
from support.sse import EventStream

HERE = Path(__file__).resolve().parent


class AgentProcess:
    """The agent loop of support/budget_agent.py, one turn at a time."""

    def __init__(self, case: unittest.TestCase, daemon, session: str, *flags: str):
        self.process = subprocess.Popen([sys.executable, "-m", "support.budget_agent", daemon.url, session, *flags], cwd=HERE,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment())
        case.addCleanup(self.close)
        self.started = False

    def turn(self) -> dict:
        """Lets it go on and returns its next line."""
        if self.started:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        self.started = True
        return json.loads(self.process.stdout.readline())

    def next_line(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def exit_code(self) -> int:
        return self.process.wait(timeout=patient(60))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def kinds(reply: dict) -> list:
    return [directive["type"] for directive in reply["directives"]]


def of_type(journal: list, kind: str) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


def extensions(journal: list) -> list:
    """Not the credits: a busy machine may stand still for a moment, and gives that time back."""
    return [data for data in of_type(journal, "budget.extended") if not data.get("credited_ms")]


class WholeLoop(SharedDaemonCase):
    def test_an_agent_wraps_up_is_extended_and_finishes(self):
        session = unique("wraps")
        self.client.open(session, goal="find it", budget={"max_steps": 10, "timeout_seconds": 3600})
        agent = AgentProcess(self, self.daemon, session)
        for turn in range(1, 7):
            reply = agent.turn()["reply"]
            self.assertEqual((reply["budget"]["level"], reply["budget"]["steps_completed"], kinds(reply)), ("nominal", turn, []))
        low = agent.turn()["reply"]
        self.assertEqual((low["budget"]["level"], low["budget"]["wrap_up"], kinds(low)), ("low", True, ["wrap_up"]))
        self.assertIn("70% of the steps are used", low["directives"][0]["reason"])
        self.assertIn("Status: LOW BUDGET (Prioritize wrapping up. Provide final answer soon.)", low["budget"]["prompt"])
        critical = agent.turn()["reply"]
        self.assertEqual((critical["budget"]["level"], kinds(critical)), ("critical", ["wrap_up"]))
        self.assertNotEqual(critical["directives"][0]["id"], low["directives"][0]["id"])
        changed = self.client.post(f"/v1/sessions/{session}/budget", {"extend": {"max_steps": 4}, "by": "ann", "reason": "nearly there"})
        self.assertEqual((changed.status, changed.json()["budget"]["max_steps"]), (200, 14))
        self.assertEqual(changed.json()["budget"]["level"], "nominal")  # 8 of 14
        self.assertEqual(kinds(agent.turn()["reply"]), [])
        self.assertEqual(kinds(agent.turn()["reply"]), ["wrap_up"])  # 10 of 14: a new directive
        last = agent.turn()["reply"]
        self.assertEqual((last["budget"]["steps_completed"], kinds(last)), (11, ["wrap_up"]))
        self.assertEqual(agent.next_line()["ended"]["verdict"]["status"], "completed")
        self.assertEqual(agent.exit_code(), 0)
        journal = self.client.journal(session)
        self.assertEqual([(c["from"], c["to"]) for c in of_type(journal, "budget.level")],
                         [("nominal", "low"), ("low", "critical"), ("critical", "nominal"), ("nominal", "low")])
        extended = extensions(journal)
        self.assertEqual([(e["by"], e["reason"], e["added"]) for e in extended], [("ann", "nearly there", {"max_steps": 4})])
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["result"], document["budget"]["tokens_used"]), ("completed", {"answer": 11}, 1100))

    def test_an_agent_asks_a_person_for_more_is_granted_it_and_finishes(self):
        session = unique()
        self.client.open(session, budget={"max_steps": 10})
        agent = AgentProcess(self, self.daemon, session, "--ask")
        for _ in range(7):
            reply = agent.turn()["reply"]
        self.assertEqual((reply["budget"]["level"], kinds(reply)), ("low", ["wrap_up"]))
        critical = agent.turn()["reply"]
        self.assertEqual(critical["budget"]["level"], "critical")
        request = agent.next_line()["asked"]
        self.assertEqual(self.client.wait(session, until="blocked", wait="2m")["matched"], "blocked")
        person = self.daemon.operator()
        self.addCleanup(person.close)
        person.post(f"/v1/approvals/{request}/decision", {"decision": "approve", "by": "ana"})
        self.assertEqual(agent.next_line()["answered"], "approved")
        (extended,) = extensions(self.client.journal(session))
        self.assertEqual((extended["approval"], extended["by"]), (request, "ana"))
        after = agent.turn()["reply"]
        self.assertEqual((after["budget"]["level"], after["budget"]["max_steps"]), ("nominal", 20))
        while "ended" not in (line := agent.turn()):
            self.assertLess(line["turn"], 20)
        self.assertEqual(line["ended"]["verdict"]["status"], "completed")
        self.assertEqual(agent.exit_code(), 0)

    def test_an_agent_that_obeys_a_stop_reports_its_partial_result(self):
        session = unique("obeys")
        self.client.open(session, budget={"max_tokens": 200})
        agent = AgentProcess(self, self.daemon, session)
        agent.turn()
        ended = agent.turn()  # 200 of 200 tokens: too late to obey
        self.assertEqual(ended["reply"]["verdict"]["status"], "halted")
        session = unique("obeys")
        self.client.open(session, budget={"max_steps": 5})
        agent = AgentProcess(self, self.daemon, session)
        for _ in range(4):
            agent.turn()
        stop = agent.turn()["reply"]
        self.assertEqual((stop["budget"]["level"], kinds(stop)), ("exhausted", ["stop"]))
        ended = agent.next_line()["ended"]
        self.assertEqual(ended["verdict"]["status"], "halted")
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["result"]), ("budget_exhausted", {"answer": 5}))
        self.assertFalse(of_type(self.client.journal(session), "session.ended")[0]["automatic"])

    def test_an_agent_that_ignores_the_stop_is_ended_with_its_partial_result(self):
        session = unique("ignores")
        self.client.open(session, budget={"max_steps": 10})
        agent = AgentProcess(self, self.daemon, session, "--ignore")
        seen = [agent.turn()["reply"] for _ in range(9)]
        self.assertEqual([r["budget"]["level"] for r in seen], ["nominal"] * 6 + ["low", "critical", "exhausted"])
        self.assertEqual(kinds(seen[-1]), ["stop"])
        self.assertIn("90% of the steps are used (9 of 10 steps)", seen[-1]["directives"][0]["reason"])
        self.assertIsNone(self.client.session(session)["outcome"])  # it stays open for the result
        last = agent.turn()["reply"]
        self.assertEqual(last["verdict"]["status"], "halted")
        self.assertEqual(agent.exit_code(), 0)
        document = self.client.session(session)
        self.assertEqual(document["outcome"], "budget_exhausted")
        self.assertIn("budget exhausted: 100% of the steps are used (10 of 10 steps)", document["verdict"]["reason"])
        self.assertEqual(document["result"], {"partial": True, "message": "turn 10: looking further", "tool": "search",
                                              "tool_result": {"found": 10}, "newest": "tool_result"})
        self.assertTrue(of_type(self.client.journal(session), "session.ended")[0]["automatic"])
        self.assertEqual(self.client.wait(session, until="halted", wait="2m")["matched"], "halted")


class Limits(SharedDaemonCase):
    settings = {"budget.max_steps_max": "250", "budget.builtin": "on"}

    def test_limits_out_of_bounds_are_named(self):
        for budget, field, bounds in (({"max_steps": 4}, "/budget/max_steps", "5 to 250"),
                                      ({"max_steps": 251}, "/budget/max_steps", "5 to 250"),
                                      ({"timeout_seconds": 29}, "/budget/timeout_seconds", "30 to 3600"),
                                      ({"timeout_seconds": 3601}, "/budget/timeout_seconds", "30 to 3600"),
                                      ({"max_tokens": 0}, "/budget/max_tokens", "1 to"),
                                      ({"max_cost_usd": -1}, "/budget/max_cost_usd", "0.000001 to"),
                                      ({"max_steps": "many"}, "/budget/max_steps", "whole number")):
            reply = self.client.put(f"/v1/sessions/{unique()}", {"budget": budget})
            self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (400, "invalid_field", field), budget)
            self.assertIn(bounds, reply.json()["detail"])
        reply = self.client.put(f"/v1/sessions/{unique()}", {"budget": {"steps": 9}})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (400, "unknown_field", "/budget/steps"))

    def test_agent_types_have_budgets_of_their_own(self):
        for agent, steps, seconds in (("plan", 50, 600), ("explore", 30, 300)):
            document = self.client.open(unique(), agent={"type": agent})
            self.assertEqual((document["budget"]["max_steps"], document["budget"]["timeout_seconds"]), (steps, seconds))
        document = self.client.open(unique(), agent={"type": "plan"}, budget={"max_steps": 12})
        self.assertEqual((document["budget"]["max_steps"], document["budget"]["timeout_seconds"]), (12, 600))
        self.assertIsNone(self.client.open(unique(), agent={"type": "coder"})["budget"])

    def test_impossible_changes_are_refused(self):
        session = unique()
        self.client.open(session, budget={"max_steps": 10})
        path = f"/v1/sessions/{session}/budget"
        for body, field in (({}, "/set"), ({"set": {}, "extend": {}}, "/extend"), ({"set": {"max_steps": 3}}, "/set/max_steps"),
                            ({"extend": {}}, "/extend"), ({"extend": {"timeout_seconds": 60}}, "/extend/timeout_seconds"),
                            ({"extend": {"max_steps": 251}}, "/extend/max_steps")):
            reply = self.client.post(path, body)
            self.assertEqual((reply.status, reply.json()["field"]), (400, field), body)
        self.assertEqual(self.client.post(f"/v1/sessions/{unique()}/budget", {"set": {}}).status, 404)
        early = self.client.post(f"/v1/sessions/{session}/end", {"outcome": "budget_exhausted"})
        self.assertEqual((early.status, early.json()["field"]), (400, "/outcome"))
        self.client.end(session)
        reply = self.client.post(path, {"extend": {"max_steps": 5}})
        self.assertEqual((reply.status, reply.json()["code"]), (409, "session_ended"))

    def test_the_budget_document_and_setting_it_later(self):
        session = unique()
        self.client.beat(session, iteration=8, usage={"tokens": 100})
        self.assertEqual(self.client.get(f"/v1/sessions/{session}/budget").json()["budget"], None)
        set_now = self.client.post(f"/v1/sessions/{session}/budget", {"set": {"max_steps": 10}, "by": "ann"}).json()
        self.assertEqual((set_now["budget"]["level"], kinds(set_now)), ("critical", ["wrap_up"]))
        document = self.client.get(f"/v1/sessions/{session}/budget").json()
        self.assertEqual((document["session"], document["budget"]["tokens_used"]), (session, 100))
        self.assertIn("no history", document["budget"]["prediction"]["reason"])


class RollUp(SharedDaemonCase):
    def test_use_rolls_up_over_two_generations_and_shows_in_the_stream(self):
        top, middle, leaf = unique("top"), unique("middle"), unique("leaf")
        self.client.open(top, budget={"max_steps": 10, "max_cost_usd": 1})
        self.client.open(middle, parent=top)
        self.client.open(leaf, parent=middle)
        with EventStream(self.daemon.port, f"/v1/sessions/{top}/stream?last_event_id=0") as stream:
            for i in range(7):
                self.client.report(leaf, "tool.finished", tool="bash", call_id=f"c{i}", usage={"tokens": 10, "cost_usd": 0.01})
            heard = []
            while not heard or heard[-1]["steps"] < 7:
                event = stream.next()
                if event.name == "child.progress":
                    heard.append(event.data["data"])
        # The first two: that the middle one was opened, and that it opened the leaf.
        self.assertEqual([h["steps"] for h in heard], [0, 0, *range(1, 8)])
        self.assertEqual((heard[-1]["child"], heard[-1]["tokens"], heard[-1]["cost_usd"]), (middle, 70, 0.07))
        reply = self.client.beat(top)
        self.assertEqual((reply["budget"]["steps_completed"], reply["budget"]["level"], kinds(reply)), (7, "low", ["wrap_up"]))
        self.assertEqual(reply["budget"]["children"], {"open": 1, "ended": 0, "steps": 7, "tokens": 70, "cost_usd": 0.07})
        self.client.end(leaf)
        self.client.end(middle)
        self.assertEqual(self.client.beat(top)["budget"]["children"]["ended"], 1)


class Restart(OwnDaemonCase):
    def test_figures_survive_kill_9_and_time_without_us_is_credited(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("parent", budget={"max_steps": 20, "timeout_seconds": 600})
        client.open("child", parent="parent", budget={"max_tokens": 1000})
        for i in range(8):
            client.report("child", "tool.finished", tool="bash", call_id=f"c{i}", usage={"tokens": 100, "cost_usd": 0.25})
        client.report("parent", "tool.finished", tool="bash")
        before = {s: client.get(f"/v1/sessions/{s}/budget").json()["budget"] for s in ("parent", "child")}
        self.assertEqual((before["parent"]["steps_completed"], before["child"]["level"]), (9, "critical"))
        told = [d["id"] for d in client.beat("child")["directives"]]
        client.close()
        daemon.restart()
        client = self.client(daemon)
        for session in ("parent", "child"):
            after = client.get(f"/v1/sessions/{session}/budget").json()["budget"]
            same = ("steps_completed", "tokens_used", "cost_used_usd", "level", "children", "max_steps", "max_tokens")
            self.assertEqual({k: after.get(k) for k in same}, {k: before[session].get(k) for k in same})
            self.assertLess(after["elapsed_seconds"], 30)
        self.assertEqual([d["id"] for d in client.beat("child")["directives"]], told)
        client.close()
        daemon.kill()
        daemon.forget_snapshots()
        daemon.start(daemon.port)
        client = self.client(daemon)
        replayed = client.get("/v1/sessions/parent/budget").json()["budget"]
        self.assertEqual((replayed["steps_completed"], replayed["tokens_used"], replayed["cost_used_usd"]), (9, 800, 2.0))


class Time(OwnDaemonCase):
    def test_time_alone_goes_through_all_levels_and_ends_it(self):
        daemon = self.start({"budget.in_flight_extension_seconds": "100"}, test_clock=True)
        client = self.client(daemon)
        client.open("idle", budget={"timeout_seconds": 400}, policy={"heartbeat_interval_ms": 600_000})
        client.open("calls", budget={"timeout_seconds": 400}, policy={"heartbeat_interval_ms": 600_000})
        client.report("calls", "tool.started", call_id="c1", tool="make")
        for until, levels in ((270, []), (290, ["low"]), (330, ["low", "critical"]), (370, ["low", "critical", "exhausted"])):
            daemon.clock.advance(until - daemon.clock.passed)
            self.assertEqual([c["to"] for c in of_type(client.journal("idle"), "budget.level")], levels, until)
        daemon.clock.advance(31)
        done = client.wait("idle", until="halted", wait="0s")
        self.assertTrue(done["met"])
        journal = client.journal("idle")
        self.assertEqual([c["to"] for c in of_type(journal, "budget.level")], ["low", "critical", "exhausted"])
        self.assertEqual([d["kind"] for d in of_type(journal, "directive.issued")], ["wrap_up", "wrap_up", "stop"])
        self.assertEqual(of_type(journal, "session.ended")[0]["outcome"], "budget_exhausted")
        self.assertFalse(client.wait("calls", until="halted", wait="0s")["met"])
        daemon.clock.advance(100)
        self.assertTrue(client.wait("calls", until="halted", wait="0s")["met"])
        extended = extensions(client.journal("calls"))
        self.assertEqual([(e["automatic"], e["added"], e["calls"]) for e in extended], [(True, {"timeout_seconds": 100}, ["c1"])])
        # More time for the call raised no limit and took nothing back.
        self.assertEqual([c["to"] for c in of_type(client.journal("calls"), "budget.level")], ["low", "critical", "exhausted"])
        self.assertEqual(client.session("calls")["budget"]["timeout_seconds"], 400)

    def test_calls_one_after_another_get_no_extension_each(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("chain", budget={"timeout_seconds": 300})
        number = 0
        client.report("chain", "tool.started", call_id="c0", tool="make", round=1)

        def next_call() -> bool:
            nonlocal number
            number += 1
            daemon.clock.advance(2, 2)
            events = [{"type": "tool.started", "data": {"call_id": f"c{number}", "tool": "make", "round": 1}},
                      {"type": "tool.finished", "data": {"call_id": f"c{number - 1}", "tool": "make", "round": 1}}]
            return client.post("/v1/sessions/chain/events", events).status == 409

        eventually(next_call)
        document = client.session("chain")
        self.assertEqual((document["outcome"], document["budget"]["timeout_seconds"]), ("budget_exhausted", 300))
        self.assertLessEqual(len(extensions(client.journal("chain"))), 1)


class History(OwnDaemonCase):
    def test_ended_sessions_make_analytics_and_predictions(self):
        daemon = self.start()
        client = self.client(daemon)
        for i, steps in enumerate((4, 8, 12, 16, 20)):
            session = f"done-{i}"
            client.open(session, agent={"type": "coder"}, budget={"max_steps": 40})
            client.beat(session, iteration=steps, usage={"tokens": 100 * steps, "cost_usd": 0.5})
            client.end(session)
        client.open("broke", agent={"type": "coder"}, budget={"max_steps": 5})
        client.beat("broke", iteration=9)
        client.open("now", agent={"type": "coder"}, budget={"max_steps": 40})
        client.beat("now", iteration=10)
        report = client.get("/v1/analytics/budgets?agent=coder").json()
        self.assertEqual((report["sessions"], report["more"]), (6, False))
        completed, exhausted = report["budgets"]
        self.assertEqual((completed["agent"], completed["outcome"], completed["count"]), ("coder", "completed", 5))
        self.assertEqual((completed["steps"], completed["tokens"]), ({"p50": 12, "p90": 20}, {"p50": 1200, "p90": 2000}))
        self.assertEqual(completed["cost_usd"], {"p50": 0.5, "p90": 0.5})
        self.assertEqual((exhausted["outcome"], exhausted["count"]), ("budget_exhausted", 1))
        prediction = client.get("/v1/sessions/now/budget").json()["budget"]["prediction"]
        self.assertEqual((prediction["agent"], prediction["history"]), ("coder", 5))
        self.assertEqual(prediction["steps_to_finish"], {"p50": 6, "p10": 2, "p90": 10, "samples": 3})
        daemon.restart()
        client = self.client(daemon)
        self.assertEqual(client.get("/v1/analytics/budgets").json()["sessions"], 6)
        bad = client.get("/v1/analytics/budgets?agnt=coder")
        self.assertEqual((bad.status, bad.json()["field"]), (400, "agnt"))


class Configuration(OwnDaemonCase):
    def test_sighup_changes_the_budgets_of_new_sessions(self):
        daemon = self.start(config="[budget.agents.coder]\ndefault_max_steps = 9\n")
        client = self.client(daemon)
        self.assertEqual(client.open("before", agent={"type": "Coder"})["budget"]["max_steps"], 9)
        daemon.config_file.write_text("[budget]\ndefault_max_tokens = 500\n[budget.agents.coder]\ndefault_max_steps = 90\n")
        daemon.process.send_signal(signal.SIGHUP)

        def reloaded():
            return (client.open(unique(), agent={"type": "coder"})["budget"] or {}).get("max_steps") == 90
        eventually(reloaded, what="the new budget")
        self.assertEqual(client.open(unique())["budget"]["max_tokens"], 500)
        self.assertEqual(client.session("before")["budget"]["max_steps"], 9)


if __name__ == "__main__":
    unittest.main()
