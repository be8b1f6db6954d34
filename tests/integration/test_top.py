#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway top` on a real terminal (a pty): what it shows, its keys, and how it leaves the terminal."""
import fcntl
import os
import pty
import select
import struct
import termios
import unittest

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.limits import Deadline, patient

WIDTH, HEIGHT = 110, 24


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, cli: Cli, *arguments: str):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.process = cli.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
        self.seen = b""

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(patient(10))
        os.close(self.ours)
        os.close(self.theirs)

    def press(self, keys: str):
        self.seen = b""
        os.write(self.ours, keys.encode())

    def shows(self, text: str) -> str:
        """Waits until it was written since the last key."""
        deadline = Deadline(10)
        while text.encode() not in self.seen:
            if deadline.passed():
                raise AssertionError(f"{text!r} is not in {self.seen.decode(errors='replace')!r}")
            if select.select([self.ours], [], [], 0.1)[0]:
                self.seen += os.read(self.ours, 65536)
        return self.seen.decode(errors="replace")


class Top(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)

    def top(self) -> Terminal:
        terminal = Terminal(self.cli, "top")
        self.addCleanup(terminal.close)
        return terminal

    def test_without_a_terminal_it_prints_one_screen(self):
        session = unique("plain")
        self.client.open(session, goal="fix the tests")
        output = self.cli.run("top")
        self.assertEqual(output.code, 0, output)
        self.assertIn(session, output.out)
        self.assertIn("fix the tests", output.out)
        self.assertNotIn("\x1b", output.out)

    def test_one_screen_can_be_read_by_programs(self):
        session = unique("json")
        self.client.open(session)
        fleet = self.cli.run("top", "--once", "--json").json()
        self.assertEqual(set(fleet), {"overview", "sessions", "total"})
        self.assertIn(session, [row["id"] for row in fleet["sessions"]])
        self.assertIn("needs_you", fleet["overview"])

    def test_a_silent_session_is_ended_by_keys(self):
        session = unique("gone")
        self.client.open(session, policy={"heartbeat_interval_ms": 100})
        self.client.wait(session, until="silent", wait="1m")
        terminal = self.top()
        terminal.shows(session)
        terminal.press(f"/{session}\r")
        terminal.shows("filter: " + session)
        terminal.press("e")
        terminal.shows(f"End {session}?")
        terminal.press("f")
        terminal.shows(f"{session} has ended as failed")
        self.assertEqual(self.client.session(session)["outcome"], "failed")

    def test_what_happens_shows_by_itself_and_q_leaves_the_terminal_as_it_was(self):
        terminal = self.top()
        terminal.shows("headway")
        session = unique("live")
        self.client.report(session, "tool.finished", tool="bash", args={"command": "make test"}, ok=True)
        terminal.shows(session)
        terminal.press("?")
        terminal.shows("this help")
        terminal.press("q")
        self.assertEqual(terminal.process.wait(patient(10)), 0)
        terminal.shows("\x1b[?1049l")
        self.assertEqual(termios.tcgetattr(terminal.theirs), terminal.before)

    def test_an_approval_is_given_by_keys_alone(self):
        session = unique("asks")
        asked = self.client._expect((201,), self.client.post(f"/v1/sessions/{session}/approvals",
                                                             {"tool": "bash", "args": {"command": "rm -rf build"}}))
        terminal = self.top()
        terminal.shows("approval")
        terminal.press("n")
        terminal.press("a")
        terminal.shows(f"Approve {asked['id']}")
        shown = terminal.shows("y: yes")
        for part in ("bash", "rm -rf build", "risk", asked["args_digest"]):
            self.assertIn(part, shown)
        terminal.press("y")
        terminal.shows(f"approved {asked['id']}")
        document = self.client.get(f"/v1/approvals/{asked['id']}").json()
        self.assertEqual((document["status"], document["decision"]["channel"]), ("approved", "top"), document)

    def test_a_question_is_answered_by_keys_alone(self):
        session = unique("asks")
        asked = self.client._expect((201,), self.client.post(f"/v1/sessions/{session}/approvals", {"kind": "question", "summary": "drop it?"}))
        terminal = self.top()
        terminal.shows(session)
        terminal.press("/" + session + "\r")
        terminal.shows("filter: " + session)
        terminal.press("a")
        terminal.shows(f"Answer {asked['id']}")
        for letter in "no, wait":
            terminal.press(letter)
        terminal.shows("> no, wait_")
        terminal.press("\r")
        terminal.shows(f"answered {asked['id']}")
        document = self.client.get(f"/v1/approvals/{asked['id']}").json()
        self.assertEqual((document["status"], document["decision"]["response"]), ("responded", "no, wait"), document)

    def test_a_request_behind_a_hundred_others_is_given_too(self):
        for number in range(4):
            flood = unique("flood")
            self.addCleanup(self.client.report, flood, "session.ended", outcome="completed")
            for i in range(28):
                self.client._expect((201,), self.client.post(f"/v1/sessions/{flood}/approvals", {"tool": "x", "args": {"i": i}}))
        session = unique("last")
        asked = self.client._expect((201,), self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "deploy", "args": {"to": "prod"}}))
        terminal = self.top()
        terminal.shows("here the first 100")
        terminal.press("/" + session + "\r")
        terminal.shows("filter: " + session)
        terminal.press("a")
        terminal.shows(f"Approve {asked['id']}")
        terminal.shows("y: yes")
        terminal.press("y")
        terminal.shows(f"approved {asked['id']}")

    def test_a_filter_and_an_open_session(self):
        session, other = unique("needle"), unique("hay")
        self.client.report(session, "message", role="assistant", text="found it")
        self.client.open(other)
        terminal = self.top()
        terminal.shows(other)
        terminal.press("/needle\r")
        terminal.shows("filter: needle")
        terminal.press("\r")
        self.assertIn("found it", terminal.shows("message"))
        terminal.press("\x03")
        self.assertEqual(terminal.process.wait(patient(10)), 0)

    def test_a_signal_restores_the_terminal(self):
        terminal = self.top()
        terminal.shows("headway")
        terminal.process.terminate()
        self.assertEqual(terminal.process.wait(patient(10)), 0)
        terminal.shows("\x1b[?1049l")

    def test_without_a_daemon_it_says_how_to_start_one(self):
        output = Cli(self.daemon, "http://127.0.0.1:1").run("top")
        self.assertEqual(output.code, 69, output)


if __name__ == "__main__":
    unittest.main()
