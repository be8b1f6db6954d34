#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/typescript under node: its own tests, a disk that is really full, and what would be published. Only node is needed."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.daemon import BINARY, PROJECT, clean_environment
from support.disks import SmallDisk, SmallDiskDaemon
from support.limits import SLOW, eventually, patient

PACKAGE = PROJECT / "clients/typescript"
NODE = shutil.which("node") or shutil.which("nodejs")
TSC = PROJECT / "tests/openapi/node_modules/.bin/tsc"


def node_version() -> int:
    if NODE is None:
        return 0
    said = subprocess.run([NODE, "--version"], capture_output=True, text=True, timeout=patient(20), check=False).stdout
    return int(re.match(r"v(\d+)", said)[1])


needs_node = unittest.skipIf(node_version() < 18, "there is no node of version 18 or newer")


def node(*arguments, folder: Path = PACKAGE, seconds: float = 240, **environment) -> subprocess.CompletedProcess:
    given = clean_environment(HEADWAY_BINARY=str(BINARY), HEADWAY_TEST_SLOW=str(SLOW), **environment)
    return subprocess.run([NODE, *map(str, arguments)], cwd=folder, env=given, capture_output=True, text=True, timeout=patient(seconds), check=False)


def run_file(case: unittest.TestCase, name: str):
    done = node("--test", f"test/{name}.test.mjs")
    failed = "\n".join(line for line in done.stdout.splitlines() if not re.match(r"\s*(ok|duration_ms)", line))
    case.assertEqual(done.returncode, 0, failed[-6000:] + done.stderr[-2000:])
    case.assertRegex(done.stdout, r"# pass [1-9]")


@needs_node
class Core(unittest.TestCase):
    def test_core(self):
        run_file(self, "core")

    def test_helper_for_tests(self):
        run_file(self, "testing")

    def test_readme(self):
        run_file(self, "readme")

    def test_hostile_users(self):
        run_file(self, "hostile")


@needs_node
class Faults(unittest.TestCase):
    def test_faults(self):
        run_file(self, "faults")


FULL = """
import { session } from '%s/src/index.js';
const lines = (await import('node:readline')).createInterface({ input: process.stdin });
const next = () => new Promise((resolve) => lines.once('line', resolve));
const s = await session({ goal: 'fill' });
const tool = s.tool('bash', async (n) => n);
await tool(0);
console.log('open');
await next(); // the disk is full
for (let n = 1; n < 6; ++n) if (await tool(n) !== n) throw new Error('not run');
console.log('ran');
await next(); // there is room again
while (s.pending) await new Promise((resolve) => setTimeout(resolve, 50));
await s.end();
console.log(s.id);
process.exit(0);
"""


@needs_node
class FullDisk(unittest.TestCase):
    def test_calls_run_and_are_reported_once_there_is_room(self):
        daemon = SmallDiskDaemon(SmallDisk(48), {"storage.free_space_min": "6MiB", "storage.ballast": "4MiB"})
        self.addCleanup(daemon.close)
        daemon.start()
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="headway-test-")))
        (folder / "full.mjs").write_text(FULL % PACKAGE)
        agent = subprocess.Popen([NODE, "full.mjs"], cwd=folder, env=clean_environment(HEADWAY_URL=daemon.url), text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        self.assertEqual(agent.stdout.readline(), "open\n")
        client = daemon.client()
        self.addCleanup(client.close)
        foreign = daemon.disk.fill()

        def refused():
            events = [{"type": "message", "data": {"role": "assistant", "text": "x" * 4000 + str(number)}} for number in range(100)]
            return client.post("/v1/sessions/filler/events", events).status == 507

        eventually(refused, what="a report is refused")
        agent.stdin.write("full\n")
        agent.stdin.flush()
        self.assertEqual(agent.stdout.readline(), "ran\n")
        foreign.unlink()
        agent.stdin.write("room\n")
        agent.stdin.flush()
        out, err = agent.communicate(timeout=patient(90))
        self.assertEqual(agent.returncode, 0, err)
        state = client.get(f"/v1/sessions/{out.strip()}").json()
        self.assertEqual((state["tools"]["calls"], state["outcome"]), (6, "completed"))
        self.assertIn("headway_full", err)


class Package(unittest.TestCase):
    def test_what_is_published_is_there_and_has_no_dependencies(self):
        about = json.loads((PACKAGE / "package.json").read_text())
        self.assertNotIn("dependencies", about)
        self.assertEqual(about["license"], "Apache-2.0")
        for entry in about["exports"].values():
            for file in entry.values() if isinstance(entry, dict) else [entry]:
                self.assertTrue((PACKAGE / file).is_file(), file)
        self.assertEqual((PACKAGE / "LICENSE").read_text(), (PROJECT / "LICENSE").read_text())

    @unittest.skipIf(shutil.which("npm") is None, "npm is not installed")
    def test_npm_packs_nothing_else(self):
        with tempfile.TemporaryDirectory(prefix="headway-test-") as cache:
            done = subprocess.run(["npm", "pack", "--dry-run", "--json", "--offline"], cwd=PACKAGE, capture_output=True, text=True,
                                  env={**os.environ, "npm_config_cache": cache}, timeout=patient(60), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted(file["path"] for file in json.loads(done.stdout)[0]["files"])
        sources = sorted(f"src/{path.name}" for path in (PACKAGE / "src").iterdir())
        self.assertEqual(files, sorted(["LICENSE", "README.md", "package.json", *sources]))

    @unittest.skipUnless(NODE and TSC.exists(), "not in tests/openapi/node_modules (npm ci): typescript")
    def test_the_types_are_strict_and_those_of_the_program(self):
        done = subprocess.run([NODE, str(TSC), "-p", "test/tsconfig.json"], cwd=PACKAGE, capture_output=True, text=True,
                              timeout=patient(120), check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
