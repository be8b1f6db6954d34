#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A session from its opening to its end, as an agent, a dashboard and a test harness see it."""
import json
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli
from support.limits import eventually
from support.sse import EventStream

ADVICE_FIELDS = ["session", "n", "accepted", "duplicates", "verdict", "directives", "budget", "approvals", "estimate",
                 "next_heartbeat_ms"]


class Opening(SharedDaemonCase):
    def test_put_opens_once_with_201_and_a_location(self):
        session = unique()
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "g"})
        self.assertEqual(reply.status, 201)
        self.assertEqual(reply.headers["location"], f"/v1/sessions/{session}")
        self.assertEqual(self.client.put(f"/v1/sessions/{session}", {"goal": "g"}).status, 200)
        self.assertEqual(self.client.put(f"/v1/sessions/{session}").status, 200)
        self.assertEqual(self.client.session(session)["n"], 1)

    def test_another_goal_for_an_open_session_is_409(self):
        session = unique()
        self.client.open(session, goal="one")
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "two"})
        self.assertEqual((reply.status, reply.json()["code"]), (409, "session_exists"))
        self.assertEqual(self.client.session(session)["goal"], "one")

    def test_an_opening_that_is_sent_again_behind_the_end_finds_its_answer_and_opens_nothing(self):
        session = unique()
        self.client.open(session, goal="one")
        self.client.end(session, "completed")
        before = self.client.session(session)
        for again in (self.client.put(f"/v1/sessions/{session}"), self.client.put(f"/v1/sessions/{session}", {}),
                      self.client.put(f"/v1/sessions/{session}", {"goal": "one"}), self.client.post("/v1/sessions", {"id": session, "goal": "one"})):
            self.assertEqual((again.status, again.json()["verdict"]["status"], again.json()["n"]), (200, "completed", before["n"]))
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "one", "labels": {"a": "b"}})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (409, "session_exists", "/labels"))
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/heartbeat", {}).status, 409)

    def test_an_opening_behind_the_end_of_a_session_that_reports_opened_is_another(self):
        session = unique()
        self.client.post(f"/v1/sessions/{session}/heartbeat", {})
        self.client.end(session, "completed")
        self.assertEqual(self.client.put(f"/v1/sessions/{session}").status, 200)
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "one"})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (409, "session_exists", "/goal"))
        self.assertIsNone(self.client.session(session).get("goal"))

    def test_opening_keeps_what_was_said(self):
        session, parent = unique(), unique("parent")
        about = {"goal": "naïve ✓", "agent": {"type": "coder", "name": "a", "model": "m"}, "parent": parent,
                 "labels": {"team": "night", "a": "ß"},
                 "policy": {"profile": "strict", "heartbeat_interval_ms": 1234, "heartbeat_limit": 7,
                            "loop_detection": True, "judge": True, "on_stuck": "ask", "max_iterations": 25, "max_tool_failures": 0,
                            "min_confidence": 0.2, "low_confidence_attempts": 2, "stats_every": 5, "confirm_stop": "off", "wait_polls": 50, "wait_patience_ms": 60000,
                            "max_parse_failures": 4, "trust_origin": True, "trust_user": True,
                            "tool_time_limit_ms": 60000, "tools": [{"tool": "log", "ignore": True, "patience": 1,
                                                            "requires_approval": False, "time_limit_ms": 5, "polls": False}],
                            "detectors": [{"detector": "cycle", "off": False, "suspect": 3, "stuck": 5}]}}
        document = self.client.open(session, **about)
        self.assertEqual({k: document[k] for k in about}, about)
        self.assertEqual(document["next_heartbeat_ms"], 1234)

    def test_post_makes_an_id_and_honours_the_idempotency_key(self):
        headers = {"Idempotency-Key": unique("key")}
        first = self.client.post("/v1/sessions", {"goal": "g"}, headers)
        again = self.client.post("/v1/sessions", {"goal": "g"}, headers)
        self.assertEqual((first.status, again.status), (201, 200))
        self.assertEqual(again.headers["idempotent-replayed"], "true")
        self.assertNotIn("idempotent-replayed", first.headers)
        self.assertEqual(first.json()["id"], again.json()["id"])
        other = self.client.post("/v1/sessions", {"goal": "other"}, headers)
        self.assertEqual((other.status, other.json()["code"]), (422, "idempotency_mismatch"))

    def test_post_takes_an_id_and_makes_different_ones_without(self):
        session = unique()
        self.assertEqual(self.client.post("/v1/sessions", {"id": session}).json()["id"], session)
        made = {self.client.post("/v1/sessions").json()["id"] for _ in range(5)}
        self.assertEqual(len(made), 5)

    def test_a_report_to_an_unknown_id_opens_it(self):
        session = unique()
        self.assertEqual(self.client.report(session, "message", text="hello")["n"], 2)
        started, message = self.client.journal(session)
        self.assertEqual((started["type"], started["data"]["implicit"]), ("session.started", True))
        self.assertEqual((message["type"], message["n"]), ("message", 2))

    def test_an_id_may_be_percent_encoded(self):
        session = unique("a:b")
        self.client.open(session)
        self.assertEqual(self.client.session(session.replace(":", "%3A"))["id"], session)


class Reporting(SharedDaemonCase):
    def test_every_report_is_answered_with_advice(self):
        session = unique()
        advice = self.client.report(session, "tool.finished", tool="bash", ok=True)
        self.assertEqual(list(advice), ADVICE_FIELDS)
        self.assertEqual((advice["session"], advice["n"], advice["accepted"], advice["duplicates"]), (session, 2, 1, 0))
        self.assertEqual(advice["verdict"]["status"], "exploring")
        self.assertEqual(advice["verdict"]["evidence"], [2])
        self.assertEqual(list(self.client.beat(session)), ADVICE_FIELDS)
        self.assertEqual(list(self.client.end(session)), ADVICE_FIELDS)

    def test_an_array_and_lines_are_answered_in_order(self):
        session = unique()
        events = [{"type": "message", "event_id": str(i % 4), "data": {"text": str(i)}} for i in range(6)]
        advice = self.client.post(f"/v1/sessions/{session}/events", events).json()
        self.assertEqual((advice["accepted"], advice["duplicates"], advice["n"]), (4, 2, 5))
        self.assertEqual(advice["results"][:4], [{"n": 2}, {"n": 3}, {"n": 4}, {"n": 5}])
        self.assertEqual(advice["results"][4:], [{"n": 2, "duplicate": True}, {"n": 3, "duplicate": True}])
        lines = "\n".join(json.dumps({"type": "message", "data": {"text": str(i)}}) for i in range(3)) + "\n\r\n"
        reply = self.client.post(f"/v1/sessions/{session}/events", lines.encode(), {"Content-Type": "Application/X-NDJSON"})
        self.assertEqual(reply.json()["results"], [{"n": 6}, {"n": 7}, {"n": 8}])

    def test_a_full_report_of_1000_events_is_one_report(self):
        session = unique()
        events = [{"type": "message", "data": {"text": str(i)}} for i in range(1000)]
        advice = self.client.post(f"/v1/sessions/{session}/events", events).json()
        self.assertEqual((advice["accepted"], len(advice["results"])), (1000, 1000))
        journal = self.client.journal(session)
        messages = [e for e in journal if e["type"] == "message"]
        self.assertEqual([e["data"]["text"] for e in messages], [str(i) for i in range(1000)])
        self.assertEqual([e["n"] for e in journal], list(range(1, len(journal) + 1)))

    def test_the_same_event_id_is_counted_once_and_answered_like_the_first_time(self):
        session = unique()
        first = self.client.report(session, "tool.finished", event_id="e1", tool="bash")
        self.client.report(session, "message", text="between")
        again = self.client.report(session, "tool.finished", event_id="e1", tool="bash")
        self.assertEqual((again["n"], again["accepted"], again["duplicates"]), (first["n"], 0, 1))
        self.assertEqual(self.client.session(session)["tools"]["calls"], 1)

    def test_event_ids_are_known_after_the_end(self):
        session = unique()
        first = self.client.report(session, "message", event_id="e1", text="x")
        self.client.end(session)
        again = self.client.report(session, "message", event_id="e1", text="x")
        self.assertEqual((again["n"], again["duplicates"]), (first["n"], 1))
        fresh = self.client.post(f"/v1/sessions/{session}/events", {"type": "message", "event_id": "e2"})
        self.assertEqual((fresh.status, fresh.json()["code"]), (409, "session_ended"))

    def test_a_partly_known_batch_stores_only_the_rest(self):
        session = unique()
        self.client.report(session, "message", event_id="b", text="x")
        events = [{"type": "message", "event_id": i} for i in "abc"]
        advice = self.client.post(f"/v1/sessions/{session}/events", events).json()
        self.assertEqual(advice["results"], [{"n": 3}, {"n": 2, "duplicate": True}, {"n": 4}])

    def test_an_older_attempt_is_fenced_off(self):
        session = unique()
        self.client.report(session, "message", attempt=1, text="first process")
        self.client.report(session, "message", attempt=2, text="second process")
        stale = self.client.post(f"/v1/sessions/{session}/events", {"type": "message", "attempt": 1})
        self.assertEqual((stale.status, stale.json()["code"]), (409, "stale_attempt"))
        self.assertEqual(self.client.session(session)["attempt"], 2)
        self.client.report(session, "message", text="without an attempt")

    def test_a_new_attempt_forgets_the_calls_of_the_old_process(self):
        session = unique()
        self.client.report(session, "tool.started", attempt=1, call_id="c1", tool="bash")
        self.assertEqual(len(self.client.session(session)["in_flight"]), 1)
        self.client.report(session, "message", attempt=2, text="back")
        self.assertEqual(self.client.session(session)["in_flight"], [])

    def test_long_text_is_kept_as_head_tail_bytes_and_digest(self):
        session = unique()
        text = "begin " + "é" * 50_000 + " end"
        self.client.report(session, "message", text=text)
        kept = self.client.journal(session)[-1]["data"]["text"]
        self.assertEqual(kept["bytes"], len(text.encode()))
        self.assertTrue(kept["head"].startswith("begin ") and kept["tail"].endswith(" end"))
        self.assertRegex(kept["digest"], r"^[0-9a-f]{16,}$")


class Verdicts(SharedDaemonCase):
    test_clock = True

    def beats(self, session: str, count: int) -> str:
        for _ in range(count):
            advice = self.client.beat(session)
        return advice["verdict"]["status"]

    def test_five_heartbeats_without_a_change_are_suspect(self):
        session = unique()
        self.client.report(session, "tool.finished", tool="bash")
        self.assertEqual(self.beats(session, 4), "exploring")
        self.assertEqual(self.beats(session, 1), "suspect")
        self.client.report(session, "tool.finished", tool="bash", result="new")
        self.assertEqual(self.client.session(session)["verdict"]["status"], "exploring")

    def test_under_strict_they_are_stuck(self):
        session = unique()
        self.client.open(session, policy={"profile": "strict"})
        self.assertEqual(self.beats(session, 5), "stuck")
        self.assertTrue(self.client.get(f"/progress/{session}").json()["stuck"])
        verdict = self.client.session(session)["verdict"]
        self.assertEqual((verdict["detector"], verdict["evidence"]), ("heartbeat_rule", [2, 6]))

    def test_the_limit_is_the_policys(self):
        session = unique()
        self.client.open(session, policy={"profile": "strict", "heartbeat_limit": 2})
        self.assertEqual(self.beats(session, 2), "stuck")

    def test_a_call_in_flight_is_slow_and_never_stuck(self):
        session = unique()
        self.client.open(session, policy={"profile": "strict"})
        self.client.report(session, "tool.started", call_id="c1", tool="make")
        self.assertEqual(self.beats(session, 12), "slow")
        self.client.report(session, "tool.finished", call_id="c1", tool="make")
        self.assertEqual(self.client.session(session)["verdict"]["status"], "exploring")

    def test_a_session_without_beats_turns_silent_and_comes_back(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.clock.advance(15)
        self.assertTrue(self.client.session(session)["alive"])
        self.clock.advance(6)
        met = self.client.wait(session, until="silent", wait="2m")
        self.assertEqual((met["met"], met["matched"], met["alive"]), (True, "silent", False))
        self.assertFalse(self.client.get(f"/progress/{session}").json()["alive"])
        self.assertNotEqual(self.beats(session, 1), "silent")
        changes = [e["data"]["to"] for e in self.client.journal(session) if e["type"] == "verdict.changed"]
        self.assertEqual(changes[0], "silent")
        self.assertNotEqual(changes[1], "silent")

    def test_an_unheard_session_with_a_call_in_flight_is_slow_not_silent(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.client.report(session, "tool.started", call_id="c1", tool="make")
        self.clock.advance(25)
        self.assertEqual(self.client.wait(session, until="slow,silent", wait="2m")["matched"], "slow")

    def test_silence_is_never_a_failure_by_itself(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.clock.advance(25)
        self.client.wait(session, until="silent", wait="2m")
        status = self.client.get(f"/api/chat/autonomous/status?sessionId={session}").json()
        self.assertEqual((status["status"], status["error"]), ("running", None))


class SeveralAgents(OwnDaemonCase):
    def test_two_sessions_of_a_run_that_take_back_each_others_edits_are_stuck(self):
        daemon = self.start()
        client = self.client(daemon)
        for child in ("one", "other"):
            client.open(child, parent="boss")

        def edit(session, content, why):
            return client.report(session, "tool.finished", tool="edit", target="limits.py", ok=True, args={"why": why},
                                 result=f"done, {why}", mutated=[{"path": "limits.py", "digest": content}])

        for reason in ("the limit", "a test", "the review", "the docs"):
            edit("one", "v1", f"{reason} asks for it")
            advice = edit("other", "v2", f"{reason} forbids it")
        self.assertEqual(advice["verdict"]["status"], "stuck")
        self.assertEqual(advice["verdict"]["detector"], "mutual_revert")
        conflict = [e for e in client.journal("one") if e["type"] == "run.conflict"][-1]["data"]
        self.assertEqual((conflict["path"], conflict["other"]), ("limits.py", "other"))
        # The reason for the verdict is in the journal: memory of the run is not needed to give it again.
        daemon.kill()
        again = self.client(daemon.start()).session("other")
        self.assertEqual(again["verdict"]["status"], "stuck")


class HeartbeatInterval(SharedDaemonCase):
    def asked(self, session: str) -> int:
        return self.client.beat(session)["next_heartbeat_ms"]

    def test_half_while_a_tool_runs_and_double_in_reflection(self):
        session = unique()
        self.assertEqual(self.asked(session), 10000)
        self.client.report(session, "tool.started", call_id="c1", tool="bash")
        self.assertEqual(self.asked(session), 5000)
        self.client.report(session, "tool.finished", call_id="c1", tool="bash")
        self.assertEqual(self.asked(session), 10000)
        self.assertEqual(self.client.beat(session, phase="reflection")["next_heartbeat_ms"], 20000)
        self.assertEqual(self.client.beat(session, phase="execution")["next_heartbeat_ms"], 10000)

    def test_half_while_a_client_watches(self):
        session = unique()
        self.client.open(session)
        with EventStream(self.daemon.port, f"/v1/sessions/{session}/stream") as stream:
            stream.next()
            self.assertEqual(self.asked(session), 5000)
        eventually(lambda: self.asked(session) == 10000, what="the full interval after the watcher left")

    def test_half_while_a_client_waits(self):
        session = unique()
        self.client.open(session)
        waiter = self.daemon.client()
        waiter._connection.request("GET", f"/v1/sessions/{session}/wait?until=ended&wait=1m")
        eventually(lambda: self.asked(session) == 5000, what="half the interval for a waiter")
        waiter.close()
        eventually(lambda: self.asked(session) == 10000, what="the full interval after the waiter left")


class Cancelling(SharedDaemonCase):
    def test_stop_is_repeated_with_a_count_until_it_is_acknowledged(self):
        session = unique()
        self.client.open(session)
        reply = self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "not needed"})
        self.assertEqual(reply.status, 200)
        for delivery in (1, 2, 3):
            (stop,) = self.client.beat(session)["directives"]
            self.assertEqual((stop["type"], stop["reason"]), ("stop", "not needed"))
            # Only the replies to the agent count, not those to the canceller.
            self.assertIn(stop["delivery"], (delivery, delivery + 1))
        advice = self.client.report(session, "directive.acknowledged", id=stop["id"])
        self.assertEqual(advice["directives"], [])
        self.assertEqual(self.client.beat(session)["directives"], [])

    def test_a_report_that_is_sent_again_is_answered_with_what_is_in_force_and_is_no_delivery_more(self):
        session = unique()
        self.client.open(session)
        self.client.post(f"/v1/sessions/{session}/nudge", {"text": "read the log"})
        beat = {"type": "heartbeat", "event_id": "b1", "data": {}}
        first, again = (self.client.post(f"/v1/sessions/{session}/events", beat).json() for _ in range(2))
        self.assertEqual((again["accepted"], again["duplicates"], again["n"]), (0, 1, first["n"]))
        self.assertEqual(again["directives"], first["directives"])
        self.assertEqual(self.client.beat(session)["directives"][0]["delivery"], first["directives"][0]["delivery"] + 1)

    def test_cancel_twice_is_one_request_and_the_agent_ends_the_session(self):
        session = unique()
        self.client.open(session)
        for _ in range(2):
            self.assertEqual(self.client.post(f"/v1/sessions/{session}/cancel").status, 200)
        types = [e["type"] for e in self.client.journal(session)]
        self.assertEqual(types.count("session.cancel_requested"), 1)
        self.assertEqual(types.count("directive.issued"), 1)
        self.assertIsNone(self.client.session(session)["outcome"])
        self.client.end(session, "cancelled")
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["directives"]), ("cancelled", []))

    def test_cancel_of_an_unknown_session_is_404_and_of_an_ended_one_409(self):
        self.assertEqual(self.client.post(f"/v1/sessions/{unique()}/cancel").status, 404)
        session = unique()
        self.client.open(session)
        self.client.end(session)
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/cancel").status, 409)


class Steering(SharedDaemonCase):
    def control(self, session, what, body=None):
        return self.client.post(f"/v1/sessions/{session}/{what}", body)

    def test_a_paused_agent_waits_and_gets_continue(self):
        session = unique()
        self.client.open(session)
        self.assertEqual(self.control(session, "pause", {"reason": "deploy", "by": "ana"}).status, 200)
        advice = self.client.beat(session)
        (pause,) = advice["directives"]
        self.assertEqual((pause["type"], pause["reason"]), ("pause", "deploy"))
        self.assertEqual(advice["verdict"]["status"], "waiting")
        self.assertEqual(self.control(session, "resume").status, 200)
        advice = self.client.beat(session)
        self.assertEqual([d["type"] for d in advice["directives"]], ["continue"])
        self.assertNotEqual(advice["verdict"]["status"], "waiting")
        issued = [e["data"] for e in self.client.journal(session) if e["type"] == "directive.issued"]
        self.assertEqual(issued[0]["by"], "ana")

    def test_a_nudge_reaches_the_agent_in_its_next_reply(self):
        session = unique()
        self.client.open(session)
        self.assertEqual(self.control(session, "nudge", {"text": "read the log first"}).status, 200)
        (nudge,) = self.client.beat(session)["directives"]
        self.assertEqual((nudge["type"], nudge["reason"]), ("change_approach", "read the log first"))

    def test_bad_control_requests_name_the_field(self):
        session = unique()
        self.client.open(session)
        for what, body, code, field in (("nudge", {}, "missing_field", "/text"),
                                        ("nudge", {"text": "  "}, "invalid_field", "/text"),
                                        ("pause", {"why": 1}, "unknown_field", "/why"),
                                        ("resume", {"reason": 1}, "invalid_field", "/reason")):
            reply = self.control(session, what, body)
            self.assertIn(reply.status, (400, 422), (what, body))
            problem = reply.json()
            self.assertEqual((problem["code"], problem["field"]), (code, field), (what, body))
        self.assertEqual(self.control(unique(), "pause").status, 404)
        self.client.end(session)
        self.assertEqual(self.control(session, "pause").json()["code"], "session_ended")


class LegacyTimeouts(OwnDaemonCase):
    def test_observed_timers_kill_nothing_and_show_what_they_would_have_done(self):
        daemon = self.start({"legacy_timeouts.mode": "observe", "legacy_timeouts.session": "5s",
                             "legacy_timeouts.tool": "0s"}, test_clock=True)
        client = self.client(daemon)
        client.open("slow")
        opened = client.session("slow")["opened_at"]
        daemon.clock.advance(6)
        eventually(lambda: client.get("/v1/sessions/slow/comparison").json()["legacy"]["would_have_killed"])
        client.report("slow", "message", role="assistant", text="still at it")
        client.end("slow")
        comparison = client.get("/v1/sessions/slow/comparison").json()
        self.assertTrue(comparison["saved"])
        self.assertEqual(comparison["status_based"]["outcome"], "completed")
        (kill,) = comparison["legacy"]["kills"]
        self.assertEqual(kill["timer"], "session")
        self.assertGreater(kill["at"], opened)
        client.open("quick")
        client.end("quick")
        totals = client.get("/v1/analytics/timeouts").json()
        self.assertEqual((totals["sessions"], totals["would_have_killed"], totals["saved"]), (2, 1, 1))
        self.assertGreater(totals["saved_ms"], 0)
        cli = Cli(daemon)
        self.assertIn("of 2 sessions the old timers would have ended 1; 1 of these completed",
                      cli.run("compare").out)
        self.assertIn("would have ended it", cli.run("compare", "slow").out)

    def test_a_timer_in_force_ends_the_session_as_failed(self):
        daemon = self.start({"legacy_timeouts.mode": "enforce", "legacy_timeouts.session": "50ms",
                             "policy.heartbeat_interval": "100ms"})
        client = self.client(daemon)
        client.open("doomed")
        self.assertEqual(client.wait("doomed", until="ended", wait="2m")["matched"], "failed")
        document = client.session("doomed")
        self.assertEqual((document["outcome"], document["end_code"]), ("failed", "legacy_timeout"))


class Deprecated(SharedDaemonCase):
    def test_old_aliases_say_that_they_are_old_and_what_to_use(self):
        session = unique()
        self.client.open(session)
        for path in (f"/api/autonomous/progress/{session}", f"/api/chat/autonomous/status?sessionId={session}"):
            reply = self.client.get(path)
            self.assertEqual(reply.status, 200)
            self.assertEqual(reply.headers["x-deprecated"], "true")
            self.assertTrue(reply.headers["deprecation"].startswith("@"))
            self.assertIn("use GET /", reply.headers["x-deprecation-message"])
        self.assertNotIn("x-deprecated", self.client.get(f"/progress/{session}").headers)
        self.assertEqual(self.daemon.log().count("deprecated route /api/autonomous/progress/{id}"), 1)


class Ending(SharedDaemonCase):
    def test_the_same_outcome_again_is_200_and_another_409(self):
        session = unique()
        self.client.open(session)
        first = self.client.end(session, "failed", reason="tests fail", result={"tests": [1, 2]})
        self.assertEqual(first["verdict"]["status"], "failed")
        again = self.client.end(session, "failed")
        self.assertEqual(again["accepted"], 0)
        other = self.client.post(f"/v1/sessions/{session}/end", {"outcome": "completed"})
        self.assertEqual((other.status, other.json()["code"]), (409, "session_ended"))
        self.assertEqual([e["type"] for e in self.client.journal(session)].count("session.ended"), 1)

    def test_the_document_tells_outcome_reason_and_result(self):
        session = unique()
        self.client.open(session)
        self.client.end(session, "completed", reason="done", result={"a": [1, None, 1.5]})
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["result"]), ("completed", {"a": [1, None, 1.5]}))
        self.assertEqual(document["verdict"]["reason"], "done")
        self.assertFalse(document["alive"])
        self.assertIsNotNone(document["ended_at"])

    def test_an_end_may_come_as_an_event(self):
        session = unique()
        self.assertEqual(self.client.report(session, "session.ended", outcome="cancelled")["verdict"]["status"], "cancelled")
        self.assertEqual(self.client.end(session, "cancelled")["accepted"], 0)

    def test_ending_an_unknown_session_is_404(self):
        self.assertEqual(self.client.post(f"/v1/sessions/{unique()}/end", {"outcome": "failed"}).status, 404)

if __name__ == "__main__":
    unittest.main()
