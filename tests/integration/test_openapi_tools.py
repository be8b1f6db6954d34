#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document as others' tools see it: two linters have nothing against it, and a TypeScript program made of it works.

Needs node and `npm ci --prefix tests/openapi --ignore-scripts`; without them it is skipped with a message.
"""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.daemon import PROJECT
from support.limits import patient
from support.openapi import document_text

TOOLS = PROJECT / "tests" / "openapi"
NEEDED = ("@redocly/cli", "@stoplight/spectral-cli", "openapi-typescript", "openapi-fetch", "typescript")
MISSING = [name for name in NEEDED if not (TOOLS / "node_modules" / name).exists()]
NODE = shutil.which("node") or shutil.which("nodejs")


def tool(name: str, *arguments, folder: Path = TOOLS) -> subprocess.CompletedProcess:
    """A program of node_modules; none of them asks anybody else for anything."""
    environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    return subprocess.run([NODE, str(TOOLS / "node_modules" / ".bin" / name), *map(str, arguments)], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=patient(300), check=False)


@unittest.skipIf(NODE is None, "there is no node")
@unittest.skipIf(MISSING, f"not in tests/openapi/node_modules (npm ci): {', '.join(MISSING)}")
class Tools(OwnDaemonCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="headway-test-")))
        self.document = self.folder / "openapi.json"
        self.document.write_text(document_text(), encoding="utf-8")

    def test_redocly_has_no_warning(self):
        done = tool("redocly", "lint", self.document, "--format=json", "--max-problems", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertEqual(found["totals"], {"errors": 0, "warnings": 0, "ignored": 0}, found["problems"][:5])

    def test_spectral_finds_nothing(self):
        done = tool("spectral", "lint", "--ruleset", "spectral.json", "--fail-severity=hint", "-f", "json", self.document)
        self.assertEqual(done.returncode, 0, done.stdout[:4000] + done.stderr)

    def test_a_program_of_its_types_compiles_strictly_and_works(self):
        folder = self.folder
        for name in ("agent.ts", "tsconfig.json", "package.json"):
            shutil.copy(TOOLS / name, folder)
        (folder / "node_modules").symlink_to(TOOLS / "node_modules")
        made = tool("openapi-typescript", self.document, "-o", folder / "api.ts")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        compiled = tool("tsc", "-p", "tsconfig.json", "--outDir", "out", folder=folder)
        self.assertEqual(compiled.returncode, 0, compiled.stdout + compiled.stderr)
        daemon = self.start()
        ran = subprocess.run([NODE, "out/agent.js", daemon.url, daemon.operator_token()], cwd=folder, capture_output=True,
                             text=True, timeout=patient(60), check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(json.loads(ran.stdout), {"verdict": "completed", "missing": [], "last": "exploring -> completed"})


if __name__ == "__main__":
    unittest.main()
