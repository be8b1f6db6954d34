# SPDX-License-Identifier: Apache-2.0
"""Runs the load generators (ours and wrk) pinned to the client's core, and takes the server's CPU time around them."""
import json
import pathlib
import re
import resource
import subprocess
import time

from harness.servers import TICKS_PER_SECOND, Server, pinned

# 200 bytes, like what a hook posts after a tool call; {id} makes every event another one.
EVENT = ('{"type":"tool.finished","data":{"tool":"bash","args":{"command":"make -j2 check ID={id}"},"ok":true,'
         '"result":"12 passed, 0 failed; nothing else to report at all today","duration_ms":5120}}')
EVENT_WITH_ID = ('{"type":"tool.finished","event_id":"call-{id}","data":{"tool":"bash","args":{"command":"make check"},'
                 '"ok":true,"result":"12 passed, 0 failed; nothing else to see here","duration_ms":5120}}')


class Usage:
    """CPU seconds so far: of a server, of the clients that have ended, and of the whole machine."""

    def __init__(self, server: Server):
        self.wall = time.monotonic()
        self.server = server.cpu_seconds()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.client = children.ru_utime + children.ru_stime
        fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        idle, iowait = fields[3], fields[4]
        self.machine = (sum(fields[:8]) - idle - iowait) / TICKS_PER_SECOND


class Client:
    def __init__(self, build: pathlib.Path, core: int, seconds: float, warmup: float):
        self.loadgen = str(build / "bench" / "loadgen")
        self.core, self.seconds, self.warmup = core, seconds, warmup
        self.next_id = 1

    def arguments(self, server: Server, mode: str, options: dict) -> list:
        settings = {"port": server.port, "seconds": self.seconds, "warmup": self.warmup,
                    "first_id": self.next_id} | options
        self.next_id += 1_000_000_000  # no two runs share an id
        command = [self.loadgen, mode]
        for name, value in settings.items():
            flag = "--" + name.replace("_", "-")
            command += [flag] if value is True else [flag, str(value)]
        return command

    def popen(self, command: list, **kwargs) -> subprocess.Popen:
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pinned({self.core}), **kwargs)

    def run(self, server: Server, mode: str, **options) -> dict:
        """One run of loadgen against a server; the result is its report and `cpu_us_per_req` of the server."""
        before = Usage(server)
        process = self.popen(self.arguments(server, mode, options))
        output, _ = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"bench: loadgen failed against {server.name}")
        return self.finish(server, before, json.loads(output))

    @staticmethod
    def finish(server: Server, before: "Usage", report: dict) -> dict:
        now = Usage(server)
        wall, used, client = now.wall - before.wall, now.server - before.server, now.client - before.client
        report["server_cpu_s"] = round(used, 3)
        report["cpu_us_per_req"] = round(used * 1e6 / max(1, report["total_requests"]), 3)
        report["client_busy"] = round(client / wall, 3)
        report["others_busy"] = round(max(0.0, now.machine - before.machine - used - client) / wall, 3)
        if report["bad_status"]:
            print(f"bench: WARNING: {server.name} answered {report['bad_status']}", flush=True)
        return report

    def wrk(self, server: Server, target: str, body: str, connections: int, directory: pathlib.Path) -> dict:
        """The same load by wrk: a second opinion on the reference, with one constant request."""
        script = directory / "wrk.lua"
        script.write_text(f"wrk.method = 'POST'\nwrk.body = {json.dumps(body.replace('{id}', '0' * 16))}\n"
                          "wrk.headers['Content-Type'] = 'application/json'\n")
        url = f"http://127.0.0.1:{server.port}{target.replace('{conn}', '0')}"
        before = Usage(server)
        process = self.popen(["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(self.seconds))}s", "--latency",
                              "-s", str(script), url])
        output, _ = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"bench: wrk failed against {server.name}")
        return self.finish(server, before, parse_wrk(output))


def parse_wrk(text: str) -> dict:
    units = {"us": 1.0, "ms": 1e3, "s": 1e6}

    def latency(pattern: str) -> float:
        value, unit = re.search(pattern + r"\s+([\d.]+)(us|ms|s)", text).groups()
        return float(value) * units[unit]

    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    maximum = re.search(r"Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", text).groups()
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return {"req_per_s": rate, "events_per_s": rate, "p50_us": latency(r"50%"), "p99_us": latency(r"99%"),
            "max_us": float(maximum[0]) * units[maximum[1]],
            "total_requests": int(re.search(r"(\d+) requests in", text).group(1)),
            "bad_status": {"other": int(bad.group(1))} if bad else {}}
