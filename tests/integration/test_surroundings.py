#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon's surroundings: the environment of commands, and files of other users."""
import fcntl
import os
import stat
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli


class Commands(OwnDaemonCase):
    def test_run_hands_its_command_none_of_our_secrets(self):
        daemon = self.start({"access.mode": "token"})
        cli = Cli(daemon)
        cli.environment |= {"HEADWAY_TOKEN": daemon.operator_token(), "HEADWAY_TOKEN_FILE": str(daemon.state_dir / "operator.token"),
                            "HEADWAY_ACCESS_MODE": "token", "OTHER": "kept"}
        output = cli.run("run", "--session", "r", "--quiet", "--", "env")
        self.assertEqual(output.code, 0, output.err)
        seen = dict(line.split("=", 1) for line in output.out.splitlines() if "=" in line)
        self.assertEqual({name: value for name, value in seen.items() if name.startswith("HEADWAY_")},
                         {"HEADWAY_SESSION": "r", "HEADWAY_URL": daemon.url, "HEADWAY_RUN": seen["HEADWAY_RUN"]})
        self.assertEqual(seen["OTHER"], "kept")
        self.assertNotIn(daemon.operator_token(), output.out)
        self.assertEqual(self.client(daemon, token=daemon.operator_token()).session("r")["outcome"], "completed", "it reported with the token itself")


class PortsFile(OwnDaemonCase):
    def test_only_a_regular_file_is_replaced_and_no_link_followed(self):
        daemon = self.start()
        daemon.stop()
        victim = daemon.root / "victim"
        victim.write_text("mine")
        for name, make in (("link", lambda path: path.symlink_to(victim)), ("pipe", os.mkfifo), ("folder", os.mkdir)):
            path = daemon.root / name
            make(path)
            before = os.lstat(path)
            daemon.ports_file = path
            process = daemon.spawn()
            self.assertEqual(process.wait(60), 1, name)
            process.stdout.close()
            self.assertIn(f"{path}: it is no regular file", daemon.log())
            self.assertEqual(stat.S_IFMT(os.lstat(path).st_mode), stat.S_IFMT(before.st_mode))
        self.assertEqual(victim.read_text(), "mine")

    def test_a_prepared_draft_is_not_written_to(self):
        daemon = self.start()
        daemon.stop()
        victim = daemon.root / "victim"
        victim.write_text("mine")
        (daemon.root / "ports.json.tmp").symlink_to(victim)  # the name of the first versions
        daemon.start()
        self.assertEqual(victim.read_text(), "mine")
        self.assertEqual({p.name for p in daemon.root.glob("ports.json*")}, {"ports.json", "ports.json.tmp"})
        self.assertEqual(stat.S_IMODE(os.stat(daemon.ports_file).st_mode) & 0o022, 0)


class LeftCopies(OwnDaemonCase):
    def backup(self, daemon, file):
        return self.client(daemon, token=daemon.operator_token()).post("/v1/backup", {"file": str(file)})

    def test_a_backup_that_died_does_not_keep_its_name(self):
        daemon = self.start()
        file, partial = daemon.root / "copy.db", daemon.root / "copy.db.partial"
        partial.write_bytes(b"half of it")
        reply = self.backup(daemon, file)
        self.assertEqual(reply.status, 201, reply.body)
        self.assertFalse(partial.exists())
        daemon.stop()
        other = daemon.root / "other.db.partial"
        other.write_bytes(b"half of it")
        done = Cli(daemon).run("backup", str(daemon.root / "other.db"))
        self.assertEqual((done.code, other.exists()), (0, False), done.err)

    def test_what_is_written_right_now_or_is_no_file_stays(self):
        daemon = self.start()
        file, partial = daemon.root / "copy.db", daemon.root / "copy.db.partial"
        with open(partial, "wb") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            reply = self.backup(daemon, file)
            self.assertEqual((reply.status, reply.json()["code"]), (409, "file_exists"), reply.body)
        partial.unlink()
        partial.symlink_to(daemon.root / "elsewhere")
        self.assertEqual(self.backup(daemon, file).json()["code"], "file_exists")
        self.assertFalse((daemon.root / "elsewhere").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
