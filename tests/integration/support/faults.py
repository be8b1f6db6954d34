# SPDX-License-Identifier: Apache-2.0
"""Faults of several daemons and their database in the tests of scale, one after the other."""
import random
import sys
import time

from .cluster import Cluster
from .limits import LONG, eventually

HANGS = 60 if LONG else 6  # seconds that a daemon stands still


class Faults:
    """Faults of a cluster, one after the other. Each leaves it whole."""

    def __init__(self, cluster: Cluster, dice: random.Random):
        self.cluster, self.dice = cluster, dice
        self.done = []
        self.hung = []  # (daemon, begin, end) by the steady clock, of those that stood still

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
        self.stand_still(HANGS)

    def stand_still(self, seconds: float):
        number, began = self.anyone(), time.monotonic()
        with self.cluster.stopped(number):
            time.sleep(seconds)
        self.hung.append((number, began, time.monotonic()))

    def hiccup(self):
        """Shorter than the database waits for a daemon in the middle of a turn."""
        self.stand_still(self.dice.uniform(0.3, 1.5))

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
