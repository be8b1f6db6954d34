#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packaged service and agents of other users: a user of its own, /proc with its own processes only, a socket for its group."""
import json
import os
import shutil
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.daemon import BINARY, Daemon, clean_environment
from support.limits import eventually, patient

PYTHON = "/usr/bin/python3"  # that of the test may be closed to others
SERVICE, AGENT, GROUP = 61001, 61002, 61003  # users and the group of the service, which the agent's user is a member of
# As User=, Group=, ProtectProc=, ProcSubset=, CapabilityBoundingSet= and NoNewPrivileges= of deploy/headway.service.
CONFINED = ["unshare", "--mount", "sh", "-c", "mount -t proc -o hidepid=invisible,subset=pid proc /proc && exec setpriv "
            f"--reuid {SERVICE} --regid {GROUP} --clear-groups --no-new-privs --bounding-set=-all \"$@\"", "confined"]
# Runs a hook for each line of its input, as an agent does, and prints the exit status and the reply.
PROGRAM = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run([sys.argv[1], 'claude'], input=line.encode(), capture_output=True)
    print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode()]), flush=True)
"""


class Agent:
    def __init__(self, case, folder, group: int):
        self.case, self.session = case, "0b1c"
        self.home = folder / f"home-{group}"
        self.home.mkdir(mode=0o700)
        self.transcript = self.home / "t.jsonl"
        self.transcript.write_text('{"type":"assistant","timestamp":"2099-01-01T00:00:00Z","message":{"id":"m","usage":{"input_tokens":7}}}\n')
        self.transcript.chmod(0o600)
        for path in (self.home, self.transcript):
            os.chown(path, AGENT, AGENT)
        environment = clean_environment(HOME=str(self.home), XDG_RUNTIME_DIR="", RUNTIME_DIRECTORY=str(folder / "run"))
        self.process = subprocess.Popen([PYTHON, "-c", PROGRAM, str(folder / "bin/headway-hook")], cwd=self.home, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, user=AGENT, group=group, extra_groups=[])
        case.addCleanup(self.end)

    def hook(self, event: str, **body) -> list:
        body = {"hook_event_name": event, "session_id": self.session, "transcript_path": str(self.transcript), **body}
        self.process.stdin.write(json.dumps(body) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait(patient(20))
        self.process.stdin.close()
        self.process.stdout.close()


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class Service(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        for tool in ("unshare", "setpriv", PYTHON):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        if subprocess.run([*CONFINED, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this process may not make a mount namespace")
        self.daemon = Daemon({"server.report_group": str(GROUP)})  # the package's settings have the group `headway`
        self.addCleanup(self.daemon.close)
        root = self.daemon.root
        root.chmod(0o755)
        for name, mode in (("run", 0o755), ("state", 0o700), ("bin", 0o755), ("out", 0o755)):
            (root / name).mkdir()
            (root / name).chmod(mode)
            os.chown(root / name, SERVICE, GROUP)
        # The folder of the build may be closed to others.
        self.daemon.binary = root / "bin/headway"
        for program in ("headway", "headway-hook"):
            shutil.copy(BINARY.with_name(program), root / "bin" / program)
        self.daemon.ports_file = root / "out/ports.json"
        self.daemon.environment = {"RUNTIME_DIRECTORY": str(root / "run")}
        self.daemon.wrapper = CONFINED
        self.daemon.start()

    def operator(self):
        return self.client(self.daemon, token=(self.daemon.state_dir / "operator.token").read_text().strip())

    def test_an_agent_of_a_member_of_the_group_is_followed_to_its_end(self):
        agent, client = Agent(self, self.daemon.root, GROUP), self.operator()
        self.assertEqual(agent.hook("SessionStart", source="startup"), [0, "{}", ""])
        agent.hook("UserPromptSubmit", prompt="go")
        agent.hook("PreToolUse", tool_name="Bash", tool_use_id="c", tool_input={"command": "make"})
        agent.hook("PostToolUse", tool_name="Bash", tool_use_id="c", tool_input={"command": "make"}, tool_response={"stdout": "made"})
        agent.hook("Stop")
        session = client.session("claude-0b1c")
        self.assertEqual(session["used"]["tokens"], 7, "of a transcript that only the agent's user can read")
        self.assertEqual(session["adapter"]["channel"], "ok")
        agent.hook("UserPromptSubmit", prompt="and on")
        agent.process.kill()
        eventually(lambda: client.session("claude-0b1c").get("outcome") == "failed", what="the end of the agent's session")
        ended = [event["data"] for event in client.journal("claude-0b1c") if event["type"] == "session.ended"]
        self.assertEqual([end["code"] for end in ended], ["agent_gone"])

    def test_who_is_in_no_such_group_is_not_heard_and_goes_on(self):
        agent = Agent(self, self.daemon.root, AGENT)
        # Its hook then looks at the default port, where another daemon may listen: not for this test.
        environment = clean_environment(HEADWAY_HOOK_SOCKET=str(self.daemon.root / "run/report.sock"))
        done = subprocess.run([str(self.daemon.root / "bin/headway-hook"), "claude"], input=b"{}", capture_output=True, env=environment,
                              user=AGENT, group=AGENT, extra_groups=[], check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertIsNone(agent.process.poll())

    def test_the_daemon_knows_which_user_was_refused(self):
        program = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
                   "s.sendall(b'GET /v1/tokens HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\nprint(s.recv(4096).split()[1].decode())\n")
        done = subprocess.run([PYTHON, "-c", program, str(self.daemon.root / "run/report.sock")], capture_output=True, text=True, user=AGENT,
                              group=GROUP, extra_groups=[], check=False)
        self.assertEqual(done.stdout, "403\n", done.stderr)
        self.assertIn(f"(uid {AGENT})", self.daemon.log())

    def test_an_agent_may_not_read_the_operators_token_nor_reach_its_socket(self):
        program = ("import socket, sys\nfor path in sys.argv[1:]:\n  try:\n"
                   "    socket.socket(socket.AF_UNIX).connect(path) if path.endswith('sock') else open(path)\n    print('open')\n"
                   "  except PermissionError:\n    print('closed')\n")
        state = self.daemon.state_dir
        paths = [str(state / "operator.token"), str(state / "headway.sock"), str(state / "headway.db"), str(self.daemon.root / "run/report.sock")]
        done = subprocess.run([PYTHON, "-c", program, *paths], capture_output=True, text=True, user=AGENT, group=GROUP,
                              extra_groups=[], check=False)
        self.assertEqual(done.stdout.split(), ["closed"] * 3 + ["open"], done.stderr)


if __name__ == "__main__":
    unittest.main()
