#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion by a real bash, and the manual pages as files."""
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.daemon import BINARY


class Completion(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)

    def offered(self, *words: str) -> list:
        """Candidates of bash when the cursor is in the last of the words."""
        script = ('source <("$0" completion bash); headway() { "$HEADWAY" "$@"; }; COMP_WORDS=(headway "$@"); '
                  'COMP_CWORD=$#; _headway; [[ ${#COMPREPLY[@]} -eq 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, str(BINARY), *words], capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "HEADWAY": str(BINARY), "HEADWAY_URL": self.daemon.url},
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return sorted(done.stdout.split())

    def test_verbs_options_and_their_values(self):
        self.assertIn("wait", self.offered(""))
        self.assertEqual(self.offered("wa"), ["wait", "watch"])
        self.assertIn("--until", self.offered("wait", "--"))
        self.assertEqual(self.offered("wait", "--mode", ""), ["ever", "now"])
        self.assertEqual(self.offered("config", ""), ["check", "default", "show"])
        self.assertIn("--origin", self.offered("config", "show", "--o"))
        self.assertEqual(self.offered("wait", "s", "--timeout", ""), [])
        self.assertEqual(self.offered("completion", "z"), ["zsh"])

    def test_sessions_are_those_of_the_daemon(self):
        session = unique("known")
        self.client.open(session)
        self.assertEqual(self.offered("wait", session), [session])
        self.assertEqual(self.offered("wait", "--mode", "now", session), [session])
        self.assertEqual(self.offered("serve", session), [])

    def test_files_and_commands_of_others(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "settings.toml").touch()
            self.assertEqual(self.offered("serve", "--config", f"{folder}/se"), [f"{folder}/settings.toml"])
        self.assertIn("bash", self.offered("run", "--", "bas"))

    def test_the_other_shells_get_a_script_and_unknown_ones_a_hint(self):
        for shell in ("zsh", "fish"):
            output = self.cli.run("completion", shell)
            self.assertEqual(output.code, 0, output)
        self.assertEqual(self.cli.run("completion", "tcsh").code, 64)

    def test_ids_for_scripts(self):
        session = unique("listed")
        self.client.open(session)
        self.assertIn(session, self.cli.run("sessions", "--ids").out.splitlines())


class Manual(SharedDaemonCase):
    def test_a_page_for_each_verb(self):
        cli = Cli(self.daemon)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(cli.run("manual", "--folder", f"{folder}/man1").code, 0)
            pages = {file.name: file.read_text() for file in (Path(folder) / "man1").iterdir()}
        self.assertIn("headway.1", pages)
        self.assertEqual(pages["headway-wait.1"], cli.run("manual", "wait").out)
        for name, text in pages.items():
            self.assertTrue(text.startswith(".TH "), name)
        self.assertEqual(cli.run("manual", "wiat").code, 64)
        self.assertIn("wait", cli.run("manual", "wiat").err)


if __name__ == "__main__":
    unittest.main()
