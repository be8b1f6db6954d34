#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Failed authentications: an address with too many is rate-limited, and other clients do not notice."""
import unittest

from support.case import OwnDaemonCase, unique
from support.http import RawConnection
from support.limits import SLOW, eventually

FREE = 20  # failures in a row before an address is rate-limited
WRONG = "hw_0123456789abcdef_" + "0" * 49


class BackoffCase(OwnDaemonCase):
    def show(self, daemon, token: str, source: str = "127.0.0.1", path: str = "/v1/version"):
        with RawConnection(daemon.port, source=source) as connection:
            return connection.request("GET", path, headers=f"Authorization: Bearer {token}\r\n")

    def use_up(self, daemon, source: str = "127.0.0.1"):
        """Every free failure, and the one that begins the first pause."""
        for _ in range(FREE + 1):
            self.assertEqual(self.show(daemon, WRONG, source).status, 401)

    def metric(self, daemon, name: str) -> int:
        text = self.client(daemon).get("/metrics").body.decode()
        return int(float(next(line for line in text.splitlines() if line.startswith(name + " ")).split()[-1]))


class Backoff(BackoffCase):
    def test_repeated_failures_get_429_with_retry_after(self):
        daemon = self.start(test_clock=True)
        self.use_up(daemon)
        reply = self.show(daemon, WRONG)
        self.assertEqual((reply.status, reply.json()["code"], reply.json()["retryable"]), (429, "too_many_failures", False))
        self.assertEqual(reply.headers["retry-after"], "1")
        self.assertIn("Retry-After", reply.json()["detail"])
        self.assertTrue(reply.keeps_open)
        self.assertNotIn(WRONG[10:40], reply.body.decode())
        # After the pause the error has the reason again, and the next pause is twice as long.
        daemon.clock.advance(1.1)
        eventually(lambda: self.show(daemon, WRONG).status == 401, what="the end of the pause")
        self.assertEqual(self.show(daemon, WRONG).headers["retry-after"], "2")

    def test_a_valid_token_from_the_same_address_is_accepted_at_once(self):
        daemon = self.start({"access.mode": "token"})
        self.use_up(daemon)
        operator = self.client(daemon, token=daemon.operator_token())
        agent = operator.post("/v1/tokens", {"name": "agent", "scopes": ["report:"]}).json()["token"]
        told = []
        for _ in range(50):
            told.append(self.show(daemon, WRONG).status)
            self.assertEqual(operator.get("/v1/tokens").status, 200)
            self.assertEqual(self.client(daemon, token=agent).beat(unique())["accepted"], 1)
        self.assertEqual(told[0], 429)
        self.assertLessEqual(set(told), {429, 401}, "each pause ends")
        self.assertEqual(self.client(daemon).get("/livez").status, 200)
        self.assertEqual(self.client(daemon).get("/v1/version").status, 401, "a missing token is not a failure")

    def test_other_addresses_are_not_concerned(self):
        daemon = self.start()
        self.use_up(daemon, "127.0.0.2")
        self.assertEqual(self.show(daemon, WRONG, "127.0.0.2").status, 429)
        self.assertEqual(self.show(daemon, WRONG, "127.0.0.3").status, 401)

    def test_a_pause_reveals_nothing_about_the_token(self):
        """Unknown, revoked, cut, and no token at all: the same answer, which reveals nothing."""
        daemon = self.start(test_clock=True)
        operator = self.client(daemon, token=daemon.operator_token())
        revoked = operator.post("/v1/tokens", {"name": "x", "scopes": ["read"]}).json()
        operator.delete(f"/v1/tokens/{revoked['id']}")
        self.use_up(daemon)
        replies = [self.show(daemon, t) for t in (WRONG, revoked["token"], revoked["token"][:-3], "x", daemon.operator_token()[:-1] + "!")]
        self.assertEqual({(r.status, r.json()["detail"]) for r in replies}, {(429, replies[0].json()["detail"])})
        daemon.clock.advance(1.1)
        eventually(lambda: self.show(daemon, revoked["token"]).status == 401, what="the end of the pause")

    def test_it_is_counted_and_logged_once(self):
        daemon = self.start()
        self.use_up(daemon)
        for _ in range(30):
            self.show(daemon, WRONG)
        self.assertEqual(self.metric(daemon, "headway_access_failures_total"), FREE + 1 + 30)
        self.assertGreaterEqual(self.metric(daemon, "headway_access_paused_total"), 1)
        self.assertEqual(self.metric(daemon, "headway_access_failing_addresses"), 1)
        self.assertEqual(daemon.log().count("failed authentications in a row"), 1)
        self.assertIn(f"127.0.0.1: {FREE + 1} failed authentications", daemon.log())
        self.assertNotIn(WRONG, daemon.log())

    def test_thousands_of_addresses_are_remembered_within_bounds(self):
        daemon = self.start()
        before = daemon.resident_bytes()
        for number in range(5_000):
            self.assertEqual(self.show(daemon, WRONG, f"127.1.{number // 250}.{number % 250 + 1}").status, 401)
        self.assertEqual(self.metric(daemon, "headway_access_failing_addresses"), 4096)
        if SLOW == 1:  # a sanitizer gives nothing back
            self.assertLess(daemon.resident_bytes() - before, 10 << 20)


if __name__ == "__main__":
    unittest.main()
