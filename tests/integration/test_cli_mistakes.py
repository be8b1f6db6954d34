#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes on the command line that are easily made: each is said in words, and nothing is begun by mistake."""
import json
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener
BAD_IDS = (".", "..", "a b", "a/b", "", "x" * 129, "ü")


class CliCase(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Ids(CliCase):
    def test_what_no_session_can_be_called_is_a_mistake_of_the_command_line(self):
        for bad in BAD_IDS:
            for verb in (("show",), ("events",), ("wait",), ("watch",), ("end",), ("cancel",), ("pause",), ("nudge", "--text", "x"),
                         ("check",), ("compare",), ("approvals", "--session"), ("budget", "show")):
                output = self.cli.run(*verb, bad, seconds=20)
                self.assertEqual(output.code, 64, (verb, bad, output))
            output = self.cli.run("report", bad, "heartbeat")
            self.assertEqual(output.code, 64, (bad, output))
            self.assertIn("A-Z a-z 0-9 . _ ~ : -", output.err)

    def test_an_id_is_no_way_through_the_url(self):
        for path in ("/v1/sessions/..", "/v1/sessions/.", "/v1/sessions/%2e%2e"):
            reply = self.client.get(path)
            self.assertEqual((reply.status, reply.json()["code"]), (400, "invalid_id"), path)
            self.assertIn("not . or ..", reply.json()["detail"])
        output = self.cli.run("approve", "..", "--reason", "x")
        self.assertEqual(output.code, 64, output)
        self.assertIn("approval's id", output.err)

    def test_a_command_is_not_run_unsupervised_as_a_generation_of_another_session(self):
        for bad in ("nightly~2", "nightly~999"):
            output = self.cli.run("run", "--session", bad, "--", "touch", str(self.folder / "ran"))
            self.assertEqual(output.code, 64, output)
            self.assertIn(f"goes on after nightly; choose another id, as in nightly-{bad[8:]}", output.err)
            self.assertFalse((self.folder / "ran").exists())
        for good in ("nightly~1", "nightly~x", "nightly~02", "nightly~1000"):
            self.assertEqual(self.cli.run("run", "--session", good, "--", "true").code, 0, good)
            self.assertEqual(self.client.session(good)["outcome"], "completed", good)

    def test_a_command_is_not_run_unsupervised_for_a_mistyped_id(self):
        for bad in BAD_IDS:
            done = self.folder / "done"
            output = self.cli.run("run", "--session", bad, "--", "touch", str(done))
            self.assertEqual((output.code, done.exists()), (64, False), (bad, output))
        output = Cli(None, NO_DAEMON).run("run", "--session", "good", "--linger", "100ms", "--", "sh", "-c", "exit 3")
        self.assertEqual(output.code, 3, "without a daemon it runs all the same")


class Reports(CliCase):
    def test_a_field_that_is_given_twice_is_named(self):
        session = unique()
        output = self.cli.run("report", session, "tool.finished", "tool=a", "tool=b")
        self.assertEqual(output.code, 64, output)
        self.assertIn('"tool" is given more than once', output.err)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)

    def test_data_that_does_not_come_is_missed(self):
        session = unique()
        for stdin in ("", " \n"):
            output = self.cli.run("report", session, "heartbeat", "--data", "-", stdin=stdin)
            self.assertEqual(output.code, 64, output)
            self.assertIn("nothing came from standard input", output.err)
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)
        self.assertEqual(self.cli.run("report", session, "heartbeat", "--data", "-", stdin="{}").code, 0)


class Urls(CliCase):
    def test_a_path_that_no_daemon_has_is_pointed_out(self):
        for verb in (("wait", "x"), ("show", "x"), ("sessions",), ("report", "x", "heartbeat")):
            with self.subTest(verb):
                output = self.cli.run(*verb, "--url", f"{self.daemon.url}/abc")
                self.assertNotEqual(output.code, 0)
                self.assertIn(f"/abc, that no daemon has; try --url {self.daemon.url}\n", output.err)

    def test_an_empty_state_directory_is_an_unset_variable(self):
        for verb in (("serve",), ("doctor",), ("restore", "backup.db")):
            with self.subTest(verb):
                output = self.cli.run(*verb, "--state-dir", "")
                self.assertEqual(output.code, 64, output)
                self.assertIn("is empty: is a variable unset?", output.err)


class Waiting(CliCase):
    def test_until_nothing(self):
        for nothing in ("", ",", " "):
            output = self.cli.run("wait", "a", "--until", nothing)
            self.assertEqual(output.code, 64, output)
            for word in ("--until", "settled", "ended", "stuck", "completed"):
                self.assertIn(word, output.err)

    def test_a_silence_that_proves_nothing_is_said_to_be_longer(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 1_000})
        output = self.cli.run("wait", session, "--silent-for", "100ms")
        self.assertEqual(output.code, 5, output)
        self.assertEqual(output.err.count(f"{session} is given up after 2s without a heartbeat, not 100ms"), 1, output)
        self.assertEqual(self.client.wait(session, until="ended", silent_for="1999ms", wait="0s")["silent_for_ms"], 2_000)
        self.assertNotIn("silent_for_ms", self.client.wait(session, until="ended", silent_for="2s", wait="0s"))
        self.assertNotIn("silent_for_ms", self.client.wait(session, until="ended", wait="0s"))
        several = self.client.get(f"/v1/wait?all={session},{unique()}&until=ended&silent_for=1s&missing=wait&wait=0s").json()
        self.assertEqual(several["sessions"][session]["silent_for_ms"], 2_000)


class Recordings(CliCase):
    def exported(self) -> list:
        session = unique("export")
        for number in range(4):
            self.client.report(session, "tool.finished", tool="bash", args={"a": number})
        self.client.end(session, "failed")
        return self.cli.run("events", session, "--jsonl").lines()

    def file(self, lines: list) -> str:
        path = self.folder / f"{unique()}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    def both(self, file: str) -> list:
        """Output here, and while it is played to a daemon."""
        return [self.cli.run("replay", file), self.cli.run("replay", file, "--to", self.daemon.url)]

    def test_two_sessions_in_one_file_are_refused(self):
        first, second = self.exported(), self.exported()
        for output in self.both(self.file(first + second)):
            self.assertEqual(output.code, 1, output)
            self.assertIn(f":{len(first) + 1}: it is of session {second[0]['session']}", output.err)
            self.assertIn("a file of its own", output.err)
        starts = [{"type": "session_start", "session": name} for name in ("one", "two")]
        for output in self.both(self.file(starts)):
            self.assertIn("it is of session two, and the lines before of one", output.err)

    def test_a_folder_and_an_empty_file_are_none(self):
        for output in self.both(str(self.folder)):
            self.assertEqual(output.code, 1, output)
            self.assertIn("folder", output.err)
        blank = self.folder / "blank.jsonl"
        for text in ("", "\n \n"):
            blank.write_text(text)
            for output in self.both(str(blank)):
                self.assertEqual(output.code, 1, output)
                self.assertIn("empty", output.err)
        for output in self.both(str(self.folder / "nothing")):
            self.assertEqual(output.code, 1, output)
            self.assertIn("cannot be read", output.err)

    def test_an_export_with_a_gap_is_judged_and_said_to_have_one(self):
        lines = self.exported()
        output = self.cli.run("replay", self.file(lines))
        self.assertEqual((output.code, output.err), (0, ""))
        for gone, said in ((lines[:2] + lines[3:], "line 3 goes on with event 4 where 3 is due"),
                           (lines[1:], "it begins with event 2 where 1 is due"),
                           (lines[:2] + lines[1:], "line 3 goes on with event 2 where 3 is due")):
            output = self.cli.run("replay", self.file(gone))
            self.assertEqual(output.code, 0, output)
            self.assertIn(said, output.err)
            self.assertIn(said, self.cli.run("replay", "--json", self.file(gone)).json()["gap"])


class Openings(CliCase):
    def test_an_ended_session_is_not_open_with_another_goal(self):
        session = unique()
        self.client.open(session, goal="a")
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "b"}).json()
        self.assertIn("open with another goal", reply["detail"])
        self.client.end(session, "completed")
        reply = self.client.put(f"/v1/sessions/{session}", {"goal": "b"})
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["field"]), (409, "session_exists", "/goal"))
        self.assertIn("has ended", reply.json()["detail"])
        self.assertIn("another id", reply.json()["detail"])

    def test_no_session_is_its_own_parent(self):
        session = unique()
        for reply in (self.client.put(f"/v1/sessions/{session}", {"parent": session}),
                      self.client.post("/v1/sessions", {"id": session, "parent": session})):
            self.assertEqual((reply.status, reply.json()["field"]), (400, "/parent"))
        self.assertEqual(self.client.get(f"/v1/sessions/{session}").status, 404)


if __name__ == "__main__":
    unittest.main()
