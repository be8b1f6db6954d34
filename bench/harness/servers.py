# SPDX-License-Identifier: Apache-2.0
"""The servers that are measured: each is started on a free port of 127.0.0.1, pinned to one core, in its own directory."""
import ctypes
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
START_SECONDS_MAX = 120


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def pinned(cores):
    """A preexec_fn: pins to the cores, allows as many descriptors as the system does, and dies with the bench."""
    libc, pr_set_pdeathsig = ctypes.CDLL(None), 1

    def prepare():
        libc.prctl(pr_set_pdeathsig, signal.SIGKILL)
        os.sched_setaffinity(0, cores)
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return prepare


def _stat_fields(pid: int) -> list:
    """/proc/PID/stat behind the command name: [0] is the state, [1] the parent, [11] utime, [12] stime."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


class Server:
    name = ""
    directory_name = ""

    def __init__(self, build: pathlib.Path, directory: pathlib.Path, core: int):
        self.build, self.core = build, core
        self.directory = directory / self.directory_name
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port, self.process = 0, None

    def command(self) -> list:
        raise NotImplementedError

    def environment(self) -> dict:
        return {k: v for k, v in os.environ.items() if not k.startswith("HEADWAY_")}

    def start(self) -> float:
        """Starts it and waits until it answers; gives the seconds that took."""
        command = self.command()
        if not shutil.which(command[0]):
            raise SystemExit(f"bench: {command[0]} is not there")
        with open(self.directory / "server.log", "ab") as log:
            begin = time.perf_counter()
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            cwd=self.directory, env=self.environment(),
                                            preexec_fn=pinned({self.core}))
        while not self.ready():
            if self.process.poll() is not None or time.perf_counter() - begin > START_SECONDS_MAX:
                log_text = (self.directory / "server.log").read_text(errors="replace")
                raise SystemExit(f"bench: {self.name} did not start:\n{log_text[-2000:]}")
            time.sleep(0.001)
        return time.perf_counter() - begin

    def ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def reset(self) -> None:
        """Between rounds, outside the measured time."""

    def pids(self) -> list:
        """The process and its children (nginx works in one)."""
        return self.with_children([self.process.pid])

    @staticmethod
    def with_children(pids: list) -> list:
        for pid in pids:
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                pids += [int(p) for p in task.read_text().split()]
        return pids

    def cpu_seconds(self) -> float:
        """User and system time so far. Includes the kernel's TCP work done on the server's behalf."""
        total = 0
        for pid in self.pids():
            fields = _stat_fields(pid)
            total += int(fields[11]) + int(fields[12])
        return total / TICKS_PER_SECOND

    def rss_bytes(self, field: str = "VmRSS") -> int:
        """Memory of all its processes; RssAnon is what no file backs."""
        total = 0
        for pid in self.pids():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(field + ":"):
                    total += int(line.split()[1]) * 1024
        return total

    def libraries(self) -> int:
        """Shared libraries that it has mapped."""
        return len({line.split()[-1] for pid in self.pids() for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
                    if ".so" in line})


class WithPortsFile(Server):
    @property
    def ports_file(self) -> pathlib.Path:
        return self.directory / "ports.json"

    def start(self) -> float:
        self.ports_file.unlink(missing_ok=True)
        return super().start()

    def ready(self) -> bool:
        if not self.ports_file.exists():
            return False
        try:
            self.port = int(json.loads(self.ports_file.read_text())["http"].rpartition(":")[2])
        except (ValueError, KeyError):
            return False  # half written
        return super().ready()


class BareBeast(WithPortsFile):
    name = "bare Beast 204"
    directory_name = "bare_beast"

    def command(self) -> list:
        return [str(self.build / "bench" / "bare_beast"), "--ports-file", str(self.ports_file)]


class BareDurable(WithPortsFile):
    name = "bare Beast, a log and fdatasync"
    directory_name = "bare_durable"

    def command(self) -> list:
        return [str(self.build / "bench" / "bare_durable"), "--ports-file", str(self.ports_file), "--log", str(self.directory / "log")]


class Headway(WithPortsFile):
    name = "headway"
    directory_name = "headway"
    folder = None  # of the binary, where it is not that of the build

    def command(self) -> list:
        return [str((self.folder or self.build) / "headway"), "serve", "--listen", "127.0.0.1:0", "--state-dir",
                str(self.directory / "state"), "--ports-file", str(self.ports_file)]

    def ready(self) -> bool:
        if not super().ready():
            return False
        try:
            return self.request("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def gauge(self, name: str) -> int:
        """The sum of the gauges or counters of /metrics that begin like this."""
        text = self.request("GET", "/metrics")[1].decode()
        return sum(int(float(line.rpartition(" ")[2])) for line in text.splitlines() if line.startswith(name))

    def request(self, method: str, path: str, body=None):
        """(status, decoded body) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        is_json = reply.getheader("Content-Type", "").endswith("json")
        return reply.status, json.loads(text) if is_json and text else text


class Nginx(Server):
    name = "nginx 204"
    directory_name = "nginx"

    def command(self) -> list:
        self.port = free_port()
        d = self.directory
        temp = "\n".join(f"    {kind}_temp_path {d}/{kind};" for kind in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (d / "nginx.conf").write_text(f"""daemon off; worker_processes 1; {user} pid {d}/nginx.pid;
error_log {d}/error.log crit; worker_rlimit_nofile 65536;
events {{ worker_connections 16384; multi_accept on; }}
http {{
    access_log off; tcp_nodelay on; keepalive_timeout 3600; keepalive_requests 1000000000;
    client_body_buffer_size 1m; client_max_body_size 16m;
{temp}
    server {{ listen 127.0.0.1:{self.port} backlog=4096; location / {{ return 204; }} }}
}}
""")
        return [shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(d), "-c", str(d / "nginx.conf"),
                "-e", str(d / "error.log")]


class Redis(Server):
    name = "Redis XADD always"
    directory_name = "redis"

    def command(self) -> list:
        self.port = free_port()
        return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory),
                "--appendonly", "yes", "--appendfsync", "always", "--save", "", "--daemonize", "no",
                "--auto-aof-rewrite-percentage", "0", "--maxclients", "10000"]

    def reset(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as s:
            s.sendall(b"FLUSHALL\r\n")
            s.recv(64)
