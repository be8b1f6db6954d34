#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration that lies in the folder of the command: taken unasked only if no other user can have written it."""
import os
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
        self.file.chmod(0o664)

    def check(self, *words) -> subprocess.CompletedProcess:
        return subprocess.run([str(BINARY), "config", "check", *words], cwd=self.folder, env=clean_environment(HOME=str(self.folder)),
                              capture_output=True, text=True, check=False)

    def test_a_file_of_this_user_is_taken(self):
        self.assertEqual(self.check().returncode, 0, self.check().stderr)

    def refused_unless_named(self):
        done = self.check()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("can be written by other users; name it with --config", done.stdout + done.stderr)
        self.assertEqual(self.check("--config", "headway.toml").returncode, 0)

    def test_a_file_that_all_may_write_is_refused_unless_it_is_named(self):
        self.file.chmod(0o666)
        self.refused_unless_named()

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to give a file away")
    def test_a_file_of_another_user_is_refused_unless_it_is_named(self):
        os.chown(self.file, 65534, 65534)
        self.refused_unless_named()


if __name__ == "__main__":
    unittest.main()
