#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clocks: steps of an hour and of a year, ahead and back, and a stopped daemon; no session turns silent by them.

The wall clock is that of libfaketime, the steady one stays real. HEADWAY_LONG=1 stops the daemon for five minutes.
"""
import glob
import os
import re
import signal
import threading
import time
import unittest
from datetime import datetime

from support.case import OwnDaemonCase
from support.daemon import Daemon
from support.held_thread import held
from support.limits import LONG, SLOW, eventually

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
INTERVAL = 1  # twice that is silence: longer than a busy machine keeps an agent or a commit waiting
HOUR, YEAR = 3600, 365 * 86400


def stamps(client, session: str) -> list:
    return [datetime.fromisoformat(event["at"]).timestamp() for event in client.journal(session)]


class Agent:
    """Works all the time, in a thread."""

    def __init__(self, client, session: str):
        self.client, self.session = client, session
        client.open(session, policy={"heartbeat_interval_ms": int(INTERVAL * 1000)})
        self.beats, self._stopped = 0, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopped.wait(INTERVAL / 4):
            self.client.report(self.session, "tool.finished", tool="edit", ok=True, args={"step": self.beats},
                               mutated=[{"path": "a.c", "digest": str(self.beats)}])
            self.beats += 1

    def some_beats(self, count: int = 10):
        """More than two intervals."""
        enough = self.beats + count
        eventually(lambda: self.beats >= enough, 30, "the agent's beats")

    def stop(self):
        self._stopped.set()
        self._thread.join()


class ClockCase(OwnDaemonCase):
    def begin(self, offset: int = 0, **settings):
        if LIBRARY is None:
            self.skipTest("libfaketime (package faketime) is not installed")
        if SLOW > 1:
            self.skipTest("libfaketime does not go with sanitizers")
        daemon = Daemon(settings)
        self.addCleanup(self.remove_shared_memory)  # after the daemon is gone
        self.addCleanup(daemon.close)
        self.file = daemon.root / "clock"
        self.set_clock(offset)
        daemon.environment = {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                              "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        return daemon.start()

    def remove_shared_memory(self):
        """The shared memory that the library left of ended processes."""
        for left in (*glob.glob("/dev/shm/faketime_shm_*"), *glob.glob("/dev/shm/sem.faketime_sem_*")):
            if not os.path.exists(f"/proc/{left.rpartition('_')[2]}"):
                os.unlink(left)

    def set_clock(self, offset: int):
        """The daemon's wall clock from now on, in seconds beside the true one."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{offset:+d}s\n")
        os.replace(fresh, self.file)

    def never_silent(self, client, session: str):
        verdicts = {e["data"]["to"] for e in client.journal(session) if e["type"] == "verdict.changed"}
        self.assertLessEqual(verdicts, {"starting", "exploring", "progressing"})
        self.assertTrue(client.session(session)["alive"])

    def in_order(self, client, session: str):
        times = stamps(client, session)
        self.assertEqual(times, sorted(times))


class Steps(ClockCase):
    def test_steps_of_the_wall_clock_make_no_session_silent(self):
        for name, steps in (("hours", (HOUR, 0, -HOUR, 0)), ("years", (YEAR, 0, -YEAR, 0))):
            with self.subTest(name):
                daemon = self.begin()
                client = self.client(daemon)
                agent = Agent(self.client(daemon), name)
                self.addCleanup(agent.stop)
                for step in steps:
                    agent.some_beats()
                    self.set_clock(step)
                    # Looked at all the while, since a wrong answer would last a moment only.
                    until = agent.beats + 10
                    while agent.beats < until:
                        self.assertTrue(client.get(f"/progress/{name}").json()["alive"])
                agent.stop()
                self.never_silent(client, name)
                self.in_order(client, name)

    def test_stamps_follow_a_lasting_step_ahead_and_no_session_turns_silent_by_it(self):
        daemon = self.begin(**{"storage.clock_confirm": "2s"})
        client = self.client(daemon)
        client.put("/v1/sessions/b", {"budget": {"timeout_seconds": 600, "max_steps": 50}})
        client.beat("b")
        self.set_clock(HOUR)
        eventually(lambda: "follow, and what is due by then happens, when it has stood" in daemon.log(), what="the step doubted")
        eventually(lambda: re.search("the wall clock has stood .* ms ahead", daemon.log()), what="the step confirmed")
        reply = client.beat("b")
        self.assertAlmostEqual(stamps(client, "b")[-1], time.time() + HOUR, delta=5)
        self.assertLess(client.get("/v1/sessions/b/budget").json()["budget"]["elapsed_seconds"], 60)
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
        self.set_clock(400 * 86400)
        eventually(lambda: "while the machine did not sleep" in daemon.log(), what="the step doubted")
        for _ in range(8):  # the work of some seconds, and gaps for housekeeping
            client.beat("open")
            time.sleep(0.5)
        self.set_clock(0)
        eventually(lambda: "nothing followed from it" in daemon.log(), what="the clock back")
        client.beat("open")
        self.assertEqual(client.get("/v1/sessions/ended").json()["verdict"]["status"], "completed")
        self.assertEqual(client.get(f"/v1/approvals/{asked}").json()["status"], "pending")
        self.assertEqual(self.client(daemon, token=token).get("/v1/sessions").status, 200)
        for session in ("ended", "open"):
            for stamp in stamps(client, session):
                self.assertAlmostEqual(stamp, time.time(), delta=120)

    def test_a_start_with_a_clock_that_is_wrong_deletes_nothing_before_it_has_stood(self):
        daemon = self.begin(**{"storage.retention": "30d"})
        client = self.client(daemon)
        client.beat("ended")
        client.end("ended")
        self.assertEqual(daemon.stop(), 0)
        self.set_clock(400 * 86400)
        daemon.start()
        client = self.client(daemon)
        for _ in range(8):
            client.beat("open")
            time.sleep(0.5)
        self.assertEqual(client.get("/v1/sessions/ended").json()["verdict"]["status"], "completed")
        self.assertIn("nothing is deleted before the wall clock has stood", daemon.log())

    def test_after_a_start_that_was_not_wrong_retention_goes_on(self):
        daemon = self.begin(**{"storage.retention": "30d", "storage.clock_confirm": "1s"})
        client = self.client(daemon)
        client.beat("ended")
        client.end("ended")
        self.assertEqual(daemon.stop(), 0)
        self.set_clock(400 * 86400)
        daemon.start()
        client = self.client(daemon)
        eventually(lambda: client.beat("open") and client.get("/v1/sessions/ended").status == 404, what="the session deleted")


class Pauses(ClockCase):
    def test_a_stopped_daemon_makes_no_session_silent(self):
        daemon = self.start()
        client = self.client(daemon)
        pause = 300 if LONG else 3 * INTERVAL
        agent = Agent(self.client(daemon, timeout=2 * pause), "s")
        self.addCleanup(agent.stop)
        agent.some_beats()
        daemon.process.send_signal(signal.SIGSTOP)
        stood_still = time.monotonic() + pause
        eventually(lambda: time.monotonic() > stood_still, 2 * pause, "the end of the pause")
        daemon.process.send_signal(signal.SIGCONT)
        agent.some_beats()
        agent.stop()
        self.never_silent(client, "s")


    def test_a_stalled_reading_thread_makes_no_session_silent(self):
        """A request that takes long to read is such a pause, and the thread with the deadlines runs on meanwhile."""
        daemon = self.start()
        client = self.client(daemon)
        pause = 10 * INTERVAL
        agent = Agent(self.client(daemon, timeout=20 * pause), "s")
        self.addCleanup(agent.stop)
        agent.some_beats()
        with held(daemon.process.pid):
            stood_still = time.monotonic() + pause
            eventually(lambda: time.monotonic() > stood_still, 20 * pause, "the end of the pause")
        agent.some_beats()
        agent.stop()
        self.never_silent(client, "s")


class Restarts(ClockCase):
    def test_a_start_with_the_clock_set_back_puts_new_events_behind_the_old(self):
        for back in (HOUR, YEAR):
            with self.subTest(back):
                daemon = self.begin()
                client = self.client(daemon)
                client.open("s", policy={"heartbeat_interval_ms": int(INTERVAL * 1000)})
                client.beat("s")
                daemon.kill()
                self.set_clock(-back)
                daemon.start()
                self.assertIn("behind the newest event", daemon.log())
                client = self.client(daemon)
                agent = Agent(client, "s")
                agent.some_beats()
                agent.stop()
                self.never_silent(client, "s")
                self.in_order(client, "s")

    def test_a_start_a_year_later_makes_no_reporting_session_silent(self):
        daemon = self.begin()
        self.client(daemon).open("s", policy={"heartbeat_interval_ms": int(INTERVAL * 1000)})
        daemon.kill()
        self.set_clock(YEAR)
        daemon.start()
        client = self.client(daemon)
        agent = Agent(client, "s")
        agent.some_beats()
        agent.stop()
        self.never_silent(client, "s")


if __name__ == "__main__":
    unittest.main()
