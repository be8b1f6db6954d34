#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The largest body of each route, in each way to make it dear, from eight connections at once: others hardly notice."""
import gzip
import json
import subprocess
import threading
import time
import unittest

from support.case import OwnDaemonCase
from support.daemon import BINARY
from support.http import RawConnection
from support.limits import SLOW
from support.witness import Witness

AT_ONCE = 64 * 1024
CONNECTIONS = 8
TIMES = 5
# Seconds: what a busy machine alone may add.
FLOOR = 0.15
VALUES = {"{approval}": "s.a1", "{agent}": "generic", "{ping}": "s/log", "{id}": "s"}


def bodies(most: int) -> dict:
    """Content-Encoding and bytes by kind."""
    deep = b'{"a":' + b"[" * 60 + b"1" + b"]" * 60 + b',"b":"'
    return {"blanks": ("", b" " * most),
            "packed blanks": ("gzip", gzip.compress(b" " * most)),
            "packed JSON": ("gzip", gzip.compress(b'[' + b'{"a":1},' * ((most - 100) // 8) + b'{}]', 6)),
            "deep JSON": ("", deep + b"x" * (most - len(deep) - 2) + b'"}')}


class LongBodies(OwnDaemonCase):
    maxDiff = None

    def answer_of(self, daemon, path: str, coding: str, body: bytes) -> int:
        headers = "Content-Type: application/json\r\n" + (f"Content-Encoding: {coding}\r\n" if coding else "")
        with RawConnection(daemon.port) as connection:
            return connection.request("POST", path, body, headers).status

    def at_once(self, daemon, path: str, coding: str, body: bytes) -> list:
        answers = []
        senders = [threading.Thread(target=lambda: answers.append(self.answer_of(daemon, path, coding, body)))
                   for _ in range(CONNECTIONS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        return answers

    def quiet(self, daemon) -> float:
        with Witness(daemon) as witness:
            time.sleep(1)
        return witness.percentile(99)

    def test_others_are_served_beside_the_longest_bodies_of_each_route(self):
        daemon = self.start()
        self.client(daemon).open("s")
        quiet = self.quiet(daemon)
        idle = self.start()  # on the same busy machine at the same time
        seen, beside = {}, []
        routes = json.loads(subprocess.run([str(BINARY), "routes", "--json"], capture_output=True, check=True).stdout)
        for route in routes:
            # Requests that need a token come from no agent.
            if route["body_bytes_max"] <= AT_ONCE or route["guard"] == "approve":
                continue
            path = route["path"]
            for name, value in VALUES.items():
                path = path.replace(name, value)
            for kind, (coding, body) in bodies(route["body_bytes_max"]).items():
                with Witness(idle) as other, Witness(daemon) as witness:
                    answers = self.at_once(daemon, path, coding, body)
                self.assertLessEqual(set(answers), {200, 202, 400, 404, 409, 413, 422, 503}, (path, kind))
                self.assertEqual(len(answers), CONNECTIONS)
                beside += other.seconds
                if witness.seconds:
                    seen[path, kind] = witness
        self.assertGreater(len(seen), 20)
        busy = sorted(beside)[len(beside) * 99 // 100]
        bound = max(TIMES * max(quiet, busy), FLOOR * SLOW)
        figures = "\n".join(f"{path} {kind}: {witness.figures()}" for (path, kind), witness in seen.items())
        everything = sorted(seconds for witness in seen.values() for seconds in witness.seconds)
        p99 = everything[len(everything) * 99 // 100]
        self.assertLess(p99, bound, f"quiet {quiet * 1e3:.1f} ms, idle {busy * 1e3:.1f} ms\n{figures}")
        # One kind alone has few requests.
        slow = [key for key, witness in seen.items() if witness.percentile(50) > bound]
        self.assertEqual(slow, [], f"quiet {quiet * 1e3:.1f} ms, idle {busy * 1e3:.1f} ms\n{figures}")


if __name__ == "__main__":
    unittest.main()
