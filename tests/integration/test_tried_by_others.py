#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Problems of people who had the README and the binary only. Each was seen to fail before it was mended."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli
from support.daemon import BINARY
from support.limits import SLOW, eventually

CHURN = """
import os, time
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    children = []
    for _ in range(40):
        child = os.fork()
        if child == 0:
            time.sleep(0.001)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
"""


CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("HEADWAY_")}


def headway(*arguments, **options):
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, timeout=60 * SLOW, **{"env": CLEAN, **options})


class Run(SharedDaemonCase):
    def test_processes_that_end_while_they_are_looked_at_end_nothing_else(self):
        session = unique()
        output = Cli(self.daemon).run("run", "--quiet", "--interval", "100ms", "--session", session, "--", sys.executable, "-c",
                                      CHURN.format(seconds=1) + "\nraise SystemExit(3)", seconds=60)
        self.assertEqual(output.code, 3, output)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").json()["verdict"]["status"], "failed")

    def test_two_signals_at_once_leave_the_session_its_end(self):
        for gap in (0, 0.0005, 0.001, 0.002, 0.004, 0.008):  # the second falls between the command's end and ours
            session = unique()
            process = subprocess.Popen([str(BINARY), "run", "--quiet", "--url", self.daemon.url, "--session", session, "--", "sleep", "60"])
            self.addCleanup(process.kill)
            eventually(lambda: self.client.get(f"/v1/sessions/{session}").status == 200, what="the session is open")
            process.send_signal(signal.SIGTERM)
            time.sleep(gap)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30 * SLOW), 143)
            self.assertIn(self.client.get(f"/v1/sessions/{session}").json()["verdict"]["status"], ("failed", "cancelled"))


class Wait(OwnDaemonCase):
    def test_a_wait_that_is_refused_is_no_session_that_failed(self):
        daemon = self.start({"access.mode": "token"})
        with tempfile.NamedTemporaryFile("w") as token:
            token.write("hw_nosuch_0000")
            token.flush()
            output = Cli(daemon).run("wait", "a", "--token-file", token.name, seconds=20)
        self.assertEqual(output.code, 77, output)
        done = headway("wait", "a", "--url", daemon.url, env={**CLEAN, "XDG_STATE_HOME": "/nonexistent"})
        self.assertEqual(done.returncode, 77, done)

    def test_what_answers_but_is_no_daemon_is_no_session_that_failed(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                for _ in range(3):
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(b"HTTP/1.1 501 Not Implemented\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            threading.Thread(target=answer, daemon=True).start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            output = Cli(None, url).run("wait", "a", "--connect-timeout", "2s", seconds=30)
            self.assertEqual(output.code, 69, output)


class Files(OwnDaemonCase):
    def killed(self):
        """A daemon that was killed with all it has in its log, which is not in its database yet."""
        daemon = self.start()
        client = self.client(daemon)
        for i in range(30):
            client.report(f"s-{i}", "message", role="assistant", text="x" * 100)
        daemon.kill()
        return daemon, daemon.state_dir / "headway.db", daemon.state_dir / "headway.db-wal"

    def serve(self, daemon):
        return headway("serve", "--listen", "127.0.0.1:0", "--state-dir", str(daemon.state_dir))

    def test_a_log_whose_database_is_missing_is_not_discarded(self):
        daemon, database, log = self.killed()
        held = log.stat().st_size
        self.assertGreater(held, 10_000)
        aside = database.with_name("aside")
        database.rename(aside)
        refused = self.serve(daemon)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("is missing, but its log", refused.stdout + refused.stderr)
        self.assertEqual((log.stat().st_size, database.exists()), (held, False))
        aside.rename(database)
        daemon.start()
        self.assertEqual(self.client(daemon).get("/v1/sessions").json()["total"], 30)

    def test_a_log_that_is_damaged_is_kept_and_said(self):
        daemon, _, log = self.killed()
        content = bytearray(log.read_bytes())
        content[len(content) // 2] ^= 1
        log.write_bytes(content)
        daemon.start()
        said = re.search(r"the log of the database is damaged from frame \d+ on: (\d+) commits", daemon.log())
        self.assertTrue(said, daemon.log())
        self.assertGreater(int(said[1]), 1)
        self.assertEqual(log.with_name("headway.db-wal.damaged-1").read_bytes(), bytes(content))

    def test_a_backup_without_a_daemon_keeps_a_log_that_is_damaged_and_says_so(self):
        daemon, _, log = self.killed()
        content = bytearray(log.read_bytes())
        content[len(content) // 2] ^= 1
        log.write_bytes(content)
        done = Cli(daemon).run("backup", str(daemon.root / "backup.db"))
        self.assertEqual(done.code, 0, done.err)
        self.assertRegex(done.err, r"the log of the database is damaged: \d+ commits")
        self.assertEqual(log.with_name("headway.db-wal.damaged-1").read_bytes(), bytes(content))

    def test_doctor_says_that_a_database_was_cut(self):
        daemon = self.start()
        self.client(daemon).report("a", "message", role="assistant", text="x")
        daemon.stop()
        database = daemon.state_dir / "headway.db"
        with open(database, "r+b") as file:
            file.truncate(40_000)
        done = headway("doctor", "--state-dir", str(daemon.state_dir))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("was cut", done.stdout)
        database.write_text("not a database")
        done = headway("doctor", "--state-dir", str(daemon.state_dir))
        self.assertIn("is no database of Headway", done.stdout)

    def test_a_state_directory_may_be_named_from_here(self):
        daemon = self.start()
        self.client(daemon).report("a", "message", role="assistant", text="x")
        done = headway("sessions", "--ids", "--state-dir", daemon.state_dir.name, cwd=daemon.state_dir.parent)
        self.assertEqual((done.returncode, done.stdout), (0, "a\n"), done)


class Settings(OwnDaemonCase):
    def test_a_reload_names_what_needs_a_restart(self):
        daemon = self.start(config='[log]\nlevel = "info"\n')
        daemon.config_file.write_text('[log]\nlevel = "debug"\n[server]\nconnections_max = 99\n')
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: "configuration reloaded" in daemon.log(), what="reloaded")
        eventually(lambda: "only after a restart: server.connections_max" in daemon.log(), what="the key is named")


class Replay(unittest.TestCase):
    def test_a_file_of_something_else_is_an_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write('{"type":"tool.done","data":{"tool":"bash"}}\n{"type":"x"}\n')
            file.flush()
            done = headway("replay", file.name)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("none of its lines", done.stderr)


class Secrets(SharedDaemonCase):
    def test_numbers_are_redacted_too(self):
        session = unique()
        self.client.report(session, "tool.finished", tool="login", args={"password": 123456789012, "secret": {"a": {"b": 987654321}}}, ok=True)
        journal = json.dumps(self.client.journal(session))
        for secret in ("123456789012", "987654321"):
            self.assertNotIn(secret, journal)


if __name__ == "__main__":
    unittest.main()
