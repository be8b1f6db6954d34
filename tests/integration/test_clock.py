#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clocks: steps of an hour and of a year, ahead and back, and a stopped daemon; no session turns silent by them.

All but the last class on a clock that the tests move. HEADWAY_LONG=1 stops the daemon for five minutes.
"""
import glob
import os
import re
import signal
import time
import unittest
from datetime import datetime

from support.case import OwnDaemonCase
from support.daemon import Daemon
from support.held_thread import held
from support.limits import LONG, SLOW, eventually

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
INTERVAL = 60  # seconds; what a busy machine adds is nothing beside it
HOUR, YEAR = 3600, 365 * 86400


def stamps(client, session: str) -> list:
    return [datetime.fromisoformat(event["at"]).timestamp() for event in client.journal(session)]


class Agent:
    """Reports four times in each interval."""

    def __init__(self, client, clock, session: str):
        self.client, self.clock, self.session = client, clock, session
        client.open(session, policy={"heartbeat_interval_ms": INTERVAL * 1000})
        self.beats = 0

    def beat(self):
        self.client.report(self.session, "tool.finished", tool="edit", ok=True, args={"step": self.beats},
                           mutated=[{"path": "a.c", "digest": str(self.beats)}])
        self.beats += 1
        self.clock.advance(INTERVAL / 4, INTERVAL / 4)

    def some_beats(self, count: int = 10):
        """More than two intervals."""
        for _ in range(count):
            self.beat()


class ClockCase(OwnDaemonCase):
    def begin(self, **settings):
        return self.start(settings, test_clock=True)

    def never_silent(self, client, session: str):
        verdicts = {e["data"]["to"] for e in client.journal(session) if e["type"] == "verdict.changed"}
        self.assertLessEqual(verdicts, {"starting", "exploring", "progressing"})
        self.assertTrue(client.session(session)["alive"])

    def in_order(self, client, session: str):
        times = stamps(client, session)
        self.assertEqual(times, sorted(times))


class Steps(ClockCase):
    def test_steps_of_the_wall_clock_make_no_session_silent(self):
        for name, steps in (("hours", (HOUR, -HOUR, -HOUR, HOUR)), ("years", (YEAR, -YEAR, -YEAR, YEAR))):
            with self.subTest(name):
                daemon = self.begin()
                client = self.client(daemon)
                agent = Agent(self.client(daemon), daemon.clock, name)
                for step in steps:
                    agent.some_beats()
                    daemon.clock.step(step)
                    # Looked at all the while, since a wrong answer would last a moment only.
                    for _ in range(10):
                        self.assertTrue(client.get(f"/progress/{name}").json()["alive"])
                        agent.beat()
                self.never_silent(client, name)
                self.in_order(client, name)

    def test_stamps_follow_a_lasting_step_ahead_and_no_session_turns_silent_by_it(self):
        daemon = self.begin(**{"storage.clock_confirm": "5m"})
        client = self.client(daemon)
        client.put("/v1/sessions/b", {"budget": {"timeout_seconds": 600, "max_steps": 50},
                                       "policy": {"heartbeat_interval_ms": 600_000}})
        client.beat("b")
        daemon.clock.step(HOUR)
        self.assertIn("follow, and what is due by then happens, when it has stood", daemon.log())
        daemon.clock.advance(4 * 60)
        self.assertNotRegex(daemon.log(), "the wall clock has stood .* ms ahead")
        daemon.clock.advance(61)
        self.assertRegex(daemon.log(), "the wall clock has stood .* ms ahead")
        reply = client.beat("b")
        self.assertAlmostEqual(stamps(client, "b")[-1], daemon.clock.wall(), delta=5)
        self.assertAlmostEqual(daemon.clock.wall(), time.time() + HOUR + 301, delta=5)
        self.assertLess(client.get("/v1/sessions/b/budget").json()["budget"]["elapsed_seconds"], 310)
        self.assertEqual(reply["directives"], [])

    def test_one_wrong_reading_deletes_expires_and_stamps_nothing(self):
        daemon = self.begin(**{"storage.retention": "30d"})
        client, operator = self.client(daemon), daemon.operator()
        self.addCleanup(operator.close)
        client.beat("ended")
        client.end("ended")
        asked = client.post("/v1/sessions/open/approvals", {"tool": "deploy", "args": {}, "expires_in_ms": 86400_000, "on_expiry": "reject"})
        asked = asked.json()["id"]
        token = operator.post("/v1/tokens", {"name": "t", "scopes": ["read"], "expires_in": "1d"}).json()["token"]
        daemon.clock.step(400 * 86400)
        self.assertIn("while the machine did not sleep", daemon.log())
        for _ in range(8):  # the work of some seconds, and gaps for housekeeping
            client.beat("open")
            daemon.clock.advance(0.5)
        daemon.clock.step(-400 * 86400)
        self.assertIn("nothing followed from it", daemon.log())
        client.beat("open")
        self.assertEqual(client.get("/v1/sessions/ended").json()["verdict"]["status"], "completed")
        self.assertEqual(client.get(f"/v1/approvals/{asked}").json()["status"], "pending")
        self.assertEqual(self.client(daemon, token=token).get("/v1/sessions").status, 200)
        for session in ("ended", "open"):
            for stamp in stamps(client, session):
                self.assertAlmostEqual(stamp, time.time(), delta=120)

    def test_a_start_with_a_clock_that_is_wrong_deletes_nothing_before_it_has_stood(self):
        daemon = self.begin(**{"storage.retention": "30d", "storage.clock_confirm": "5m"})
        client = self.client(daemon)
        client.beat("ended")
        client.end("ended")
        self.assertEqual(daemon.stop(), 0)
        daemon.clock.wall_ahead += 400 * 86400
        daemon.start()
        client = self.client(daemon)
        for _ in range(8):
            client.beat("open")
            daemon.clock.advance(30)
        self.assertEqual(client.get("/v1/sessions/ended").json()["verdict"]["status"], "completed")
        self.assertIn("nothing is deleted before the wall clock has stood", daemon.log())
        daemon.clock.advance(61)
        eventually(lambda: client.beat("open") and client.get("/v1/sessions/ended").status == 404, what="the session deleted")

    def test_after_a_start_that_was_not_wrong_retention_goes_on(self):
        daemon = self.begin(**{"storage.retention": "30d", "storage.clock_confirm": "1s"})
        client = self.client(daemon)
        client.beat("ended")
        client.end("ended")
        self.assertEqual(daemon.stop(), 0)
        daemon.clock.wall_ahead += 400 * 86400
        daemon.start()
        client = self.client(daemon)
        daemon.clock.advance(2)
        eventually(lambda: client.beat("open") and client.get("/v1/sessions/ended").status == 404, what="the session deleted")


class Pauses(ClockCase):
    def test_a_daemon_that_stood_still_makes_no_session_silent(self):
        daemon = self.begin()
        client = self.client(daemon)
        agent = Agent(self.client(daemon), daemon.clock, "s")
        agent.some_beats()
        for pause in (3 * INTERVAL, 300):
            daemon.clock.stall(pause)
            self.assertTrue(client.get("/progress/s").json()["alive"])
            agent.some_beats()
        self.never_silent(client, "s")

    def test_a_suspend_makes_no_session_silent_and_stamps_follow_it(self):
        daemon = self.begin()
        client = self.client(daemon)
        agent = Agent(self.client(daemon), daemon.clock, "s")
        agent.some_beats()
        daemon.clock.suspend(8 * HOUR)
        self.assertTrue(client.get("/progress/s").json()["alive"])
        agent.some_beats()
        self.assertAlmostEqual(stamps(client, "s")[-1], daemon.clock.wall(), delta=INTERVAL)
        self.never_silent(client, "s")
        self.in_order(client, "s")

    def test_a_stalled_reading_thread_makes_no_session_silent(self):
        """A request that takes long to read is such a pause, and the thread with the deadlines runs on meanwhile."""
        daemon = self.begin()
        client = self.client(daemon)
        agent = Agent(self.client(daemon), daemon.clock, "s")
        agent.some_beats()
        with held(daemon.process.pid):
            daemon.clock.stall(4 * INTERVAL, 0.25)
        self.assertTrue(client.get("/progress/s").json()["alive"])
        agent.some_beats()
        self.never_silent(client, "s")

    def test_without_any_of_these_it_turns_silent_after_two_intervals(self):
        daemon = self.begin()
        client = self.client(daemon)
        agent = Agent(self.client(daemon), daemon.clock, "s")
        agent.beat()
        daemon.clock.advance(1.5 * INTERVAL)
        self.assertTrue(client.get("/progress/s").json()["alive"])
        daemon.clock.advance(0.3 * INTERVAL)
        self.assertFalse(client.get("/progress/s").json()["alive"])


class Restarts(ClockCase):
    def test_a_start_with_the_clock_set_back_puts_new_events_behind_the_old(self):
        for back in (HOUR, YEAR):
            with self.subTest(back):
                daemon = self.begin()
                client = self.client(daemon)
                client.open("s", policy={"heartbeat_interval_ms": INTERVAL * 1000})
                client.beat("s")
                daemon.kill()
                daemon.clock.wall_ahead -= back
                daemon.start()
                self.assertIn("behind the newest event", daemon.log())
                client = self.client(daemon)
                agent = Agent(client, daemon.clock, "s")
                agent.some_beats()
                self.never_silent(client, "s")
                self.in_order(client, "s")

    def test_a_start_a_year_later_makes_no_reporting_session_silent(self):
        daemon = self.begin()
        self.client(daemon).open("s", policy={"heartbeat_interval_ms": INTERVAL * 1000})
        daemon.kill()
        daemon.clock.wall_ahead += YEAR
        daemon.start()
        client = self.client(daemon)
        agent = Agent(client, daemon.clock, "s")
        agent.some_beats()
        self.never_silent(client, "s")


class RealClocks(OwnDaemonCase):
    """The product reads the clocks of the kernel."""

    def test_silence_comes_after_two_intervals_and_not_before(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("s", policy={"heartbeat_interval_ms": 300})
        began = time.monotonic()
        client.beat("s")
        self.assertTrue(client.wait("s", until="silent", wait="2m")["met"])
        self.assertGreaterEqual(time.monotonic() - began, 0.6)

    def test_a_step_of_the_wall_clock_is_doubted_and_then_followed(self):
        """The wall clock is that of libfaketime, the steady one stays real."""
        if LIBRARY is None:
            self.skipTest("libfaketime (package faketime) is not installed")
        if SLOW > 1:
            self.skipTest("libfaketime does not go with sanitizers")
        daemon = Daemon({"storage.clock_confirm": "500ms"})
        self.addCleanup(self.remove_shared_memory)  # after the daemon is gone
        self.addCleanup(daemon.close)
        file = daemon.root / "clock"
        file.write_text("+0s\n")
        daemon.environment = {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1",
                              "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        client = self.client(daemon.start())
        client.beat("s")
        fresh = file.with_suffix(".new")
        fresh.write_text(f"{HOUR:+d}s\n")
        os.replace(fresh, file)
        eventually(lambda: "follow, and what is due by then happens, when it has stood" in daemon.log(), what="the step doubted")
        eventually(lambda: re.search("the wall clock has stood .* ms ahead", daemon.log()), what="the step confirmed")
        client.beat("s")
        self.assertAlmostEqual(stamps(client, "s")[-1], time.time() + HOUR, delta=5)

    def remove_shared_memory(self):
        """The shared memory that the library left of ended processes."""
        for left in (*glob.glob("/dev/shm/faketime_shm_*"), *glob.glob("/dev/shm/sem.faketime_sem_*")):
            if not os.path.exists(f"/proc/{left.rpartition('_')[2]}"):
                os.unlink(left)

    def test_a_stopped_daemon_makes_no_session_silent(self):
        daemon = self.start()
        client = self.client(daemon, timeout=600)
        pause = 300 if LONG else 2.5
        client.open("s", policy={"heartbeat_interval_ms": 1000})
        client.beat("s")
        daemon.process.send_signal(signal.SIGSTOP)
        stood_still = time.monotonic() + pause
        eventually(lambda: time.monotonic() > stood_still, 2 * pause, "the end of the pause")
        daemon.process.send_signal(signal.SIGCONT)
        client.beat("s")
        self.assertTrue(client.get("/progress/s").json()["alive"])
        changes = [e["data"]["to"] for e in client.journal("s") if e["type"] == "verdict.changed"]
        self.assertNotIn("silent", changes)


if __name__ == "__main__":
    unittest.main()
