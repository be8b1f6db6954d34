#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headway-hook before a server of the test's own: what it sends, what it prints, and that it never is why an agent stops."""
import array
import itertools
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.daemon import BINARY, PROJECT, Daemon, clean_environment
from support.limits import SLOW, patient
from support.tls import make_certificate

HOOK = BINARY.with_name("headway-hook")
BODY = b'{"hook_event_name":"PreToolUse"}'
ANSWER = b'{"context":"look at the test"}'
MIB = 1024 * 1024


def plain(body: bytes, status: str = "200 OK", kind: str = "application/json") -> bytes:
    return b"HTTP/1.1 %s\r\nX-Headway: 1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), kind.encode(), len(body), body)


HELD = b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(text: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(text), text)


class FakeDaemon:
    """Listens on a Unix socket or the port of a loopback address, and lets `answer(connection, request)` reply."""

    def __init__(self, path=None, answer=None, family=socket.AF_INET):
        self.answer = answer or (lambda connection, request: connection.sendall(plain(ANSWER)))
        self.requests, self.bodies, self.descriptors, self.errors = [], [], [], []
        self.listener = socket.socket(socket.AF_UNIX if path else family)
        self.listener.bind(str(path) if path else ("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self.listener.listen(16)
        self.port = None if path else self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(patient(30))
                try:
                    self.answer(connection, self._request(connection))
                except OSError as error:
                    self.errors.append(error)

    def _request(self, connection) -> dict:
        """The lines of the head by lower-case name; the body is kept."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece, rights, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(16 * 4))
            for level, kind, content in rights:
                self.assert_rights(level, kind)
                self.descriptors += array.array("i", content)
            if not piece:
                raise OSError("the head broke off")
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        fields = dict((name.lower(), value) for name, _, value in (one.partition(": ") for one in lines))
        assert len(fields) == len(lines), lines
        while len(body) < int(fields["content-length"]):
            body += connection.recv(MIB)
        self.requests.append({"": line, **fields})
        self.bodies.append(body)
        return self.requests[-1]

    def assert_rights(self, level, kind):
        assert (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for descriptor in self.descriptors:
            os.close(descriptor)


class HookCase(unittest.TestCase):
    maxDiff = 1000

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="headway-hook-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.environment = clean_environment(HOME=str(self.root), PATH="/usr/bin:/bin")

    def fake(self, answer=None, path=None, **options) -> FakeDaemon:
        daemon = FakeDaemon(path, answer, **options)
        self.addCleanup(daemon.close)
        return daemon

    def on_socket(self, answer=None) -> FakeDaemon:
        self.path = self.root / "r.sock"
        return self.fake(answer, self.path)

    def run_hook(self, *arguments, body: bytes = BODY, wrapper=(), **environment) -> subprocess.CompletedProcess:
        return subprocess.run([*wrapper, str(HOOK), *arguments], input=body, capture_output=True, cwd=self.root,
                              env={**self.environment, **environment}, timeout=patient(60))

    def check(self, done, out: bytes = b"", code: int = 0, err: bytes = b""):
        self.assertEqual((done.stdout, done.returncode), (out, code), done.stderr)
        if err:
            self.assertIn(err, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        else:
            self.assertEqual(done.stderr, b"")

    def is_away(self, *arguments, why: bytes, **more):
        """Away is silent; with --require it is exit 2 and one sentence."""
        self.check(self.run_hook("claude", *arguments, **more))
        self.check(self.run_hook("claude", "--require", *arguments, **more), code=2, err=why)


class Requests(HookCase):
    def test_the_body_comes_byte_for_byte_and_the_reply_goes_to_standard_output(self):
        daemon = self.on_socket()
        bodies = (b"", b"{}", BODY, b"\0\1\xff\r\n\r\n" + bytes(range(256)), os.urandom(3 * MIB), b"x" * (16 * MIB))
        for body in bodies:
            self.check(self.run_hook("claude", "--socket", str(self.path), body=body), ANSWER)
        self.assertEqual(daemon.bodies, list(bodies))

    def test_what_is_above_16_mib_is_not_sent(self):
        daemon = self.on_socket()
        self.is_away("--socket", str(self.path), body=b"x" * (16 * MIB + 1), why=b"above 16 MiB")
        self.assertEqual(daemon.requests, [])

    def test_a_call_above_16_mib_does_not_run_unchecked(self):
        long = b',"tool_name":"Bash","tool_input":{"command":"' + b"x" * (16 * MIB) + b'"}}'
        daemon = self.on_socket()
        for name in (b'"hook_event_name":"PreToolUse"', b'"hook_event_name":"BeforeTool"', b'"hookName":"PreToolUse"', b'"event":"pre"'):
            body = b'{"session_id":"s",' + name + long
            done = self.run_hook("codex", "--socket", str(self.path), body=body)
            self.check(done, code=2, err=b"16 MiB of a call at most")
            self.check(self.run_hook("codex", "--socket", str(self.root / "no.sock"), body=body))  # no daemon: as each call then
        after = b'{"session_id":"s","hook_event_name":"PostToolUse"' + long
        self.check(self.run_hook("codex", "--socket", str(self.path), body=after))
        self.assertEqual(daemon.requests, [])

    def test_the_request_line_and_the_headers(self):
        daemon = self.on_socket()
        self.check(self.run_hook("gemini", "--socket", str(self.path), "--agent-version=0.61.0", HEADWAY_SESSION="night-1",
                                 HEADWAY_TOKEN="hw_a_b"), ANSWER)
        request = daemon.requests[0]
        self.assertEqual(request[""], "POST /v1/hooks/gemini HTTP/1.1")
        agent = {"x-headway-agent-pid", "x-headway-agent-start", "x-headway-agent-boot", "x-headway-agent-pid-ns"}
        self.assertEqual({name: value for name, value in request.items() if name and name not in agent}, {
            "host": "localhost", "content-type": "application/json", "connection": "close", "content-length": str(len(BODY)),
            "x-headway-session": "night-1", "x-headway-agent-version": "0.61.0"})
        self.assertLessEqual(agent, set(request))

    def test_what_would_break_a_header_is_left_out(self):
        daemon = self.on_socket()
        for session in ("a\r\nX-Evil: 1", "a b", "x" * 129, "", "\N{SNOWMAN}"):
            self.check(self.run_hook("claude", "--socket", str(self.path), HEADWAY_SESSION=session), ANSWER)
        for request in daemon.requests:
            self.assertNotIn("x-headway-session", request)
            self.assertNotIn("x-evil", request)

    def test_a_url_has_its_port_its_path_and_a_token(self):
        daemon = self.fake()
        file = self.root / "token"
        file.write_text("hw_file_x\nsecond line\n")
        self.check(self.run_hook("qwen", "--url", daemon.url + "/base/", "--token-file", str(file), HEADWAY_TOKEN="hw_env_x"), ANSWER)
        self.check(self.run_hook("qwen", HEADWAY_URL=f"http://localhost:{daemon.port}", HEADWAY_TOKEN="hw_env_x"), ANSWER)
        self.check(self.run_hook("qwen", HEADWAY_URL=daemon.url, HEADWAY_TOKEN_FILE=str(file)), ANSWER)
        self.check(self.run_hook("qwen", HEADWAY_URL=daemon.url, HEADWAY_TOKEN="hw_operator_x"), ANSWER)
        self.check(self.run_hook("qwen", "--url", daemon.url, "--token-file", "/nonexistent"), ANSWER)
        self.assertEqual([request.get("authorization") for request in daemon.requests],
                         ["Bearer hw_file_x", "Bearer hw_env_x", "Bearer hw_file_x", None, None])
        self.assertEqual(daemon.requests[0][""], "POST /base/v1/hooks/qwen HTTP/1.1")
        self.assertEqual(daemon.requests[0]["host"], f"127.0.0.1:{daemon.port}")
        self.assertEqual(daemon.requests[1]["host"], f"localhost:{daemon.port}")
        self.assertEqual(daemon.descriptors, [], "none over the network")

    @unittest.skipUnless(socket.has_ipv6, "no IPv6 here")
    def test_an_ipv6_url(self):
        daemon = self.fake(family=socket.AF_INET6)
        self.check(self.run_hook("qwen", "--url", f"http://[::1]:{daemon.port}"), ANSWER)

    def test_the_order_of_the_places(self):
        flag, variable, port = self.fake(path=self.root / "a"), self.fake(path=self.root / "b"), self.fake()
        (self.root / "x/headway").mkdir(parents=True)
        (self.root / "run/headway").mkdir(parents=True)
        default = self.fake(path=self.root / "x/headway/report.sock")
        services = self.fake(path=self.root / "run/headway/report.sock")
        environment = {"HEADWAY_HOOK_SOCKET": str(self.root / "b"), "HEADWAY_URL": port.url, "XDG_STATE_HOME": str(self.root / "x"),
                       "XDG_RUNTIME_DIR": str(self.root / "run")}
        for arguments, taken_away, daemon in ((("--socket", str(self.root / "a")), (), flag), ((), (), variable), (("--url", port.url), (), port),
                                              ((), ("HEADWAY_HOOK_SOCKET",), port), ((), ("HEADWAY_HOOK_SOCKET", "HEADWAY_URL"), default),
                                              ((), ("HEADWAY_HOOK_SOCKET", "HEADWAY_URL", "XDG_STATE_HOME"), services)):
            before = len(daemon.requests)
            given = {name: value for name, value in environment.items() if name not in taken_away}
            self.check(self.run_hook("claude", *arguments, **given), ANSWER)
            self.assertEqual(len(daemon.requests), before + 1, (arguments, taken_away))

    def test_the_url_of_the_operators_socket_means_the_report_socket_beside_it(self):
        daemon = self.fake(path=self.root / "report.sock")
        self.check(self.run_hook("claude", HEADWAY_URL=f"unix:{self.root}/headway.sock"), ANSWER)
        self.assertEqual(len(daemon.requests), 1)

    def test_names_and_https_are_left_to_headway(self):
        programs = self.root / "bin"
        programs.mkdir()
        stub = programs / "headway"
        stub.write_text("#!/bin/sh\necho \"$@\"\ncat\n")
        stub.chmod(0o755)
        for url in ("https://127.0.0.1:1", "http://headway.example"):
            self.check(self.run_hook("claude", "--url", url, PATH=f"{programs}:/usr/bin:/bin"), f"hook claude --url {url}\n".encode() + BODY)
            self.is_away("--url", url, why=b"cannot be run", PATH=str(self.root))

    def test_no_file_is_touched(self):
        daemon = self.fake()
        before = sorted(self.root.rglob("*"))
        self.check(self.run_hook("claude", "--url", daemon.url), ANSWER)
        self.assertEqual(sorted(self.root.rglob("*")), before)


class Replies(HookCase):
    def reply_of(self, answer, *arguments) -> subprocess.CompletedProcess:
        daemon = self.fake(answer)
        return self.run_hook("claude", "--url", daemon.url, *arguments)

    def test_plain_chunked_and_until_the_end(self):
        long = b'{"context":"' + b"x" * MIB + b'"}'
        for reply, body in ((plain(ANSWER), ANSWER), (plain(long), long), (plain(b""), b""),
                            (b"HTTP/1.1 100 Continue\r\n\r\n" + plain(ANSWER), ANSWER),
                            (HELD + chunk(ANSWER[:5]) + chunk(ANSWER[5:]) + b"0\r\n\r\n", ANSWER),
                            (HELD + b"%x;ext=1\r\n" % len(ANSWER) + ANSWER + b"\r\n0\r\nTrailer: x\r\n\r\n", ANSWER),
                            (HELD + b"0\r\n\r\n", b""),
                            (b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\n\r\n" + ANSWER, ANSWER), (b"HTTP/1.0 200 OK\nx-headway: 1\n\n" + ANSWER, ANSWER)):
            with self.subTest(reply[:200]):
                self.check(self.reply_of(lambda connection, _: connection.sendall(reply)), body)

    def test_a_reply_in_single_bytes(self):
        def dribble(connection, _):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in HELD + chunk(b" ") + chunk(ANSWER) + b"0\r\n\r\n":
                connection.sendall(bytes([byte]))
        self.check(self.reply_of(dribble), ANSWER)

    def test_a_held_reply_is_waited_for_as_long_as_bytes_come(self):
        def held(connection, _):
            connection.sendall(HELD)
            for _ in range(8):
                time.sleep(0.1 * SLOW)
                connection.sendall(chunk(b" "))
            connection.sendall(chunk(ANSWER) + b"0\r\n\r\n")
        begin = time.monotonic()
        self.check(self.reply_of(held, "--silence", f"{int(400 * SLOW)}ms", "--require"), ANSWER)
        self.assertGreaterEqual(time.monotonic() - begin, 0.8)

    def test_spaces_of_a_hold_are_dropped_in_each_form(self):
        spaces = b" " * 100
        for reply in (plain(spaces + ANSWER), HELD + chunk(b" ") * 50 + chunk(b" " + ANSWER) + b"0\r\n\r\n",
                      b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nConnection: close\r\n\r\n" + spaces + ANSWER):
            self.check(self.reply_of(lambda connection, _: connection.sendall(reply)), ANSWER)

    def test_a_signal_ends_the_wait_silently(self):
        signals = ((signal.SIGTERM, []), (signal.SIGINT, []), (signal.SIGTERM, ["--require"]), (signal.SIGHUP, ["--require"]))
        for (number, more), verb in itertools.product(signals, (False, True)):
            asked = threading.Event()
            over = threading.Event()
            self.addCleanup(over.set)

            def hold(connection, _):
                connection.sendall(HELD + chunk(b" "))
                asked.set()
                over.wait(patient(20))
            daemon = self.fake(hold)
            program = [str(BINARY), "hook"] if verb else [str(HOOK)]
            process = subprocess.Popen([*program, "claude", "--url", daemon.url, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=self.environment)
            process.stdin.write(BODY)
            process.stdin.close()
            process.stdin = None
            self.assertTrue(asked.wait(patient(20)))
            process.send_signal(number)
            out, err = process.communicate(timeout=patient(20))
            self.assertEqual((out, err, process.returncode), (b"", b"", 2 if more else 0))
            over.set()


class Away(HookCase):
    def test_nobody_listens(self):
        probe = socket.create_server(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        self.is_away("--url", f"http://127.0.0.1:{port}", why=b"no daemon listens there")
        self.is_away("--socket", str(self.root / "none"), why=b"no daemon listens there")
        self.is_away("--socket", str(self.root / ("x" * 200)), why=b"no daemon listens there")
        stale = self.root / "stale"
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(stale))
        self.is_away("--socket", str(stale), why=b"no daemon listens there")

    def answered(self, answer, why: bytes, *arguments):
        daemon = self.fake(answer)
        self.is_away("--url", daemon.url, *arguments, why=why)
        self.assertEqual(daemon.bodies, [BODY] * 2)

    def test_it_hangs(self):
        over = threading.Event()
        self.addCleanup(over.set)
        begin = time.monotonic()
        for words in (b"", HELD, HELD + chunk(b" "), plain(ANSWER)[:-1]):
            def hang(connection, _):
                connection.sendall(words)
                connection.recv(1)
            self.answered(hang, b"silent for too long", "--silence", "200ms")
        self.assertLess(time.monotonic() - begin, patient(30))

    def test_it_resets(self):
        def reset(connection, _, words=b""):
            connection.sendall(words)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        for words in (b"", HELD, HELD + chunk(ANSWER), b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\n\r\n" + ANSWER[:5]):
            with self.subTest(words):
                daemon = self.fake(lambda connection, request: reset(connection, request, words))
                self.check(self.run_hook("claude", "--url", daemon.url))
                done = self.run_hook("claude", "--require", "--url", daemon.url)
                self.assertEqual((done.stdout, done.returncode), (b"", 2))

    def test_it_ends_too_early(self):
        for words in (b"", b"HTTP/1.1 2", HELD, HELD + chunk(ANSWER), HELD + chunk(ANSWER) + b"0\r\n", plain(ANSWER)[:-1]):
            with self.subTest(words):
                why = b"no Headway daemon" if not words.startswith(b"HTTP/1.1 200") else b"broke off"
                self.answered(lambda connection, _: connection.sendall(words), why)

    def test_other_statuses(self):
        for status in ("404 Not Found", "500 Internal Server Error", "503 Busy", "401 Unauthorized", "201 Created", "204 No Content",
                       "302 Found"):
            self.answered(lambda connection, _: connection.sendall(plain(ANSWER, status)), f"answered {status[:3]}".encode())

    def test_another_program(self):
        for words in (plain(b"<html>hello</html>", kind="text/html"), b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 100, plain(b'{"cut":'),
                      plain(b'"text"'), plain(b'{"ok":true}'), b"HTTP/2 200 OK\r\n\r\n{}", b"x" * 100_000):
            words = words.replace(b"X-Headway: 1\r\n", b"")
            with self.subTest(words[:60]):
                self.answered(lambda connection, _: connection.sendall(words), b"no Headway daemon")

    def test_replies_that_lie_about_their_length(self):
        for words in (b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: -1\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
                      b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nContent-Length: 99999999999999999999\r\n\r\n{}", HELD + b"zz\r\n{}\r\n", HELD + b"2\r\n{}x\r\n",
                      b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nTransfer-Encoding: gzip\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nX-Headway: 1\r\nno colon\r\n\r\n{}"):
            with self.subTest(words[:100]):
                self.answered(lambda connection, _: connection.sendall(words), b"broke off")

    def test_the_daemon_that_has_no_such_route_is_away(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        daemon.start()
        done = self.run_hook("no-such-agent", "--require", "--socket", str(daemon.state_dir / "report.sock"))
        self.check(done, code=2, err=b"the daemon answered 404")


class Output(HookCase):
    """A decision that the agent cannot read is none."""

    def test_an_answer_that_cannot_be_written_does_not_let_a_required_call_run(self):
        daemon = self.fake()
        for program in ([str(HOOK)], [str(BINARY), "hook"]):
            for where in (">/dev/full", ">&-"):
                for more, code in ((["--require"], 2), ([], 0)):
                    command = ["sh", "-c", f'exec "$@" {where}', "sh", *program, "claude", "--url", daemon.url, *more]
                    done = subprocess.run(command, input=BODY, capture_output=True, cwd=self.root, env=self.environment, timeout=patient(60), check=False)
                    self.assertEqual(done.returncode, code, (program, where, more, done.stderr))
                    self.assertEqual(b"cannot be written to standard output" in done.stderr, code == 2, done.stderr)


    def test_an_agent_that_does_not_read_is_an_answer_that_cannot_be_written(self):
        daemon = self.fake()
        for program in ([str(HOOK)], [str(BINARY), "hook"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([*program, "claude", "--url", daemon.url, "--require"], input=BODY, stdout=writer, stderr=subprocess.PIPE,
                                  cwd=self.root, env=self.environment, timeout=patient(60), check=False)
            os.close(writer)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_an_empty_path_stands_for_none(self):
        for program in ([str(HOOK)], [str(BINARY), "hook"]):
            done = subprocess.run([*program, "claude", "--url", "http://127.0.0.1:1", "--require", "--token-file", ""], input=BODY,
                                  capture_output=True, cwd=self.root, env=self.environment, timeout=patient(60), check=False)
            self.assertEqual(done.returncode, 2, (program, done.stderr))


class Arguments(HookCase):
    def test_mistakes_are_said_and_stop_nobody(self):
        for arguments, why in (((), b"name the agent"), (("claude", "qwen"), b"only one agent"), (("--nope", "claude"), b"no option --nope"),
                               (("claude", "--socket"), b"--socket needs a value"), (("claude", "--url="), b"--url needs a value"),
                               (("cl/aude",), b"the name of an agent"), (("../x",), b"the name of an agent"), (("x" * 33,), b"the name"),
                               (("claude", "--silence", "15"), b"--silence takes"), (("claude", "--silence", "0s"), b"--silence takes"),
                               (("claude", "--agent-version", "a b"), b"--agent-version takes")):
            with self.subTest(arguments):
                self.check(self.run_hook(*arguments, body=b"x" * MIB), err=why)
                self.check(self.run_hook("--require", *arguments, body=b"x" * MIB), code=2, err=why)

    def test_urls_that_are_none(self):
        for url in ("ftp://127.0.0.1", "http://", "http://127.0.0.1:0", "http://127.0.0.1:70000", "http://127.0.0.1:x",
                    "http://[::1", "unix:relative.sock", "http://127.0.0.1/a b"):
            self.is_away("--url", url, why=b"is no URL of a daemon")

    def test_help_and_version(self):
        said = self.run_hook("--help")
        self.assertIn(b"headway-hook AGENT", said.stdout)
        self.assertEqual(said.returncode, 0)
        manual = (PROJECT / "deploy/headway-hook.1").read_text().replace("\\-", "-")
        for option in re.findall(r"--[a-z-]+", said.stdout.decode()):
            self.assertIn(option, manual)
        version = subprocess.run([str(BINARY), "version"], capture_output=True, text=True, check=True).stdout.split()
        self.assertIn(self.run_hook("--version").stdout.decode().split()[1], version)


class Ancestors(HookCase):
    def facts(self, request) -> tuple:
        return tuple(request[f"x-headway-agent-{name}"] for name in ("pid", "start", "boot", "pid-ns"))

    def mine(self) -> tuple:
        start = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        return (str(os.getpid()), start, Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
                os.readlink("/proc/self/ns/pid")[5:-1])

    def test_the_agent_is_the_nearest_that_is_no_shell(self):
        daemon = self.on_socket()
        hook = ("claude", "--socket", str(self.path))
        self.check(self.run_hook(*hook), ANSWER)
        self.check(self.run_hook(*hook, wrapper=("sh", "-c", '"$@"; exit $?', "sh")), ANSWER)
        self.check(self.run_hook(*hook, wrapper=("sh", "-c", 'bash -c \'"$@"; exit $?\' bash "$@"; exit $?', "sh")), ANSWER)
        self.assertEqual([self.facts(request) for request in daemon.requests], [self.mine()] * 3)

    def test_a_descriptor_of_it_goes_over_the_socket(self):
        daemon = self.on_socket()
        self.check(self.run_hook("claude", "--socket", str(self.path), body=os.urandom(3 * MIB)), ANSWER)
        self.assertEqual(len(daemon.descriptors), 1)
        about = Path(f"/proc/self/fdinfo/{daemon.descriptors[0]}").read_text()
        self.assertIn(f"Pid:\t{os.getpid()}\n", about)


class ExitCodes(HookCase):
    def body(self, call="call_7", event="PostToolUse", path=None, **more) -> bytes:
        return json.dumps({"session_id": "s", "transcript_path": str(path or self.root / "rollout.jsonl"), "hook_event_name": event,
                           "tool_input": {"tool_use_id": "call_1", "transcript_path": "/etc/passwd"}, "tool_use_id": call, **more},
                          separators=(",", ":")).encode()

    def line(self, call: str, code, output: str = "ok") -> str:
        item = {"type": "CommandExecution", "id": call, "status": "failed", "aggregated_output": output, "exit_code": code, "duration": {"secs": 0}}
        return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}, separators=(",", ":")) + "\n"

    def seen(self, body: bytes, agent: str = "codex"):
        daemon = self.fake()
        self.check(self.run_hook(agent, "--url", daemon.url, body=body), ANSWER)
        return daemon.requests[0].get("x-headway-exit-code")

    def test_the_exit_code_of_a_call_of_codex_is_in_its_rollout(self):
        rollout = self.root / "rollout.jsonl"
        tricky = 'x"exit_code":99,"CommandExecution" "call_7" \\'
        rollout.write_text(self.line("call_6", 1) + "x" * 300_000 + "\n" + self.line("call_7", 137, tricky) + self.line("call_8", 0, tricky))
        self.assertEqual(self.seen(self.body()), "137")
        self.assertEqual(self.seen(self.body("call_8")), "0")
        self.assertIsNone(self.seen(self.body("call_6")), "it is not in the last 256 KiB")
        self.assertIsNone(self.seen(self.body("call_")))
        self.assertIsNone(self.seen(self.body(event="PreToolUse")))
        self.assertIsNone(self.seen(self.body(), agent="claude"))

    def test_odd_rollouts_are_passed_over(self):
        rollout = self.root / "rollout.jsonl"
        rollout.write_text(self.line("call_7", None))
        self.assertIsNone(self.seen(self.body()))
        rollout.write_text(self.line("call_7", -15))
        self.assertEqual(self.seen(self.body()), "-15")
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        for path in (pipe, "/dev/zero", self.root, "/nonexistent", "relative"):
            self.assertIsNone(self.seen(self.body(path=path)))


class Use(HookCase):
    def answer(self, name: str, kind: str = "assistant") -> str:
        return json.dumps({"type": kind, "timestamp": "2026-11-24T02:24:48.732Z",
                           "message": {"id": name, "usage": {"input_tokens": 100, "output_tokens": 20}}}, separators=(",", ":")) + "\n"

    def body(self, event: str, path=None) -> bytes:
        return json.dumps({"session_id": "s", "hook_event_name": event, "transcript_path": str(path or self.root / "t.jsonl"), "words": "secret"}).encode()

    def test_the_use_goes_with_the_end_of_a_turn(self):
        (self.root / "t.jsonl").write_text(self.answer("msg_1"))
        daemon = self.on_socket()
        self.check(self.run_hook("claude", "--socket", str(self.path), body=self.body("Stop")), ANSWER)
        self.assertEqual(daemon.requests[0]["x-headway-usage"], "msg_1;2026-11-24T02:24:48.732Z;100;20")

    def test_the_use_alone_goes_without_the_body_and_prints_nothing(self):
        (self.root / "t.jsonl").write_text(self.answer("msg_1"))
        daemon = self.on_socket()
        self.check(self.run_hook("claude", "--usage", "--socket", str(self.path), body=self.body("PostToolBatch")))
        self.assertEqual(daemon.bodies[0], b'{"hook_event_name":"Usage","session_id":"s"}')
        self.assertEqual(daemon.requests[0]["x-headway-usage"], "msg_1;2026-11-24T02:24:48.732Z;100;20")
        self.assertNotIn("x-headway-agent-pid", daemon.requests[0])

    def test_without_use_nothing_is_sent(self):
        daemon = self.on_socket()
        for path in (None, self.root, "/dev/zero", "/etc/passwd"):
            self.check(self.run_hook("claude", "--usage", "--socket", str(self.path), body=self.body("PostToolBatch", path)))
        self.check(self.run_hook("claude", "--usage", "--socket", str(self.path), body=b"x"))
        self.assertEqual(daemon.requests, [])

    def test_an_end_of_a_turn_waits_a_moment_for_the_last_answer(self):
        (self.root / "t.jsonl").write_text(self.answer("msg_1") + self.answer("", "user"))
        daemon = self.on_socket()
        for event, least_s in (("Stop", 0.2), ("PostToolBatch", 0)):
            began = time.monotonic()
            self.check(self.run_hook("claude", "--socket", str(self.path), body=self.body(event)), ANSWER)
            self.assertGreaterEqual(time.monotonic() - began, least_s)
        self.assertIn("msg_1;", daemon.requests[0]["x-headway-usage"], "what there is")


class ByHeadway(HookCase):
    """`headway hook`, which headway-hook becomes for https and names."""

    def run_verb(self, *arguments, body: bytes = BODY, **environment) -> subprocess.CompletedProcess:
        return subprocess.run([str(BINARY), "hook", *arguments], input=body, capture_output=True, cwd=self.root,
                              env={**self.environment, **environment}, timeout=patient(60))

    def test_a_name_and_https_reach_the_daemon(self):
        certificate, key = make_certificate(self.root, "hook")
        daemon = Daemon({"server.tls_cert": str(certificate), "server.tls_key": str(key), "access.mode": "token"})
        self.addCleanup(daemon.close)
        daemon.start()
        tokens = {"HEADWAY_URL": f"https://localhost:{daemon.port}", "HEADWAY_CA_FILE": str(certificate),
                  "STATE_DIRECTORY": str(daemon.state_dir)}
        made = subprocess.run([str(BINARY), "token", "create", "hooks", "--scope", "report", "--json"], capture_output=True, text=True,
                              env=clean_environment(**tokens), check=True).stdout
        reporter = {**tokens, "HEADWAY_TOKEN": json.loads(made)["token"], "PATH": f"{BINARY.resolve().parent}:{self.environment['PATH']}"}
        # Without the state directory, whose report socket would be taken first.
        del reporter["STATE_DIRECTORY"]
        body = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "go"}).encode()
        self.check(self.run_hook("claude", body=body, **reporter), b"{}")
        self.check(self.run_verb("claude", "--usage", body=body, **reporter))
        shown = subprocess.run([str(BINARY), "show", "claude-s", "--json"], capture_output=True, text=True, env=clean_environment(**tokens),
                               check=True).stdout
        self.assertEqual(json.loads(shown)["goal"], "go")
        self.check(self.run_verb("claude", "--require", body=body, **{**reporter, "HEADWAY_CA_FILE": ""}), code=2,
                   err=b"this call may not run without Headway")

    def test_the_reply_of_a_hold_comes_without_its_blanks(self):
        daemon = self.fake(lambda connection, request: connection.sendall(plain(b"  \n " + ANSWER)))
        self.check(self.run_verb("claude", "--url", f"http://localhost:{daemon.port}/"), ANSWER)
        self.assertEqual(daemon.requests[0][""], "POST /v1/hooks/claude HTTP/1.1")
        self.assertEqual(daemon.bodies[0], BODY)
        self.assertEqual(daemon.requests[0]["x-headway-agent-pid"], str(os.getpid()))

    def test_a_signal_ends_the_command_of_a_goal_too(self):
        asks = plain(b"{}").replace(b"X-Headway: 1\r\n", b"X-Headway: 1\r\nX-Headway-Goal: check\r\n")
        for program in ([str(HOOK)], [str(BINARY), "hook"]):
            daemon = self.fake(lambda connection, _: connection.sendall(asks))
            fifo = self.root / f"pid-{len(program)}"
            os.mkfifo(fifo)
            process = subprocess.Popen([*program, "claude", "--url", daemon.url, "--until", f"echo $$ > {fifo}; exec sleep 600"], env=self.environment,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(b'{"hook_event_name":"Stop","session_id":"s"}')
            process.stdin.close()
            process.stdin = None
            command = os.pidfd_open(int(fifo.read_text()))
            self.addCleanup(os.close, command)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=patient(20))
            self.assertEqual((out, err, process.returncode), (b"", b"", 0), program)
            self.assertTrue(select.select([command], [], [], patient(20))[0], f"{program}: the command still runs")

    def test_a_refused_token_is_shown_to_the_person_once_a_prompt_and_stops_nobody(self):
        for status, cause in (("401 Unauthorized", b"has expired"), ("403 Forbidden", b"may not report"), ("429 Too Many", b"wrong token")):
            daemon = self.fake(lambda connection, _: connection.sendall(plain(b"{}", status)))
            verb = ("claude", "--url", f"http://localhost:{daemon.port}")
            for event in ("SessionStart", "UserPromptSubmit"):
                body = b'{"hook_event_name":"%s"}' % event.encode()
                for done in (self.run_hook("claude", "--url", daemon.url, body=body), self.run_verb(*verb, body=body)):
                    shown = json.loads(done.stdout)["systemMessage"]
                    self.assertEqual(done.returncode, 0)
                    self.assertIn(shown.encode(), done.stderr)
                    self.assertIn(cause, done.stderr)
                    self.assertIn(b"`headway doctor claude`", done.stderr)
            for done in (self.run_hook("claude", "--url", daemon.url), self.run_verb(*verb)):
                self.check(done)  # a call: silent
            for done in (self.run_hook("claude", "--url", daemon.url, "--require"), self.run_verb(*verb, "--require")):
                self.assertEqual((done.stdout, done.returncode), (b"", 2))
                self.assertIn(cause, done.stderr)

    def test_away_is_silent_unless_the_daemon_is_required(self):
        page = self.fake(lambda connection, request: connection.sendall(plain(b'{"ok":true}').replace(b"X-Headway: 1\r\n", b"")))
        refusing = self.fake(lambda connection, request: connection.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\n{}"))
        for url in ("http://127.0.0.1:9", page.url, refusing.url):
            self.check(self.run_verb("claude", "--url", url))
            done = self.run_verb("claude", "--require", "--url", url)
            self.assertEqual((done.stdout, done.returncode), (b"", 2))
            self.assertIn(b"this call may not run without Headway", done.stderr)

    def test_a_reply_that_is_no_decision_lets_no_required_call_run(self):
        for words in (b"<html>", b'{"a":', b"[]", b"{", b"", b"  "):
            with self.subTest(words):
                daemon = self.fake(lambda connection, request: connection.sendall(plain(words)))
                self.check(self.run_verb("claude", "--url", daemon.url))
                done = self.run_verb("claude", "--require", "--url", daemon.url)
                self.assertEqual((done.stdout, done.returncode), (b"", 2))
                self.assertIn(b"this call may not run without Headway", done.stderr)

    def test_a_mistake_is_said(self):
        done = self.run_verb("../x")
        self.assertEqual((done.stdout, done.returncode), (b"", 64))
        self.assertIn(b"the name of an agent", done.stderr)
        for wrong in (["../x"], ["claude", "--no-such-option"], ["claude", "one-too-many"], ["claude", "--url", "nonsense"], []):
            done = self.run_verb(*wrong, "--require")
            self.assertEqual((done.stdout, done.returncode), (b"", 2), (wrong, done.stderr))


class TheBinary(unittest.TestCase):
    @unittest.skipIf(SLOW > 1, "a sanitizer cannot be linked statically")
    def test_it_needs_no_shared_library(self):
        said = subprocess.run(["ldd", str(HOOK)], capture_output=True, text=True, env=clean_environment())
        self.assertRegex(said.stdout + said.stderr, "not a dynamic executable|statically linked")
        self.assertNotIn(b"ld-linux", HOOK.read_bytes()[:MIB // 16], "it names an interpreter")
        self.assertTrue(HOOK.stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    unittest.main()
