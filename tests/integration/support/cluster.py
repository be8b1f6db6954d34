# SPDX-License-Identifier: Apache-2.0
"""Several daemons over one PostgreSQL with a synchronous standby, and what can happen to them: kills, stops, a failover, links that
are cut, slow or silent."""
import contextlib
import os
import signal
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .daemon import PROJECT, Daemon
from .limits import SLOW, Deadline, eventually

sys.path.append(str(PROJECT / "tests/support"))
import postgres_server  # noqa: E402  (lies beside the C++ tests, which start one too)

PORT = 5432  # in the names of the sockets


def installed() -> bool:
    return postgres_server.programs() is not None and shutil.which("psql") is not None


class Server:
    """A PostgreSQL in a folder of its own. A commit there survives kill -9, and no loss of power."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.data = folder / "data"
        self.process = 0

    def _program(self, name: str, *arguments) -> str:
        prefix = postgres_server.as_user(self.folder)
        done = subprocess.run([*prefix, postgres_server.programs() / name, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/", check=False)
        if done.returncode != 0:
            log = self.folder / "log"
            raise AssertionError(f"{name}: {done.stdout}\n{log.read_text()[-2000:] if log.exists() else ''}")
        return done.stdout

    def make(self):
        postgres_server.start(self.folder, False, PORT)
        self.set("wal_retrieve_retry_interval", "50ms")  # a standby sleeps for so long before it hears that it is promoted
        self._note()

    def copy_of(self, primary: "Server"):
        """A standby that follows the primary."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self._program("pg_basebackup", "-h", primary.folder, "-p", PORT, "-U", "headway", "-D", self.data, "-c", "fast", "-R", "--no-sync")
        # The copied settings name the primary's folder.
        self._program("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "-o", f"-c unix_socket_directories={self.folder}",
                      "start")
        self._note()

    def _note(self):
        self.process = int((self.data / "postmaster.pid").read_text().split()[0])

    @property
    def socket(self) -> str:
        return f"{self.folder}/.s.PGSQL.{PORT}"

    def ask(self, sql: str) -> str:
        return subprocess.run(["psql", postgres_server.url_of(self.folder, PORT), "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60).stdout.strip()

    def set(self, name: str, value: str):
        self.ask(f"ALTER SYSTEM SET {name} = '{value}'")
        self.ask("SELECT pg_reload_conf()")

    def promote(self):
        self._program("pg_ctl", "-D", self.data, "-w", "promote")

    def kill(self):
        """kill -9 of all its processes, those of its connections first: each ends by itself only when it notices, and may commit
        until then."""
        if not self.process:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGSTOP)
            for child in children(self.process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.kill(self.process, signal.SIGKILL)
            eventually(lambda: gone(self.process), 20, "the end of PostgreSQL")
        self.process = 0


def children(process: int) -> list:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(entry.name))
    return found


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Pair:
    """A primary and its synchronous standby, which change places with each failover."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="headway-pair-", dir="/tmp"))
        self.root.chmod(0o755)  # PostgreSQL has a user of its own where the tests are root
        self.primary, self.standby = Server(self.root / "a"), Server(self.root / "b")
        self.servers = (self.primary, self.standby)
        self.primary.make()
        self.join()

    def join(self):
        """Makes the standby again; from here on commits wait for it."""
        self.standby.copy_of(self.primary)
        self.primary.set("synchronous_standby_names", "*")
        eventually(lambda: self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state='sync'") == "1", 30,
                   "a synchronous standby")

    def fail_over(self):
        """The primary dies, the standby takes over and commits alone until join()."""
        self.primary.kill()
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def lose_standby(self):
        """Commits wait without end from here on, until go_alone()."""
        self.standby.kill()

    def go_alone(self):
        self.primary.set("synchronous_standby_names", "")

    def url(self, ports: tuple | None = None) -> str:
        """Both, whichever writes; by TCP where there are ports."""
        if ports:
            hosts, numbers = ",".join("127.0.0.1" for _ in ports), ",".join(map(str, ports))
        else:
            hosts, numbers = ",".join(str(server.folder) for server in self.servers), str(PORT)
        return f"postgresql:///postgres?host={hosts}&port={numbers}&user=headway"

    def close(self):
        for server in self.servers:
            server.kill()
        shutil.rmtree(self.root, ignore_errors=True)


class Link:
    """A TCP proxy before a server's socket: open, cut (connections are closed, new ones too), or silent (nothing arrives any more);
    and each piece may be late."""

    def __init__(self, target: str):
        self.target = target
        self.delay = 0.0
        self._state = "open"
        self._flows = threading.Event()
        self._flows.set()
        self._pairs = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def open(self):
        self._state = "open"
        self._flows.set()

    def cut(self):
        self._state = "cut"
        self._flows.set()
        self._drop()

    def silence(self):
        self._state = "silent"
        self._flows.clear()

    def close(self):
        self._listener.close()
        self.cut()

    def _drop(self):
        for pair in list(self._pairs):
            for one in pair:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket):
        self._flows.wait()
        server = socket.socket(socket.AF_UNIX)
        try:
            if self._state == "cut":
                return
            server.connect(self.target)
            pair = (client, server)
            self._pairs.add(pair)
            back = threading.Thread(target=self._pump, args=(server, client), daemon=True)
            back.start()
            self._pump(client, server)
            back.join()
            self._pairs.discard(pair)
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def _pump(self, source: socket.socket, sink: socket.socket):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                self._flows.wait()
                sink.sendall(piece)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Cluster:
    """`count` daemons over a pair; the last one by TCP over links, one to each server."""

    def __init__(self, count: int, settings: dict | None = None, environment: dict | None = None, configs: list | None = None):
        self.pair = Pair()
        self.links = []
        self.daemons = []
        try:
            self.links = [Link(server.socket) for server in self.pair.servers]
            for number in range(count):
                last = number == count - 1
                url = self.pair.url(tuple(link.port for link in self.links)) if last else self.pair.url()
                daemon = Daemon(settings, configs[number] if configs else "", store=url)
                daemon.environment = dict((environment or {}).get(number, {}))
                self.daemons.append(daemon)
                daemon.start()
        except BaseException:
            self.close()
            raise

    def kill(self, number: int):
        self.daemons[number].kill()

    def start(self, number: int):
        """On the port its clients know. A daemon does not start without a database that takes writes; then it is tried again."""
        daemon, deadline = self.daemons[number], Deadline(20)
        while True:
            try:
                daemon.start(daemon.port)
                return
            except AssertionError:
                if deadline.passed():
                    raise
                time.sleep(0.1)

    @contextlib.contextmanager
    def stopped(self, number: int):
        """Like a machine that hangs: no connection is closed."""
        process = self.daemons[number].process
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def roll(self):
        """A new release: one after the other is stopped like an operator does it, and started."""
        for number, daemon in enumerate(self.daemons):
            code = daemon.stop(20 * SLOW)
            if code != 0:
                raise AssertionError(f"exit {code} of a stopped daemon:\n{daemon.log()[-4000:]}")
            self.start(number)

    def close(self):
        try:
            for daemon in self.daemons:
                daemon.close()
        finally:
            for link in self.links:
                link.close()
            self.pair.close()
