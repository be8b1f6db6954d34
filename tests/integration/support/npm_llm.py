# SPDX-License-Identifier: Apache-2.0
"""A model server that is not ours: @copilotkit/aimock from npm, as OpenAI-compatible as its clients need it to be."""
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .limits import patient

MODULES = Path(__file__).resolve().parents[2] / "browser" / "node_modules"
SCRIPT = MODULES / "@copilotkit" / "aimock" / "dist" / "cli.js"


def missing() -> str:
    """Why it cannot run here; "" when it can."""
    node = shutil.which("node")
    if not node:
        return "node is not there"
    if not SCRIPT.exists():
        return f"{SCRIPT} is not there"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(int(part) for part in version.lstrip("v").split(".")[:2]) < (20, 15):
        return f"aimock needs node 20.15, this is {version}"
    return ""


class NpmLlm:
    """`node node_modules/@copilotkit/aimock/dist/cli.js --port 0 --fixtures answers.json`, on loopback, with one key and
    one answer for all questions; `more` are further options of its command line."""

    def __init__(self, answer: str, key: str, *more: str):
        self.directory = Path(tempfile.mkdtemp(prefix="headway-aimock-"))
        fixtures = self.directory / "answers.json"
        fixtures.write_text(json.dumps({"fixtures": [{"match": {}, "response": {"content": answer}}]}))
        self.process = subprocess.Popen(
            ["node", str(SCRIPT), "--port", "0", "--fixtures", str(fixtures), "--latency", "5", *more],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.directory,
            env={**os.environ, "AIMOCK_API_KEYS": key})
        self.url = self._address() + "/v1"

    def stop(self):
        self.process.kill()
        self.process.wait(patient(40))
        self.process.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _address(self) -> str:
        said, deadline = b"", time.monotonic() + patient(60)
        while select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            said += os.read(self.process.stdout.fileno(), 4096)
            found = re.search(rb"listening on (http://127\.0\.0\.1:\d+)\s", said)
            if found:
                return found[1].decode()
            if self.process.poll() is not None:
                break
        self.stop()
        raise AssertionError(f"aimock did not start: {said.decode(errors='replace')}")
