#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin of clients/python: its daemon, its waiting, and what the report of a failed test shows."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import BINARY, PROJECT, clean_environment
from support.limits import patient

PYTHON = next((python for python in (sys.executable, "/usr/bin/python3") if Path(python).exists() and subprocess.run(
    [python, "-c", "import pytest"], capture_output=True, check=False).returncode == 0), None)

PASSING = '''
import subprocess, sys, threading
import headway as library

def run_my_agent(session, commands):
    with library.Session("do it", id=session) as s:
        for command in commands:
            s.begin("bash", {"command": command}).done("ok " + command)

def test_it_completes(headway):
    agent = threading.Thread(target=run_my_agent, args=("mine", ["a", "b"]))
    agent.start()
    said = headway.wait("mine")
    assert said["matched"] == "completed"
    assert headway.get("mine")["goal"] == "do it"
    assert [e["data"]["args"] for e in headway.events("mine") if e["type"] == "tool.started"] == [{"command": "a"}, {"command": "b"}]
    agent.join()

def test_a_loop_is_seen(headway):
    with headway.session("loop", id="loop") as s:
        for _ in range(5):
            s.begin("bash", {"command": "cat nothing"}).fail("no such file")
        headway.wait(s, until="stuck")

def test_a_set_stands_for_completed_also_in_a_list(headway):
    import pytest
    with headway.session("no", id="no") as s:
        s.end("failed", "broken")
    for until in (["settled", "ended"], ["ended", "stuck"]):
        with pytest.raises(AssertionError):
            headway.wait("no", until=until)
    assert headway.wait("no", until=["settled", "failed"])["matched"] == "failed"

def test_they_share_a_daemon(headway):
    assert "mine" in headway.opened()

def test_without(tmp_path):
    import os
    assert "HEADWAY_URL" not in os.environ
'''
FAILING = '''
import headway as library

def test_it_fails(headway):
    with headway.session("do it", id="failing") as s:
        s.begin("bash", {"command": "make"}).fail("2 errors")
        s.end("failed", "the build is broken")
    headway.wait("failing")

def test_its_own_sessions_are_shown(headway):
    with library.Session("x", id="inner") as s:
        s.begin("grep", {"pattern": "needle"}).done("found")
    assert False, "for another reason"

def test_it_cannot_be(headway):
    with headway.session("x", id="over") as s:
        pass
    headway.wait("over", until="stuck")

def test_it_passes(headway):
    with headway.session("x", id="quiet") as s:
        s.begin("unshown", {}).done("x")
'''


@unittest.skipUnless(PYTHON, "pytest is not installed")
class Plugin(OwnDaemonCase):
    def run_tests(self, text, *options, **environment):
        folder = Path(tempfile.mkdtemp(prefix="headway-pytest-test-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "test_agent.py").write_text(text, encoding="utf-8")
        command = [PYTHON, "-B", "-m", "pytest", "-p", "headway.pytest_plugin", "-p", "no:cacheprovider", "-q", "--color=no", *options, str(folder)]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=patient(120),
                              env={**clean_environment(PYTHONPATH=str(PROJECT / "clients/python"), TMPDIR=str(folder), **environment)})

    def test_a_daemon_of_its_own(self):
        done = self.run_tests(PASSING, HEADWAY_BINARY=str(BINARY))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("5 passed", done.stdout)

    def test_the_daemon_is_gone_afterwards(self):
        text = ("def test_one(headway):\n    import pathlib\n"
                "    pathlib.Path(__file__).with_name('pid').write_text(f'{headway.daemon.process.pid} {headway.daemon.folder}')\n")
        folder = Path(tempfile.mkdtemp(prefix="headway-pytest-test-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "test_agent.py").write_text(text, encoding="utf-8")
        subprocess.run([PYTHON, "-B", "-m", "pytest", "-p", "headway.pytest_plugin", "-p", "no:cacheprovider", "-q", str(folder)], check=True, capture_output=True,
                       env=clean_environment(PYTHONPATH=str(PROJECT / "clients/python"), HEADWAY_BINARY=str(BINARY)))
        pid, state = (folder / "pid").read_text(encoding="utf-8").split()
        self.assertFalse(Path(state).exists())
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid), 0)

    def test_a_failure_says_verdict_reason_and_events_and_shows_the_timeline(self):
        done = self.run_tests(FAILING, HEADWAY_BINARY=str(BINARY))
        self.assertIn("3 failed, 1 passed", done.stdout)
        said = done.stdout
        self.assertIn("failing: waited for settled: settled; it is failed: the build is broken", said)
        self.assertRegex(said, r"E +#\d+ [\d:.]{12} tool\.finished tool=bash .*ok=false.*2 errors")
        self.assertIn("- headway: inner -", said)
        self.assertRegex(said, r"tool\.started tool=grep args=.*needle")
        self.assertIn("over: waited for stuck: cannot come any more (ended); it is completed", said)
        self.assertNotIn("unshown", said)

    def test_the_daemon_of_headway_url(self):
        daemon = self.start()
        done = self.run_tests(PASSING.replace('"HEADWAY_URL" not in', '"HEADWAY_URL" in'), HEADWAY_URL=daemon.url)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.client(daemon).session("mine")["outcome"], "completed")

    def test_without_a_daemon_the_test_is_skipped_and_one_that_does_not_start_is_an_error(self):
        done = self.run_tests("def test_one(headway): pass\n", "-rs", PATH="/usr/bin:/bin")
        self.assertEqual((done.returncode, "1 skipped" in done.stdout), (0, True), done.stdout)
        self.assertIn("there is no headway on PATH", done.stdout)
        done = self.run_tests("def test_one(headway): pass\n", HEADWAY_BINARY="/bin/false")
        self.assertEqual((done.returncode, "1 error" in done.stdout), (1, True), done.stdout)

    def test_the_runner_has_the_only_timeout(self):
        begin = time.monotonic()
        text = ("import signal\ndef test_one(headway):\n    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError('of the runner')))\n"
                "    signal.alarm(1)\n    headway.wait('never-opened')\n")
        done = self.run_tests(text, HEADWAY_BINARY=str(BINARY))
        self.assertIn("of the runner", done.stdout)
        self.assertLess(time.monotonic() - begin, patient(30))


if __name__ == "__main__":
    unittest.main()
