#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headway-testclock: its clock is moved over a socket, it refuses what it did not make, and no package has it."""
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import BINARY, TEST_CLOCK, Daemon, clean_environment
from support.limits import patient

BUILD = BINARY.resolve().parent


def said(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([str(TEST_CLOCK), *arguments], capture_output=True, text=True, env=clean_environment(), timeout=patient(60))


class Clock(OwnDaemonCase):
    def test_time_passes_in_steps_so_that_what_is_due_happens_in_its_order(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        intervals = {"first": 60_000, "second": 120_000, "third": 240_000}
        for session in reversed(intervals):
            client.open(session, policy={"heartbeat_interval_ms": intervals[session]})
        daemon.clock.advance(500)
        found = {}
        for session in intervals:
            found[session] = [e["at"] for e in client.journal(session) if e["type"] == "verdict.changed"]
            self.assertEqual(len(found[session]), 1, session)
        self.assertEqual(sorted(found, key=found.get), list(intervals))
        self.assertEqual(len({at[:17] for (at,) in found.values()}), 3, found)  # minutes apart

    def test_a_session_that_ends_in_time_never_was_silent(self):
        daemon = self.start(test_clock=True)
        client = self.client(daemon)
        client.open("s", policy={"heartbeat_interval_ms": 60_000})
        for _ in range(5):
            client.beat("s")
            daemon.clock.advance(110)
            self.assertTrue(client.session("s")["alive"])

    def test_wall_and_steady_clock_are_apart(self):
        daemon = self.start(test_clock=True)
        read = lambda: daemon.clock._say("read")  # noqa: E731
        before = read()
        daemon.clock.step(7200)
        daemon.clock.advance(60)
        daemon.clock.suspend(3600)
        after = read()
        gained = {key: (after[key] - before[key]) // 1000 for key in ("steady_ms", "wall_ms", "slept_ms")}
        self.assertEqual({key: seconds // 60 for key, seconds in gained.items()}, {"steady_ms": 1, "wall_ms": 181, "slept_ms": 60})
        self.assertIn("the wall clock went", daemon.log())

    def test_only_its_user_may_move_it(self):
        daemon = self.start(test_clock=True)
        self.assertEqual(stat.S_IMODE(os.stat(daemon.clock.file).st_mode), 0o600)
        with self.assertRaises(AssertionError):
            daemon.clock._say("leap 5")
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(daemon.clock.file.exists())


class Refusals(OwnDaemonCase):
    def test_the_state_of_a_real_daemon_is_refused(self):
        daemon = self.start()
        self.client(daemon).beat("s")
        self.assertEqual(daemon.stop(), 0)
        before = sorted(path.name for path in daemon.state_dir.iterdir())
        daemon.binary = TEST_CLOCK
        process = daemon.spawn()
        self.assertEqual(process.wait(patient(30)), 2)
        process.stdout.close()
        self.assertIn("this test build did not make it", daemon.log())
        self.assertEqual(sorted(path.name for path in daemon.state_dir.iterdir()), before)

    def test_its_own_state_is_taken_again(self):
        daemon = self.start(test_clock=True)
        self.client(daemon).beat("s")
        daemon.restart()
        self.assertEqual(self.client(daemon).session("s")["heartbeats"], 1)

    def test_it_only_serves(self):
        for arguments in ((), ("sessions",), ("backup", "x"), ("--help",)):
            output = said(*arguments)
            self.assertEqual((output.returncode, output.stdout), (2, ""), arguments)
            self.assertIn("test build", output.stderr)


class TestBuild(unittest.TestCase):
    def test_it_says_what_it_is(self):
        output = said("--version")
        self.assertEqual(output.returncode, 0)
        self.assertIn("test build", output.stdout)
        self.assertNotIn("test build", subprocess.run([str(BINARY), "--version"], capture_output=True, text=True, check=True).stdout)
        daemon = Daemon(test_clock=True)
        self.addCleanup(daemon.close)
        self.assertIn("headway-testclock: a test build", daemon.start().log())

    def test_the_product_has_nothing_of_it(self):
        """Its name alone may stand there: the documentation, which is built in, speaks of it. Short texts may be immediates in the code."""
        product, test_build = BINARY.read_bytes(), BINARY.with_name("headway-testclock").read_bytes()
        for part in (b"its clock would spoil the stamps", b"headway-testclock: a test build"):
            self.assertTrue(part in test_build, part)
            self.assertFalse(part in product, part)

    def test_no_package_has_it(self):
        if not (BUILD / "cmake_install.cmake").exists():
            self.skipTest("not in a build directory")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", str(BUILD), "--prefix", f"{folder}/usr"], check=True, capture_output=True,
                           env=clean_environment(DESTDIR=""))
            names = [path.name for path in Path(folder).rglob("*")]
        self.assertIn("headway", names)
        self.assertEqual([name for name in names if "testclock" in name], [])


if __name__ == "__main__":
    unittest.main()
