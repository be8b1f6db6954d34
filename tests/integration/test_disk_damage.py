#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database that was damaged: the start says so, and `headway doctor --repair` saves what can be read."""
import os
import random
import re
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli
from support.limits import SEED

PAGE = 8192


class Damage(OwnDaemonCase):
    def setUp(self):
        self.dice = random.Random(SEED)
        self.daemon = self.start()
        client = self.client(self.daemon)
        self.sessions = [f"s{number}" for number in range(8)]
        self.before = {}
        for _ in range(6):
            for session in self.sessions:
                events = [{"type": "message", "data": {"role": "assistant", "text": f"{session} {self.dice.random()} " * 40}}
                          for _ in range(10)]
                self.assertEqual(client.post(f"/v1/sessions/{session}/events", events).status, 200)
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        self.token = operator.post("/v1/tokens", {"name": "t", "scopes": ["read"]}).json()["id"]
        for session in self.sessions:
            self.before[session] = client.journal(session)
        self.assertEqual(self.daemon.stop(), 0)
        self.database = self.daemon.state_dir / "headway.db"
        self.sound = self.database.read_bytes()

    def damage(self, kind: int) -> bytearray:
        """In the place of the database; what it consists of."""
        content = bytearray(self.sound)
        if kind % 3 == 0:
            for _ in range(self.dice.randint(1, 30)):
                content[self.dice.randrange(100, len(content))] ^= self.dice.randint(1, 255)
        elif kind % 3 == 1:
            del content[self.dice.randrange(PAGE * 2, len(content)):]
        else:
            page = self.dice.randrange(1, len(content) // PAGE)
            content[page * PAGE:(page + 1) * PAGE] = self.dice.randbytes(PAGE)
        for old in self.daemon.state_dir.glob("headway.db*"):
            old.unlink()
        self.database.write_bytes(content)
        return content

    def repair(self):
        done = Cli(self.daemon).run("doctor", "--repair", "--json")
        return done, done.json()

    def check_prefixes(self) -> int:
        """Every session that is there is the beginning of what it was; how many events that are."""
        self.daemon.start()
        client, kept = self.client(self.daemon), 0
        for session in self.sessions:
            if client.get(f"/v1/sessions/{session}").status == 404:
                continue
            events = client.journal(session)
            self.assertEqual(events, self.before[session][:len(events)], f"{session}, HEADWAY_SEED={SEED}")
            kept += len(events)
        self.assertEqual(client.report("new", "message", role="assistant", text="work goes on")["accepted"], 1)
        self.assertEqual(self.daemon.stop(), 0)
        return kept

    def refused_start(self):
        process = self.daemon.spawn()
        self.assertEqual(process.wait(20), 1)
        process.stdout.close()
        self.assertIn("is damaged: `headway doctor --repair` saves what can be read", self.daemon.log())

    def test_the_start_is_refused_and_says_what_to_do(self):
        # The root of the table of sessions: nothing can be found without it.
        content = bytearray(self.sound)
        content[PAGE:] = bytes(len(content) - PAGE)
        self.database.write_bytes(content)
        self.refused_start()
        self.assertEqual(self.database.read_bytes(), bytes(content), "left as it was")

    def test_a_file_of_something_else_is_not_repaired(self):
        self.database.write_bytes(b"nothing of ours " * 4096)
        self.refused_start()
        done, said = self.repair()
        self.assertEqual((done.code, said["ok"]), (1, False))
        self.assertEqual(self.database.read_bytes(), b"nothing of ours " * 4096)

    def test_a_sound_database_is_kept_whole(self):
        done, said = self.repair()
        self.assertEqual((done.code, said["ok"]), (0, True), done.err)
        self.assertEqual((self.daemon.state_dir / "headway.db.damaged-1").read_bytes(), self.sound)
        self.daemon.start()
        client = self.client(self.daemon)
        for session in self.sessions:
            self.assertEqual(client.journal(session), self.before[session])
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        self.assertIn(self.token, [t["id"] for t in operator.get("/v1/tokens").json()["tokens"]])

    def test_whatever_is_damaged_what_can_be_read_is_saved(self):
        saved = 0
        for number in range(6):
            content = self.damage(number)
            done, said = self.repair()
            if done.code != 0:  # nothing can be read, and nothing was changed
                self.assertEqual(self.database.read_bytes(), bytes(content), f"HEADWAY_SEED={SEED}")
                continue
            self.assertEqual((self.daemon.state_dir / "headway.db.damaged-1").read_bytes(), bytes(content))
            if self.check_prefixes() > 0:
                saved += 1
        self.assertGreater(saved, 1, f"HEADWAY_SEED={SEED}")

    def test_of_a_file_that_was_cut_what_lies_before_the_cut_is_saved(self):
        for part in range(5, 10):
            length = len(self.sound) * part // 10 - self.dice.randrange(PAGE)
            for old in self.daemon.state_dir.glob("headway.db*"):
                old.unlink()
            self.database.write_bytes(self.sound[:length])
            self.refused_start()
            done, said = self.repair()
            self.assertEqual((done.code, said["ok"]), (0, True), f"{length} of {len(self.sound)}, HEADWAY_SEED={SEED}\n{done.err}")
            self.assertEqual((self.daemon.state_dir / "headway.db.damaged-1").read_bytes(), self.sound[:length])
            self.assertGreater(self.check_prefixes(), 0, f"HEADWAY_SEED={SEED}")

    def test_flipped_bits_inside_what_agents_said_are_refused_and_never_shown(self):
        for number in range(4):
            content = bytearray(self.sound)
            # Letters of texts become other letters: without a checksum nothing would tell.
            places = [m.start() for m in re.finditer(rb"0\.\d{10}", self.sound)]
            for place in self.dice.sample(places, 12):
                content[place + 2] ^= 1
            for old in self.daemon.state_dir.glob("headway.db*"):
                old.unlink()
            self.database.write_bytes(content)
            self.daemon.start()
            client = self.client(self.daemon)
            refused = 0
            for session in self.sessions:
                after = 0
                while True:
                    page = client.get(f"/v1/sessions/{session}/events?after={after}&limit=20")
                    if page.status != 200:
                        refused += 1
                        break
                    events = page.json()["events"]
                    self.assertEqual(events, self.before[session][after:after + len(events)], f"HEADWAY_SEED={SEED}")
                    after += len(events)
                    if not events:
                        break
            self.assertGreater(refused, 0, f"HEADWAY_SEED={SEED}")
            self.assertEqual(client.report("new", "message", role="assistant", text="work goes on")["accepted"], 1)
            self.assertEqual(self.daemon.stop(), 0)

    def served_or_damaged(self, reply, number):
        """The session as it was, or gone from the index, or an error that says what is damaged and the way out."""
        if reply.status in (200, 404):
            return
        told = f"{reply.status} {reply.body.decode()}, HEADWAY_SEED={SEED} {number}"
        self.assertIn(reply.status, (500, 503), told)
        self.assertRegex(reply.json()["detail"], "damaged|malformed|checksum|cannot be read", told)

    def test_whatever_is_damaged_a_start_serves_or_refuses_and_never_crashes(self):
        whole = 0  # sessions, after any of the damages
        for number in range(9):
            self.damage(number)
            seen = len(self.daemon.log())
            try:
                self.daemon.start()
            except AssertionError:
                said = self.daemon.log()[seen:]
                self.assertEqual(self.daemon.process.returncode, 1, f"HEADWAY_SEED={SEED} {number}\n{said}")
                self.assertRegex(said, "is damaged: `headway doctor --repair`|doctor", f"HEADWAY_SEED={SEED} {number}")
                continue
            client = self.client(self.daemon)
            for session in self.sessions:
                for path in ("", "/events?limit=1000", "/progress"):
                    reply = client.get(f"/v1/sessions/{session}{path}")
                    self.served_or_damaged(reply, number)
                    if reply.status == 200 and "limit" in path:
                        events = reply.json()["events"]
                        self.assertEqual(events, self.before[session][:len(events)], f"HEADWAY_SEED={SEED} {number}")
                        whole += events == self.before[session]
                self.served_or_damaged(client.post(f"/v1/sessions/{session}/events", [{"type": "heartbeat"}]), number)
            if self.daemon.process.poll() is None:
                self.daemon.process.terminate()
            self.assertIn(self.daemon.process.wait(40), (0, 1), f"HEADWAY_SEED={SEED} {number}\n{self.daemon.log()[seen:]}")
            self.daemon.process.stdout.close()
        self.assertGreater(whole, 0, f"HEADWAY_SEED={SEED}")

    def test_a_daemon_that_runs_is_left_alone(self):
        self.daemon.start()
        done, said = self.repair()
        self.assertEqual(done.code, 1)
        self.assertIn("stop headway first", said["checks"][0]["detail"])


if __name__ == "__main__":
    unittest.main()
