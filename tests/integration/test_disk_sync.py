#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Syncs that fail and syncs that hang, made by strace in the real daemon."""
import signal
import threading
import unittest

from support.case import OwnDaemonCase
from support.disks import Tampering, strace
from support.http import RawConnection
from support.limits import LONG, eventually


class FailedSync(OwnDaemonCase):
    def test_the_daemon_stops_and_what_it_acknowledged_is_there(self):
        daemon = self.start()
        client = self.client(daemon)
        client.beat("a")
        tampering = Tampering(daemon, "fdatasync:error=EIO:when=5+")
        self.addCleanup(tampering.stop)
        acknowledged, refused = [], None
        for number in range(200):
            event = {"type": "message", "event_id": f"e{number}", "data": {"role": "assistant", "text": f"t{number}"}}
            try:
                reply = client.post("/v1/sessions/a/events", event)
            except OSError:
                refused = event
                break
            if reply.status != 200:
                self.assertEqual((reply.status, reply.json()["code"]), (503, "storage_unavailable"))
                self.assertIn("not known whether", reply.json()["detail"])
                refused = event
                break
            acknowledged.append(event["event_id"])
        self.assertIsNotNone(refused)
        self.assertGreater(len(acknowledged), 0)
        self.assertEqual(daemon.wait_for_exit(), 1)
        tampering.stop()
        self.assertIn("the disk failed to sync", daemon.log())
        self.assertIn("Check the disk, then start headway again", daemon.log())

        daemon.start()
        client = self.client(daemon)
        again = client.post("/v1/sessions/a/events", refused)
        self.assertEqual(again.status, 200, "what was not acknowledged is sent again")
        events = client.journal("a")
        self.assertEqual([e["n"] for e in events], list(range(1, len(events) + 1)))
        self.assertEqual([e["event_id"] for e in events if e.get("event_id")], acknowledged + [refused["event_id"]])

    def test_a_start_whose_syncs_fail_is_refused(self):
        daemon = self.start()
        self.client(daemon).beat("a")
        daemon.kill()  # leaves a log that has to be brought to the database
        daemon.wrapper = strace("fdatasync:error=EIO")
        process = daemon.spawn()
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.wait(20), 1)
        daemon.wrapper = []
        self.assertIn("sqlite 1034", daemon.log())
        daemon.start()
        self.assertEqual(len(self.client(daemon).journal("a")) > 1, True)


class StalledSync(OwnDaemonCase):
    SECONDS = 30 if LONG else 2  # of the disk
    INTERVAL = 60

    def test_a_hanging_disk_makes_no_session_silent_and_loses_nothing(self):
        daemon = self.start(test_clock=True)
        reporter, client, other = self.client(daemon, timeout=60 + 2 * self.SECONDS), self.client(daemon), self.client(daemon)
        client.open("a", policy={"heartbeat_interval_ms": self.INTERVAL * 1000})
        client.open("quiet", policy={"heartbeat_interval_ms": self.INTERVAL * 1000})
        client.beat("quiet")
        other.get("/progress/a")
        tampering = Tampering(daemon, f"fdatasync:delay_enter={round(self.SECONDS * 1_000_000)}:when=1")
        self.addCleanup(tampering.stop)
        accepted = []

        def agent():
            for number in range(5):
                accepted.append(reporter.report("a", "message", event_id=f"e{number}", role="assistant", text="x")["n"])
        thread = threading.Thread(target=agent, daemon=True)
        thread.start()
        mover = threading.Thread(target=daemon.clock.stall, args=(5 * self.INTERVAL,), daemon=True)
        eventually(tampering.holds_one, what="the sync")
        mover.start()
        answered = 0
        while True:
            acknowledged = list(accepted)
            if not tampering.holds_one():
                break
            self.assertEqual(acknowledged, [], "nothing is acknowledged before it is on the disk")
            self.assertEqual(other.get("/livez").status, 200)
            self.assertTrue(other.get("/progress/a").json()["alive"], "it may have reported")
            answered += 1
        self.assertGreater(answered, 2, "others are answered meanwhile")
        self.assertTrue(other.get("/progress/a").json()["alive"], "at once after it")
        other.beat("quiet")
        thread.join()
        mover.join()
        for session in ("a", "quiet"):
            verdicts = [e["data"]["to"] for e in client.journal(session) if e["type"] == "verdict.changed"]
            self.assertNotIn("silent", verdicts)
        self.assertEqual([e["event_id"] for e in client.journal("a") if e.get("event_id")], [f"e{n}" for n in range(5)])
        eventually(lambda: client.get("/readyz").status == 200)
        tampering.stop()
        self.assertEqual(daemon.stop(), 0)

    def test_beside_a_slow_disk_a_dead_agent_still_turns_silent(self):
        daemon = self.start({"policy.heartbeat_interval": "40s"}, test_clock=True)
        client = self.client(daemon)
        tampering = Tampering(daemon, "fdatasync:delay_enter=400000")  # each of them is an attention gap
        self.addCleanup(tampering.stop)
        client.beat("quiet")

        def silent():
            client.beat("busy")
            daemon.clock.advance(45, 15, busy=True)
            return client.get("/v1/sessions/quiet").json()["verdict"]["status"] == "silent"
        eventually(silent, 60, "silence")
        self.assertNotEqual(client.get("/v1/sessions/busy").json()["verdict"]["status"], "silent")

    def test_a_second_signal_ends_a_stop_that_the_disk_holds_up(self):
        daemon = self.start({"server.drain_timeout": "200ms"})
        client = self.client(daemon)
        client.beat("a")
        tampering = Tampering(daemon, "fdatasync:delay_enter=4000000")
        self.addCleanup(tampering.stop)
        with RawConnection(daemon.port) as connection:
            connection.send(connection.format("POST", "/v1/sessions/a/events", b'{"type":"message"}'))
            client.get("/livez")  # what was sent before it is with the engine
            daemon.process.send_signal(signal.SIGTERM)
            self.assertTrue(connection.closed_by_server(), "once the drain is over")
            daemon.process.send_signal(signal.SIGTERM)
            # strace keeps the dying process until its delay is over.
            self.assertEqual(daemon.wait_for_exit(), -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
