#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Silence while the followed process of an agent computes is no silence."""
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import own_database
from support.limits import eventually
from test_hooks import Agent

MINUTE = 60
BUSY = "while True: pass"
REST = "import time\nwhile True: time.sleep(60)"
# An agent that rests while what it has started computes.
PARENT = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BUSY!r}]).wait()"


def numbers(pid: int) -> dict:
    """As a client names its process (docs/agents): by number, start, boot and PID namespace."""
    start = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    return {"X-Headway-Agent-Pid": str(pid), "X-Headway-Agent-Start": start,
            "X-Headway-Agent-Boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
            "X-Headway-Agent-Pid-Ns": os.readlink("/proc/self/ns/pid")[5:-1]}


@own_database
class ProcessWork(OwnDaemonCase):
    def begin(self, code):
        self.daemon = self.start(test_clock=True)
        self.client = self.client_of(self.daemon)
        process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(os.killpg, process.pid, 9)
        self.process = process
        self.agent = Agent(self.daemon)
        self.agent.hook("UserPromptSubmit", numbers(process.pid), prompt="build it")

    def client_of(self, daemon):
        client = daemon.operator()
        self.addCleanup(client.close)
        return client

    def after_half_an_hour(self):
        """The verdict after two looks, between which the process has had time to compute."""
        self.daemon.clock.advance(29.2 * MINUTE)
        self.computes(2)
        self.daemon.clock.advance(MINUTE)
        return self.verdict()

    def computes(self, seconds):
        """Waits for processor time, of which a busy machine gives little, up to a limit."""
        def used():
            return sum(map(int, Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()[11:15]))
        before, ticks, give_up = used(), os.sysconf("SC_CLK_TCK"), time.monotonic() + 5 * seconds
        while used() - before < seconds * ticks and time.monotonic() < give_up:
            time.sleep(0.1)

    def verdict(self):
        return self.client.session(self.agent.id)["verdict"]

    def test_one_that_computes_is_slow_and_says_why(self):
        self.begin(BUSY)
        found = self.after_half_an_hour()
        self.assertEqual((found["status"], found["reason"]),
                         ("slow", "no report for long, but the agent's process is at work"))
        self.assertEqual(self.client.get("/v1/overview").json()["needs_you"], [])

    def test_what_it_has_started_counts(self):
        self.begin(PARENT)
        self.assertEqual(self.after_half_an_hour()["status"], "slow")

    def test_one_that_rests_is_silent(self):
        self.begin(REST)
        self.assertEqual(self.after_half_an_hour()["status"], "silent")

    def test_one_that_stops_to_compute_becomes_silent(self):
        self.begin(BUSY)
        self.assertEqual(self.after_half_an_hour()["status"], "slow")
        os.killpg(self.process.pid, 19)  # SIGSTOP
        self.daemon.clock.advance(3 * MINUTE)
        eventually(lambda: self.verdict()["status"] == "silent")

    def test_an_agent_that_is_heard_again_is_as_before(self):
        self.begin(BUSY)
        self.assertEqual(self.after_half_an_hour()["status"], "slow")
        self.agent.pre("t1")
        self.assertNotIn(self.verdict()["status"], ("slow", "silent"))


if __name__ == "__main__":
    unittest.main()
