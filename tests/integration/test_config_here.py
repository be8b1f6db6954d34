#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration that lies in the folder of the command, as a cloned repository has one, is not taken unasked."""
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.daemon import BINARY, clean_environment


class ConfigHere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "headway.toml"
        self.file.write_text('[server]\nlisten = "127.0.0.1:1"\n')

    def run_here(self, *words, **environment) -> subprocess.CompletedProcess:
        return subprocess.run([str(BINARY), *words], cwd=self.folder, env=clean_environment(HOME=str(self.folder), **environment),
                              capture_output=True, text=True, check=False)

    def test_it_is_refused_unless_it_is_named(self):
        own = self.folder / ".config/headway/headway.toml"
        for _ in range(2):  # without and with a file of the user's own
            for words in (("config", "check"), ("doctor",), ("install", "--yes", "claude"), ("serve", "--listen", "127.0.0.1:0")):
                done = self.run_here(*words)
                self.assertNotEqual(done.returncode, 0, words)
                self.assertIn("headway.toml in this folder may be a project's", done.stdout + done.stderr, words)
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_text('[log]\nlevel = "warn"\n')
        for named in (self.run_here("config", "show", "--config", "headway.toml"), self.run_here("config", "show", HEADWAY_CONFIG="headway.toml")):
            self.assertIn("127.0.0.1:1", named.stdout, named.stderr)
        other = self.run_here("config", "show", "--config", str(own))
        self.assertNotIn("127.0.0.1:1", other.stdout, other.stderr)
        self.assertEqual(other.returncode, 0)

    def test_the_own_file_of_the_user_is_taken_in_its_folder(self):
        folder = self.folder / "headway"
        folder.mkdir()
        self.folder = self.file.rename(folder / "headway.toml").parent
        self.assertEqual(self.run_here("config", "check", XDG_CONFIG_HOME=str(folder.parent)).returncode, 0)


if __name__ == "__main__":
    unittest.main()
