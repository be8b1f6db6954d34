#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pipe in the place of a file holds nothing up: neither the daemon, at its start or a reload, nor a verb."""
import os
import signal
import subprocess
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import BINARY, Daemon
from support.limits import eventually, patient


class Pipes(OwnDaemonCase):
    def made(self, path: Path) -> Path:
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return path

    def test_a_start_says_which_file_is_none(self):
        for name in ("operator.token", "headway.db-wal", "headway.db"):
            daemon = self.start()
            daemon.stop()
            self.made(daemon.state_dir / name)
            process = daemon.spawn()
            self.assertNotEqual(process.wait(patient(20)), 0, name)
            process.stdout.close()
            self.assertIn(f"{name} is no file", daemon.log())

    def test_a_reload_whose_settings_are_a_pipe_is_refused_and_all_goes_on(self):
        daemon = self.start(config="[log]\nlevel = \"info\"\n")
        client = self.client(daemon)
        self.made(daemon.config_file)
        daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: "the configuration was not reloaded" in daemon.log(), 20, "the refusal")
        self.assertEqual(client.get("/readyz").status, 200)

    def test_secrets_that_are_pipes_are_unreadable(self):
        daemon = self.start()
        secret = self.made(daemon.root / "secret")
        daemon.stop()
        config = f'[webhooks.endpoints.ops]\nurl = "http://127.0.0.1:9"\nallow_private_addresses = "on"\nsecret_file = "{secret}"\n'
        other = Daemon(None, config)
        self.addCleanup(other.close)
        other.start()
        shown = self.client(other, token=other.operator_token()).get("/v1/webhooks").json()["webhooks"][0]
        self.assertIn("cannot be read", str(shown))

    def test_verbs_do_not_wait_for_a_writer(self):
        daemon = self.start()
        pipe = str(self.made(daemon.root / "pipe"))
        cli = Cli(daemon)
        for words in (["sessions", "--token-file", pipe], ["sessions", "--ca-file", pipe], ["config", "check", "--config", pipe],
                      ["approve", "a.a1", "--edit", pipe], ["report", "s", "heartbeat", "--data", "@" + pipe]):
            ran = cli.run(*words, seconds=20)
            self.assertNotEqual(ran.code, 0, words)
            self.assertIn("pipe", ran.err)

    def test_what_a_shell_opened_is_read(self):
        daemon = self.start({"access.mode": "token"})
        token = daemon.operator_token()
        cli = Cli(daemon)
        ran = subprocess.run(["bash", "-c", f'"{BINARY}" token list --token-file <(echo "$SECRET")'], env={**cli.environment, "SECRET": token},
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main()
