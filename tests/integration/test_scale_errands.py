#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three daemons over one PostgreSQL, under faults: what they do once for all of them (webhooks, the judge, tokens, retention) is done,
and not twice at the same time.

HEADWAY_LONG=1: 80 faults, and daemons that hang for a minute.
"""
import random
import sys
import time
import unittest

from support.cluster import Cluster, installed
from support.errands import Addressee, Errands
from support.faults import OFTEN, Faults
from support.limits import LONG, SEED, eventually
from support.llm import LlmServer
from support.webhook_receiver import SECRET

RETENTION = 15 if LONG else 5
SHORT = ("kill", "cut", "hiccup", "fail_over", "kill", "hang", "roll", "silence", "kill")
# Rows of a session that is not there.
LEFT_OVER = " UNION ALL ".join(f"SELECT '{table}',count(*) FROM {table} t WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.key=t.session)"
                               for table in ("journal", "stream", "event_id", "snapshot", "approval", "inbox", "judge_check",
                                             "estimate", "session_index"))


def plan(dice: random.Random) -> tuple:
    if not LONG:
        return SHORT
    faults = [dice.choice(OFTEN) for _ in range(77)] + ["hang"] * 3
    dice.shuffle(faults)
    return tuple(faults)


@unittest.skipUnless(installed(), "skipped: no PostgreSQL here (packages postgresql-15, postgresql-client-15)")
class OnceForAll(unittest.TestCase):
    def setUp(self):
        self.llm = LlmServer()
        self.addCleanup(self.llm.stop)
        self.addressee = Addressee(f"{SEED}/receiver")
        self.addCleanup(self.addressee.close)
        judge = f'[judge.endpoints.local]\nbase_url = "{self.llm.url}"\nmodel = "ok"\n'
        self.cluster = Cluster(3, {"storage.retention": f"{RETENTION}s"}, dict.fromkeys(range(3), {"HOOK_SECRET": SECRET}),
                               [judge + self.addressee.config(number) for number in range(3)])
        self.addCleanup(self.cluster.close)

    def test_what_is_done_once_for_all_is_done_whatever_fails(self):
        dice, began = random.Random(SEED), time.time()
        errands = Errands(self.cluster.daemons, self.addressee, SEED, RETENTION, 3 if LONG else 1)
        errands.start()
        time.sleep(1)
        faults = Faults(self.cluster, dice)
        for name in plan(dice):
            faults.happen(name)
            time.sleep(dice.uniform(0.1, 0.8))
        errands.end(faults.hung)
        found = errands.findings + self.left_over()
        print(f"seed {SEED}, {len(faults.done)} faults in {time.time() - began:.0f} s, {errands.figures()}, {len(found)} findings",
              file=sys.stderr)
        print(*found[:100], sep="\n", file=sys.stderr)
        self.assertEqual(len(found), 0, f"seed {SEED}")
        self.assertGreater(min(len(errands.ended), errands.checks, len(errands.revoked), errands.deleted), 0)

    def left_over(self) -> list:
        primary = self.cluster.pair.primary
        eventually(lambda: primary.ask("SELECT count(*) FROM session WHERE name IS NULL") == "0", 60, "the end of what is half deleted")
        return [f"retention: rows without a session: {line}" for line in primary.ask(LEFT_OVER).splitlines() if not line.endswith("|0")]


if __name__ == "__main__":
    unittest.main()
