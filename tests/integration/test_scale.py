#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three daemons over one PostgreSQL with a synchronous standby, under faults: nothing acknowledged is lost, and all clients see one
history.

HEADWAY_LONG=1: 300 agents, 200 faults, a daemon that hangs for a minute, and one whose clock is an hour ahead.
"""
import glob
import random
import re
import sys
import tempfile
import threading
import time
import unittest
from collections import Counter
from pathlib import Path

from support import history as judge
from support.cli import Cli
from support.cluster import Cluster, installed
from support.crowd import Crowd
from support.faults import Faults, plan
from support.limits import LONG, SEED, SLOW, Deadline, eventually

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
QUIET_MS = 1000


@unittest.skipUnless(installed(), "skipped: no PostgreSQL here (packages postgresql-15, postgresql-client-15)")
class Torture(unittest.TestCase):
    def setUp(self):
        ahead = {}
        if LONG and LIBRARY and SLOW == 1:  # the clock of the second one
            ahead = {1: {"LD_PRELOAD": LIBRARY, "FAKETIME": "+1h", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}}
        # Few sessions in memory, so that they come and go there, and their event ids with them.
        self.cluster = Cluster(3, {"storage.sessions_resident_max": 8}, ahead)
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
        unready = self.never_ready(Deadline(20))
        time.sleep(1)
        copies = crowd.end()
        journals = copies["daemon 1"]
        found = [*unready, *judge.same_everywhere(copies), *judge.judge(crowd.history, journals),
                 *judge.stamps_in_order(journals, begin, time.time()),
                 *judge.silence_noticed(journals, dict.fromkeys(quiet, 2 * QUIET_MS / 1000 + 15 * SLOW)),
                 *judge.children_told(journals), *self.replayed(journals)]
        print(f"seed {SEED}, {len(faults.done)} faults in {time.time() - begin:.0f} s, {crowd.figures(copies)}, {len(found)} findings",
              file=sys.stderr)
        if found:
            # Some of each kind: clients that gave up would hide what is wrong with the journals.
            kinds = Counter(re.sub(r"[^ ]*[0-9][^ ]*", "N", line)[:60] for line in found)
            print(*self.logs(), *found[:50], *found[50::len(found) // 100 + 1], *kinds.most_common(40), sep="\n", file=sys.stderr)
        self.assertEqual(len(found), 0, f"seed {SEED}")

    def logs(self) -> list:
        """Without what they say about sessions."""
        return [f"daemon {number + 1}: {line}" for number, daemon in enumerate(self.cluster.daemons)
                for line in daemon.log().splitlines() if '"message":"session ' not in line][-150:]

    def client(self, number: int):
        client = self.cluster.daemons[number].operator()
        self.addCleanup(client.close)
        return client

    def never_ready(self, deadline: Deadline) -> list:
        """Readiness of the daemons that are not ready in time, when nothing happens to them any more."""
        while True:
            replies = [client.get("/readyz") for client in self.clients]
            unready = [f"daemon {number} is not ready: {reply.body.decode()}" for number, reply in enumerate(replies, 1)
                       if reply.status != 200]
            if not unready or deadline.passed():
                return unready
            time.sleep(0.1)

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


@unittest.skipUnless(installed(), "skipped: no PostgreSQL here (packages postgresql-15, postgresql-client-15)")
class Standby(unittest.TestCase):
    """One daemon, and a standby that is missing."""

    def setUp(self):
        self.cluster = Cluster(1)
        self.addCleanup(self.cluster.close)
        self.client = self.cluster.daemons[0].operator()
        self.addCleanup(self.client.close)
        self.replies = []

    def report(self, event_id: str):
        client = self.cluster.daemons[0].operator()
        self.replies.append(client.post("/v1/sessions/s/events", {"type": "heartbeat", "event_id": event_id}))
        client.close()

    def test_a_commit_that_only_one_server_has_is_not_acknowledged(self):
        """An administrator ends the wait for the standby: the commit is done, and would be lost with this server."""
        self.report("before")
        self.assertEqual(self.replies[0].status, 200)
        primary = self.cluster.pair.primary
        self.cluster.pair.lose_standby()
        reporter = threading.Thread(target=self.report, args=("alone",))
        reporter.start()
        cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event='SyncRep'"
        while reporter.is_alive():
            primary.ask(cancel)
            time.sleep(0.05)
        reply = self.replies[1]
        self.assertEqual((reply.status, reply.json()["code"]), (503, "storage_unavailable"))
        self.assertIn("not known whether this was stored", reply.json()["detail"])
        # With a standby again, the same report is acknowledged, counted once.
        self.cluster.pair.go_alone()
        self.cluster.pair.join()
        eventually(lambda: self.client.get("/readyz").status == 200, 20, "readiness")
        self.report("alone")
        self.assertEqual(self.replies[2].status, 200)
        self.assertEqual([e.get("event_id") for e in self.client.journal("s")].count("alone"), 1)


def batches(whole: list, size: int):
    return (whole[at:at + size] for at in range(0, len(whole), size))


if __name__ == "__main__":
    unittest.main()
