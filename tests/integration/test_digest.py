#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The digest of a night: what ended, what needs people, what was resumed, loops and what they cost."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest
from datetime import datetime, timedelta

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.limits import patient


class DigestCase(SharedDaemonCase):
    test_clock = True

    def digest(self, since: str = "8h") -> dict:
        reply = self.client.get(f"/v1/digest?since={since}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def night(self) -> str:
        session = unique("night")
        self.client.put(f"/v1/sessions/{session}", {"goal": "mend the <b>tests</b>", "agent": {"type": "claude", "model": "opus"},
                                                    "labels": {"team": session}})
        self.client.post(f"/v1/sessions/{session}/events", {
            "type": "tool.finished", "data": {"call_id": "c1", "tool": "bash", "ok": True, "usage": {"tokens": 1000, "cost_usd": 0.5}}})
        return session


class Digest(DigestCase):
    def test_a_session_that_ended_stands_there_with_what_it_used(self):
        session = self.night()
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "failed", "reason": "no <credit>"})
        digest = self.digest()
        ended = next(e for e in digest["ended"] if e["session"] == session)
        self.assertEqual((ended["outcome"], ended["reason"], ended["calls"], ended["tokens"], ended["cost_usd"]),
                         ("failed", "no <credit>", 1, 1000, 0.5))
        self.assertEqual(ended["agent"]["type"], "claude")
        label = next(s for s in digest["by_label"] if s["name"] == f"team={session}")
        self.assertEqual((label["sessions"], label["tokens"]), (1, 1000))

    def test_an_approval_that_waits_needs_a_person(self):
        session = self.night()
        self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"command": "rm -r build"}, "risk": "high"})
        need = next(n for n in self.digest()["needs_you"] if n["session"] == session)
        self.assertEqual(need["kind"], "approval")

    def test_a_loop_has_its_cost(self):
        session = self.night()
        for i in range(40):
            call = {"call_id": f"l{i}", "tool": "bash", "args": {"command": "make"}, "ok": False,
                    "error": {"class": "exit_status", "message": "No rule"}, "usage": {"tokens": 10, "cost_usd": 0.01}}
            advice = self.client.post(f"/v1/sessions/{session}/events", {"type": "tool.finished", "data": call}).json()
            if advice["verdict"]["status"] == "stuck":
                break
        loop = next(l for l in self.digest()["loops"] if l["session"] == session)
        self.assertIsNone(loop["over"])
        self.assertGreater(loop["calls"], 2)
        self.assertGreater(loop["cost_usd"], 0)

    def test_only_what_happened_since_then_counts(self):
        session = self.night()
        self.clock.advance(3 * 3600)
        self.client.post(f"/v1/sessions/{session}/events", {
            "type": "tool.finished", "data": {"call_id": "c2", "tool": "bash", "ok": True, "usage": {"tokens": 7, "cost_usd": 0.25}}})
        by_label = lambda since: next(s for s in self.digest(since)["by_label"] if s["name"] == f"team={session}")
        self.assertEqual((by_label("8h")["tokens"], by_label("8h")["cost_usd"]), (1007, 0.75))
        self.assertEqual((by_label("1h")["tokens"], by_label("1h")["cost_usd"]), (7, 0.25))

    def test_an_open_session_without_a_report_is_the_longest_silence(self):
        session = self.night()
        self.clock.advance(20 * 3600)
        silence = self.digest("24h")["longest_silence"]
        self.assertGreaterEqual(silence["ms"], 20 * 3_600_000)
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "completed"})

    def test_bad_input_names_the_field_and_the_form(self):
        for query, field in (("since=yesterday", "since"), ("since=0s", "since"), ("since=400d", "since"), ("format=pdf", "format")):
            reply = self.client.get(f"/v1/digest?{query}")
            self.assertEqual(reply.status, 400, query)
            self.assertEqual(reply.json()["field"], field)

    def test_the_page_has_no_script_and_shows_what_agents_wrote_as_text(self):
        session = self.night()
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "failed", "reason": "<script>alert(1)</script>"})
        reply = self.client.get("/v1/digest?format=html")
        self.assertIn("text/html", reply.headers["content-type"])
        self.assertIn("default-src 'none'", reply.headers["content-security-policy"])
        page = reply.body if isinstance(reply.body, str) else reply.body.decode()
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)

    def test_no_format_of_the_verb_prints_a_hidden_character(self):
        session = self.night()
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "failed", "reason": "\u202egood\u009b31m\u200b"})
        cli = Cli(self.daemon)
        for format in ("text", "markdown", "html", "json"):
            output = cli.run("digest", "--format", format).out
            for hidden in "\u202e\u009b\u200b":
                self.assertNotIn(hidden, output, format)
        self.assertIn("\u202egood\u009b31m\u200b", [e["reason"] for e in cli.run("digest", "--json").json()["ended"]])

    def test_the_verb_prints_each_format(self):
        session = self.night()
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "completed"})
        cli = Cli(self.daemon)
        for options, words in (((), "\nEnded\n"), (("--format", "markdown"), "\n## Ended\n"), (("--format", "html"), "<h2>Ended</h2>")):
            output = cli.run("digest", *options)
            self.assertEqual(output.code, 0, output)
            self.assertIn(words, output.out)
        ended = [e["session"] for e in cli.run("digest", "--json").json()["ended"]]
        self.assertIn(session, ended)
        self.clock.advance(3600)
        self.assertEqual(cli.run("digest", "--since", "30m", "--format", "json").json()["ended"], [])
        self.assertEqual(cli.run("digest", "--format", "pdf").code, 64)
        self.assertIn("31d", cli.run("digest", "--since", "long ago").err)

    def test_in_a_terminal_long_lines_are_broken_between_words(self):
        session = self.night()
        reason = " ".join(f"word{number}" for number in range(40))
        self.client.post(f"/v1/sessions/{session}/end", {"outcome": "failed", "reason": reason})
        shown = self.in_terminal("digest", columns=80)
        lines = shown.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        first = next(i for i, line in enumerate(lines) if line.startswith(f"  {session} (mend the <b>tests</b>), failed at "))
        self.assertTrue(lines[first + 1].startswith("    "), lines[first + 1])
        self.assertIn(reason, " ".join(shown.split()))
        self.assertIn(reason, Cli(self.daemon).run("digest").out)

    def in_terminal(self, *arguments, columns: int) -> str:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = Cli(self.daemon).start(*arguments, stdout=slave, stderr=subprocess.DEVNULL)
        os.close(slave)
        shown = b""
        try:
            while part := os.read(master, 65536):
                shown += part
        except OSError:  # the terminal is closed
            pass
        os.close(master)
        self.assertEqual(process.wait(patient(30)), 0)
        return shown.decode()

    def test_a_time_to_come_and_two_formats_are_mistakes(self):
        cli = Cli(self.daemon)
        since = (datetime.now() + timedelta(days=400)).strftime("%Y-%m-%dT00:00:00Z")
        future = cli.run("digest", "--since", since)
        self.assertEqual(future.code, 64, future)
        self.assertIn("must not be in the future", future.err)
        both = cli.run("digest", "--json", "--format", "html")
        self.assertEqual((both.code, both.out), (64, ""))
        self.assertIn("--json cannot be used with --format html", both.err)
        self.assertEqual(cli.run("digest", "--json", "--format", "json").code, 0)

    def test_many_sessions_are_all_counted(self):
        label = unique("many")
        for number in range(50):
            self.client.put(f"/v1/sessions/{label}-{number}", {"labels": {"team": label}})
            self.client.post(f"/v1/sessions/{label}-{number}/end", {"outcome": "completed"})
        sums = {s["name"]: s["sessions"] for s in self.digest()["by_label"]}
        self.assertEqual(sums.get(f"team={label}"), 50)


if __name__ == "__main__":
    unittest.main()
