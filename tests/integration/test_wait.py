#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waiting on status instead of a timer: one session, several, and many waiters at once."""
import json
import signal
import time
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.limits import eventually

FIELDS = ["met", "matched", "impossible", "cause", "session", "n", "alive", "verdict"]


class Waiter:
    """A long poll under way: asked on construction, answered by reply()."""

    def __init__(self, daemon, path: str):
        self.client = daemon.client(timeout=30)
        self.client._connection.request("GET", path)

    def reply(self) -> dict:
        answer = self.client._connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status == 200, content
        self.client.close()
        return content


def waiting(client) -> int:
    metrics = client.get("/metrics").body.decode()
    return int(float(next(line for line in metrics.splitlines() if line.startswith("headway_waiters ")).split()[1]))


class OneSession(SharedDaemonCase):
    def begin(self, session: str, **query) -> Waiter:
        """A waiter that the daemon knows of."""
        before = waiting(self.client)
        waiter = Waiter(self.daemon, f"/v1/sessions/{session}/wait?" + "&".join(f"{k}={v}" for k, v in query.items()))
        eventually(lambda: waiting(self.client) > before, what="the waiter")
        return waiter

    def test_what_is_true_already_is_answered_at_once(self):
        session = unique()
        self.client.open(session)
        self.client.end(session, "failed", reason="why")
        for until in ("settled", "ended", "failed", "completed,failed"):
            answer = self.client.wait(session, until=until, wait="5m")
            self.assertEqual(list(answer), FIELDS)
            self.assertEqual((answer["met"], answer["matched"], answer["impossible"]), (True, "failed", False))
        self.assertEqual(self.client.wait(session)["matched"], "failed")

    def test_a_waiter_is_woken_by_the_event_it_waits_for(self):
        session = unique()
        self.client.open(session)
        waiter = self.begin(session, until="ended", wait="5m")
        self.client.report(session, "tool.finished", tool="x")  # exploring: not that
        end = self.client.end(session)
        answer = waiter.reply()
        self.assertEqual((answer["met"], answer["matched"], answer["n"]), (True, "completed", end["n"] + 1))
        self.assertEqual(answer["verdict"]["status"], "completed")

    def test_stuck_is_settled_but_not_ended(self):
        session = unique()
        self.client.open(session, policy={"profile": "strict", "heartbeat_limit": 2})
        waiter = self.begin(session, wait="5m")
        self.client.beat(session)
        self.client.beat(session)
        self.assertEqual(waiter.reply()["matched"], "stuck")
        answer = self.client.wait(session, until="ended", wait="0ms")
        self.assertEqual((answer["met"], answer["matched"], answer["impossible"]), (False, None, False))

    def test_a_timeout_tells_how_things_stand(self):
        session = unique()
        self.client.open(session)
        started = time.monotonic()
        answer = self.client.wait(session, until="stuck", wait="150ms")
        self.assertGreaterEqual(time.monotonic() - started, 0.14)
        self.assertEqual((answer["met"], answer["verdict"]["status"], answer["n"]), (False, "starting", 1))

    def test_any_event_after_a_number(self):
        session = unique()
        self.client.open(session)
        self.assertEqual(self.client.wait(session, until="event", wait="5m")["met"], True)
        waiter = self.begin(session, until="event", after=1, wait="5m")
        self.client.report(session, "message", text="x")
        answer = waiter.reply()
        self.assertEqual((answer["met"], answer["matched"], answer["n"]), (True, None, 2))
        self.assertFalse(self.client.wait(session, until="event", after=2, wait="0ms")["met"])

    def test_after_counts_only_what_happened_since(self):
        session = unique()
        self.client.report(session, "tool.finished", tool="x")
        n = self.client.session(session)["n"]
        self.assertTrue(self.client.wait(session, until="exploring", wait="0ms")["met"])
        self.assertFalse(self.client.wait(session, until="exploring", after=n, wait="0ms")["met"])
        waiter = self.begin(session, until="exploring", after=n, wait="5m")
        self.client.report(session, "tool.finished", tool="y")
        self.assertTrue(waiter.reply()["met"])

    def test_ever_sees_a_verdict_that_has_passed_and_now_does_not(self):
        session = unique()
        for _ in range(5):
            self.client.beat(session)
        suspect = self.client.session(session)["n"]
        self.client.report(session, "tool.finished", tool="x")
        self.assertEqual(self.client.session(session)["verdict"]["status"], "exploring")
        ever = self.client.wait(session, until="suspect", mode="ever", wait="0ms")
        self.assertEqual((ever["met"], ever["matched"]), (True, "suspect"))
        self.assertFalse(self.client.wait(session, until="suspect", mode="now", wait="0ms")["met"])
        self.assertFalse(self.client.wait(session, until="suspect", mode="ever", after=suspect, wait="0ms")["met"])

    def test_ever_misses_no_flicker_between_two_polls(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_limit": 2})
        waiter = self.begin(session, until="suspect", mode="ever", wait="5m")
        # In one report: suspect comes and goes in one commit.
        report = [{"type": "heartbeat"}] * 2 + [{"type": "tool.finished", "data": {"tool": "x"}}]
        self.client.post(f"/v1/sessions/{session}/events", report)
        answer = waiter.reply()
        self.assertEqual((answer["matched"], answer["verdict"]["status"]), ("suspect", "exploring"))

    def test_what_cannot_come_any_more_is_said_at_once(self):
        session = unique()
        self.client.open(session)
        self.client.end(session, "failed")
        answer = self.client.wait(session, until="completed,stuck", wait="5m")
        self.assertEqual((answer["met"], answer["impossible"], answer["verdict"]["status"]), (False, True, "failed"))
        self.assertTrue(self.client.wait(session, until="event", after=99, wait="5m")["impossible"])

    def test_an_end_makes_waiting_for_something_else_impossible(self):
        session = unique()
        self.client.open(session)
        waiter = self.begin(session, until="stuck", wait="5m")
        self.client.end(session)
        answer = waiter.reply()
        self.assertEqual((answer["met"], answer["impossible"]), (False, True))

    def test_an_unopened_session_can_be_waited_for(self):
        session = unique()
        self.assertEqual(self.client.get(f"/v1/sessions/{session}/wait").status, 404)
        waiter = self.begin(session, missing="wait", until="ended", wait="5m")
        self.client.open(session)
        self.client.end(session, "cancelled")
        self.assertEqual(waiter.reply()["matched"], "cancelled")

    def test_waiting_for_an_unknown_session_times_out(self):
        reply = self.client.get(f"/v1/sessions/{unique()}/wait?missing=wait&wait=50ms")
        self.assertEqual(reply.status, 200)
        self.assertFalse(reply.json()["met"])

    def test_a_waiter_that_left_is_forgotten(self):
        session = unique()
        self.client.open(session)
        before = waiting(self.client)
        waiter = self.begin(session, until="ended", wait="5m")
        waiter.client.close()
        eventually(lambda: waiting(self.client) == before, what="the waiter's going")

    def test_many_waiters_of_one_session_are_all_woken(self):
        session = unique()
        self.client.open(session)
        waiters = [Waiter(self.daemon, f"/v1/sessions/{session}/wait?until=ended&wait=5m") for _ in range(100)]
        eventually(lambda: waiting(self.client) >= 100, what="a hundred waiters")
        self.client.end(session)
        self.assertTrue(all(w.reply()["met"] for w in waiters))

    def test_a_wait_does_not_hold_up_other_requests_of_other_connections(self):
        session = unique()
        self.client.open(session)
        waiter = self.begin(session, until="ended", wait="5m")
        self.assertEqual(self.client.get("/livez").status, 200)
        self.client.end(session)
        self.assertTrue(waiter.reply()["met"])


class SeveralSessions(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.a, self.b = unique("a"), unique("b")
        self.client.open(self.a)
        self.client.open(self.b)

    def several(self, **query) -> dict:
        return self.client.get("/v1/wait?" + "&".join(f"{k}={v}" for k, v in query.items())).json()

    def test_any_is_met_by_the_first(self):
        waiter = Waiter(self.daemon, f"/v1/wait?any={self.a},{self.b}&until=ended&wait=5m")
        self.client.end(self.b)
        answer = waiter.reply()
        self.assertEqual(list(answer), ["met", "impossible", "matched", "causes", "sessions"])
        self.assertEqual((answer["met"], answer["impossible"], answer["matched"]), (True, False, {self.b: "completed"}))
        self.assertEqual(set(answer["sessions"]), {self.a, self.b})
        self.assertEqual(answer["sessions"][self.a]["verdict"]["status"], "starting")

    def test_all_is_met_by_the_last(self):
        self.client.end(self.a, "failed")
        self.assertFalse(self.several(all=f"{self.a},{self.b}", until="ended", wait="0ms")["met"])
        waiter = Waiter(self.daemon, f"/v1/wait?all={self.a},{self.b}&until=ended&wait=5m")
        self.client.end(self.b)
        answer = waiter.reply()
        self.assertEqual((answer["met"], answer["matched"]), (True, {self.a: "failed", self.b: "completed"}))

    def test_all_is_impossible_when_one_cannot_match(self):
        self.client.end(self.a, "failed")
        answer = self.several(all=f"{self.a},{self.b}", until="completed", wait="5m")
        self.assertEqual((answer["met"], answer["impossible"]), (False, True))

    def test_any_is_impossible_only_when_none_can_match(self):
        self.client.end(self.a, "failed")
        both = f"{self.a},{self.b}"
        self.assertFalse(self.several(any=both, until="completed", wait="0ms")["impossible"])
        self.client.end(self.b, "failed")
        self.assertTrue(self.several(any=both, until="completed", wait="5m")["impossible"])

    def test_unknown_sessions_are_404_or_waited_for(self):
        new = unique("new")
        reply = self.client.get(f"/v1/wait?any={self.a},{new}&wait=0ms")
        self.assertEqual((reply.status, reply.json()["code"]), (404, "unknown_session"))
        waiter = Waiter(self.daemon, f"/v1/wait?any={self.a},{new}&until=ended&wait=5m&missing=wait")
        self.client.open(new)
        self.client.end(new)
        self.assertEqual(waiter.reply()["matched"], {new: "completed"})

    def test_a_hundred_sessions_can_be_waited_for_at_once(self):
        ids = [unique("many") for _ in range(100)]
        for session in ids:
            self.client.open(session)
        waiter = Waiter(self.daemon, f"/v1/wait?all={','.join(ids)}&until=ended&wait=5m")
        for session in ids:
            self.client.end(session)
        self.assertEqual(waiter.reply()["matched"], {s: "completed" for s in ids})

    def test_the_same_session_twice_is_one(self):
        self.client.end(self.a)
        self.assertEqual(self.several(all=f"{self.a},{self.a}", wait="0ms")["matched"], {self.a: "completed"})


class AcrossTheDaemonsLife(OwnDaemonCase):
    def test_waiters_are_answered_before_the_daemon_goes(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        waiters = [Waiter(daemon, f"/v1/sessions/a/wait?until={u}&wait=5m") for u in ("ended", "stuck", "silent")]
        waiters.append(Waiter(daemon, "/v1/wait?all=a&until=ended&wait=5m"))
        eventually(lambda: waiting(client) == 4, what="four waiters")
        client.get("/progress/a")  # reads are answered in order: by now the waiters know the session
        daemon.process.send_signal(signal.SIGTERM)
        for waiter in waiters:
            answer = waiter.reply()
            self.assertEqual((answer["met"], answer["impossible"]), (False, False))
        self.assertEqual(daemon.wait_for_exit(), 0)

    def test_a_wait_can_be_taken_up_again_after_a_kill(self):
        daemon = self.start()
        client = self.client(daemon)
        n = client.report("a", "message", text="x")["n"]
        daemon.restart()
        client = self.client(daemon)
        waiter = Waiter(daemon, f"/v1/sessions/a/wait?until=event&after={n}&wait=5m")
        client.report("a", "message", text="y")
        self.assertEqual(waiter.reply()["n"], n + 1)

    def test_a_wait_of_no_time_tells_the_truth_about_a_session_not_asked_for_before(self):
        daemon = self.start()
        self.client(daemon).open("a")
        daemon.restart()  # nothing is known by heart now
        answer = self.client(daemon).wait("a", until="starting", wait="0ms")
        self.assertEqual((answer["met"], answer["n"]), (True, 1))
        self.assertEqual(self.client(daemon).get("/v1/sessions/b/wait?wait=0ms").status, 404)

    def test_ever_remembers_across_a_kill(self):
        daemon = self.start()
        client = self.client(daemon)
        for _ in range(5):
            client.beat("a")
        client.report("a", "tool.finished", tool="x")
        daemon.restart()
        self.assertEqual(self.client(daemon).wait("a", until="suspect", mode="ever", wait="0ms")["matched"], "suspect")


if __name__ == "__main__":
    unittest.main()
