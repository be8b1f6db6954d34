#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Backups with and without a running daemon, and their restore."""
import contextlib
import os
import shutil
import sqlite3
import stat
import threading
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import Daemon
from support.limits import LONG, eventually

BACKUPS = 100 if LONG else 4


def open_files(process: int) -> list:
    """The files that a process has open; a descriptor that it closes meanwhile is none of them."""
    names = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            names.append(os.readlink(descriptor))
    return names


class Writer(threading.Thread):
    """An agent that reports until stop(); it knows what was acknowledged, and when."""

    def __init__(self, daemon: Daemon, session: str):
        super().__init__(daemon=True)  # a failed test ends too
        self.client, self.session = daemon.client(), session
        self.acknowledged = []
        self.stopped = threading.Event()

    def run(self):
        number = 0
        while not self.stopped.is_set():
            ids = [f"{self.session}-{number + i}" for i in range(5)]
            reply = self.client.post(f"/v1/sessions/{self.session}/events",
                                     [{"type": "message", "event_id": i, "data": {"role": "assistant", "text": i * 30}} for i in ids])
            assert reply.status == 200, reply.body
            self.acknowledged.extend(ids)
            number += len(ids)
        self.client.close()

    def stop(self):
        self.stopped.set()
        self.join()


class Backup(OwnDaemonCase):
    def restored(self, backup) -> Daemon:
        """A new daemon on a copy of the backup, put there by `headway restore`."""
        daemon = Daemon()
        self.addCleanup(daemon.close)
        daemon.state_dir.mkdir()
        done = Cli(daemon, url="http://127.0.0.1:9").run("restore", str(backup))
        self.assertEqual(done.code, 0, done.err)
        return daemon.start()

    def check_holds(self, daemon: Daemon, session: str, at_least: list, at_most: list):
        events = self.client(daemon).journal(session)
        self.assertEqual([e["n"] for e in events], list(range(1, len(events) + 1)))
        stored = [e["event_id"] for e in events if e.get("event_id")]
        self.assertEqual(stored[:len(at_least)], at_least, "what was acknowledged before")
        self.assertEqual(stored, at_most[:len(stored)], "nothing else")

    def test_made_under_load_it_holds_what_was_acknowledged_before_and_can_be_restored(self):
        daemon = self.start()
        cli = Cli(daemon)
        writers = [Writer(daemon, f"w{number}") for number in range(3)]
        for writer in writers:
            writer.start()
        eventually(lambda: all(len(writer.acknowledged) > 50 for writer in writers))
        made, meanwhile = [], 0
        for number in range(BACKUPS):
            before = [list(writer.acknowledged) for writer in writers]
            file = daemon.root / f"backup-{number}.db"
            done = cli.run("backup", file.name, "--json", seconds=120)  # a relative name means this folder
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(done.json()["file"], str(file))
            self.assertGreaterEqual(done.json()["events"], sum(map(len, before)))
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            made.append((file, before))
            meanwhile += sum(len(writer.acknowledged) for writer in writers) - sum(map(len, before))
        for writer in writers:
            writer.stop()
        # SQLite's WAL-reset bug needs a second connection to the file. The second -wal is that of the watch over the files.
        opened = open_files(daemon.process.pid)
        self.assertEqual([sum(name.endswith(end) for name in opened) for end in ("headway.db", "-wal", "-shm")], [1, 2, 0])
        self.assertGreater(meanwhile, 0, "reports go on meanwhile")
        self.assertEqual([p.name for p in daemon.root.glob("*.partial")], [])
        for file, before in made[:: max(1, BACKUPS // 4)]:
            other = self.restored(file)
            for writer, known in zip(writers, before):
                self.check_holds(other, writer.session, known, writer.acknowledged)
            self.assertEqual(self.client(other).report(writers[0].session, "message", role="assistant", text="on")["accepted"], 1)
            self.assertEqual(other.stop(), 0)

    def test_headers_of_a_hook_that_are_no_utf8_spoil_neither_the_backup_nor_the_list(self):
        daemon = self.start()
        client = self.client(daemon)
        for n, (name, value) in enumerate([("Usage", b"\xff;2026-11-29T23:00:00Z;1;1"), ("Error-Class", b"\xfe"),
                                           ("Usage", b"a;2026-11-29T23:00:00Z;1;1;0;0;0;\xc3"),
                                           ("Agent-Version", b"v" * 127 + "é".encode()), ("Agent-Version", b"1.0\xff")]):
            event = {"event": "post", "session": f"x{n}", "agent": "mine", "tool": "bash", "args": {}, "call": "c", "ok": False}
            self.assertEqual(client.post("/v1/hooks/generic", event, {f"X-Headway-{name}": value}).status, 200, name)
        sessions = client.get("/v1/sessions").json()["sessions"]
        self.assertEqual(sorted(session["id"] for session in sessions), [f"mine-x{n}" for n in range(5)])
        self.assertEqual([len(client.journal(f"mine-x{n}")) for n in range(5)], [3] * 5)
        done = Cli(daemon).run("backup", str(daemon.root / "backup.db"))
        self.assertEqual(done.code, 0, done.err)

    def test_without_a_daemon_the_database_is_copied_as_it_is(self):
        daemon = self.start()
        writer = Writer(daemon, "w")
        writer.start()
        eventually(lambda: len(writer.acknowledged) > 20)
        writer.stop()
        daemon.kill()  # with a log that was not brought to the database
        file = daemon.root / "backup.db"
        done = Cli(daemon).run("backup", str(file))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("checked", done.out)
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.check_holds(self.restored(file), "w", writer.acknowledged, writer.acknowledged)
        daemon.start()
        self.check_holds(daemon, "w", writer.acknowledged, writer.acknowledged)

    def test_who_may_and_where_to(self):
        daemon = self.start()
        target = daemon.root / "b.db"
        self.assertEqual(self.client(daemon).post("/v1/backup", {"file": str(target)}).status, 401)
        operator = daemon.operator()
        self.addCleanup(operator.close)
        reader = operator.post("/v1/tokens", {"name": "r", "scopes": ["read", "control"]}).json()["token"]
        self.assertEqual(self.client(daemon, token=reader).post("/v1/backup", {"file": str(target)}).status, 403)
        for bad in ("b.db", "", "/", "a/../b"):
            reply = operator.post("/v1/backup", {"file": bad})
            self.assertEqual((reply.status, reply.json()["field"]), (400, "/file"), bad)
        reply = operator.post("/v1/backup", {"file": str(daemon.root / "no" / "folder" / "b.db")})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (400, "invalid_field", "/file"))
        self.assertEqual(operator.post("/v1/backup", {"file": str(target)}).status, 201)
        again = operator.post("/v1/backup", {"file": str(target)})
        self.assertEqual((again.status, again.json()["code"]), (409, "file_exists"))
        self.assertEqual(operator.post("/v1/backup", {"file": str(daemon.state_dir / "headway.db")}).status, 409)
        refused = Cli(daemon).run("backup", str(target))
        self.assertEqual(refused.code, 1)
        self.assertIn("is there already", refused.err)


class Restore(OwnDaemonCase):
    def setUp(self):
        self.daemon = self.start()
        self.client(self.daemon).beat("before")
        self.file = self.daemon.root / "backup.db"
        self.assertEqual(Cli(self.daemon).run("backup", str(self.file)).code, 0)
        self.client(self.daemon).beat("after")

    def test_it_is_said_that_tokens_revoked_since_are_valid_again(self):
        daemon = self.start()
        operator = daemon.operator()
        self.addCleanup(operator.close)
        made = operator.post("/v1/tokens", {"name": "leaked", "scopes": ["read"]}).json()
        file = daemon.root / "with-token.db"
        self.assertEqual(Cli(daemon).run("backup", str(file)).code, 0)
        self.assertEqual(Cli(daemon).run("token", "revoke", made["id"]).code, 0)
        self.assertEqual(daemon.stop(), 0)
        done = Cli(daemon).run("restore", str(file))
        self.assertIn("tokens that were revoked after it are valid again", done.err)
        daemon.start()
        self.assertEqual(self.client(daemon, token=made["token"]).get("/v1/sessions").status, 200)
        said = Cli(daemon).run("token", "list")
        self.assertIn("leaked", said.out)

    def test_the_database_that_was_there_is_kept(self):
        self.assertEqual(self.daemon.stop(), 0)
        done = Cli(self.daemon).run("restore", str(self.file), "--json")
        self.assertEqual(done.code, 0, done.err)
        self.daemon.start()
        client = self.client(self.daemon)
        self.assertEqual(client.get("/v1/sessions/before").status, 200)
        self.assertEqual(client.get("/v1/sessions/after").status, 404)
        self.assertEqual(self.daemon.stop(), 0)
        replaced = done.json()["replaced"]
        self.assertTrue(os.path.exists(replaced))
        self.assertEqual(Cli(self.daemon).run("restore", replaced).code, 0)
        self.daemon.start()
        self.assertEqual(self.client(self.daemon).get("/v1/sessions/after").status, 200)

    def test_what_is_damaged_in_a_copy_is_told_and_all_else_is_copied(self):
        self.assertEqual(self.daemon.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.daemon.state_dir / "headway.db")) as database:
            database.execute("UPDATE session SET tail=tail+7 WHERE name='after'")
            database.commit()
        copy, other = (self.daemon.root / name for name in ("copy.db", "other.db"))
        done = Cli(self.daemon).run("backup", str(copy))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("1 sessions cannot be read", done.err)
        counts = Cli(self.daemon).run("backup", str(other), "--json").json()
        self.assertEqual((counts["sessions"], counts["damaged_sessions"], counts["damaged_snapshots"]), (2, 1, 0))
        done = Cli(self.daemon).run("restore", str(copy))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("1 sessions cannot be read", done.err)
        self.daemon.start()
        self.assertEqual(self.client(self.daemon).get("/v1/sessions/before").status, 200)

    def test_a_daemon_that_runs_is_left_alone(self):
        done = Cli(self.daemon).run("restore", str(self.file))
        self.assertEqual(done.code, 1)
        self.assertIn("stop headway first", done.err)
        self.assertEqual(self.client(self.daemon).get("/v1/sessions/after").status, 200)
        self.daemon.restart()
        self.assertEqual(self.client(self.daemon).get("/v1/sessions/after").status, 200)

    def test_what_is_no_sound_backup_changes_nothing(self):
        self.assertEqual(self.daemon.stop(), 0)
        database = self.daemon.state_dir / "headway.db"
        before = database.read_bytes()
        damaged = self.daemon.root / "damaged.db"
        content = bytearray(self.file.read_bytes())
        content[8192 * 2:8192 * 3] = bytes(8192)
        damaged.write_bytes(content)
        text = self.daemon.root / "text.db"
        text.write_text("not a database\n" * 1000)
        with_log = self.daemon.root / "log.db"
        shutil.copy(self.file, with_log)
        (self.daemon.root / "log.db-wal").write_bytes(b"x" * 100)
        for bad in (damaged, text, with_log, self.daemon.root / "none.db"):
            done = Cli(self.daemon).run("restore", str(bad))
            self.assertEqual(done.code, 1, bad)
            self.assertIn("the database was not changed", done.err)
            self.assertIn(str(bad), done.err)
            self.assertEqual(database.read_bytes(), before, bad)
        self.assertEqual(sorted(p.name for p in self.daemon.state_dir.glob("headway.db*")), ["headway.db"])


if __name__ == "__main__":
    unittest.main()
