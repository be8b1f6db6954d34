#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three daemons over one PostgreSQL with a synchronous standby, under faults: nothing acknowledged is lost, and all clients see one
history.

HEADWAY_LONG=1: 300 agents, 200 faults, a daemon that hangs for a minute, and one whose clock is an hour ahead.
"""
import glob
import random
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import history as judge
from support.cli import Cli
from support.cluster import Cluster, installed
from support.crowd import Crowd
from support.limits import LONG, SEED, SLOW, eventually

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
HANGS = 60 if LONG else 6  # seconds that a daemon stands still
QUIET_MS = 1000


class Faults:
    """What happens to a cluster, one after the other. Each leaves it whole."""

    def __init__(self, cluster: Cluster, dice: random.Random):
        self.cluster, self.dice = cluster, dice
        self.done = []

    def happen(self, name: str):
        began = time.monotonic()
        for number, daemon in enumerate(self.cluster.daemons):
            if not daemon.running():
                raise AssertionError(f"daemon {number + 1} has ended by itself before a {name}:\n{daemon.log()[-3000:]}")
        getattr(self, name)()
        self.done.append(name)
        print(f"{len(self.done)}. {name}: {time.monotonic() - began:.1f} s", file=sys.stderr)

    def anyone(self) -> int:
        return self.dice.randrange(len(self.cluster.daemons))

    def kill(self):
        number = self.anyone()
        self.cluster.kill(number)
        time.sleep(self.dice.uniform(0, 0.5))
        self.cluster.start(number)

    def hang(self):
        with self.cluster.stopped(self.anyone()):
            time.sleep(HANGS)

    def hiccup(self):
        """Shorter than the database waits for a daemon in the middle of a turn."""
        with self.cluster.stopped(self.anyone()):
            time.sleep(self.dice.uniform(0.3, 1.5))

    def cut(self):
        for link in self.cluster.links:
            link.cut()
        time.sleep(self.dice.uniform(0, 1.5))
        for link in self.cluster.links:
            link.open()

    def silence(self):
        """Longer than the daemon waits for an answer, in the middle of whatever it does."""
        for link in self.cluster.links:
            link.silence()
        time.sleep(self.dice.uniform(1, 7))
        for link in self.cluster.links:
            link.open()

    def slow(self):
        for link in self.cluster.links:
            link.delay = 0.05
        time.sleep(1.5)
        for link in self.cluster.links:
            link.delay = 0

    def fail_over(self):
        self.cluster.pair.fail_over()
        time.sleep(self.dice.uniform(0, 1))
        self.cluster.pair.join()

    def lose_machine(self):
        """The primary's machine is gone: who connects to it gets no answer, and no refusal either."""
        gone = self.cluster.links[self.cluster.pair.servers.index(self.cluster.pair.primary)]
        gone.silence()
        self.cluster.pair.fail_over()
        self.ready(len(self.cluster.daemons) - 1)
        gone.open()
        self.cluster.pair.join()

    def ready(self, number: int):
        daemon = self.cluster.daemons[number]
        client = daemon.operator()
        try:
            eventually(lambda: client.get("/readyz").status == 200, 10, f"the readiness of daemon {number + 1}")
        finally:
            client.close()

    def fail_over_while_one_hangs(self):
        """It wakes up with a transaction at a server that is gone."""
        with self.cluster.stopped(self.anyone()):
            self.cluster.pair.fail_over()
            time.sleep(0.5)
        self.cluster.pair.join()

    def lose_standby(self):
        """Commits hang, without an answer in time."""
        self.cluster.pair.lose_standby()
        time.sleep(self.dice.uniform(0, 6))
        self.cluster.pair.go_alone()
        time.sleep(0.2)
        self.cluster.pair.join()

    def roll(self):
        self.cluster.roll()


SHORT = ("kill", "cut", "hiccup", "kill", "fail_over", "slow", "kill", "hang", "roll", "cut", "hiccup", "kill", "silence", "lose_machine",
         "fail_over_while_one_hangs")
OFTEN = ("kill",) * 5 + ("cut",) * 3 + ("hiccup",) * 4 + ("slow", "silence", "roll", "fail_over", "fail_over_while_one_hangs", "lose_machine",
                                                         "lose_standby")


def plan(dice: random.Random) -> tuple:
    if not LONG:
        return SHORT
    faults = [dice.choice(OFTEN) for _ in range(196)] + ["hang"] * 4
    dice.shuffle(faults)
    return tuple(faults)


@unittest.skipUnless(installed(), "skipped: no PostgreSQL here (packages postgresql-15, postgresql-client-15)")
class Torture(unittest.TestCase):
    def setUp(self):
        ahead = {}
        if LONG and LIBRARY and SLOW == 1:  # the clock of the second one
            ahead = {1: {"LD_PRELOAD": LIBRARY, "FAKETIME": "+1h", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}}
        self.cluster = Cluster(3, environment=ahead)
        self.addCleanup(self.cluster.close)

    def test_one_history_whatever_fails(self):
        dice = random.Random(SEED)
        begin = time.time()
        crowd = Crowd(self.cluster.daemons, 300 if LONG else 30, SEED, pause=0.6 if LONG else 0.1)
        quiet = [f"quiet-{number}" for number in range(20 if LONG else 5)]
        crowd.fall_silent(quiet, QUIET_MS)
        crowd.start()
        faults = Faults(self.cluster, dice)
        for name in plan(dice):
            faults.happen(name)
            time.sleep(dice.uniform(0.1, 0.8))
        self.clients = [self.client(number) for number in range(3)]
        eventually(self.all_ready, 20, "the readiness of all daemons")
        time.sleep(1)
        copies = crowd.end()
        journals = copies["daemon 1"]
        found = [*judge.same_everywhere(copies), *judge.judge(crowd.history, journals),
                 *judge.stamps_in_order(journals, begin, time.time()),
                 *judge.silence_noticed(journals, dict.fromkeys(quiet, 2 * QUIET_MS / 1000 + 15 * SLOW)),
                 *self.replayed(journals)]
        print(f"seed {SEED}, {len(faults.done)} faults in {time.time() - begin:.0f} s, {crowd.figures(copies)}, {len(found)} findings",
              file=sys.stderr)
        if found:
            print(*self.logs(), *found[:100], sep="\n", file=sys.stderr)
        self.assertEqual(len(found), 0, f"seed {SEED}")

    def logs(self) -> list:
        """Without what they say about sessions."""
        return [f"daemon {number + 1}: {line}" for number, daemon in enumerate(self.cluster.daemons)
                for line in daemon.log().splitlines() if '"message":"session ' not in line][-150:]

    def client(self, number: int):
        client = self.cluster.daemons[number].operator()
        self.addCleanup(client.close)
        return client

    def all_ready(self) -> bool:
        return all(client.get("/readyz").status == 200 for client in self.clients)

    def replayed(self, journals: dict) -> list:
        cli = Cli(self.cluster.daemons[0])
        found = []
        with tempfile.TemporaryDirectory() as folder:
            client = self.clients[0]
            files = {}
            for session in journals:
                lines = []
                while True:
                    page = client.get(f"/v1/sessions/{session}/events?after={len(lines)}&limit=1000&prints=true",
                                      Accept="application/x-ndjson")
                    lines += page.body.decode().splitlines()
                    if page.headers["x-more"] != "true":
                        break
                path = Path(folder) / f"{session}.jsonl"
                path.write_text("".join(line + "\n" for line in lines))
                files[str(path)] = session
            for some in batches(list(files), 200):
                output = cli.run("replay", "--json", *some)
                self.assertEqual(output.code, 0, output)
                for line in output.lines():
                    session = files[line["file"]]
                    found += judge.verdicts_replayed(session, journals[session], line["timeline"], line["directives"])
        return found


def batches(whole: list, size: int):
    return (whole[at:at + size] for at in range(0, len(whole), size))


if __name__ == "__main__":
    unittest.main()
