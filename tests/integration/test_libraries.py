#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resources of a fresh daemon."""
import os
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import BINARY, Daemon


@unittest.skipIf("asan" in str(BINARY) or "tsan" in str(BINARY), "sanitizers have libraries of their own")
class Fresh(OwnDaemonCase):
    def daemon(self) -> Daemon:
        daemon = Daemon()
        self.addCleanup(lambda: daemon.running() and daemon.kill())
        return daemon.start()

    def test_a_fresh_daemon_does_not_map_the_client_of_postgresql(self):
        lines = Path(f"/proc/{self.daemon().process.pid}/maps").read_text().splitlines()
        mapped = {os.path.basename(line.split()[-1]).split(".so")[0] for line in lines if ".so" in line}
        self.assertIn("libsqlite3", mapped)
        self.assertNotIn("libpq", mapped, "only the module of the package headway-postgres links it")

    def test_a_fresh_daemon_takes_little_memory_of_its_own(self):
        status = Path(f"/proc/{self.daemon().process.pid}/status").read_text()
        taken = int(status.split("RssAnon:")[1].split()[0])
        self.assertLess(taken, 3100, "kB: 2564 measured, most of it by libcurl and the thirty libraries that it brings")


if __name__ == "__main__":
    unittest.main()
