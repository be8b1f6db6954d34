#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of CI services: a daemon beside a command, its agents waited for, a JUnit report. And `headway wait --junit` itself."""
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli, finish
from support.daemon import BINARY, PROJECT, clean_environment

CI = PROJECT / "clients/ci"
SCRIPT = CI / "headway-ci.sh"


def cases(file: Path) -> dict:
    """What each session of a report came to."""
    suite = ElementTree.parse(file).getroot()
    found = {}
    for case in suite:
        failure = case.find("failure")
        found[case.get("name")] = failure.get("type") if failure is not None else "skipped" if case.find("skipped") is not None else ""
    assert int(suite.get("tests")) == len(found)
    assert int(suite.get("failures")) == sum(1 for kind in found.values() if kind not in ("", "skipped"))
    return found


class Report(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "headway.xml"

    def wait(self, *arguments) -> int:
        return finish(Cli(self.daemon).start("wait", *arguments, "--junit", str(self.file))).code

    def test_it_says_of_each_session_what_came_of_it(self):
        good, bad, stopped = unique(), unique(), unique()
        self.client.open(good)
        self.client.end(good)
        self.client.open(bad, goal="<b>&amp;")
        self.client.report(bad, "message", text="nearly \x1b[31m done")
        self.client.end(bad, "failed", reason="the <tests> fail & \"more\"")
        self.client.open(stopped)
        self.client.end(stopped, "cancelled")
        self.assertEqual(self.wait(good, bad, stopped), 1)
        self.assertEqual(cases(self.file), {good: "", bad: "failed", stopped: "cancelled"})
        failure = ElementTree.parse(self.file).getroot().find(f"testcase[@name='{bad}']/failure")
        self.assertIn("the <tests> fail & \"more\"", failure.get("message"))
        lines = ElementTree.parse(self.file).getroot().find(f"testcase[@name='{bad}']/system-out").text
        self.assertLess(lines.index("nearly"), lines.index("session.ended"))

    def test_one_of_several_is_enough(self):
        good, other = unique(), unique()
        self.client.open(other)
        self.client.open(good)
        self.client.end(good)
        self.assertEqual(self.wait(good, other, "--any"), 0)
        self.assertEqual(cases(self.file), {good: "", other: "skipped"})

    def test_what_never_came_and_what_took_too_long_are_failures(self):
        session, never = unique(), unique("never")
        self.assertEqual(self.wait(never, "--open-within", "1ms"), 6)
        self.assertEqual(cases(self.file), {never: "never_opened"})
        self.client.open(session)
        self.assertEqual(self.wait(session, "--timeout", "1ms"), 124)
        self.assertEqual(cases(self.file), {session: "timeout"})

    def test_beside_a_session_that_failed_the_one_that_never_came_is_named(self):
        failed, never = unique(), unique("never")
        self.client.open(failed)
        self.client.end(failed, "failed")
        output = finish(Cli(self.daemon).start("wait", failed, never, "--open-within", "1ms"))
        self.assertEqual(output.code, 1)
        self.assertIn(f"session {never} was not opened within 1ms", output.err)
        self.assertNotIn("can never be", output.err)

    def test_a_file_that_cannot_be_written_is_said_before_the_wait(self):
        output = finish(Cli(self.daemon).start("wait", unique(), "--junit", str(self.folder / "none/x.xml")))
        self.assertEqual(output.code, 64)
        self.assertIn("cannot write", output.err)

    def test_without_a_daemon_it_says_so_too(self):
        done = subprocess.run([str(BINARY), "wait", "a", "--url", "http://127.0.0.1:9", "--connect-timeout", "1ms", "--junit", str(self.file)],
                              env=clean_environment(), capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, cases(self.file)), (69, {"a": "no_answer"}))


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "headway.xml"

    def run_script(self, command: list, **variables) -> subprocess.CompletedProcess:
        environment = clean_environment(PATH=f"{BINARY.parent}:{os.environ['PATH']}", HOME=str(self.folder), **variables)
        return subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def job(self, *arguments) -> subprocess.CompletedProcess:
        return self.run_script([str(SCRIPT), *arguments])

    def test_an_agent_that_goes_on_behind_the_command_is_waited_for(self):
        agent = "(curl -fsS -o /dev/null $HEADWAY_URL/ping/agent-1/start; curl -fsS -o /dev/null $HEADWAY_URL/ping/agent-1) >/dev/null 2>&1 &"
        done = self.job("--wait", "agent-1", "--junit", str(self.file), "--", "sh", "-c", agent)
        self.assertEqual((done.returncode, cases(self.file)), (0, {"agent-1": ""}), done.stderr)

    def test_a_session_that_fails_fails_the_job(self):
        done = self.job("--wait", "agent-1", "--wait", "agent-2", "--junit", str(self.file), "--", "sh", "-c",
                        "for i in 0 3; do curl -fsS -o /dev/null $HEADWAY_URL/ping/agent-$((1 + i / 3))/$i; done")
        self.assertEqual((done.returncode, cases(self.file)), (1, {"agent-1": "", "agent-2": "failed"}), done.stderr)

    def test_the_status_of_the_command_comes_first_and_what_it_did_not_open_is_not_waited_for(self):
        done = self.job("--wait", "agent-1", "--junit", str(self.file), "--", "sh", "-c", "exit 7")
        self.assertEqual((done.returncode, cases(self.file)), (7, {"agent-1": "never_opened"}), done.stderr)

    def test_a_token_of_another_daemon_is_not_shown_to_this_one(self):
        done = self.run_script([str(SCRIPT), "--wait", "a", "--", "sh", "-c", "echo ${HEADWAY_TOKEN-none}; curl -fsS -o /dev/null $HEADWAY_URL/ping/a"],
                               HEADWAY_TOKEN="hw_of_another_daemon", HEADWAY_SESSION="other")
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "none"), done.stderr)

    def test_no_daemon_is_left(self):
        done = self.job("--", "sh", "-c", "echo $HEADWAY_URL")
        url = done.stdout.strip()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+$")
        gone = self.run_script(["curl", "-s", f"{url}/livez"])
        self.assertEqual(gone.returncode, 7)

    def test_mistakes_are_said(self):
        for arguments, says in (([], "no command"), (["--wait"], "needs a value"), (["--junit", "x", "--", "true"], "needs a --wait"),
                                (["--wait", "a b", "--", "true"], "is no session id"), (["true"], "what is 'true'")):
            done = self.job(*arguments)
            self.assertEqual(done.returncode, 64)
            self.assertIn(says, done.stderr)

    def test_without_headway_and_without_a_package_it_says_what_to_do(self):
        done = subprocess.run([str(SCRIPT), "--", "true"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0:
            self.skipTest("a headway is installed here")
        self.assertEqual(done.returncode, 127)
        self.assertIn("--deb", done.stderr)

    def test_the_action_runs_it(self):
        """The one step of action.yml, as the runner does: inputs in the environment, the script by sh."""
        text = (CI / "action.yml").read_text(encoding="utf-8")
        script = re.sub(r"^ {8}", "", text[text.index("      run: |\n") + len("      run: |\n"):], flags=re.M)
        inputs = {"run": "curl -fsS -o /dev/null $HEADWAY_URL/ping/a; curl -fsS -o /dev/null $HEADWAY_URL/ping/b/fail", "wait": "a b", "until": "settled",
                  "junit": str(self.file), "deb": ""}
        variables = {name: inputs[value] for name, value in re.findall(r"(HW_CI_\w+): \$\{\{ inputs\.(\w+) \}\}", text)}
        self.assertEqual(len(variables), len(inputs))
        done = self.run_script(["sh", "-e", "-c", script], HW_CI_PATH=str(CI), **variables)
        self.assertTrue(self.file.exists(), done.stderr)
        self.assertEqual((done.returncode, cases(self.file)), (1, {"a": "", "b": "failed"}), done.stderr)


if __name__ == "__main__":
    unittest.main()
