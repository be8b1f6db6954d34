#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two daemons over one PostgreSQL that have one secret: one operator's token, one login."""
import os
import tempfile
import unittest
from pathlib import Path

from support.daemon import Daemon
from support.http import Client

URL = os.environ.get("HEADWAY_TEST_POSTGRES", "")
SECRET = "0123456789abcdef" * 4


@unittest.skipUnless(URL, "skipped: no PostgreSQL (HEADWAY_TEST_POSTGRES)")
class SharedSecret(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.secret = Path(folder.name) / "cluster.secret"
        self.secret.write_text(SECRET + "\n", encoding="utf-8")
        self.secret.chmod(0o600)

    def start(self, schema="", **settings) -> Daemon:
        daemon = Daemon({"access.mode": "token", "access.secret_file": str(self.secret), **settings}, schema=schema)
        self.addCleanup(daemon.close)
        return daemon

    def client(self, daemon: Daemon, **more) -> Client:
        client = Client(daemon.port, **more)
        self.addCleanup(client.close)
        return client

    def get(self, daemon: Daemon, path: str, **headers):
        return self.client(daemon).get(path, **headers)

    def test_one_token_and_one_login_are_good_at_all(self):
        one = self.start().start()
        two = self.start(schema=one.schema).start()
        token = (one.state_dir / "operator.token").read_text().strip()
        self.assertTrue(token.startswith("hw_operator_"))
        self.assertEqual(token, (two.state_dir / "operator.token").read_text().strip())
        self.assertEqual(0o600, (two.state_dir / "operator.token").stat().st_mode & 0o777)
        bearer = {"Authorization": f"Bearer {token}"}
        for daemon in (one, two):
            self.assertEqual(200, self.get(daemon, "/v1/tokens", **bearer).status)

        link = self.client(one, token=token).post("/v1/login-codes", {}).json()["url"]
        code = link.partition("code=")[2]
        browser = self.client(two)
        made = browser.post("/v1/login", {"code": code})
        self.assertEqual(200, made.status, made.body)
        self.assertEqual(403, browser.post("/v1/login", {"code": code}).status)  # once
        login = {"Headway-Login": made.json()["secret"]}
        for daemon in (one, two):
            self.assertTrue(self.get(daemon, "/v1/me", **login).json()["logged_in"])
        refused = self.client(one, token=token).post("/v1/tokens/operator/rotate", {})
        self.assertEqual(403, refused.status)
        self.assertIn("secret_file", refused.json()["detail"])
        # A new process knows the login, too; one with another secret does not.
        one.stop()
        one.start()
        self.assertTrue(self.get(one, "/v1/me", **login).json()["logged_in"])
        one.stop()
        self.secret.write_text(SECRET[::-1], encoding="utf-8")
        one.start()
        self.assertFalse(self.get(one, "/v1/me", **login).json()["logged_in"])
        self.assertEqual(401, self.get(one, "/v1/tokens", **bearer).status)
        self.assertEqual(204, self.client(two).post("/v1/logout", {}, login).status)
        self.assertFalse(self.get(two, "/v1/me", **login).json()["logged_in"])

    def test_a_file_that_is_no_secret_is_refused(self):
        daemon = self.start()
        for text, mode, why in ((SECRET, 0o644, "others"), ("short", 0o600, "32"), (None, 0, "No such file")):
            self.secret.unlink()
            if text is not None:
                self.secret.write_text(text, encoding="utf-8")
                self.secret.chmod(mode)
            else:
                self.secret = self.secret.with_name("none")
            process = daemon.spawn()
            if text is None:
                self.secret.touch()
            self.assertNotEqual(0, process.wait(30))
            process.stdout.close()
            self.assertIn("access.secret_file", daemon.log())
            self.assertIn(why, daemon.log())


if __name__ == "__main__":
    unittest.main()
