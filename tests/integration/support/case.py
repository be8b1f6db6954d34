# SPDX-License-Identifier: Apache-2.0
"""The common base of the tests: a daemon for the class, or one per test."""
import itertools
import unittest

from .daemon import Daemon

_numbers = itertools.count(1)


def unique(prefix: str = "s") -> str:
    """A session id that no other test of this process uses."""
    return f"{prefix}-{next(_numbers)}"


class SharedDaemonCase(unittest.TestCase):
    """Tests that only need a daemon, and use sessions of their own."""
    settings: dict = {}
    test_clock = False
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(cls.settings, test_clock=cls.test_clock)
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        # Clean exits, where the sanitizers look for leaks, are part of every test.
        if cls.daemon.running():
            assert cls.daemon.stop() == 0, cls.daemon.log()

    @property
    def clock(self):
        return self.daemon.clock

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)


class OwnDaemonCase(unittest.TestCase):
    """Tests that stop, kill or configure their daemon."""
    maxDiff = None

    def start(self, settings: dict | None = None, config: str = "", **options) -> Daemon:
        daemon = Daemon(settings, config, **options)
        self.addCleanup(daemon.close)
        return daemon.start()

    def client(self, daemon: Daemon, **options):
        client = daemon.client(**options)
        self.addCleanup(client.close)
        return client
