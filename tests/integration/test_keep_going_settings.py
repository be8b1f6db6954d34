#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""[keep_going] of the user's own settings file: `headway run` as with --keep-going."""
import shutil
import subprocess
import unittest

from support.case import unique
from support.daemon import BINARY
from support.limits import patient
from test_keep_going import AGENT, KeepGoingCase

ON = '[keep_going]\nenabled = true\nmargin = "100ms"\n'


class Settings(KeepGoingCase):
    def setUp(self):
        super().setUp()
        self.own = self.folder / "config/headway/headway.toml"
        self.own.parent.mkdir(parents=True)
        self.work = self.folder / "work"
        self.work.mkdir()
        shutil.rmtree(self.daemon.state_dir / "runs", ignore_errors=True)
        self.cli.environment.pop("HEADWAY_CONFIG")
        self.cli.environment["XDG_CONFIG_HOME"] = str(self.own.parents[1])

    def run_here(self, play: str, *options, command=("claude", "-p", "Fix it")):
        (self.folder / "play").write_text(play)
        (self.folder / "starts").unlink(missing_ok=True)
        self.session = unique()
        done = subprocess.run([str(BINARY), "run", "--session", self.session, *options, "--", str(self.folder / command[0]), *command[1:]],
                              cwd=self.work, env=self.cli.environment, capture_output=True, text=True, timeout=patient(60), check=False)
        return done, len(self.starts())

    def test_enabled_is_as_with_the_flag_and_off_without_a_file(self):
        self.assertEqual(self.run_here("limit done")[1], 1)
        self.own.write_text(ON)
        done, starts = self.run_here("limit done")
        self.assertEqual((done.returncode, starts), (0, 2), done.stderr)
        self.own.write_text('[keep_going]\nenabled = false\nmargin = "100ms"\n')
        self.assertEqual(self.run_here("limit done")[1], 1)
        done, starts = self.run_here("limit done", "--keep-going")  # with the margin of the file
        self.assertEqual((done.returncode, starts), (0, 2), done.stderr)

    def test_flags_win(self):
        (self.folder / "claude").write_text(AGENT.replace('"name": "Write"', '"name": "Read"'))
        self.own.write_text(ON + "max_resumes = 2\n")
        done, starts = self.run_here("crash")
        self.assertEqual(starts, 3, done.stderr)
        done, starts = self.run_here("crash", "--max-resumes", "1")
        self.assertEqual(starts, 2, done.stderr)
        done, starts = self.run_here("crash", "--no-keep-going")
        self.assertEqual((starts, "resume" in done.stderr), (1, False), done.stderr)
        done, starts = self.run_here("crash", "--no-keep-going", "--max-resumes", "1")
        self.assertEqual((done.returncode, starts), (64, 0))
        self.assertEqual(self.run_here("crash", "--no-keep-going", "--keep-going")[0].returncode, 64)

    def test_a_check_needs_no_flag_then(self):
        self.own.write_text(ON)
        done, starts = self.run_here("done", "--check", f"touch {self.folder}/checked")
        self.assertEqual((done.returncode, starts, (self.folder / "checked").exists()), (0, 1, True), done.stderr)
        self.assertEqual(self.run_here("done", "--check", "true", "--check-dir", "/none")[0].returncode, 64)

    def test_a_command_that_cannot_be_resumed_runs_as_without(self):
        script = self.folder / "script"
        script.write_text("#!/bin/sh\necho >> $PLAY/starts2; exit 3\n")
        script.chmod(0o755)
        texts = []
        for text in ("", ON):
            self.own.write_text(text)
            done, _ = self.run_here("", command=("script",))
            self.assertEqual(done.returncode, 3)
            texts.append((done.stderr.replace(self.session, ""), self.ended()["verdict"]["reason"]))
        self.assertEqual(texts[0], texts[1])
        # An agent that prints no lines has no conversation, and one that makes a worktree at each start another.
        (self.folder / "claude").write_text(script.read_text())
        done, _ = self.run_here("")
        self.assertEqual((done.returncode, done.stderr), (3, f"headway: session {self.session}\n"))
        (self.folder / "claude").write_text(AGENT)
        done, starts = self.run_here("limit done", command=("claude", "-p", "-w", "x", "Fix it"))
        self.assertEqual((done.returncode, starts), (1, 1), done.stderr)

    def test_the_file_in_the_working_folder_is_never_read(self):
        """An agent, or the project, can write it."""
        (self.work / "headway.toml").write_text(ON)
        for _ in range(2):  # without and with a file of the user's own
            done, starts = self.run_here("limit done")
            self.assertEqual((starts, done.stderr.count("\n")), (1, 1), done.stderr)
            self.own.write_text("[log]\nlevel = \"warn\"\n")
        self.cli.environment["HEADWAY_CONFIG"] = "headway.toml"
        done, starts = self.run_here("limit done")
        self.assertEqual(starts, 1)
        self.assertIn("HEADWAY_CONFIG is no absolute path", done.stderr)
        (self.work / "headway.toml").write_text("[keep_going]\nenabled = nonsense\n")
        self.own.write_text(ON)
        self.cli.environment.pop("HEADWAY_CONFIG")
        self.assertEqual(self.run_here("limit done")[1], 2)

    def test_a_file_that_is_wrong_is_named_and_the_run_goes_on_without(self):
        for text in ("[keep_going]\nenabled = true\nmax_resumes = 51\n", "[keep_going\n", "[keep_going]\nenabled = \"perhaps\"\n"):
            self.own.write_text(text)
            done, starts = self.run_here("limit done")
            self.assertEqual((done.returncode, starts), (1, 1), done.stderr)
            self.assertIn("[keep_going] is not used: ", done.stderr)
            self.assertIn("headway.toml:", done.stderr)
            done, starts = self.run_here("limit done", "--keep-going", "--margin", "100ms")
            self.assertEqual((done.returncode, starts), (0, 2), done.stderr)
        done, starts = self.run_here("limit done", "--quiet")
        self.assertEqual((starts, done.stderr), (1, ""))
        self.own.write_text(ON + '[server]\nlisten = "no address"\n')  # of the daemon, and no matter of a run
        self.assertEqual(self.run_here("limit done")[1], 2)


if __name__ == "__main__":
    unittest.main()
