#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The operator's token that a verb finds by itself goes to the daemon of its owner only, and to no child."""
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli, finish
from support.daemon import clean_environment

STRANGER = 65534
PYTHON = "/usr/bin/python3"
# Prints its port, then the head of each request; answers each with {}.
LISTENER = """
import socket, sys
listener = socket.create_server(('127.0.0.1', 0), backlog=16)
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    head = b''
    while b'\\r\\n\\r\\n' not in head:
        more = client.recv(65536)
        if not more:
            break
        head += more
    if not head:
        continue
    print(repr(head.decode('latin-1')), flush=True)
    client.sendall(b'HTTP/1.1 %s\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}' % sys.argv[1].encode())
    client.close()
"""


class Stranger:
    """A program of another user on a port of this machine."""

    def __init__(self, case, status="200 OK", user=STRANGER):
        self.process = subprocess.Popen([PYTHON, "-c", LISTENER, status], env=clean_environment(), cwd="/", stdout=subprocess.PIPE, text=True,
                                        user=user, group=user, extra_groups=[])
        case.addCleanup(self.end)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def end(self) -> str:
        """The request that it received."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        said = "" if self.process.stdout.closed else self.process.stdout.read()
        self.process.stdout.close()
        self.process.wait()
        return said


def enter_own_network(case):
    """Until the end of the test its thread, and what that starts, have a loopback of their own: the default address is one that other
    tests and programs of this machine ask too."""
    libc, clone_newnet = ctypes.CDLL(None), 0x40000000
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    case.addCleanup(os.close, before)
    if libc.unshare(clone_newnet) != 0:
        return  # a container may forbid it
    case.addCleanup(libc.setns, before, clone_newnet)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class FoundToken(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        self.token = self.daemon.operator_token()

    def test_no_verb_sends_it_to_the_listener_of_another_user(self):
        self.daemon.stop()
        for verb in (["sessions"], ["approvals"], ["top", "--once"], ["token", "list"], ["show", "x"], ["events", "x"], ["backup", "/tmp/x"],
                     ["webhooks", "list"], ["cancel", "x"], ["dashboard"], ["run", "--quiet", "--linger", "1s", "--", "true"]):
            stranger = Stranger(self)
            ran = Cli(self.daemon, stranger.url).run(*verb)
            said = stranger.end()
            self.assertNotIn("Authorization", said, verb)
            self.assertNotIn(self.token, said + ran.out + ran.err, verb)
            self.assertIn("HTTP/1.1", said, f"{verb}: a daemon that was named is asked all the same")

    def test_where_that_is_refused_the_message_says_whose_it_is_and_what_to_do(self):
        stranger = Stranger(self, "401 Unauthorized")
        ran = Cli(self.daemon, stranger.url).run("sessions")
        self.assertNotEqual(ran.code, 0)
        self.assertNotIn("Authorization", stranger.end())
        for word in (str(STRANGER), str(self.daemon.state_dir / "operator.token"), "was not sent", "--token-file"):
            self.assertIn(word, ran.err)

    def test_a_daemon_that_was_not_named_receives_nothing_from_a_found_token(self):
        self.daemon.stop()
        enter_own_network(self)
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", 7717))
        except OSError:
            self.skipTest("something listens at the default address")
        finally:
            probe.close()
        listener = LISTENER.replace("('127.0.0.1', 0)", "('127.0.0.1', 7717)")
        process = subprocess.Popen([PYTHON, "-c", listener, "200 OK"], env=clean_environment(), cwd="/", stdout=subprocess.PIPE, text=True,
                                   user=STRANGER, group=STRANGER, extra_groups=[])
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.readline()
        cli = Cli(self.daemon)
        del cli.environment["HEADWAY_URL"]
        for verb in (["sessions"], ["approvals"], ["top", "--once"]):
            ran = cli.run(*verb)
            self.assertEqual(ran.code, 69, ran.err)
            for word in (str(STRANGER), "nothing was sent", "headway serve --state-dir", "--url http://127.0.0.1:7717"):
                self.assertIn(word, ran.err)
        process.kill()
        self.assertEqual(process.stdout.read(), "", "no request came")

    def test_the_daemon_of_its_owner_gets_it_by_every_address_of_loopback(self):
        for host in ("127.0.0.1", "localhost"):
            ran = Cli(self.daemon, f"http://{host}:{self.daemon.port}").run("token", "list")
            self.assertEqual(ran.code, 0, ran.err)

    def test_a_token_that_a_person_names_goes_where_it_is_sent(self):
        stranger = Stranger(self)
        Cli(self.daemon, stranger.url).run("sessions", "--token-file", str(self.daemon.state_dir / "operator.token"))
        self.assertIn(f"Authorization: Bearer {self.token}", stranger.end())

    def test_no_proxy_is_asked_for_an_address_of_loopback(self):
        stranger = Stranger(self)
        cli = Cli(self.daemon, "http://127.0.0.2:9")
        cli.environment |= {"http_proxy": stranger.url, "all_proxy": stranger.url}
        cli.run("sessions")
        self.assertEqual(stranger.end(), "")


class Children(OwnDaemonCase):
    LOOK = "import os; print([int(f) for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + f)])"

    def test_run_leaves_its_command_no_descriptor_of_its_own(self):
        daemon = self.start()
        for verb in ("run", "acp"):
            ran = Cli(daemon).run(verb, "--quiet", "--", PYTHON, "-c", self.LOOK)
            self.assertEqual(ran.code, 0, ran.err)
            self.assertEqual(ran.out.strip(), "[0, 1, 2]", verb)

    def test_run_passes_on_what_the_shell_opened_for_the_command(self):
        daemon = self.start()
        read, write = os.pipe()
        os.write(write, b"from the shell")
        os.close(write)
        process = Cli(daemon).start("run", "--quiet", "--", "cat", f"/dev/fd/{read}", pass_fds=(read,))
        os.close(read)
        self.assertEqual(finish(process).out, "from the shell")

    def test_no_token_of_run_or_acp_is_in_their_environment_any_more(self):
        daemon = self.start()
        for verb in (["run", "--quiet"], ["acp", "--quiet"]):
            cli = Cli(daemon)
            cli.environment |= {"HEADWAY_TOKEN": daemon.operator_token()}
            ran = cli.run(*verb, "--", "sh", "-c", "tr '\\0' '\\n' </proc/$PPID/environ; echo; echo done")
            self.assertIn("done", ran.out, ran.err)
            self.assertIn("STATE_DIRECTORY", ran.out)
            self.assertNotIn(daemon.operator_token(), ran.out)


if __name__ == "__main__":
    unittest.main()
