#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that runs full: reports are refused, nothing that was acknowledged is lost, and it goes on by itself."""
import signal
import unittest
from unittest import TestCase

from support.disks import MIB, SmallDisk, SmallDiskDaemon
from support.limits import eventually
from support.sse import EventStream

TEXT = "x" * 4000


class FullDisk(TestCase):
    """Each test has a disk of 48 MiB."""
    maxDiff = None

    def start_on(self, **storage) -> SmallDiskDaemon:
        settings = {f"storage.{key}": value for key, value in storage.items() if key != "retention"}
        self.retention = storage.get("retention", "0s")
        daemon = SmallDiskDaemon(SmallDisk(48), settings, self.config(self.retention))
        self.addCleanup(daemon.close)
        self.daemon = daemon.start()
        self.client = daemon.client()
        self.addCleanup(self.client.close)
        self.acknowledged = {}
        self.pid = daemon.process.pid
        return daemon

    @staticmethod
    def config(retention: str) -> str:
        return f'[storage]\nretention = "{retention}"\n'

    def batch(self, session: str, size: int = 200):
        """Reports; what was answered 200 is remembered."""
        number = len(self.acknowledged.get(session, []))
        ids = [f"{session}-{number + i}" for i in range(size)]
        reply = self.client.post(f"/v1/sessions/{session}/events",
                                 [{"type": "message", "event_id": i, "data": {"role": "assistant", "text": TEXT + i}} for i in ids])
        if reply.status == 200:
            self.acknowledged.setdefault(session, []).extend(ids)
        return reply

    def fill_by_events(self) -> object:
        """Until a report is refused; gives that reply."""
        for number in range(200):
            reply = self.batch(f"s{number % 4}")
            if reply.status != 200:
                return reply
        raise AssertionError("the disk did not run full")

    def check_refusal(self, reply):
        self.assertEqual((reply.status, reply.json()["code"]), (507, "storage_full"))
        self.assertIn("retry-after", reply.headers)
        self.assertTrue(reply.json()["retryable"])

    def check_reading(self):
        """Everything but reports goes on."""
        self.assertEqual(self.client.get("/livez").status, 200)
        ready = self.client.get("/readyz?verbose")
        self.assertEqual((ready.status, ready.json()["checks"]["disk"]), (503, "failed"))
        self.assertEqual(self.client.get("/").status, 200)
        self.assertEqual(self.client.get("/v1/sessions").status, 200)
        session = next(iter(self.acknowledged))
        self.assertEqual(len(self.client.journal(session)) > 0, True)
        with EventStream(self.daemon.port, "/v1/stream") as stream:
            self.assertEqual(stream.next().name, "hello")

    def pre(self, session: str, tool: str, call: str, **more):
        return self.client.post("/v1/hooks/generic", {"event": "pre", "agent": "a", "session": session, "tool": tool, "args": {}, "call": call, "hold_ms": 1, **more})

    def test_calls_that_must_not_run_unasked_are_refused_while_nothing_can_be_stored(self):
        self.start_on(free_space_min="8MiB")
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        for session in ("paused", "stopped", "free"):
            self.assertEqual(self.pre(session, "read", "c1").json(), {})
        self.assertEqual(operator.put("/v1/sessions/a-guarded", {"policy": {"tools": [{"tool": "deploy", "requires_approval": True}]}}).status, 201)
        operator.post("/v1/sessions/a-paused/pause", {})
        operator.post("/v1/sessions/a-stopped/cancel", {})
        self.check_refusal(self.fill_by_events())
        for session, tool in (("paused", "read"), ("stopped", "read"), ("guarded", "deploy")):
            self.assertIn("store", self.pre(session, tool, "c2").json()["deny"])
            new = self.pre("new", tool, "c3", parent=session)
            self.assertIn("store", new.json().get("deny", ""), f"{session}: a sub-agent that cannot be opened: {new.body}")
        self.check_refusal(self.pre("free", "read", "c2"))
        self.check_refusal(self.pre("new", "read", "c3", parent="free"))

    def test_where_sqlite_itself_has_no_room_they_are_refused_too(self):
        self.start_on(free_space_min="0", ballast="0")
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        self.batch("s0")
        for session in ("paused", "free"):
            self.assertEqual(self.pre(session, "read", "c1").json(), {})
        operator.put("/v1/sessions/a-guarded", {"policy": {"tools": [{"tool": "deploy", "requires_approval": True}]}})
        for session in ("paused", "guarded"):
            operator.put(f"/v1/sessions/a-{session}.kid", {"parent": f"a-{session}"})
        operator.post("/v1/sessions/a-paused/pause", {})
        self.daemon.disk.fill()
        self.check_refusal(self.fill_by_events())
        for session, tool in (("paused", "read"), ("paused.kid", "read"), ("guarded", "deploy"), ("guarded.kid", "deploy")):
            reply = self.pre(session, tool, "c2")
            self.assertIn("store", reply.json().get("deny", ""), f"{session} {reply.body}")
        self.check_refusal(self.pre("free", "read", "c2"))

    def check_nothing_lost(self):
        client = self.daemon.client()
        self.addCleanup(client.close)
        for session, ids in self.acknowledged.items():
            events = client.journal(session)
            self.assertEqual([e["n"] for e in events], list(range(1, len(events) + 1)), session)
            stored = [e["event_id"] for e in events if e.get("event_id")]
            self.assertEqual(stored, ids, session)

    def restart(self):
        self.daemon.restart()
        self.client.close()
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.pid = self.daemon.process.pid

    def takes_reports(self):
        try:
            return eventually(lambda: self.batch("later", 1).status == 200, what="a report that is taken")
        except AssertionError as error:
            sizes = {file.name: file.stat().st_size for file in self.daemon.state_dir.iterdir()}
            raise AssertionError(f"{error}\n{self.daemon.disk.free()} bytes free, {sizes}\n{self.daemon.log()}") from None

    def check_the_file(self):
        self.assertEqual(self.daemon.process.pid, self.pid, "without a restart")
        self.check_nothing_lost()
        self.daemon.restart()
        self.check_nothing_lost()
        self.assertEqual(self.daemon.stop(), 0)
        with self.daemon.database() as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        database.close()

    def test_filled_by_events_it_refuses_reports_until_retention_made_room(self):
        self.start_on(free_space_min="6MiB", ballast="4MiB")
        for number in range(4):
            self.batch(f"old{number}")
            self.client.end(f"old{number}")
        self.check_refusal(self.fill_by_events())
        self.check_reading()
        self.assertGreater(self.daemon.disk.free(), 2 * MIB, "the watermark")
        self.assertTrue(self.daemon.ballast.exists(), "not needed")
        # People still steer.
        self.assertEqual(self.client.post("/v1/sessions/s1/cancel", {"reason": "no room"}).status, 200)
        for session in ("s0", "s1", "s2"):
            self.client.end(session)
            del self.acknowledged[session]
        for number in range(4):
            del self.acknowledged[f"old{number}"]
        self.daemon.config_file.write_text(self.config("1s"), encoding="utf-8")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.takes_reports()
        self.assertEqual(eventually(lambda: self.client.get("/readyz")).status, 200)
        self.check_the_file()

    def test_a_backup_that_would_leave_less_than_the_minimum_is_refused(self):
        daemon = self.start_on(free_space_min="6MiB", ballast="4MiB")
        for number in range(8):
            self.batch(f"s{number}")
        database, log = daemon.state_dir / "headway.db", daemon.state_dir / "headway.db-wal"
        eventually(lambda: database.stat().st_size > 5 * MIB, what="a checkpoint")
        daemon.disk.fill(leave=database.stat().st_size + log.stat().st_size + 5 * MIB)
        operator = daemon.client(token=daemon.operator_token())
        self.addCleanup(operator.close)
        before = daemon.disk.free()
        file = daemon.state_dir / "copy.db"
        reply = operator.post("/v1/backup", {"file": str(file)})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (507, "storage_full", "/file"))
        self.assertRegex(reply.json()["detail"], r"takes up to \d+ MiB and \d+ MiB are free .* reports need \d+ MiB .*storage.free_space_min")
        self.assertEqual(list(daemon.state_dir.glob("copy.db*")), [])
        self.assertGreater(daemon.disk.free(), before - MIB)
        self.assertEqual(self.batch("s1", 1).status, 200)
        (daemon.disk.path / "foreign").unlink()
        self.assertEqual(operator.post("/v1/backup", {"file": str(file)}).status, 201)

    def test_filled_by_another_program_it_deletes_the_ballast_and_restores_it(self):
        self.start_on(free_space_min="6MiB", ballast="4MiB")
        for number in range(3):
            self.batch(f"old{number}")
            self.client.end(f"old{number}")
        self.batch("s0")
        self.restart()  # which empties the log: whatever is written next needs room
        foreign = self.daemon.disk.fill(reserve=self.daemon.ballast)
        self.check_refusal(eventually(lambda: (r := self.batch("s0", 1)).status != 200 and r))
        self.check_reading()
        for number in range(3):
            del self.acknowledged[f"old{number}"]
        self.daemon.config_file.write_text(self.config("1s"), encoding="utf-8")
        self.daemon.process.send_signal(signal.SIGHUP)

        def all_deleted():
            return all(self.client.get(f"/v1/sessions/old{n}").status == 404 for n in range(3))
        eventually(all_deleted, 60, what="deletion on a full disk")
        self.assertIn("the reserve is given up", self.daemon.log())
        foreign.unlink()
        self.takes_reports()
        eventually(self.daemon.ballast.exists, what="the reserve")
        self.assertEqual(self.daemon.ballast.stat().st_size, 4 * MIB)
        self.check_the_file()

    def test_without_watermark_and_reserve_sqlite_says_that_it_is_full(self):
        self.start_on(free_space_min="0", ballast="0")
        self.batch("s0")
        foreign = self.daemon.disk.fill()
        refused = self.fill_by_events()
        self.check_refusal(refused)
        self.assertEqual(self.client.get("/livez").status, 200)
        self.assertEqual(self.client.get("/readyz").status, 503)
        self.assertEqual(self.client.get("/v1/sessions").status, 200)
        self.check_nothing_lost()
        foreign.unlink()
        self.takes_reports()
        self.check_the_file()

    def test_killed_on_a_full_disk_it_starts_there_and_can_be_read(self):
        self.start_on(free_space_min="6MiB", ballast="4MiB")
        self.batch("s0")
        self.batch("s1")
        foreign = self.daemon.disk.fill()
        self.restart()
        self.check_refusal(eventually(lambda: (r := self.batch("s0", 1)).status != 200 and r))
        self.check_nothing_lost()
        foreign.unlink()
        self.takes_reports()
        self.check_the_file()


if __name__ == "__main__":
    unittest.main()
