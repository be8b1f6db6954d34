#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two daemons over one PostgreSQL, one of them older than a row that it meets: the balancer leaves it out, and streams go on elsewhere."""
import os
import signal
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.limits import eventually
from support.sse import EventStream

URL = os.environ.get("HEADWAY_TEST_POSTGRES", "")
NEWER = 0x7F  # the version that a row begins with


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@unittest.skipUnless(URL, "skipped: no PostgreSQL (HEADWAY_TEST_POSTGRES)")
class Versions(OwnDaemonCase):
    def setUp(self):
        self.one = self.start()
        self.two = self.start(schema=self.one.schema)
        self.clients = [self.client(daemon) for daemon in (self.one, self.two)]

    def ask(self, sql: str) -> str:
        done = subprocess.run(["psql", URL, "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PGOPTIONS": f"-csearch_path={self.one.schema}"})
        return done.stdout.strip()

    def age(self, session: str):
        """The newest row of the session is one that a newer release has written."""
        key, n, events = self.ask("SELECT j.session,j.n,encode(j.events,'hex') FROM journal j JOIN session s ON s.key=j.session WHERE "
                                  f"s.name='{session}' ORDER BY j.n DESC LIMIT 1").split("|")
        events = bytes([NEWER]) + bytes.fromhex(events)[1:]
        place = b"".join(number.to_bytes(8, "little") for number in (0, int(key), int(n), 0))
        self.ask(f"UPDATE journal SET events='\\x{events.hex()}',crc={crc32c(place + events)} WHERE session={key} AND n={n}")

    def test_readiness_says_version_and_streams_end_where_a_newer_row_follows(self):
        one, two = self.clients
        one.beat("s")
        one.beat("t")
        with EventStream(self.two.port, "/v1/stream", 0) as stream:
            stream.until(lambda event: event.id == 4)
            self.assertEqual(two.get("/readyz").status, 200)
            # The other one writes the row, and it is changed before this one has looked.
            self.two.process.send_signal(signal.SIGSTOP)
            try:
                one.beat("s")
                self.age("s")
            finally:
                self.two.process.send_signal(signal.SIGCONT)
            goodbye = stream.next(10)
            self.assertEqual(goodbye.name, "goodbye")
            self.assertIn("newer", str(goodbye.data))
        ready = eventually(lambda: (reply := two.get("/readyz?verbose")).status == 503 and reply, 10, "that it says it is outdated")
        self.assertEqual(ready.json()["checks"]["version"], "failed")
        self.assertEqual(sum("newer Headway" in line for line in self.two.log().splitlines()), 1)
        # Only the damaged session is refused, with the reason; others are served.
        refused = two.post("/v1/sessions/s/events", {"type": "heartbeat"})
        self.assertEqual((refused.status, refused.headers["retry-after"]), (503, "1"))
        self.assertIn("newer", refused.json()["detail"])
        self.assertEqual(two.get("/progress/s").status, 503)
        self.assertEqual(two.post("/v1/sessions/t/events", {"type": "heartbeat"}).status, 200)
        # A stream that begins behind the row goes on here, too.
        head = int(self.ask("SELECT pos FROM feed"))
        with EventStream(self.two.port, "/v1/stream", head) as stream:
            one.beat("t")
            event = stream.next(10)
            while not event.is_journal:
                event = stream.next(10)
            self.assertEqual((event.id, event.data["session"]), (head + 1, "t"))


if __name__ == "__main__":
    unittest.main()
