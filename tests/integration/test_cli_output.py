#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Output that cannot be written and options of unset variables: a script can see it, and nothing hangs."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.daemon import BINARY
from support.limits import patient

CANNOT_WRITE = 74
CLOSED = {"out": "exec {} >&-", "err": "exec {} 2>&-", "in": "exec {} <&-", "all": "exec {} <&- >&- 2>&-"}


class OutputCase(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def with_full_output(self, *arguments) -> subprocess.CompletedProcess:
        with open("/dev/full", "wb") as full:
            return subprocess.run([str(BINARY), *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=self.cli.environment, timeout=patient(60), check=False)

    def closed(self, what: str, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run(["sh", "-c", CLOSED[what].format('"$@"'), "sh", str(BINARY), *arguments], capture_output=True, text=True,
                              env=self.cli.environment, timeout=patient(60), check=False)

    def completed(self) -> str:
        session = unique("done")
        self.assertEqual(self.cli.run("run", "--quiet", "--session", session, "--", "true").code, 0)
        return session


class Output(OutputCase):
    def test_what_cannot_be_written_is_said_and_is_no_success(self):
        session = self.completed()
        for command in (("--help",), ("sessions",), ("show", session), ("events", session, "--jsonl"), ("config", "default"),
                        ("wait", session), ("wait", session, "--json"), ("top", "--once"), ("token", "create", unique("t"), "--scope", "read")):
            for done in (self.with_full_output(*command), self.closed("out", *command)):
                self.assertEqual(done.returncode, CANNOT_WRITE, (command, done.stderr))
                self.assertIn("standard output cannot be written", done.stderr)

    def test_a_reader_that_has_enough_is_no_failure(self):
        command = f"trap '' PIPE; {{ \"$@\"; echo $? >&2; }} | true"
        for arguments in (("sessions",), ("--help",), ("config", "default")):
            done = subprocess.run(["sh", "-c", command, "sh", str(BINARY), *arguments], capture_output=True, text=True,
                                  env=self.cli.environment, timeout=patient(60), check=False)
            self.assertEqual(done.stderr, "0\n", arguments)

    def test_a_failure_of_the_command_is_worth_more(self):
        self.assertEqual(self.with_full_output("show", "no-such-session").returncode, 1)
        session = unique("failed")
        self.client.report(session, "heartbeat")
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "failed"})
        self.assertEqual(self.with_full_output("wait", session).returncode, 1)

    def test_a_supervised_command_whose_output_is_closed_ends_as_it_would(self):
        for what in CLOSED:
            session = unique("closed")
            done = self.closed(what, "run", "--session", session, "--", "sh", "-c", "echo out; echo err >&2; exit 3")
            self.assertEqual(done.returncode, 3, (what, done.stderr))
            self.assertEqual(self.client.session(session)["outcome"], "failed", what)

    def test_a_report_that_cannot_be_written_is_no_success(self):
        session = self.completed()
        done = self.cli.run("wait", session, "--junit", str(self.folder))
        self.assertEqual((done.code, done.out), (64, ""), "before the wait")
        self.assertIn("Is a directory", done.err)
        self.assertEqual(self.cli.run("wait", session, "--junit", "/dev/full").code, CANNOT_WRITE)
        done = self.with_full_output("wait", session, "--junit", "-")
        self.assertEqual(done.returncode, CANNOT_WRITE)
        self.assertIn("cannot write to standard output", done.stderr)


class Unset(OutputCase):
    def test_a_file_or_an_id_of_an_unset_variable_is_a_mistake(self):
        asked = self.client.post(f"/v1/sessions/{unique('s')}/approvals", {"tool": "bash", "args": {"command": "rm -rf /"}})
        approval = asked.json()["id"]
        for command in (("approve", approval, "--edit", ""), ("wait", "s", "--junit", ""), ("sessions", "--token-file", ""),
                        ("report", unique("s"), "heartbeat", "--event-id", "")):
            done = self.cli.run(*command)
            self.assertEqual(done.code, 64, done)
            self.assertIn("is empty", done.err)
        self.assertEqual(self.client.get(f"/v1/approvals/{approval}").json()["status"], "pending")


class Limits(OutputCase):
    def test_of_several_the_one_that_does_not_exist_is_named(self):
        done = self.cli.run("wait", self.completed(), "no-such-session", "--all", "--missing", "fail")
        self.assertEqual(done.code, 6)
        self.assertIn("no session 'no-such-session'", done.err)

    def test_a_wait_of_no_time_asks_once(self):
        self.assertEqual(self.cli.run("wait", self.completed(), "--timeout", "0").code, 0)
        session = unique("open")
        self.client.report(session, "heartbeat")
        self.assertEqual(self.cli.run("wait", session, "--timeout", "0").code, 124)

    def test_a_command_is_not_run_unsupervised_for_an_interval_that_no_policy_has(self):
        for interval in ("1ms", "0", "2h"):
            done = self.cli.run("run", "--interval", interval, "--", "touch", str(self.folder / "ran"))
            self.assertEqual((done.code, os.listdir(self.folder)), (64, []), done)
            self.assertIn("from 100ms to 1h", done.err)

    def test_a_long_goal_is_cut(self):
        session = unique("goal")
        goal = "x\x01\"" * 30_000
        self.assertEqual(self.cli.run("run", "--session", session, "--goal", goal, "--", "true").code, 0)
        self.assertIn(8192, self.client.session(session)["goal"].values())  # the bytes of what was sent

    def test_a_wait_of_no_time_without_a_daemon_is_no_timeout(self):
        self.assertEqual(Cli(None, "http://127.0.0.1:1").run("wait", "a", "--timeout", "0").code, 69)

    def test_a_number_that_is_none_is_said(self):
        done = self.cli.run("events", "s", "--after", "-1")
        self.assertEqual(done.code, 64)
        self.assertIn("-1 is no whole number of 0 and above", done.err)


if __name__ == "__main__":
    unittest.main()
