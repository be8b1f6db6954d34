#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens and money: parts, prices, costs that are not known, and caps over all sessions of a day."""
import signal
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.limits import eventually

USED = {"input_tokens": 10, "cached_tokens": 1000, "cache_write_tokens": 20000, "output_tokens": 20, "reasoning_tokens": 500}


class Costs(SharedDaemonCase):
    def used(self, session: str) -> dict:
        return self.client.session(session)["used"]

    def test_the_parts_of_tokens_are_shown_apart_and_priced_by_the_model(self):
        session = unique("parts")
        self.client.open(session, agent={"model": "claude-opus-5"})
        self.client.beat(session, usage=USED)
        used = self.used(session)
        self.assertEqual(used["tokens"], 21530)
        self.assertEqual(used["token_parts"], {"input": 10, "cached": 1000, "cache_write": 20000, "output": 20, "reasoning": 500})
        self.assertAlmostEqual(used["cost_usd"], 0.13855)
        self.assertAlmostEqual(used["cost_estimated_usd"], 0.13855)
        (usage,) = [e["data"]["usage"] for e in self.client.journal(session) if "usage" in e["data"]]
        self.assertEqual((usage["cost_usd"], usage["estimated"]), (0.13855, True))

    def test_a_cost_that_nobody_knows_is_null_and_its_cap_says_so_everywhere(self):
        session = unique("unknown")
        opened = self.client.open(session, agent={"type": "x", "model": "house-model"}, budget={"max_cost_usd": 1})
        self.assertIn("cannot hold: there is no price of house-model", opened["budget"]["cost_warning"])
        reply = self.client.beat(session, usage={"input_tokens": 4_500_000, "output_tokens": 300_000})
        self.assertNotIn("0%", reply["budget"]["prompt"])
        self.assertIn("Cost: not known, the cap of $1.00 cannot hold", reply["budget"]["prompt"])
        self.assertIsNone(reply["budget"]["cost_used_usd"])
        self.assertIsNone(reply["budget"]["cost_pressure"])
        self.assertEqual(self.used(session)["cost_usd"], None)
        self.assertEqual(self.used(session)["unpriced_tokens"], 4_800_000)
        shown = self.client.get(f"/v1/sessions/{session}/budget").json()["budget"]
        self.assertEqual(shown["cost_warning"], "the cap of $1.00 cannot hold: no cost is known of 4800000 tokens")

    def test_hooks_without_tokens_say_at_the_opening_that_a_cap_on_cost_cannot_hold(self):
        session = unique("cline")
        opened = self.client.open(f"cline-{session}", agent={"type": "cline"}, budget={"max_cost_usd": 1})
        self.assertIn("neither tokens nor a cost", opened["budget"]["cost_warning"])
        self.client.post("/v1/hooks/cline", {"hookName": "UserPromptSubmit", "taskId": session,
                                             "userPromptSubmit": {"prompt": "go"}})
        adapter = self.client.session(f"cline-{session}").get("adapter")
        if adapter is not None:
            self.assertIn("cost", adapter["missing"])

    def test_a_cap_holds_by_an_estimate(self):
        session = unique("held")
        self.client.open(session, agent={"model": "claude-opus-5"}, budget={"max_cost_usd": 1})
        reply = self.client.beat(session, usage={"input_tokens": 170_000})
        self.assertEqual(reply["budget"]["level"], "critical")
        self.client.beat(session, usage={"input_tokens": 100_000})
        self.assertEqual(self.client.session(session)["outcome"], "budget_exhausted")

    def test_a_cost_said_apart_and_the_estimates_of_the_same_answers_count_once(self):
        session = unique("both")
        self.client.open(session, agent={"model": "claude-opus-5"})
        self.client.beat(session, usage={"input_tokens": 200_000})
        self.client.beat(session, usage={"cost_usd": 0.75})
        self.assertEqual((self.used(session)["cost_usd"], self.used(session)["cost_estimated_usd"]), (1, 0.25))
        self.client.beat(session, usage={"cost_usd": 0.5})
        self.assertEqual(self.used(session)["cost_usd"], 1.25)
        self.assertNotIn("cost_estimated_usd", self.used(session))

    def test_a_family_has_the_parts_and_the_doubt_of_its_children(self):
        parent, child = unique("parent"), unique("child")
        self.client.open(parent, budget={"max_cost_usd": 10})
        self.client.open(child, parent=parent, agent={"model": "claude-opus-5"})
        self.client.beat(child, usage=USED)
        self.client.beat(child, usage={"model": "unheard-of", "input_tokens": 70})

        def children():
            return (self.client.session(parent)["budget"] or {}).get("children")

        eventually(lambda: (children() or {}).get("tokens") == 21600)
        self.assertEqual(children()["token_parts"]["cache_write"], 20000)
        self.assertEqual(children()["unpriced_tokens"], 70)
        self.assertIn("only in part", self.client.session(parent)["budget"]["cost_warning"])


class Days(OwnDaemonCase):
    CONFIG = '[budget.day]\nmax_cost_usd = 1\n[budget.day.labels."team=pay"]\nmax_tokens = 1000\n[prices]\n"flat" = 1\n'

    def caps(self, client) -> dict:
        return {cap["label"]: cap for cap in client.get("/v1/budget/day").json()["caps"]}

    def kinds(self, client, session: str) -> list:
        return [d["type"] for d in client.session(session)["directives"]]

    def test_a_cap_of_the_day_pauses_its_sessions_and_asks_once(self):
        daemon = self.start(config=self.CONFIG)
        client = self.client(daemon)
        for name in ("a", "b"):
            client.open(name, agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 800_000})
        self.assertEqual(self.caps(client)[None]["level"], "warned")
        self.assertNotIn("pause", self.kinds(client, "a"))
        reply = client.beat("b", usage={"input_tokens": 250_000})
        self.assertIn("pause", [d["type"] for d in reply["directives"]])
        self.assertEqual(self.caps(client)[None]["cost_usd"], 1.05)
        self.assertIn("pause", [d["type"] for d in client.beat("a")["directives"]])
        opened = client.open("new")
        self.assertIn("pause", [d["type"] for d in opened["directives"]])
        pending = client.get("/v1/approvals?status=pending").json()["approvals"]
        self.assertEqual([(p["kind"], p["session"]) for p in pending], [("budget_extension", "b")])
        # A restart forgets neither the totals nor who was asked.
        daemon.restart()
        client = self.client(daemon)
        self.assertEqual(self.caps(client)[None]["cost_usd"], 1.05)
        client.beat("new")
        self.assertEqual(len(client.get("/v1/approvals?status=pending").json()["approvals"]), 1)
        client.beat("a")

    def test_when_the_session_that_asked_ends_another_asks(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        for name in ("a", "b"):
            client.open(name, agent={"model": "flat"})
        client.beat("b", usage={"input_tokens": 1_000_000})
        client.beat("a")

        def pending():
            return [p["session"] for p in client.get("/v1/approvals?status=pending").json()["approvals"]]
        self.assertEqual(pending(), ["b"])
        client.end("b", "completed")
        eventually(lambda: pending() == ["a"], what="the request of the other session")
        client.beat("a")
        self.assertEqual(pending(), ["a"])

    def test_adding_to_a_cap_lets_its_sessions_go_on(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        client.open("a", agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 1_000_000})
        self.assertIn("pause", self.kinds(client, "a"))
        reply = client.post("/v1/budget/day", {"extend": {"max_cost_usd": 2}})
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(self.caps(client)[None]["max_cost_usd"], 3)
        eventually(lambda: "pause" not in self.kinds(client, "a"))
        # A person who added has answered the request, too.
        self.assertEqual(client.get("/v1/approvals?status=pending").json()["approvals"], [])
        (asked,) = client.get("/v1/approvals?status=resolved").json()["approvals"]
        self.assertEqual((asked["status"], asked["closed"]), ("cancelled", "not_needed"))
        client.beat("a", usage={"input_tokens": 2_000_000})
        self.assertIn("pause", self.kinds(client, "a"))
        self.assertEqual(client.post("/v1/budget/day", {"lift": True}).status, 200)
        eventually(lambda: "pause" not in self.kinds(client, "a"))
        self.assertTrue(self.caps(client)[None]["lifted"])

    def test_the_end_of_a_pause_of_the_day_lets_held_calls_of_sub_agents_go(self):
        daemon = self.start(config=self.CONFIG)
        client = daemon.operator()
        self.addCleanup(client.close)
        client.open("a-1", agent={"model": "flat"})
        client.beat("a-1", usage={"input_tokens": 1_000_000})
        self.assertIn("pause", self.kinds(client, "a-1"))
        other = self.client(daemon)
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(other.post, "/v1/hooks/generic", {"event": "pre", "agent": "a", "session": "kid", "parent": "1", "tool": "read",
                                                                 "args": {}, "call": "k1", "hold_ms": 600_000})
            eventually(lambda: client.get("/v1/sessions/a-1.kid").status == 200, what="no call of the sub-agent")
            client.post("/v1/budget/day", {"extend": {"max_cost_usd": 2}})
            self.assertEqual(held.result().json(), {})

    def test_a_person_who_approves_adds_as_much_again_and_who_rejects_is_not_asked_again(self):
        daemon = self.start(config=self.CONFIG)
        client, person = self.client(daemon), daemon.operator()
        self.addCleanup(person.close)

        def asked() -> list:
            return [one["id"] for one in client.get("/v1/approvals?status=pending").json()["approvals"]]

        for name in ("a", "b"):
            client.open(name, agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 1_000_000})
        client.beat("b")
        self.assertIn("pause", self.kinds(client, "b"))
        (first,) = asked()
        reply = person.post(f"/v1/approvals/{first}/decision", {"decision": "approve", "by": "ana"})
        self.assertEqual(reply.status, 200, reply.body)
        eventually(lambda: "pause" not in self.kinds(client, "a") + self.kinds(client, "b"))
        self.assertEqual(self.caps(client)[None]["max_cost_usd"], 2)
        client.beat("b", usage={"input_tokens": 1_000_000})
        (second,) = asked()
        self.assertNotEqual(first, second)
        person.post(f"/v1/approvals/{second}/decision", {"decision": "reject", "by": "ana", "reason": "enough for today"})
        client.beat("a")
        self.assertIn("pause", self.kinds(client, "a"))
        self.assertEqual(asked(), [])

    def test_a_pause_of_the_day_is_no_operators_pause_in_the_session_that_resumes(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)

        def hook(event, **data):
            reply = client.post("/v1/hooks/claude", {"hook_event_name": event, "session_id": "abc", "cwd": "/tmp", **data}, {"X-Headway-Session": "c"})
            self.assertEqual(reply.status, 200, reply.body)
        hook("SessionStart", source="startup")
        hook("UserPromptSubmit", prompt="go")
        client.open("a", agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 1_000_000})
        hook("UserPromptSubmit", prompt="more")
        self.assertIn("pause", self.kinds(client, "c"))
        hook("SessionEnd", reason="clear")
        self.assertEqual(client.post("/v1/budget/day", {"lift": True}).status, 200)
        hook("SessionStart", source="resume")
        hook("UserPromptSubmit", prompt="go on")
        self.assertNotIn("pause", self.kinds(client, "c~2"))

    def test_a_persons_pause_outlives_that_of_the_day(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        client.open("a", agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 1_000_000})
        self.assertEqual(client.post("/v1/sessions/a/pause", {"reason": "hands off"}).status, 200)
        self.assertEqual(client.post("/v1/budget/day", {"lift": True}).status, 200)
        client.open("b")  # a turn behind the lift
        self.assertEqual(client.session("a")["verdict"]["status"], "waiting")
        self.assertIn("hands off", [d["reason"] for d in client.session("a")["directives"]])

    def test_a_request_of_an_agent_for_more_is_no_request_about_the_day(self):
        daemon = self.start(config=self.CONFIG)
        client, person = self.client(daemon), daemon.operator()
        self.addCleanup(person.close)
        client.open("a", budget={"max_cost_usd": 1})
        made = client.post("/v1/sessions/a/approvals", {"kind": "budget_extension", "extend": {"max_cost_usd": 1},
                                                         "summary": "The budget of the day 2026-11-27: approve to add as much again"})
        self.assertIn(made.status, (200, 201), made.body)
        person.post(f"/v1/approvals/{made.json()['id']}/decision", {"decision": "approve", "by": "ana"})
        self.assertEqual(self.caps(client)[None]["max_cost_usd"], 1)

    def test_a_cap_by_label_counts_a_family_and_nobody_else(self):
        client = self.client(self.start(config=self.CONFIG))
        client.open("boss", labels={"team": "pay"})
        client.open("worker", parent="boss", agent={"model": "flat"})
        client.open("other", agent={"model": "flat"})
        client.beat("other", usage={"input_tokens": 5_000})
        client.beat("worker", usage={"input_tokens": 1_000})
        self.assertEqual(self.caps(client)["team=pay"]["tokens"], 1_000)
        self.assertIn("pause", self.kinds(client, "worker"))
        client.beat("boss")
        self.assertIn("pause", self.kinds(client, "boss"))
        client.beat("other")
        self.assertNotIn("pause", self.kinds(client, "other"))

    def test_approving_adds_room_where_the_use_is_far_beyond_the_cap(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        client.open("a", agent={"model": "flat"})
        client.beat("a", usage={"input_tokens": 3_500_000})
        asked = client.get("/v1/approvals?status=pending").json()["approvals"][0]["id"]
        self.assertEqual(client.post(f"/v1/approvals/{asked}/decision", {"decision": "approve"}).status, 200)
        self.assertEqual(self.caps(client)[None]["max_cost_usd"], 4.5)
        eventually(lambda: "pause" not in self.kinds(client, "a"))

    def test_an_agent_that_acknowledges_the_pause_goes_on_with_the_others(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        client.open("a", agent={"model": "flat"})
        reply = client.beat("a", usage={"input_tokens": 1_000_000})
        pause = next(d["id"] for d in reply["directives"] if d["type"] == "pause")
        client.report("a", "directive.acknowledged", id=pause)
        self.assertEqual(client.post("/v1/budget/day", {"extend": {"max_cost_usd": 2}}).status, 200)
        eventually(lambda: "paused" not in client.session("a")["verdict"]["reason"])

    def test_a_session_that_a_cap_pauses_says_so_and_goes_on_behind_a_restart(self):
        daemon = self.start(config=self.CONFIG)
        client = self.client(daemon)
        client.open("a", agent={"model": "flat"})
        reply = client.beat("a", usage={"input_tokens": 1_000_000})
        client.report("a", "directive.acknowledged", id=next(d["id"] for d in reply["directives"] if d["type"] == "pause"))
        (asked,) = client.get("/v1/approvals?status=pending").json()["approvals"]
        person = daemon.operator()
        person.post(f"/v1/approvals/{asked['id']}/decision", {"decision": "reject"})
        person.close()
        self.assertEqual(client.session("a")["verdict"]["reason"], "paused: a budget of the day is used up")
        daemon.restart()
        client, person = self.client(daemon), daemon.operator()
        self.addCleanup(person.close)
        self.assertEqual(person.post("/v1/budget/day", {"lift": True}).status, 200)
        client.beat("a")
        self.assertNotIn("paused", client.session("a")["verdict"]["reason"])

    def test_the_request_of_a_cap_that_is_removed_waits_for_no_person(self):
        daemon = self.start(config=self.CONFIG)
        client = daemon.operator()
        self.addCleanup(client.close)
        client.open("a", labels={"team": "pay"})
        client.beat("a", usage={"input_tokens": 1_000})
        self.assertEqual(client.session("a")["verdict"]["status"], "blocked")
        daemon.config_file.write_text('[budget.day]\nmax_cost_usd = 1\n')
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: "team=pay" not in self.caps(client), what="the new configuration")
        client.beat("a")
        self.assertNotIn("pause", self.kinds(client, "a"))
        self.assertNotEqual(client.session("a")["verdict"]["status"], "blocked")
        (asked,) = client.get("/v1/approvals?status=resolved").json()["approvals"]
        self.assertEqual((asked["status"], asked["closed"]), ("cancelled", "not_needed"))

    def test_no_report_takes_a_cap_away(self):
        daemon = self.start(config=self.CONFIG)
        self.assertEqual(self.client(daemon).post("/v1/budget/day", {"lift": True}).status, 401)

    def test_a_cap_that_is_not_set_cannot_be_changed(self):
        client = self.start(config=self.CONFIG).operator()
        self.addCleanup(client.close)
        for body in ({"label": "team=other", "lift": True}, {}, {"lift": True, "extend": {"max_tokens": 1}},
                     {"extend": {"max_cost_usd": -1}}, {"extend": {"max_steps": 5}}, {"extend": {"max_tokens": 5}},
                     {"label": "team=pay", "extend": {"max_cost_usd": 5}}):
            self.assertEqual(client.post("/v1/budget/day", body).status, 400, body)
        self.assertEqual(self.client(self.start()).get("/v1/budget/day").json()["caps"], [])


if __name__ == "__main__":
    unittest.main()
