#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of CI services: a daemon beside a command, its agents waited for, a JUnit report. And `headway wait --junit` itself."""
import fcntl
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli, finish
from support.daemon import BINARY, PROJECT, clean_environment
from support.limits import eventually, patient

CI = PROJECT / "clients/ci"
SCRIPT = CI / "headway-ci.sh"


def cases(file: Path) -> dict:
    """Result of each session of a report."""
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
        self.assertLess(lines.index("nearly \\u{1b}[31m done"), lines.index("session.ended"))

    def test_one_of_several_is_enough(self):
        good, other = unique(), unique()
        self.client.open(other)
        self.client.open(good)
        self.client.end(good)
        self.assertEqual(self.wait(good, other, "--any"), 0)
        self.assertEqual(cases(self.file), {good: "", other: "skipped"})

    def test_a_session_that_works_is_skipped_beside_one_that_never_came(self):
        works, never = unique(), unique("never")
        self.client.open(works)
        self.assertEqual(self.wait(works, never, "--open-within", "1ms"), 6)
        self.assertEqual(cases(self.file), {works: "skipped", never: "never_opened"})

    def test_a_sub_agent_that_needs_a_person_is_named(self):
        session = unique()
        self.client.open(session)
        self.client.report(session, "tool.started", tool="task", call_id="c")
        self.client.open(session + ".child", parent=session)
        self.client.post(f"/v1/sessions/{session}.child/approvals", {"tool": "deploy", "args": {}})
        self.assertEqual(self.wait(session), 4)
        self.assertEqual(cases(self.file), {session: "needs_person"})
        case = ElementTree.parse(self.file).getroot().find("testcase")
        self.assertIn("waits for a person (1 approval)", case.find("failure").get("message"))
        self.assertIn("task", case.find("system-out").text)

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

    def test_it_is_there_whole_or_not_at_all(self):
        session = unique()
        self.client.open(session)
        for before in (None, "<old/>"):
            if before:
                self.file.write_text(before, encoding="utf-8")
            waiter = Cli(self.daemon).start("wait", session, "--junit", str(self.file))
            time.sleep(0.5)  # in which it asks; whether it has done so makes no difference
            waiter.kill()
            waiter.communicate()
            self.assertEqual([path.name for path in self.folder.iterdir()], [self.file.name] if before else [])
            self.assertEqual(self.file.read_text(encoding="utf-8") if before else None, before)
        self.file.chmod(0o600)
        self.client.end(session)
        self.assertEqual(self.wait(session), 0)
        self.assertEqual(cases(self.file), {session: ""})
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600, "as the one that it takes the place of")
        self.assertEqual([path.name for path in self.folder.iterdir()], [self.file.name])

    def test_it_is_not_written_through_a_link_that_lies_in_a_checkout(self):
        session = unique()
        self.client.open(session)
        self.client.end(session)
        self.file.write_text("ssh-ed25519 AAAA", encoding="utf-8")
        (self.folder / "link").symlink_to(self.file)
        waited = finish(Cli(self.daemon).start("wait", session, "--junit", str(self.folder / "link")))
        self.assertEqual(waited.code, 64, waited.err)
        self.assertIn(f"it is a link to {self.file}; name the file itself", waited.err)
        self.assertEqual(self.file.read_text(encoding="utf-8"), "ssh-ed25519 AAAA")
        self.assertTrue((self.folder / "link").is_symlink())

    def test_it_goes_into_a_pipe(self):
        session = unique()
        self.client.open(session)
        self.client.end(session)
        os.mkfifo(self.folder / "pipe")
        waiter = Cli(self.daemon).start("wait", session, "--junit", str(self.folder / "pipe"))
        self.assertIn("<testsuite ", (self.folder / "pipe").read_text(encoding="utf-8"))
        self.assertEqual(finish(waiter).code, 0)

    def test_it_is_written_to_a_file_whose_place_none_can_take(self):
        session = unique()
        self.client.open(session)
        self.client.end(session)
        self.file.write_text("<old/>" * 1000, encoding="utf-8")
        arguments = [str(BINARY), "wait", session, "--junit", str(self.file), "--url", self.daemon.url]
        mounted = ["unshare", "-Urm", "sh", "-c", 'mount --bind "$0" "$0" && exec "$@"', str(self.file)]
        if subprocess.run([*mounted, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no file can be mounted here")
        inode = self.file.stat().st_ino
        done = subprocess.run([*mounted, *arguments], env=Cli(self.daemon).environment, capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, cases(self.file)), (0, {session: ""}), done.stderr)
        self.assertEqual(self.file.stat().st_ino, inode)
        self.assertEqual([path.name for path in self.folder.iterdir()], [self.file.name])

    def test_what_standard_output_leads_to_stays_the_file_that_it_is(self):
        session = unique()
        self.client.open(session)
        self.client.end(session)
        with self.file.open("wb") as file:
            file.write(b"before\n")
            file.flush()
            done = subprocess.run([str(BINARY), "wait", session, "--junit", "/dev/stdout", "--url", self.daemon.url],
                                  env=Cli(self.daemon).environment, stdout=file, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((done.returncode, os.fstat(file.fileno()).st_ino), (0, self.file.stat().st_ino), done.stderr)
        self.assertRegex(self.file.read_text(encoding="utf-8"), r"(?s)^before\n.*<testsuite ")

    def test_it_may_go_to_standard_output_alone(self):
        session = unique()
        self.client.open(session)
        self.client.end(session, "failed")
        output = finish(Cli(self.daemon).start("wait", session, "--junit", "-"))
        self.assertEqual(output.code, 1)
        suite = ElementTree.fromstring(output.out)
        self.assertEqual([case.get("name") for case in suite.iter("testcase")], [session])
        self.assertIn(session, output.err)
        self.assertEqual(finish(Cli(self.daemon).start("wait", session, "--junit", "-", "--json")).code, 64)

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

    def test_an_agent_that_loops_while_the_command_waits_for_it_ends_the_job(self):
        call = '''{"type":"tool.finished","data":{"tool":"bash","args":{"command":"make"},"ok":false,"error":{"message":"no rule"}}}'''
        agent = self.folder / "agent.sh"
        agent.write_text(f"""for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            curl -fsS -o /dev/null -H 'Content-Type: application/json' -d '{call}' $HEADWAY_URL/v1/sessions/agent-1/events || exit 9
        done
        sleep 600""", encoding="utf-8")
        done = self.job("--wait", "agent-1", "--junit", str(self.file), "--", "headway", "run", "--session", "agent-1", "--", "sh", str(agent))
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertEqual(cases(self.file), {"agent-1": "halted"}, done.stderr)

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

    def start(self, *arguments, apart=False, **variables) -> subprocess.Popen:
        environment = clean_environment(PATH=f"{BINARY.parent}:{os.environ['PATH']}", HOME=str(self.folder), TMPDIR=str(self.folder), **variables)
        process = subprocess.Popen([str(SCRIPT), *arguments], env=environment, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=apart)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def gone(self, url: str) -> bool:
        return self.run_script(["curl", "-s", "-o", "/dev/null", f"{url}/livez"]).returncode == 7

    def test_a_signal_reaches_the_command_at_once_and_the_daemon_is_stopped(self):
        for name, status in (("TERM", 143), ("INT", 130), ("HUP", 129)):
            with self.subTest(name):
                job = self.start("--", "sh", "-c", f"trap 'echo got {name}; exit 3' {name}; echo $HEADWAY_URL; while :; do sleep 0.05; done")
                url = job.stdout.readline().strip()
                began = time.monotonic()
                job.send_signal(getattr(signal, f"SIG{name}"))
                out, err = job.communicate(timeout=patient(60))
                self.assertEqual((job.returncode, out), (status, f"got {name}\n"), err)
                self.assertLess(time.monotonic() - began, patient(10))
                self.assertTrue(self.gone(url))
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_ctrl_c_of_a_terminal_reaches_the_command_once(self):
        program = ("import os, signal, sys, time, urllib.request\nsignal.signal(signal.SIGINT, lambda *_: print('got', flush=True))\nprint('ready', flush=True)\n"
                   "for _ in range(20): time.sleep(0.1)\n"
                   "url = os.environ['HEADWAY_URL']\nprint('end', urllib.request.urlopen(url + '/livez').status)\n")
        for shell in ("dash", "bash"):
            if not shutil.which(shell):
                continue
            with self.subTest(shell):
                terminal, place = pty.openpty()
                environment = clean_environment(PATH=f"{BINARY.parent}:{os.environ['PATH']}", HOME=str(self.folder))

                def take():
                    os.setsid()
                    fcntl.ioctl(0, termios.TIOCSCTTY, 0)

                job = subprocess.Popen([shell, str(SCRIPT), "--", sys.executable, "-c", program], env=environment, cwd=self.folder, stdin=place,
                                       stdout=subprocess.PIPE, text=True, preexec_fn=take)
                os.close(place)
                self.addCleanup(os.close, terminal)
                self.assertEqual(job.stdout.readline(), "ready\n")
                os.write(terminal, b"\x03")
                out = job.communicate(timeout=patient(60))[0]
                self.assertEqual((job.returncode, out), (130, "got\nend 200\n"))

    def test_a_job_without_any_input_runs(self):
        for shell in ("dash", "bash"):
            if shutil.which(shell):
                done = self.run_script([shell, "-c", f"exec {shell} {SCRIPT} -- echo ran <&-"])
                self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)

    def test_a_script_that_is_killed_leaves_no_daemon(self):
        job = self.start("--", "sh", "-c", "echo $HEADWAY_URL; echo $$; exec sleep 1000")
        url, command = job.stdout.readline().strip(), int(job.stdout.readline())
        self.addCleanup(os.kill, command, signal.SIGKILL)
        self.assertFalse(self.gone(url))
        job.kill()
        job.wait()
        eventually(lambda: self.gone(url), what="the daemon ends")
        eventually(lambda: not list(self.folder.iterdir()), what="its files are gone")

    def test_a_job_whose_whole_group_is_killed_leaves_no_daemon(self):
        job = self.start("--", "sh", "-c", "echo $HEADWAY_URL; exec sleep 1000", apart=True)
        url = job.stdout.readline().strip()
        self.assertFalse(self.gone(url))
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        eventually(lambda: self.gone(url), what="the daemon ends")
        eventually(lambda: not list(self.folder.iterdir()), what="its files are gone")

    @unittest.skipUnless(Path("/proc/self/task", str(os.getpid()), "children").exists(), "skipped: /proc tells no children here")
    def test_a_daemon_that_hangs_is_killed(self):
        job = self.start("--", "sh", "-c", "echo $HEADWAY_URL; read -r line; exit 3")
        url = job.stdout.readline().strip()
        children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text(encoding="ascii").split()
        daemons = [int(pid) for pid in children if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") == "headway\n"]
        self.assertEqual(len(daemons), 1, children)
        os.kill(daemons[0], signal.SIGSTOP)
        job.communicate("go\n", timeout=patient(90))
        self.assertEqual((job.returncode, self.gone(url)), (3, True))

    def test_nothing_is_left_that_would_kill_later(self):
        mark = f"{os.getpid()}-{time.monotonic_ns()}"
        job = self.start("--", "sh", "-c", "echo ran", apart=True, JOB_OF_A_TEST=mark)
        job.communicate(timeout=patient(60))
        self.assertEqual(job.returncode, 0)

        def left() -> list:
            found = []
            for entry in Path("/proc").glob("[0-9]*/environ"):
                try:
                    if f"JOB_OF_A_TEST={mark}".encode() in entry.read_bytes():
                        found.append(entry.parent.name)
                except OSError:
                    pass  # another's, or gone
            return found
        eventually(lambda: not left(), 3, "no process is left, within less than the 30 s of the limit")

    def test_settings_of_the_folder_are_not_heeded_but_those_that_are_named(self):
        (self.folder / "headway.toml").write_text("[access]\nmode = \"token\"\n", encoding="utf-8")
        ping = ["--", "sh", "-c", "curl -sS -o /dev/null -w %{http_code} $HEADWAY_URL/ping/a"]
        self.assertEqual(self.job(*ping).stdout, "200")
        named = self.run_script([str(SCRIPT), *ping], HEADWAY_CONFIG=str(self.folder / "headway.toml"))
        self.assertNotEqual(named.stdout, "200", named.stderr)

    def test_the_command_has_the_input_of_the_script(self):
        job = self.start("--", "cat")
        self.assertEqual(job.communicate("words\n", timeout=patient(60))[0], "words\n")

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
