#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benches of ./dev, and their pages."""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Bench(unittest.TestCase):
    def test_every_command_of_its_page_is_understood(self):
        commands = re.findall(r"\./dev bench((?: [a-z0-9.-]+)*)", (ROOT / "bench/README.md").read_text(encoding="utf-8"))
        own = [command.split() for command in commands if not command.strip().startswith(("scale", "clients", "engine"))]
        self.assertIn(["ingest", "read", "recover"], own)
        for command in own:
            with self.subTest(command):
                check = "import sys, run; run.parse(); sys.exit(0)"
                done = subprocess.run([sys.executable, "-c", check, *command], cwd=ROOT / "bench", capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_compiles_nothing_again_that_a_release_has(self):
        presets = {one["name"]: one for one in json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
        bench = presets["bench"]
        self.assertEqual((bench["inherits"], bench["binaryDir"]), ("release", "${sourceDir}/build/release"))
        self.assertEqual(set(bench["cacheVariables"]), {"HEADWAY_BENCH"})


if __name__ == "__main__":
    unittest.main()
