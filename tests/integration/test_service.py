#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State as a service manager sees it (sd_notify), and the unit that it is given."""
import re
import shutil
import signal
import socket
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.daemon import PROJECT, Daemon
from support.examples import SECRET_FILE
from support.limits import SLOW, eventually, patient
from support.sse import EventStream

UNIT = PROJECT / "deploy" / "headway.service"
EXPOSURE_MAX = 1.5


class Manager:
    """The socket that a service manager listens on."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(patient(10))

    def message(self) -> dict:
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())

    def until(self, name: str) -> dict:
        while True:
            message = self.message()
            if name in message:
                return message

    def silent_for(self, seconds: float) -> bool:
        """Once what was sent before has been read."""
        self.socket.settimeout(0)
        try:
            while True:
                self.socket.recv(4096)
        except BlockingIOError:
            self.socket.settimeout(seconds)
        try:
            self.socket.recv(4096)
            return False
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(patient(10))


class Notify(OwnDaemonCase):
    def begin(self, **environment) -> Daemon:
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.manager = Manager(self.daemon.root / "notify")
        self.addCleanup(self.manager.socket.close)
        self.daemon.environment = {"NOTIFY_SOCKET": self.manager.path, **environment}
        return self.daemon.start()

    def test_it_says_when_it_listens_reloads_and_stops(self):
        daemon = self.begin()
        self.assertEqual(self.manager.message(), {"READY": "1", "STATUS": daemon.url})
        daemon.process.send_signal(signal.SIGHUP)
        self.assertIn("MONOTONIC_USEC", self.manager.until("RELOADING"))
        self.manager.until("READY")
        daemon.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.manager.until("STOPPING")["STOPPING"], "1")
        self.assertEqual(daemon.wait_for_exit(), 0)

    def test_the_watchdog_is_fed_while_the_journal_can_be_committed_also_when_nothing_happens(self):
        self.begin(WATCHDOG_USEC="400000")
        for _ in range(5):
            self.assertEqual(self.manager.until("WATCHDOG")["WATCHDOG"], "1")

    def test_a_daemon_that_stands_still_feeds_no_watchdog(self):
        daemon = self.begin(WATCHDOG_USEC="400000")
        self.manager.until("WATCHDOG")
        daemon.process.send_signal(signal.SIGSTOP)
        self.assertTrue(self.manager.silent_for(1))
        daemon.process.send_signal(signal.SIGCONT)
        self.manager.until("WATCHDOG")

    def test_a_watchdog_of_another_process_is_not_fed(self):
        self.begin(WATCHDOG_USEC="200000", WATCHDOG_PID="1")
        self.manager.until("READY")
        self.assertTrue(self.manager.silent_for(0.6))


class Unit(unittest.TestCase):
    def test_the_unit_leaves_the_daemon_little_to_do_harm_with(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)], capture_output=True,
                              text=True, timeout=patient(60))
        line = next(line for line in said.stdout.splitlines() if "Overall exposure level" in line)
        self.assertLessEqual(float(line.split(":")[1].split()[0]), EXPOSURE_MAX, line)

    def test_the_unit_is_read_without_a_warning(self):
        """Debian 12 ignores what it does not know, and the service silently goes without it."""
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", str(UNIT)], capture_output=True, text=True,
                              timeout=patient(60))
        found = [line for line in (said.stdout + said.stderr).splitlines()
                 if UNIT.name in line and "is not executable" not in line]
        self.assertEqual(found, [])


def syscalls_of(group: str, seen: set | None = None) -> set:
    """The names that systemd means by @group."""
    seen = set() if seen is None else seen
    if group in seen:
        return set()
    seen.add(group)
    said = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True).stdout
    names = {line.strip() for line in said.splitlines()[1:] if line.strip() and not line.strip().startswith("#")}
    return {name for name in names if name[0] != "@"}.union(*(syscalls_of(name, seen) for name in names if name[0] == "@"))


def allowed_by_the_unit() -> set:
    """The first line says what there is; each of the others takes away from it, or adds."""
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", UNIT.read_text(), re.M):
        for name in line.removeprefix("~").split():
            names = syscalls_of(name) if name[0] == "@" else {name}
            allowed = allowed - names if line[0] == "~" else allowed | names
    return allowed


class Filter(OwnDaemonCase):
    """The filter kills nothing that is needed: the calls of a daemon that is put to every use are all allowed."""

    def test_every_system_call_of_the_daemon_is_allowed_by_the_unit(self):
        if SLOW > 1:
            self.skipTest("LeakSanitizer does not work under strace")
        for tool in ("strace", "systemd-analyze"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        daemon = Daemon({"webhooks.endpoints.ops.url": "http://127.0.0.1:9/", "webhooks.endpoints.ops.secret_file": str(SECRET_FILE),
                         "webhooks.endpoints.program.format": "command", "webhooks.endpoints.program.argv": "/bin/cat"})
        self.addCleanup(daemon.close)
        trace = daemon.root / "trace"
        daemon.wrapper = ["strace", "-D", "-f", "-e", "signal=none", "-o", str(trace)]
        try:
            daemon.start()
        except AssertionError:
            self.skipTest("this process may not trace others")
        self.put_to_use(daemon)
        daemon.stop()
        eventually(lambda: f"{daemon.process.pid} +++ exited" in " ".join(trace.read_text().split()), what="the end of the trace")
        called = {line.split(None, 1)[1].split("(")[0] for line in trace.read_text().splitlines() if "(" in line}
        called = {name for name in called if name.isidentifier()}
        self.assertIn("fdatasync", called)
        self.assertIn("setpriority", called)  # of the thread that sends webhooks
        self.assertIn("setpgid", called)  # of a program that is notified
        allowed = allowed_by_the_unit()
        self.assertIn("execve", allowed)
        # execve: also of the daemon itself, which the manager starts before the filter is in force. fchown: SQLite, but only for root.
        self.assertEqual(called - allowed - {"execve", "fchown"}, set())

    def put_to_use(self, daemon):
        operator = self.client(daemon, token=daemon.operator_token())
        operator.open("s", goal="g", labels={"a": "b"})
        for i in range(50):
            operator.report("s", "tool.finished", tool="bash", ok=True, args={"i": i}, result="r" * 9000)
        ask = operator.post("/v1/sessions/s/approvals", {"tool": "t", "args": {}}).json()
        operator.post(f"/v1/approvals/{ask['id']}/decision", {"decision": "approve"})
        for path in ("/", "/v1/system", "/metrics", "/v1/overview", "/v1/sessions?view=row", "/readyz", "/openapi.json"):
            self.assertEqual(operator.get(path).status, 200)
        with EventStream(daemon.port, "/v1/stream?last_event_id=0") as stream:
            stream.until(lambda event: event.is_journal)
        self.assertEqual(operator.post("/v1/tokens", {"name": "n", "scopes": ["read"]}).status, 201)
        self.assertTrue(operator.post("/v1/webhooks/program/test").json()["delivered"])
        operator.post("/v1/tokens/operator/rotate")


if __name__ == "__main__":
    unittest.main()
