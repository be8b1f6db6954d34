#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries of features that are off are not loaded, and one that is missing is named."""
import os
import tempfile
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import BINARY, Daemon
from support.tls import make_certificate

JUDGE = {"judge.endpoints.local.base_url": "http://127.0.0.1:1/v1", "judge.endpoints.local.model": "m"}
WEBHOOK = '[webhooks.endpoints.me]\nurl = "http://127.0.0.1:1/"\nformat = "ntfy"\ntopic = "t"\nallow_private_addresses = "on"\n'


def mapped(daemon: Daemon) -> set:
    """The shared libraries of the process, by name without version."""
    lines = Path(f"/proc/{daemon.process.pid}/maps").read_text().splitlines()
    return {os.path.basename(line.split()[-1]).split(".so")[0] for line in lines if ".so" in line}


def broken(name: str) -> str:
    """A folder for LD_LIBRARY_PATH with a library of that name that cannot be loaded."""
    folder = tempfile.mkdtemp(prefix="headway-libraries-")
    Path(folder, name).write_bytes(b"")
    return folder


@unittest.skipIf("asan" in str(BINARY) or "tsan" in str(BINARY), "sanitizers have libraries of their own")
class Loaded(OwnDaemonCase):
    def daemon(self, settings=None, config="") -> Daemon:
        daemon = Daemon(settings, config)
        self.addCleanup(lambda: daemon.running() and daemon.kill())
        return daemon

    def refused(self, name, settings=None, config="") -> str:
        daemon = self.daemon(settings, config)
        daemon.environment["LD_LIBRARY_PATH"] = broken(name)
        process = daemon.spawn()
        self.assertEqual(process.wait(60), 2)
        process.stdout.close()
        return daemon.log()

    def test_a_fresh_daemon_has_none_of_libcurl_and_openssl(self):
        loaded = mapped(self.daemon().start())
        self.assertEqual(loaded & {"libcurl", "libssl", "libcrypto", "libgnutls", "libkrb5", "libldap", "libpq"}, set())
        self.assertIn("libsqlite3", loaded)

    def test_a_fresh_daemon_takes_little_memory_of_its_own(self):
        status = Path(f"/proc/{self.daemon().start().process.pid}/status").read_text()
        taken = int(status.split("RssAnon:")[1].split()[0])
        self.assertLess(taken, 1600, "kB: 1332 were measured, and an update of the C library may add some")

    def test_a_judge_or_a_webhook_brings_libcurl_and_a_certificate_openssl(self):
        self.assertIn("libcurl", mapped(self.daemon(JUDGE).start()))
        self.assertIn("libcurl", mapped(self.daemon(config=WEBHOOK).start()))
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_certificate(Path(folder), "one")
            loaded = mapped(self.daemon({"server.tls_cert": str(certificate), "server.tls_key": str(key)}).start())
        self.assertIn("libssl", loaded)
        self.assertNotIn("libcurl", loaded)

    def test_a_program_as_webhook_needs_neither(self):
        config = '[webhooks.endpoints.me]\nformat = "command"\nargv = ["/bin/true"]\n'
        self.assertNotIn("libcurl", mapped(self.daemon(config=config).start()))

    def test_a_feature_without_its_library_stops_the_start_and_names_the_package(self):
        for setting, log in (("judge.endpoints", self.refused("libcurl.so.4", JUDGE)),
                             ("webhooks.endpoints", self.refused("libcurl.so.4", config=WEBHOOK))):
            self.assertIn(f"{setting} is configured, and libcurl.so.4 is needed for this: ", log)
            self.assertIn("install the package libcurl4", log)
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_certificate(Path(folder), "one")
            log = self.refused("libssl.so.3", {"server.tls_cert": str(certificate), "server.tls_key": str(key)})
        self.assertIn("TLS is configured, and libssl.so.3 is needed for this: ", log)
        self.assertIn("install the package libssl3", log)

    def test_a_verb_that_asks_the_daemon_names_it_and_others_run_without(self):
        daemon = self.daemon().start()
        cli = Cli(daemon)
        cli.environment["LD_LIBRARY_PATH"] = broken("libcurl.so.4")
        asked = cli.run("sessions")
        self.assertNotEqual(asked.code, 0)
        self.assertIn("libcurl.so.4 is needed for this: ", asked.err)
        self.assertIn("install the package libcurl4", asked.err)
        self.assertEqual(cli.run("version").code, 0)
        self.assertEqual(cli.run("config", "default").code, 0)


if __name__ == "__main__":
    unittest.main()
