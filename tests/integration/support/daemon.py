# SPDX-License-Identifier: Apache-2.0
"""A daemon of its own for a test: own state directory, own port, own configuration file."""
import atexit
import json
import os
import re
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .http import Client
from .limits import patient
from .testclock import TestClock

PROJECT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("HEADWAY_BINARY", PROJECT / "build/dev/headway"))
TEST_CLOCK = BINARY.with_name("headway-testclock")
# Words that must never be in a log, whatever a client did.
ALARMS = re.compile(r"Sanitizer|runtime error:|thread failed|engine failed|assertion|terminate called", re.I)

# With a test clock, milliseconds of a client may be minutes of the daemon.
UNHURRIED = {"server.idle_timeout": "24h", "server.header_timeout": "1h", "server.body_timeout": "1h", "server.write_timeout": "1h"}

# With the URL of a PostgreSQL server, each daemon keeps its journal there, in a schema of its own (tests/support/postgres_server.py).
POSTGRES = os.environ.get("HEADWAY_TEST_POSTGRES", "")
if POSTGRES and "host=/" in POSTGRES and not os.path.isdir(POSTGRES.split("host=")[1].split("&")[0]):
    print("skipped: no PostgreSQL here")  # postgres_server.py makes no folder where it cannot start one
    sys.exit(0)

_running = set()


# For tests that open the file of the database, or let time pass by the test clock, which a database does not follow.
own_database = unittest.skipIf(POSTGRES, "needs a database of the daemon's own")


def postgres(sql: str):
    subprocess.run(["psql", POSTGRES, "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, env={**os.environ, "PGOPTIONS": "--client-min-messages=error"})


def store_in(schema: str) -> str:
    return f"{POSTGRES}{'&' if '?' in POSTGRES else '?'}options=-csearch_path%3D{schema}"


@atexit.register
def _kill_what_is_left():
    for process in list(_running):
        process.kill()


def clean_environment(**more) -> dict:
    """The environment without settings of the person who runs the tests; sanitizer options stay."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HEADWAY_", "XDG_"))}
    return {**kept, "LC_ALL": "C", **more}


class Daemon:
    """start(), then stop() like an operator or kill() like a power failure, and start() again. With `test_clock` time passes by
    `clock` too. Those with the same `schema` on the tests' PostgreSQL, or the same `store`, share their journal."""

    def __init__(self, settings: dict | None = None, config: str = "", files_max: int | None = None, test_clock: bool = False,
                 schema: str = "", store: str = ""):
        self.root = Path(tempfile.mkdtemp(prefix="headway-test-"))
        self.state_dir = self.root / "state"
        self.binary = TEST_CLOCK if test_clock else BINARY
        self.clock = TestClock(self.state_dir / "testclock.sock") if test_clock else None
        self.config_file = self.root / "headway.toml"
        self.config_file.write_text(config, encoding="utf-8")
        self.ports_file = self.root / "ports.json"
        self.log_file = self.root / "log"
        self.settings = {**(UNHURRIED if test_clock else {}), **(settings or {})}
        self.environment = {}  # besides the usual
        self.files_max = files_max  # RLIMIT_NOFILE
        self.process = None
        self.address = "127.0.0.1"
        self.port = 0
        self.wrapper = []  # a command that runs the daemon
        self.schema = schema
        self.store = store  # the URL of PostgreSQL, where the journal is there
        if POSTGRES and not store:
            self.schema = schema or self.root.name.replace("-", "_").lower()
            postgres(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"')
            self.store = store_in(self.schema)

    # life

    def start(self, port: int = 0) -> "Daemon":
        self.ports_file.unlink(missing_ok=True)
        self.process = self.spawn(port)
        _running.add(self.process)
        if not self._ready():
            code = self.process.wait()
            raise AssertionError(f"the daemon did not start (exit {code}):\n{self.log()}")
        self.port = int(json.loads(self.ports_file.read_text())["http"].rpartition(":")[2])
        return self

    def spawn(self, port: int = 0) -> subprocess.Popen:
        """Only the process: for starts that are meant to fail."""
        command = [*self.wrapper, str(self.binary), "serve", "--listen", f"{self.address}:{port}", "--state-dir", str(self.state_dir),
                   "--ports-file", str(self.ports_file), "--config", str(self.config_file)]
        if self.store:
            command += ["--store", self.store]
        for key, value in self.settings.items():
            command += ["--set", f"{key}={value}"]
        environment = {**self.environment, **(self.clock.environment() if self.clock else {})}
        with open(self.log_file, "ab") as log:
            return subprocess.Popen(command, cwd=self.root, env=clean_environment(**environment), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=log, preexec_fn=self._limit if self.files_max else None)

    def _limit(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.files_max, self.files_max))

    def _ready(self) -> bool:
        """The first line on stdout comes after the ports file; the end of stdout means it died."""
        poller = select.poll()  # select() knows no descriptor above 1023
        poller.register(self.process.stdout, select.POLLIN)
        if not poller.poll(patient(30) * 1000):
            self.process.kill()
            return False
        return bool(self.process.stdout.readline())

    def stop(self, seconds: float = 40) -> int:
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait_for_exit(seconds)

    def wait_for_exit(self, seconds: float = 40) -> int:
        """Prints on standard error what a slow daemon does meanwhile."""
        begin, looks = time.monotonic(), []
        while True:
            left = begin + patient(seconds) - time.monotonic()
            try:
                code = self.process.wait(timeout=min(5, max(left, 0)))
                break
            except subprocess.TimeoutExpired:
                looks.append(f"after {time.monotonic() - begin:.0f} s of waiting for its end:\n{self._threads()}")
                if left <= 5:
                    raise AssertionError("\n".join(["the daemon did not end", *looks, self.log()[-4000:]])) from None
        if len(looks) > 1:
            print("a slow end", *looks, self.log()[-4000:], sep="\n", file=sys.stderr)
        self._gone()
        return code

    def _threads(self) -> str:
        """Wait of each thread in the kernel, as far as permitted."""
        def read(path: Path) -> str:
            try:
                return " ".join(path.read_text(errors="replace").split())
            except OSError as error:
                return str(error)
        tasks = Path(f"/proc/{self.process.pid}/task")
        return "\n".join(f"  {read(task / 'comm')}: {read(task / 'wchan')}; {read(task / 'syscall')}; {read(task / 'stack')}"
                         for task in sorted(tasks.glob("*")))

    def kill(self):
        """kill -9: nothing is flushed, and no client gets a goodbye."""
        self.process.kill()
        self.process.wait()
        self._gone()

    def restart(self) -> "Daemon":
        """kill -9 and up again, on the port its clients know."""
        self.kill()
        return self.start(self.port)

    def _gone(self):
        _running.discard(self.process)
        self.process.stdout.close()

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def close(self):
        """Kills what still runs, looks for alarms in the log and removes the files."""
        if self.process is not None and not self.process.stdout.closed:
            self.kill()
        log = self.log()
        shutil.rmtree(self.root, ignore_errors=True)
        if ALARMS.search(log):
            raise AssertionError(f"alarms in the daemon's log:\n{log[-8000:]}")

    # looking at it

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def operator(self, **options) -> Client:
        """A client that may do everything."""
        return self.client(token=self.operator_token(), **options)

    def client(self, **options) -> Client:
        return Client(self.port, now=self.now, **options)

    def now(self) -> float:
        """Time of its steady clock, since any moment."""
        return time.monotonic() + (self.clock.passed if self.clock else 0)

    @property
    def operator_file(self) -> Path:
        return self.state_dir / "operator.token"

    def operator_token(self) -> str:
        return self.operator_file.read_text(encoding="ascii").strip()

    def resident_bytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace") if self.log_file.exists() else ""

    def database(self) -> sqlite3.Connection:
        """The journal of a stopped daemon; a running one holds it exclusively."""
        return sqlite3.connect(self.state_dir / "headway.db", isolation_level=None)

    def forget_snapshots(self):
        """Leaves only the journal, so that the next start has to fold all of it."""
        with self.database() as database:
            database.execute("UPDATE session SET state=NULL")
            database.execute("DELETE FROM meta WHERE name='snapshot_cursor'")
        database.close()
