#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway forget` and its route: all that is stored of a session goes, and nothing of another one."""
import concurrent.futures
import contextlib
import os
import pty
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli
from support.limits import eventually, patient
from support.sse import EventStream

SECRET = "the goal that no person may read again"


class Forget(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        self.c = self.client(self.daemon)
        self.operator = self.client(self.daemon, token=self.daemon.operator_token())
        self.cli = Cli(self.daemon)

    def ended(self, session: str, **about):
        self.c.open(session, **about)
        self.c.report(session, "message", text=SECRET)
        self.c.end(session)

    def gone(self, session: str) -> bool:
        return self.c.get(f"/v1/sessions/{session}").status == 404

    def test_nothing_of_it_is_left_and_the_others_stay(self):
        self.ended("a", goal=SECRET)
        self.ended("b")
        output = self.cli.run("forget", "a", "--yes")
        self.assertEqual((output.code, output.out), (0, "a: forgotten\n"), output)
        self.assertTrue(self.gone("a"))
        self.assertEqual([one["id"] for one in self.c.get("/v1/sessions").json()["sessions"]], ["b"])
        self.assertEqual(self.cli.run("show", "a").code, 1)
        self.assertEqual(self.cli.run("forget", "a", "--yes").code, 1)
        self.c.beat("a")  # the id is free again
        self.assertEqual(self.c.get("/v1/sessions/a").json()["n"], 2)
        self.daemon.stop()
        with contextlib.closing(self.daemon.database()) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM meta WHERE name LIKE 'forget%'").fetchone(), (0,))
            self.assertEqual(sorted(row[0] for row in database.execute("SELECT name FROM session")), ["a", "b"])

    def test_its_bytes_are_gone_from_the_files_after_a_stop(self):
        self.ended("a", goal=SECRET)
        self.assertEqual(self.cli.run("forget", "a", "--yes").code, 0)
        self.daemon.stop()
        for file in self.daemon.state_dir.rglob("*"):
            if file.is_file():
                self.assertFalse(SECRET.encode() in file.read_bytes(), file)

    def test_its_bytes_are_gone_from_the_database_while_the_daemon_runs(self):
        self.ended("a", goal=SECRET)
        self.daemon.restart()  # now they are in the database, not in its log alone
        file = self.daemon.state_dir / "headway.db"
        self.assertIn(SECRET.encode(), file.read_bytes())
        self.assertEqual(Cli(self.daemon).run("forget", "a", "--yes").code, 0)
        eventually(lambda: SECRET.encode() not in file.read_bytes(), what="a database without the words")

    def test_sub_agents_and_what_was_resumed_go_too_unless_it_is_alone(self):
        for alone in (False, True):
            family = [f"{alone}", f"{alone}.sub", f"{alone}.sub.sub", f"{alone}~2"]
            self.ended(family[0])
            self.ended(family[1], parent=family[0])
            self.ended(family[2], parent=family[1])
            self.ended(family[3], labels={"resumed": family[0]})
            output = self.cli.run("forget", family[0], "--yes", "--json", *(["--alone"] if alone else []))
            self.assertEqual(output.code, 0, output)
            self.assertEqual(sorted(output.json()["forgotten"]), sorted(family[:1] if alone else family))
            self.assertEqual([self.gone(one) for one in family], [True] + [not alone] * 3)

    def test_a_label_alone_makes_no_session_a_part_of_another(self):
        self.ended("old")
        self.ended("old~2", labels={"resumed": "old"})
        for name in ("evil", "old~x", "old~", "older"):
            self.c.open(name, labels={"resumed": "old"})
        self.c.end("old~x")
        output = self.cli.run("forget", "old", "--yes")
        self.assertEqual((output.code, output.out), (0, "old: forgotten, with 1 more\n"), output)
        self.assertEqual(output.err.split(), ["old", "old~2"])
        self.assertEqual([self.gone(name) for name in ("old", "old~2", "evil", "old~x", "old~", "older")], [True] * 2 + [False] * 4)

    def test_a_family_of_more_than_one_page_goes_in_steps(self):
        self.ended("top")
        for number in range(205):
            self.c.open(f"top.{number}", parent="top")
            self.c.end(f"top.{number}")
        output = self.cli.run("forget", "top", "--yes")
        self.assertEqual(output.code, 1, output)
        self.assertIn("run this again", output.err)
        self.assertFalse(self.gone("top"))
        output = self.cli.run("forget", "top", "--yes")
        self.assertEqual((output.code, output.out), (0, "top: forgotten, with 5 more\n"), output)
        self.assertEqual(self.c.get("/v1/sessions").json()["sessions"], [])

    def test_an_open_session_is_not_forgotten_nor_its_family(self):
        self.ended("top")
        self.c.open("top.sub", parent="top")
        reply = self.operator.request("DELETE", "/v1/sessions/top.sub")
        self.assertEqual((reply.status, reply.json()["code"]), (409, "session_open"))
        output = self.cli.run("forget", "top", "--yes")
        self.assertEqual(output.code, 1, output)
        self.assertIn("top.sub is open", output.err)
        self.assertIn("headway cancel top.sub", output.err)
        self.assertFalse(self.gone("top"))

    def test_its_streams_and_waits_end_and_the_next_of_its_name_is_followed_from_the_start(self):
        self.ended("nightly")
        self.c.open("open")
        streams = []
        for path in ("/v1/sessions/nightly/stream", "/progress/nightly/stream"):
            streams.append(EventStream(self.daemon.port, path))
            self.addCleanup(streams[-1].close)
            self.assertEqual(streams[-1].next().name, "hello")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            wait = pool.submit(self.client(self.daemon).get, "/v1/wait?all=nightly,open&until=ended&wait=30s")
            eventually(lambda: "headway_waiters 1" in self.c.get("/metrics").body.decode(), 15, "the wait")
            self.assertEqual(self.operator.request("DELETE", "/v1/sessions/nightly").status, 202)
            for stream in streams:
                last = stream.rest()[-1]
                self.assertEqual((last.name, last.data), ("goodbye", {"reason": "the session was deleted"}))
            self.assertEqual(wait.result(patient(20)).status, 404)
        self.c.open("nightly")
        with EventStream(self.daemon.port, "/v1/sessions/nightly/stream", last_event_id=9) as again:
            self.assertEqual([again.next().name for _ in range(2)], ["hello", "reset"])
            self.c.beat("nightly")
            self.assertEqual(again.next().id, 2)

    def test_who_watches_it_is_shown_why_that_ends(self):
        self.ended("a")
        watch = self.cli.start("watch", "a", "--follow", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(watch.kill)
        eventually(lambda: "headway_streams 1" in self.c.get("/metrics").body.decode(), 15, "the stream")
        self.assertEqual(self.cli.run("forget", "a", "--yes").code, 0)
        said = watch.communicate(timeout=patient(30))[1]
        self.assertEqual(watch.returncode, 1, said)
        self.assertIn("the session was deleted", said)

    def test_it_takes_a_person_or_a_yes(self):
        self.ended("a")
        output = self.cli.run("forget", "a")
        self.assertEqual(output.code, 64, output)
        self.assertIn("--yes", output.err)
        self.assertFalse(self.gone("a"))
        for answer, code in (("n\n", 1), ("y\n", 0)):
            master, slave = pty.openpty()
            process = self.cli.start("forget", "a", stdin=slave, stderr=slave, stdout=subprocess.PIPE)
            os.close(slave)
            os.write(master, answer.encode())
            self.assertEqual(process.wait(patient(30)), code, answer)
            process.stdout.close()
            os.close(master)
            self.assertEqual(self.gone("a"), code == 0)

    def test_only_the_operator_forgets(self):
        self.ended("a")
        made = self.operator.post("/v1/tokens", {"name": "t", "scopes": ["read", "approve", "control"], "expires_in": "1h"})
        self.assertEqual(made.status, 201, made.body)
        for client, status in ((self.c, 401), (self.client(self.daemon, token=made.json()["token"]), 403)):
            self.assertEqual(client.request("DELETE", "/v1/sessions/a").status, status)
        self.assertFalse(self.gone("a"))

    def test_it_is_done_although_the_daemon_is_killed(self):
        self.ended("a", goal=SECRET)
        self.assertEqual(self.operator.request("DELETE", "/v1/sessions/a").status, 202)
        self.daemon.kill()
        self.daemon.start()
        self.c = self.client(self.daemon)
        eventually(lambda: self.gone("a"), 60, "the end of the session")


if __name__ == "__main__":
    unittest.main()
