#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each proxy file and each example of one lets the longest body through that the daemon takes: a proxy that refuses it answers 413,
which agents take for a daemon that is away, and the call runs unasked."""
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from contextlib import closing
from pathlib import Path

from support.daemon import PROJECT, Daemon
from support.limits import patient

FOLDERS = ("deploy", "docs", "clients", "api")
SUFFIXES = {".conf", ".yaml", ".yml", ".toml", ".md", ".cfg", ""}
# The settings of proxies that bound a body: nginx, Apache, Caddy, Traefik.
LIMIT = re.compile(r"(client_max_body_size|LimitRequestBody|max_size|maxRequestBodyBytes)[ :=]+\"?(\d+) ?([kKmMgG]?)(i?)[bB]?\b")
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
NGINX = shutil.which("nginx") or next((path for path in ("/usr/sbin/nginx",) if Path(path).exists()), None)


def bound(name: str) -> int:
    """A bound of the code, in bytes."""
    text = (PROJECT / "core/base/limits.hpp").read_text(encoding="utf-8")
    number, shift = re.search(rf"{name} = (\d+)U << (\d+);", text).groups()
    return int(number) << int(shift)


def limits() -> dict:
    """(file, line) -> the bytes that a body may have."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*")):
            if not path.is_file() or path.suffix not in SUFFIXES or "node_modules" in path.parts:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                for _, count, unit, _ in LIMIT.findall(line.replace("`", "")):
                    found[str(path.relative_to(PROJECT)), number] = int(count) * UNITS[unit.lower()]
    return found


class Proxies(unittest.TestCase):
    def test_every_limit_is_above_the_longest_hook(self):
        found = limits()
        self.assertIn("deploy/scale/nginx.conf", {file for file, _ in found})
        self.assertIn("deploy/scale/compose-nginx.conf", {file for file, _ in found})
        for place, most in found.items():
            with self.subTest(place=place):
                self.assertGreater(most, bound("kHookBodyBytesMax"))

    def test_every_nginx_file_has_a_limit(self):
        """Without one nginx takes 1 MiB."""
        for path in (PROJECT / "deploy").rglob("*.conf"):
            if "proxy_pass" in path.read_text(encoding="utf-8"):
                self.assertIn(str(path.relative_to(PROJECT)), {file for file, _ in limits()})

    def test_the_hook_program_takes_as_much_as_the_daemon(self):
        for file in ("hook/main.cpp", "cli/verbs/run/hook.cpp"):
            self.assertIn("kBodyBytesMax = 16 * 1024 * 1024;", (PROJECT / file).read_text(encoding="utf-8"))
        self.assertEqual(bound("kHookBodyBytesMax"), 16 << 20)


@unittest.skipUnless(NGINX, "nginx is not installed")
class Nginx(unittest.TestCase):
    def test_the_longest_hook_passes_the_file_that_is_shipped(self):
        daemon = Daemon({"access.mode": "token", "server.behind_proxy": "on"}).start()
        self.addCleanup(daemon.close)
        folder = Path(tempfile.mkdtemp(prefix="headway-nginx-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, folder, True)
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        conf = (PROJECT / "deploy/scale/nginx.conf").read_text(encoding="utf-8")
        own = daemon.url.rpartition(":")[2]
        conf = conf.replace("127.0.0.1:7720", f"127.0.0.1:{port}").replace("$http_host", f"127.0.0.1:{own}")
        conf = re.sub(r"127\.0\.0\.1:772[123]", f"127.0.0.1:{own}", conf)
        (folder / "nginx.conf").write_text(conf, encoding="utf-8")
        process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr", "-g", "user root;"],
                                   stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        head, tail = b'{"hook_event_name":"x","session_id":"s","tool_input":"', b'"}'
        body = head + b"x" * (bound("kHookBodyBytesMax") - len(head) - len(tail)) + tail
        end = time.monotonic() + patient(20)
        while True:
            done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "content-type: application/json", "--data-binary", "@-",
                                   "-H", f"Authorization: Bearer {daemon.operator_token()}", f"http://127.0.0.1:{port}/v1/hooks/claude"],
                                  input=body, capture_output=True, timeout=patient(60), check=False)
            if done.stdout != b"000" or time.monotonic() > end:
                break
            time.sleep(0.1)
        self.assertEqual(done.stdout, b"200")


if __name__ == "__main__":
    unittest.main()
