# SPDX-License-Identifier: Apache-2.0
"""The stand-in for a model server (llm_server.py says what it can play) as a process of a test."""
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from .limits import patient

SCRIPT = Path(__file__).resolve().with_name("llm_server.py")


class LlmServer:
    """with LlmServer() as llm: ... llm.url is what base_url has to be, llm.certificate the ca_file with tls=True."""

    def __init__(self, tls: bool = False, port: int = 0):
        words = [sys.executable, "-I", str(SCRIPT), "--port", str(port)] + (["--tls"] if tls else [])
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.certificate = self.process.stdout.readline().strip() if tls else ""
        self.root = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self.url = self.root + "/v1"

    def __enter__(self) -> "LlmServer":
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(patient(40))

    # Without TLS only.

    def requests(self) -> list:
        """The questions so far: path, headers, body."""
        return self._call("GET", "/requests")

    def forget(self):
        self._call("DELETE", "/requests")

    def play(self, mode: str):
        """From now on, whatever the model is called; "" uses the model's name again."""
        self._call("PUT", "/script", {"mode": mode})

    def busiest(self) -> int:
        """The most questions that it had at once."""
        return self._call("GET", "/busy")["max"]

    def _call(self, method: str, path: str, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=patient(40)) as reply:
            return json.loads(reply.read())
