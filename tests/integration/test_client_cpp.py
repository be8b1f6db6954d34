#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The client in C++: the program of its README, what it obeys, and what an agent sees when something is wrong."""
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.client_stand import Stand
from support.daemon import PROJECT, clean_environment
from support.daemon_urls import daemon_urls
from support.disks import SmallDisk, SmallDiskDaemon
from support.limits import SEED, SLOW, eventually
from support.lossy import Lossy

CLIENT = PROJECT / "clients/cpp"
AGENT = r"""
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include "headway.hpp"

static void one(headway::Session& s, const char* args = "{\"command\":\"make\"}", const char* tool = "bash") {
    auto call = s.tool(tool, args);
    std::printf("%s|%s|%s\n", call.allowed() ? "runs" : "denied", call.args().c_str(), call.reason().c_str());
    std::fflush(stdout);
    if (call.allowed()) call.done("done");
}

int main(int count, char** arguments) {
    const std::string mode = count > 1 ? arguments[1] : "one";
    if (mode == "throw") {
        try {
            headway::Session s{"goal"};
            auto call = s.tool("bash");
            throw std::runtime_error{"x"};
        } catch (const std::exception&) { return 0; }
    }
    headway::Session s{"goal"};
    if (mode == "one") one(s);
    if (mode == "text") one(s, "make \"it\"\n\xff");
    if (mode == "deploy") one(s, "{\"to\":\"prod\"}", "deploy");
    if (mode == "fail") s.tool("bash").fail("exit status 2");
    if (mode == "usage") s.usage(1000, 20, 0.0125);
    if (mode == "cancelled") { auto call = s.tool("bash"); }
    if (mode == "big") s.tool("bash").done(std::string(30u << 20u, 'x'));
    if (mode == "huge") std::printf("%s\n", s.tool("deploy", "\"" + std::string(17u << 20u, 'x') + "\"").allowed() ? "runs" : "denied");
    if (mode == "clogged") {
        s.tool("bash").done(std::string(30u << 20u, 'x'));
        std::this_thread::sleep_for(std::chrono::milliseconds{2'200});
        s.turn();
    }
    if (mode == "loop") {
        std::string heard;
        for (int i = 0; i < 12; ++i) { s.tool("bash", "{\"command\":\"make\"}").fail("the same error"); heard += s.advice(); }
        std::printf("%s\n", heard.c_str());
    }
    if (mode == "wait") {  // for a line, between two calls
        one(s);
        char line[8];
        if (std::fgets(line, sizeof line, stdin) == nullptr) return 1;
        one(s);
        std::printf("stopped %d %s\n", s.stopped(), s.stop_reason().c_str());
    }
    if (mode == "again") {  // as often as there are lines
        for (char line[8]; std::fgets(line, sizeof line, stdin) != nullptr;) one(s);
    }
    if (mode == "threads") {
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) threads.emplace_back([&s] { for (int i = 0; i < 25; ++i) s.tool("read").done("x"); });
        for (auto& thread : threads) thread.join();
    }
    if (mode == "fork") {
        one(s);
        if (::fork() == 0) { one(s); std::fflush(stdout); ::_exit(0); }
        ::wait(nullptr);
        one(s);
    }
    if (mode == "time") {
        using Clock = std::chrono::steady_clock;
        std::vector<double> spent;
        for (int i = 0; i < 200; ++i) {
            const auto began = Clock::now();
            s.tool("bash").done("x");
            spent.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
        }
        std::sort(spent.begin(), spent.end());
        std::printf("%.1f %.1f\n", spent[100], spent[197]);
    }
}
"""

ADDRESS = r"""
#include <cstdio>
#include "headway.hpp"
int main() {
    headway::Session s{"goal"};
    auto call = s.tool("bash");
    std::printf("%s\n", call.allowed() ? "runs" : "denied");
}
"""
JUMP = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
static long off(void) { static int calls; static const long jumps[] = {0, 86400, -31536000, 630720000}; return jumps[calls++ % 4]; }
int clock_gettime(clockid_t id, struct timespec* at) {
    static int (*real)(clockid_t, struct timespec*);
    if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    const int done = real(id, at);
    if (id == CLOCK_REALTIME) at->tv_sec += off();
    return done;
}
time_t time(time_t* at) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now); if (at) *at = now.tv_sec; return now.tv_sec; }
int gettimeofday(struct timeval* restrict at, void* restrict zone) {
    struct timespec now; (void)zone; clock_gettime(CLOCK_REALTIME, &now); at->tv_sec = now.tv_sec; at->tv_usec = now.tv_nsec / 1000; return 0;
}
"""


def readme_program() -> str:
    return re.search(r"```cpp\n(.*?)```", (CLIENT / "README.md").read_text(encoding="utf-8"), re.S)[1]


class Programs:
    """Built once for the process."""
    _folder = None

    @classmethod
    def built(cls, name: str) -> Path:
        if cls._folder is None:
            cls._folder = tempfile.TemporaryDirectory()
            for file, text in (("agent", AGENT), ("readme", readme_program()), ("address", ADDRESS), ("gone", GONE)):
                source = Path(cls._folder.name) / f"{file}.cpp"
                source.write_text(text, encoding="utf-8")
                subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-O1", "-pthread",
                                f"-I{CLIENT}", str(source), "-o", str(source.with_suffix(""))], check=True, timeout=300)
        return Path(cls._folder.name) / name


GONE = r"""
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "headway.hpp"

int main() {
    headway::Session session{"goal"};
    std::cout << session.tool("deploy").allowed() << std::endl;
    std::string line;
    std::getline(std::cin, line);
    // As long as it takes for the client to look for the daemon again.
    std::this_thread::sleep_for(std::chrono::seconds{3});
    session.end("completed");
}
"""


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Client(SharedDaemonCase):
    settings = {"approvals.require_tools": "deploy"}

    def run_agent(self, *arguments, name: str = "agent", url: str | None = None, **variables) -> list:
        self.session = unique("cpp")
        variables = {"HEADWAY_URL": url or f"http://127.0.0.1:{self.daemon.port}", "HEADWAY_SESSION": self.session, **variables}
        done = subprocess.run([str(Programs.built(name)), *arguments], env=clean_environment(**variables), capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def calls(self, kind: str = "tool.finished") -> list:
        return [event["data"] for event in self.client.journal(self.session) if event["type"] == kind]

    def test_the_program_of_the_readme_is_a_supervised_loop_of_twenty_lines(self):
        self.assertLessEqual(len(readme_program().splitlines()), 20)
        self.run_agent(name="readme")
        read = self.client.session(self.session)
        self.assertEqual((read["outcome"], read["goal"]), ("completed", "fix the failing test"))
        self.assertEqual(len(self.calls()), 3)

    def test_a_call_is_reported_with_its_arguments_and_result(self):
        self.assertEqual(self.run_agent("one"), ['runs|{"command":"make"}|'])
        (call,) = self.calls()
        self.assertEqual((call["tool"], call["args"], call["ok"], call["result"]), ("bash", {"command": "make"}, True, "done"))
        self.assertEqual(self.client.session(self.session)["outcome"], "completed")

    def test_arguments_that_are_no_json_are_text(self):
        self.run_agent("text")
        self.assertEqual(self.calls("tool.started")[0]["args"], 'make "it"\n\N{REPLACEMENT CHARACTER}')

    def test_failures_cancelled_calls_and_exceptions(self):
        self.run_agent("fail")
        self.assertEqual(self.calls()[0]["error"]["message"], "exit status 2")
        self.run_agent("cancelled")
        self.assertEqual(self.calls()[0]["error"]["class"], "cancelled")
        self.run_agent("throw")
        self.assertEqual((self.client.session(self.session)["outcome"], self.calls()[0]["ok"]), ("failed", False))

    def test_usage_counts(self):
        self.run_agent("usage")
        usage = next(event["data"]["usage"] for event in self.client.journal(self.session) if event["data"].get("usage"))
        self.assertEqual((usage["input_tokens"], usage["output_tokens"], usage["cost_usd"]), (1000, 20, 0.0125))

    def test_a_loop_is_advised_against(self):
        self.assertTrue(any("same" in line for line in self.run_agent("loop")))

    def test_calls_of_eight_threads_are_all_counted(self):
        self.run_agent("threads")
        self.assertEqual(len(self.calls()), 200)

    def test_a_forked_child_has_connections_of_its_own(self):
        self.assertEqual(len(self.run_agent("fork")), 3)
        self.assertEqual(len(self.calls()), 3)

    def test_a_huge_result_is_cut(self):
        self.run_agent("big")
        self.assertEqual(len(self.calls()), 1)

    def start_agent(self, mode: str, **variables):
        self.session = unique("cpp")
        variables = {"HEADWAY_URL": f"http://127.0.0.1:{self.daemon.port}", "HEADWAY_SESSION": self.session, **variables}
        process = subprocess.Popen([str(Programs.built("agent")), mode], env=clean_environment(**variables), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_pause_holds_the_next_call_and_a_cancel_denies_it(self):
        process = self.start_agent("wait")
        self.assertIn("runs", process.stdout.readline())
        self.client.post(f"/v1/sessions/{self.session}/pause", {})
        process.stdin.write("\n")
        process.stdin.flush()
        eventually(lambda: len(self.calls("tool.started")) == 2)
        self.client.post(f"/v1/sessions/{self.session}/cancel", {"reason": "enough"})
        self.assertIn("denied", process.stdout.readline())
        self.assertIn("stopped 1", process.stdout.readline())
        self.assertEqual(process.wait(60), 0)

    def test_a_call_that_needs_approval_waits_for_the_person_and_obeys(self):
        operator = self.daemon.client(token=self.daemon.operator_token())
        self.addCleanup(operator.close)
        for decision, says in (({"decision": "approve"}, 'runs|{"to":"prod"}|'), ({"decision": "edit", "edited_args": {"to": "test"}}, 'runs|{"to":"test"}|'),
                               ({"decision": "reject", "reason": "not at night"}, "not at night")):
            process = self.start_agent("deploy")
            asked = lambda: self.client.get(f"/v1/approvals?session={self.session}&status=pending").json().get("approvals")  # noqa: E731
            eventually(asked)
            reply = operator.post(f"/v1/approvals/{asked()[0]['id']}/decision", decision)
            self.assertEqual(reply.status, 200, reply.body)
            self.assertIn(says, process.stdout.readline())
            self.assertEqual(process.wait(60), 0)

    def test_a_call_that_needs_approval_is_denied_when_its_arguments_are_longer_than_a_report_may_be(self):
        self.assertEqual(self.run_agent("huge"), ["denied"])

    def test_a_process_that_is_killed_ends_its_session(self):
        process = self.start_agent("wait")
        process.stdout.readline()
        process.kill()
        eventually(lambda: self.client.session(self.session)["outcome"] == "failed")


class Fake:
    """A server that answers every connection with the same bytes, or none."""

    def __init__(self, reply: bytes, hangs: bool = False):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.asked = 0
        self._reply, self._hangs, self._open = reply, hangs, []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.asked += 1
            self._open.append(peer)
            if self._hangs:
                continue
            self._read(peer)
            peer.sendall(self._reply)
            peer.close()

    @staticmethod
    def _read(peer):
        """The whole request: to close a connection with bytes unread resets it, and the reply may be lost."""
        text = b""
        while b"\r\n\r\n" not in text:
            text += peer.recv(65536)
        head, _, body = text.partition(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while len(body) < length:
            body += peer.recv(65536)

    def close(self):
        self.listener.close()


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Faults(OwnDaemonCase):
    def run_agent(self, mode: str, url: str, lines: int = 0, session: str = "s", **variables) -> list:
        environment = clean_environment(HEADWAY_URL=url, HEADWAY_SESSION=session, **variables)
        done = subprocess.run([str(Programs.built("agent")), mode], env=environment, input="\n" * lines, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def fake(self, reply: bytes, hangs: bool = False) -> Fake:
        fake = Fake(reply, hangs)
        self.addCleanup(fake.close)
        return fake

    def test_away_costs_less_than_a_millisecond(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        median, p99 = map(float, self.run_agent("time", f"http://127.0.0.1:{port}")[0].split())
        self.assertLess(median, 1000, f"p99 {p99}")  # a busy machine is seen in p99

    def test_refusals_and_nonsense_let_the_call_run(self):
        for reply in (b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n",
                      b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nRetry-After: 60\r\n\r\n",
                      b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"deny\":1",
                      b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                      b"SSH-2.0-x\r\n", b"", b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["):
            self.assertEqual(self.run_agent("one", self.fake(reply).url), ['runs|{"command":"make"}|'], reply)

    def test_a_denial_in_chunks_with_blanks_before_it_is_obeyed(self):
        said = b'{"deny":"n\\u00f6"}'
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (b" ", b" ", said[:5], said[5:], b""))
        fake = self.fake(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        self.assertEqual(self.run_agent("one", fake.url), ['denied|{"command":"make"}|n\N{LATIN SMALL LETTER O WITH DIAERESIS}'])

    def test_a_server_that_says_nothing_is_given_up_after_15_seconds_and_not_asked_again(self):
        fake = self.fake(b"", hangs=True)
        began = time.monotonic()
        self.assertEqual(self.run_agent("one", fake.url), ['runs|{"command":"make"}|'])
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(fake.asked, 1)

    def test_a_server_that_takes_no_more_is_given_up_like_one_that_says_nothing(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        asked, opened = [], []
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{folder}/socket")
            listener.listen()

            def serve():
                try:
                    while True:
                        peer, _ = listener.accept()
                        opened.append(peer)
                        asked.append(b"")
                        if len(asked) > 3:  # start, prompt, pre
                            continue
                        while not asked[-1].endswith(b"}"):
                            asked[-1] += peer.recv(65536)
                        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
                        peer.close()
                except OSError:
                    return

            threading.Thread(target=serve, daemon=True).start()
            self.run_agent("clogged", f"unix:{folder}/socket")
            self.assertEqual(len(asked), 4)
            listener.shutdown(socket.SHUT_RDWR)
        for peer in opened:
            peer.close()

    def test_a_wrong_token_lets_calls_run_and_is_not_shown(self):
        daemon = self.start({"access.mode": "token"})
        out = self.run_agent("one", f"http://127.0.0.1:{daemon.port}", HEADWAY_TOKEN="hw_wrong")
        self.assertEqual(out, ['runs|{"command":"make"}|'])
        self.assertEqual(self.client(daemon, token=daemon.operator_token()).get("/v1/sessions/s").status, 404)

    def test_a_daemon_that_is_killed_in_a_call_and_comes_again_counts_each_call_once(self):
        daemon = self.start()
        process = subprocess.Popen([str(Programs.built("agent")), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=clean_environment(HEADWAY_URL=f"http://127.0.0.1:{daemon.port}", HEADWAY_SESSION="s"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        process.stdout.readline()
        eventually(lambda: "tool.finished" in str(self.client(daemon).journal("s")))
        daemon.kill()
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertIn("runs", process.stdout.readline())
        self.assertEqual(process.wait(60), 0)
        daemon.start()
        journal = self.client(daemon).journal("s")
        self.assertEqual([event["type"] for event in journal].count("tool.finished"), 1)

    def held(self, daemon, program: str = "agent", **variables):
        """An agent whose call waits for a person."""
        process = subprocess.Popen([str(Programs.built(program)), "deploy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=clean_environment(HEADWAY_URL=daemon.url, HEADWAY_SESSION="held", **variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        operator = self.client(daemon, token=daemon.operator_token())
        eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
        return process, operator

    def test_a_daemon_that_is_started_again_in_a_hold_finds_its_call_waiting(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        process, operator = self.held(daemon)
        daemon.restart()
        operator.close()
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(2)
        (waiting,) = operator.get("/v1/approvals").json()["approvals"]
        self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", {"decision": "approve"}).status, 200)
        self.assertIn("runs", process.stdout.readline())
        self.assertEqual(process.wait(60), 0)
        journal = operator.journal("held")
        self.assertEqual([event["type"] for event in journal].count("tool.started"), 1)
        self.assertNotIn("approval.alarm", str(journal))

    def test_a_daemon_that_is_gone_for_good_in_a_hold_denies_the_call(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        process, _ = self.held(daemon, HEADWAY_AGAIN_MS="700")
        daemon.kill()
        said = process.stdout.readline()
        self.assertIn("denied", said)
        self.assertIn("went away", said)

    def test_a_call_that_was_denied_as_the_daemon_was_gone_is_over_when_it_is_back(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        process, operator = self.held(daemon, "gone", HEADWAY_AGAIN_MS="700")
        daemon.kill()
        operator.close()
        self.assertEqual(process.stdout.readline(), "0\n")
        daemon.start(daemon.port)
        process.communicate("\n", timeout=60)
        operator = self.client(daemon, token=daemon.operator_token())
        self.assertEqual(operator.get("/v1/approvals").json()["pending"], 0)
        journal = operator.journal("held")
        (finished,) = [event["data"] for event in journal if event["type"] == "tool.finished"]
        self.assertEqual((finished["ok"], finished["error"]["class"]), (False, "denied"))
        self.assertIn("session.ended", [event["type"] for event in journal])

    def test_a_daemon_that_is_stopped_in_a_hold_denies_the_call(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        process, _ = self.held(daemon)
        daemon.stop()
        said = process.stdout.readline()
        self.assertIn("denied", said)
        self.assertIn("again", said)

    def test_what_answers_after_a_hold_but_not_as_the_daemon_is_no_answer(self):
        answers = [[" ", None], (502, {}, {}), (404, {}, {}), {"deny": "no"}]
        stand = Stand(lambda method, path, body: answers.pop(0) if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        self.assertEqual(self.run_agent("one", stand.url), ['denied|{"command":"make"}|no'])
        self.assertEqual(len({b["event_id"] for b in stand.bodies() if b["event"] == "pre"}), 1)

    def test_lost_answers_count_once(self):
        daemon = self.start()
        lossy = Lossy(daemon.port, 0.3, SEED)
        self.addCleanup(lossy.close)
        self.run_agent("again", lossy.url, lines=60)
        self.assertGreater(lossy.lost["answers"], 3)
        journal = self.client(daemon).journal("s")
        for kind in ("tool.started", "tool.finished"):
            calls = [event["data"]["call_id"] for event in journal if event["type"] == kind]
            self.assertEqual(len(calls), len(set(calls)))
            self.assertGreater(len(calls), 20)

    def test_a_full_disk_lets_calls_run_and_those_after_it_are_reported(self):
        disk = SmallDisk(48)
        daemon = SmallDiskDaemon(disk, {"storage.free_space_min": "6MiB", "storage.ballast": "4MiB"})
        self.addCleanup(daemon.close)
        daemon.start()
        process = subprocess.Popen([str(Programs.built("agent")), "again"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=clean_environment(HEADWAY_URL=daemon.url, HEADWAY_SESSION="s"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)

        def call():
            process.stdin.write("\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), 'runs|{"command":"make"}|\n')

        def counted() -> int:
            reply = client.get("/v1/sessions/s")
            return reply.json()["tools"]["calls"] if reply.status == 200 else 0

        def call_is_counted(before: int) -> bool:
            call()  # one that found no daemon in time is not reported, nor are those of the two seconds behind it
            return counted() > before

        client = self.client(daemon)
        eventually(lambda: call_is_counted(0))
        foreign = disk.fill(leave=1 << 20, reserve=daemon.ballast)
        eventually(lambda: client.get("/readyz").status == 503)
        before = counted()
        for _ in range(5):
            call()
        self.assertEqual(counted(), before)
        foreign.unlink()
        eventually(lambda: client.get("/readyz").status == 200)
        eventually(lambda: call_is_counted(before))

    def test_jumps_of_the_clock_change_nothing(self):
        """The clock that a person sees goes forth and back by years in the agent; the one of the waits does not."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "jump.c").write_text(JUMP, encoding="utf-8")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(folder / "jump.c"), "-o", str(folder / "jump.so")], check=True, timeout=60)
        daemon = self.start()
        began = time.monotonic()
        self.run_agent("again", daemon.url, lines=50, LD_PRELOAD=str(folder / "jump.so"))
        self.assertLess(time.monotonic() - began, 20 * SLOW)
        journal = self.client(daemon).journal("s")
        finished = [event["data"] for event in journal if event["type"] == "tool.finished"]
        self.assertEqual(len(finished), 50)
        self.assertLess(max(data.get("duration_ms", 0) for data in finished), 10_000 * SLOW)

    def test_addresses_are_read_as_everywhere(self):
        """With what is none a call runs, and one line says so."""
        program = Programs.built("address")
        for given, kind, _ in daemon_urls():
            done = subprocess.run([str(program)], env=clean_environment(HEADWAY_URL=given), capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "runs\n"))
            says = {"wrong": "headway: HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH.",
                    "https": "headway: HEADWAY_URL: this client speaks no https"}.get(kind, "")
            self.assertTrue(done.stderr.startswith(says) if says else done.stderr == "", (given, done.stderr))
            self.assertLessEqual(done.stderr.count("\n"), 1)
            self.assertNotIn("s3cret", done.stderr)

    def test_every_form_of_an_address_reaches_the_daemon(self):
        daemon = self.start()
        at = f"127.0.0.1:{daemon.port}"
        for url in (f"HTTP://{at}/", at, f"{at}//", f"unix://{daemon.state_dir}/headway.sock"):
            self.run_agent("one", url, session=(name := unique("form")))
            self.assertEqual(self.client(daemon).session(name)["tools"]["calls"], 1, url)


if __name__ == "__main__":
    unittest.main()
