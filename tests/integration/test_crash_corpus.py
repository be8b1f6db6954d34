#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded sessions through HTTP while the daemon is killed -9 again and again: nothing acknowledged is ever lost.

A short cut of it by default; HEADWAY_LONG=1 plays the whole corpus, 64 at a time with 500 kills. HEADWAY_SEED repeats a run.
"""
import os
import random
import shutil
import sqlite3
import tempfile
import unittest

from support.case import OwnDaemonCase
from support.corpus import corpus_folder, recordings
from support.fleet import Fleet
from support.limits import LONG, SEED

SESSIONS = None if LONG else 300
KILLS = 500 if LONG else 8
AGENTS = 64


def integrity(daemon) -> list:
    """PRAGMA integrity_check of a copy, so that looking changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        for file in (f for f in daemon.state_dir.iterdir() if f.is_file()):
            shutil.copy(file, folder)
        database = sqlite3.connect(os.path.join(folder, "headway.db"))
        try:
            return [row[0] for row in database.execute("PRAGMA integrity_check")]
        finally:
            database.close()


class CrashCorpus(OwnDaemonCase):
    def test_what_was_acknowledged_survives_every_kill(self):
        print(f"seed {SEED}, {'corpus' if corpus_folder() else 'synthetic sessions, there is no corpus here'}")
        played = recordings(SESSIONS, SEED)
        daemon = self.start()
        fleet = self.play(daemon, played)
        client = self.client(daemon)
        self.check_journals(client, fleet.oracle, played)
        served = {r.name: client.session(r.name) for r in played}
        self.check_outcomes(served, fleet, played)

        daemon.kill()
        self.assertEqual(integrity(daemon), ["ok"])
        self.assert_serves(daemon, served, "after a kill")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(integrity(daemon), ["ok"])
        daemon.forget_snapshots()
        self.assert_serves(daemon, served, "replayed from the journal alone")

    def play(self, daemon, played) -> Fleet:
        total = sum(len(r.events) for r in played)
        moments = sorted(random.Random(SEED).sample(range(1, max(2 * KILLS, total * 9 // 10)), KILLS))
        fleet = Fleet(daemon, played, AGENTS, SEED)
        fleet.start()
        kills = sum(fleet.kill_at(moment) for moment in moments)
        fleet.join(1800 if LONG else 120)
        self.assertEqual(sorted(set(fleet.errors))[:3], [])
        self.assertEqual(fleet.oracle.contradictions, [], "an event was answered with two numbers")
        self.assertEqual(kills, KILLS)
        self.assertEqual(fleet.oracle.count, total)
        print(f"{len(played)} sessions, {total} events, {kills} kills, {fleet.retries} requests sent again")
        return fleet

    def check_journals(self, client, oracle, played):
        for recording in played:
            journal = client.journal(recording.name)
            self.assertEqual([e["n"] for e in journal], list(range(1, len(journal) + 1)), recording.name)
            stored = [(e["event_id"], e["n"]) for e in journal if "event_id" in e]
            self.assertEqual(len(stored), len(dict(stored)), f"{recording.name}: an event is stored twice")
            self.assertEqual(dict(stored), oracle.acknowledged[recording.name], recording.name)
            types = [e["type"] for e in journal if "event_id" in e]
            self.assertEqual(types, [e["type"] for e in recording.events], recording.name)
            self.assertEqual([e["type"] for e in journal].count("session.started"), 1)
            self.assertLessEqual([e["type"] for e in journal].count("session.ended"), 1)

    def check_outcomes(self, served, fleet, played):
        for recording in played:
            outcome = None if recording.name in fleet.open_sessions else recording.outcome
            self.assertEqual(served[recording.name]["outcome"], outcome)
            calls = sum(e["type"] == "tool.finished" for e in recording.events)
            self.assertEqual(served[recording.name]["tools"]["calls"], calls)

    def assert_serves(self, daemon, served, when):
        daemon.start()
        client = self.client(daemon)
        for name, document in served.items():
            self.assertEqual(client.session(name), document, when)


if __name__ == "__main__":
    unittest.main()
