#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/sh under dash and bash, against the real daemon and against one that fails."""
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.client_stand import Stand
from support.daemon import BINARY, PROJECT, clean_environment
from support.daemon_urls import daemon_urls
from support.disks import SmallDisk, SmallDiskDaemon
from support.limits import SEED, SLOW, eventually, patient
from support.lossy import Lossy

SCRIPT = PROJECT / "clients/sh/headway.sh"
SHELLS = [path for path in (shutil.which("dash"), shutil.which("bash")) if path]
CURL = shutil.which("curl")
HOOK = BINARY.with_name("headway-hook")


def kinds(journal, kind) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


def start_script(shell, text, url, **more):
    environment = clean_environment(HEADWAY_URL=url, **more)
    return subprocess.Popen([shell, "-c", f". {SCRIPT}\n{text}"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run_script(shell, text, url, data=b"", **more):
    process = start_script(shell, text, url, **more)
    out, err = process.communicate(data, timeout=patient(60))
    return process.returncode, out, err


@unittest.skipUnless(CURL and SHELLS, "curl, dash or bash is not installed")
class Shell(SharedDaemonCase):
    settings = {"approvals.require_tools": "deploy"}

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def pending(self):
        return eventually(lambda: self.client.get("/v1/approvals?status=pending").json()["approvals"])[0]["id"]

    def test_the_readme(self):
        readme = (SCRIPT.parent / "README.md").read_text(encoding="utf-8")
        example = re.search(r"```sh\n(.*?)```", readme, re.S)[1]
        self.assertLessEqual(len(example.splitlines()), 20)
        folder = Path(tempfile.mkdtemp(prefix="headway-sh-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(SCRIPT, folder)
        (folder / "Makefile").write_text("all:\n\t@echo built\ntest:\n\t@echo tested\n", encoding="utf-8")
        for shell in SHELLS:
            name = unique("readme")
            done = subprocess.run([shell, "-euc", example], cwd=folder, env=clean_environment(HEADWAY_URL=self.daemon.url, HEADWAY_SESSION=name),
                                  capture_output=True, timeout=patient(60), check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"built\ntested\n", b""))
            document = self.client.session(name)
            self.assertEqual((document["goal"], document["outcome"]), ("build and test", "completed"))
            self.assertEqual([d["args"]["argv"] for d in kinds(self.client.journal(name), "tool.started")], [["make"], ["make", "test"]])

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_shellcheck_finds_nothing(self):
        done = subprocess.run(["shellcheck", "-s", "sh", str(SCRIPT)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_status_output_and_input_are_the_commands_own(self):
        text = ("set -eu\nhw_start goal\n"
                "hw_tool bash -- sh -c 'cat; echo err >&2; exit 5' || echo \"status $?\"\n"
                "here() { read -r one; echo \"$one\"; inner=1; hw_tool inner false || :; }\nprintf 'x\\ny\\n' | hw_tool bash -- here\n"
                "outer() { inner=2; }\nhw_tool bash -- outer\necho \"$inner\"\n"
                "hw_tool bash -- not-a-command 2>/dev/null || echo \"status $?\"\nhw_end failed why\n")
        for shell in SHELLS:
            name = unique("own")
            code, out, err = run_script(shell, text, self.daemon.url, b"\x00\xff in\n", HEADWAY_SESSION=name)
            self.assertEqual((code, out, err), (0, b"\x00\xff in\nstatus 5\nx\n2\nstatus 127\n", b"err\n"))
            finished = kinds(self.client.journal(name), "tool.finished")
            self.assertEqual([(d["tool"], d["ok"]) for d in finished],
                             [("bash", False), ("inner", False), ("bash", True), ("bash", True), ("bash", False)])
            self.assertEqual(self.client.session(name)["outcome"], "failed")

    def test_arguments_arrive_as_they_are(self):
        odd = ["", " ", "a'b", 'c"d', "e\\f", "g\nh", "\u00e9\u4e16\U0001f600", "$(x) `y` ${z}", "-n", "\x01\x7f", "x" * 500]
        for shell in SHELLS:
            name = unique("odd")
            quoted = " ".join("'" + text.replace("'", "'\\''") + "'" for text in odd)
            text = f"hw_start 'a \"goal\" \u00e9'\nhw_tool 'my tool' -- : {quoted} \"$(printf 'bad \\377\\303 \\360\\237 end')\"\nhw_end\n"
            code, out, err = run_script(shell, text, self.daemon.url, HEADWAY_SESSION=name)
            self.assertEqual((code, out, err), (0, b"", b""))
            (started,) = kinds(self.client.journal(name), "tool.started")
            self.assertEqual(started["tool"], "my tool")
            argv = started["args"]["argv"]
            self.assertEqual(argv[1:-2], odd[:-1])
            self.assertTrue(argv[-2].startswith("x" * 100))
            self.assertEqual(argv[-1], "bad \u00ff\u00c3 \u00f0\u009f end")
            self.assertEqual(self.client.session(name)["goal"], 'a "goal" \u00e9')

    def test_advice_use_and_words(self):
        text = ("hw_start goal\nfor i in 1 2 3 4 5; do hw_tool bash -- cat nothing 2>/dev/null; done\nhw_advice\nhw_advice\n"
                "hw_usage 3 4 0.5\nhw_usage '3,\"x\":1' 2 || echo \"no $?\"\nhw_say 'done \"now\"'\nhw_end\n")
        for shell in SHELLS:
            name = unique("advice")
            code, out, err = run_script(shell, text, self.daemon.url, HEADWAY_SESSION=name)
            self.assertEqual(code, 0)
            self.assertEqual(out.count(b"4 times in a row"), 2, out)
            self.assertIn(b"no 2", out)
            journal = self.client.journal(name)
            self.assertEqual([d["usage"]["cost_usd"] for d in kinds(journal, "heartbeat") if "usage" in d], [0.5])
            self.assertEqual(kinds(journal, "message")[-1]["text"], 'done "now"')

    def test_odd_uses(self):
        text = ("set -eu\nhw_tool bash -- echo before\nhw_start\nhw_tool || echo \"status $?\"\nhw_tool bash -- || echo \"status $?\"\n"
                "IFS=:; hw_tool bash -- printf '%s|' a:b 'c d'; unset IFS; echo\nset -f; hw_tool bash -- echo '*'; set +f\nset -C\n"
                "(hw_tool bash -- exit 5) || echo \"status $?\"\nhw_usage 5 2>/dev/null || echo \"status $?\"\nhw_say\n"
                "hw_end nonsense 2>/dev/null || echo \"status $?\"\nhw_end\n"
                "HW_SESSION='a\",\"x\":\"'; hw_tool bash -- echo evil\n")
        for shell in SHELLS:
            for url in (self.daemon.url, "http://127.0.0.1:9"):
                code, out, err = run_script(shell, text, url)
                self.assertEqual((code, out), (0, b"before\nstatus 2\nstatus 2\na:b|c d|\n*\nstatus 5\nstatus 2\nstatus 2\nevil\n"), err)
                self.assertEqual(err.count(b"which command?"), 2)
                self.assertEqual(err.count(b"\n"), 2, err)

    def test_a_person_decides(self):
        for shell in SHELLS:
            name = unique("held")
            process = start_script(shell, "hw_start goal\nhw_tool deploy -- echo one\nhw_tool deploy -- echo two; echo \"status $?\"\n"
                                        "hw_tool deploy -- echo three; echo \"status $?\"\nhw_approve 'Go on?' && echo yes\nhw_end\n",
                                        self.daemon.url, HEADWAY_SESSION=name)
            for decision in ({"decision": "approve"}, {"decision": "reject", "reason": 'not \u00e9 "today"\nuse another way instead'},
                             {"decision": "edit", "edited_args": {"argv": ["echo", "else"]}}, {"decision": "approve"}):
                reply = self.client.post(f"/v1/approvals/{self.pending()}/decision", decision)
                self.assertEqual(reply.status, 200, reply.body)
            out, err = process.communicate(timeout=patient(60))
            self.assertEqual(out, b"one\nstatus 77\nstatus 77\nyes\n", err)
            self.assertIn('not \u00e9 "today"\nuse another way instead', err.decode())
            self.assertIn(b"other arguments", err)
            self.assertEqual(kinds(self.client.journal(name), "approval.alarm"), [])

    def test_a_call_with_more_arguments_than_a_report_may_have_is_refused_where_it_needs_approval(self):
        text = ("hw_start goal\nlong=$(head -c 18000000 /dev/zero | tr '\\0' x)\nrun() { echo ran; }\n"
                "hw_tool deploy -- run \"$long\"; echo \"status $?\"\nhw_tool bash -- run \"$long\"\nhw_end\n")
        for shell in SHELLS:
            name = unique("long")
            _, out, err = run_script(shell, text, self.daemon.url, HEADWAY_SESSION=name)
            self.assertEqual(out, b"status 77\nran\n", err)
            self.assertIn(b"65536 bytes", err)

    def test_a_cancel_stops_every_further_call(self):
        for shell in SHELLS:
            name = unique("cancel")
            process = start_script(shell, "hw_start goal\necho ready\nread -r _\nhw_tool bash -- echo one; echo \"status $?\"\n"
                                        "hw_tool bash -- echo two; echo \"status $? $HW_STOPPED\"\nhw_end cancelled\n",
                                        self.daemon.url, HEADWAY_SESSION=name)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            self.assertEqual(self.client.post(f"/v1/sessions/{name}/cancel", {"reason": "enough"}).status, 200)
            out, err = process.communicate(b"\n", timeout=patient(60))
            self.assertEqual(re.sub(rb"77 .*enough.*", b"77 enough", out), b"status 77\nstatus 77 enough\n")
            self.assertEqual(self.client.session(name)["outcome"], "cancelled")

    def test_without_curl(self):
        if not HOOK.exists():
            self.skipTest("headway-hook is not built")
        folder = Path(tempfile.mkdtemp(prefix="headway-sh-"))
        self.addCleanup(shutil.rmtree, folder)
        for tool in ("awk", "od", "cat", "sleep", "date", "sh", "echo"):
            (folder / tool).symlink_to(shutil.which(tool))
        (folder / "headway-hook").symlink_to(HOOK)
        for shell in SHELLS:
            name = unique("nocurl")
            code, out, err = run_script(shell, "hw_start goal\nhw_tool bash -- echo one\nhw_end\n", self.daemon.url,
                                             HEADWAY_SESSION=name, PATH=str(folder))
            self.assertEqual((code, out, err), (0, b"one\n", b""))
            self.assertEqual(len(kinds(self.client.journal(name), "tool.finished")), 1)
            self.assertEqual(self.client.session(name)["outcome"], "completed")

    def test_the_token_is_on_no_command_line(self):
        folder = Path(tempfile.mkdtemp(prefix="headway-sh-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "curl").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{folder}/argv\nexec {CURL} "$@"\n', encoding="utf-8")
        (folder / "curl").chmod((folder / "curl").stat().st_mode | stat.S_IXUSR)
        stand = Stand()
        self.addCleanup(stand.close)
        for shell in SHELLS:
            code, out, err = run_script(shell, "hw_start goal\nhw_tool bash -- echo one\n", stand.url, HEADWAY_TOKEN="hw_s3cret",
                                             PATH=f"{folder}:{os.environ['PATH']}")
            self.assertEqual((code, out, err), (0, b"one\n", b""))
        self.assertEqual({headers["Authorization"] for _, _, headers, _ in stand.got}, {"Bearer hw_s3cret"})
        self.assertNotIn("s3cret", (folder / "argv").read_text(encoding="utf-8"))


@unittest.skipUnless(CURL and SHELLS, "curl, dash or bash is not installed")
class Faults(OwnDaemonCase):
    CALLS = "hw_start goal\nfor i in 1 2 3 4 5; do hw_tool bash -- echo $i; done\nhw_end\n"
    SAID = b"1\n2\n3\n4\n5\n"

    def test_no_daemon(self):
        for shell in SHELLS:
            begin = time.monotonic()
            self.assertEqual(run_script(shell, self.CALLS.replace("1 2 3 4 5", "$(seq 200)"), "http://127.0.0.1:9")[0], 0)
            self.assertLess(time.monotonic() - begin, 2 * SLOW)
            self.assertEqual(run_script(shell, self.CALLS, "nonsense:1"), (0, self.SAID, b""))
            self.assertEqual(run_script(shell, "set -eu\n" + self.CALLS, "http://127.0.0.1:9"), (0, self.SAID, b""))

    def test_refusals_nonsense_and_resets(self):
        answers = [(503, {"Retry-After": "30"}, {}), (429, {"Retry-After": "30"}, {}), (401, {}, {}), (507, {}, {}), "reset", ["{"], ["\x00x"],
                   ['{"deny":{"deny":"x"},"stop":7,"edit":"y","context":["z"]}'], ['{"a":"\\"deny\\":\\"x\\""}']]
        for answer in answers:
            stand = Stand(lambda method, path, body, answer=answer: answer)
            self.addCleanup(stand.close)
            for shell in SHELLS:
                with self.subTest(str(answer)):
                    code, out, err = run_script(shell, self.CALLS, stand.url)
                    if b"other arguments" in err:
                        self.assertIn("edit", str(answer))
                    else:
                        self.assertEqual((code, out), (0, self.SAID))
            if isinstance(answer, tuple):
                self.assertEqual(len(stand.got), len(SHELLS), "it is left alone then")

    def test_slow(self):
        stand = Stand(lambda method, path, body: None)
        self.addCleanup(stand.close)
        for shell in SHELLS:
            begin = time.monotonic()
            self.assertEqual(run_script(shell, self.CALLS, stand.url, HEADWAY_SH_SILENCE="0.3"), (0, self.SAID, b""))
            self.assertLess(time.monotonic() - begin, 5 * SLOW)
        self.assertEqual(len(stand.got), len(SHELLS))

    def test_held_as_long_as_bytes_come(self):
        stand = Stand(lambda method, path, body: [" ", 0.4, " ", 0.4, " ", 0.4, " ", 0.4, '{"deny":"no"}'] if body["event"] == "pre" else {})
        self.addCleanup(stand.close)
        for shell in SHELLS:
            code, out, err = run_script(shell, "hw_start goal\nhw_tool bash -- echo ran\n", stand.url, HEADWAY_SH_SILENCE=str(0.8 * SLOW))
            self.assertEqual((code, out, err), (77, b"", b"headway: no\n"))

    def test_lost_answers_count_once(self):
        daemon = self.start()
        for shell in SHELLS:
            lossy = Lossy(daemon.port, 0.3, SEED)
            self.addCleanup(lossy.close)
            name = unique("lossy")
            text = "hw_start goal\nfor i in $(seq 12); do _hw_away=0; hw_tool bash -- : $i; _hw_away=0; hw_usage 1 0; done\n"
            self.assertEqual(run_script(shell, text, lossy.url, HEADWAY_SESSION=name)[0], 0)
            self.assertGreater(lossy.lost["answers"], 2)
            journal = self.client(daemon).journal(name)
            for kind in ("tool.started", "tool.finished"):
                calls = [d["call_id"] for d in kinds(journal, kind)]
                self.assertEqual(len(calls), len(set(calls)))
                self.assertGreater(len(calls), 6)
            self.assertLessEqual(sum(d["usage"]["input_tokens"] for d in kinds(journal, "heartbeat") if "usage" in d), 12)

    def test_killed_in_a_call(self):
        daemon = self.start()
        for shell in SHELLS:
            process = start_script(shell, "hw_start goal\nhw_tool bash -- sh -c 'echo in; cat'\necho \"status $?\"\nhw_end\n", daemon.url)
            self.assertEqual(process.stdout.readline(), b"in\n")
            daemon.kill()
            out, err = process.communicate(b"more\n", timeout=patient(60))
            self.assertEqual((out, err), (b"more\nstatus 0\n", b""))
            daemon.start(daemon.port)

    def test_restart_in_a_hold(self):
        for shell in SHELLS:
            daemon = self.start({"approvals.require_tools": "deploy"})
            operator = self.client(daemon, token=daemon.operator_token())
            process = start_script(shell, "hw_start goal\nhw_tool deploy -- echo ran\nhw_end\n", daemon.url, HEADWAY_SESSION="held")
            eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
            daemon.restart()
            operator.close()
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(2)
            (waiting,) = operator.get("/v1/approvals").json()["approvals"]
            self.assertEqual(operator.post(f"/v1/approvals/{waiting['id']}/decision", {"decision": "approve"}).status, 200)
            self.assertEqual(process.communicate(timeout=patient(60)), (b"ran\n", b""))
            journal = operator.journal("held")
            self.assertEqual((len(kinds(journal, "tool.started")), kinds(journal, "approval.alarm")), (1, []))
            process = start_script(shell, "hw_start goal\nhw_tool deploy -- echo ran\n", daemon.url, HEADWAY_SESSION="held2")
            eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
            daemon.stop()
            out, err = process.communicate(timeout=patient(60))
            self.assertEqual((process.returncode, out), (77, b""))
            self.assertIn(b"again", err)

    def test_gone_for_good_in_a_hold(self):
        for shell in SHELLS:
            daemon = self.start({"approvals.require_tools": "deploy"})
            operator = self.client(daemon, token=daemon.operator_token())
            text = "hw_start goal\nhw_tool deploy -- echo ran\necho $?\nhw_tool bash -- echo goes on\nhw_end\n"
            process = start_script(shell, text, daemon.url, HEADWAY_AGAIN_MS="1500")
            eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
            daemon.kill()
            out, err = process.communicate(timeout=patient(60))
            self.assertEqual(out, b"77\ngoes on\n")
            self.assertIn(b"went away", err)

    def test_a_call_that_was_refused_as_the_daemon_was_gone_is_over_when_it_is_back(self):
        for shell in SHELLS:
            daemon = self.start({"approvals.require_tools": "deploy"})
            operator = self.client(daemon, token=daemon.operator_token())
            folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
            text = ("set -u\nhw_start goal\nhw_tool deploy -- echo ran\n: >refused\nwhile [ ! -e back ]; do sleep 0.1; done\n_hw_away=0\n"
                    "hw_tool bash -- echo goes on\nhw_end\n")
            process = start_script(shell, f"cd {folder}\n{text}", daemon.url, HEADWAY_AGAIN_MS="700", HEADWAY_SESSION="gone")
            eventually(lambda: operator.get("/v1/approvals").json()["pending"] == 1)
            daemon.kill()
            eventually((folder / "refused").exists)
            daemon.start(daemon.port)
            operator = self.client(daemon, token=daemon.operator_token())
            (folder / "back").touch()
            self.assertEqual(process.communicate(timeout=patient(60))[0], b"goes on\n")
            self.assertEqual(operator.get("/v1/approvals").json()["pending"], 0)
            finished = kinds(operator.journal("gone"), "tool.finished")
            self.assertEqual([(f["ok"], (f.get("error") or {}).get("class")) for f in finished], [(False, "denied"), (True, None)])

    def test_what_answers_after_a_hold_but_not_as_the_daemon_is_no_answer(self):
        for shell in SHELLS:
            answers = [[" ", None], (502, {}, {}), (404, {}, {}), {"deny": "no"}]
            stand = Stand(lambda method, path, body, answers=answers: answers.pop(0) if body.get("event") == "pre" else {})
            self.addCleanup(stand.close)
            code, out, err = run_script(shell, "hw_start goal\nhw_tool bash -- echo ran\n", stand.url)
            self.assertEqual((code, out, err), (77, b"", b"headway: no\n"))
            self.assertEqual(len({b["event_id"] for b in stand.bodies() if b["event"] == "pre"}), 1)

    def test_an_event_that_cannot_be_held_is_sent_again_once(self):
        for shell in SHELLS:
            stand = Stand(lambda method, path, body: {} if body.get("event") == "pre" else [" ", None])
            self.addCleanup(stand.close)
            began = time.monotonic()
            code, out, err = run_script(shell, "hw_start goal\n_hw_away=0\nhw_tool bash -- echo ran\n_hw_away=0\nhw_end\n", stand.url)
            self.assertEqual((code, out, err), (0, b"ran\n", b""))
            self.assertLess(time.monotonic() - began, patient(20))
            self.assertEqual([b["event"] for b in stand.bodies()], ["prompt", "prompt", "pre", "post", "post", "end", "end"])

    def test_a_hold_that_falls_silent_is_no_answer(self):
        stand = Stand(lambda method, path, body: [" ", 20.0] if body.get("event") == "pre" else {})
        self.addCleanup(stand.close)
        for shell in SHELLS:
            code, out, _ = run_script(shell, "hw_start goal\nhw_tool bash -- echo ran\n", stand.url, HEADWAY_SH_SILENCE="0.5", HEADWAY_AGAIN_MS="600")
            self.assertEqual((code, out), (77, b""))

    def test_jumps_of_the_clock(self):
        """`date` says another year each time; the clock of the pauses is that of the kernel."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "date").write_text("#!/bin/sh\necho $(($(cut -d. -f1 </proc/uptime | tail -c 2) * 31536000))\n", encoding="utf-8")
        (folder / "date").chmod(0o755)
        daemon = self.start()
        for shell in SHELLS:
            name = unique("clock")
            begin = time.monotonic()
            text = "hw_start goal\nfor i in 1 2 3; do hw_tool bash -- sleep 0.4; done\nhw_end\n"
            code, out, err = run_script(shell, text, daemon.url, HEADWAY_SESSION=name, PATH=f"{folder}:{os.environ['PATH']}")
            self.assertEqual((code, out, err), (0, b"", b""))
            self.assertLess(time.monotonic() - begin, 20 * SLOW)
            took = [d["duration_ms"] for d in kinds(self.client(daemon).journal(name), "tool.finished")]
            self.assertEqual(len(took), 3)
            self.assertTrue(all(300 < ms < 10_000 * SLOW for ms in took), took)

    def test_addresses_are_read_as_everywhere(self):
        text = "while IFS= read -r HEADWAY_URL; do if _hw_where; then echo \"$_hw_url\"; else echo; fi; done\n"
        given = "".join(one + "\n" for one, _, _ in daemon_urls()).encode()
        for shell in SHELLS:
            _, out, err = run_script(shell, text, "", data=given)
            self.assertEqual((out.decode().splitlines(), err), ([normal for _, _, normal in daemon_urls()], b""))
            code, out, err = run_script(shell, self.CALLS, "http://ana:s3cret@127.0.0.1")
            self.assertEqual((code, out), (0, self.SAID))
            self.assertEqual(err.count(b"is no URL of a daemon; write http://HOST:PORT"), 1)
            self.assertNotIn(b"s3cret", err)

    def test_every_form_of_an_address_reaches_the_daemon(self):
        daemon = self.start()
        at = f"127.0.0.1:{daemon.port}"
        for url in (f"HTTP://{at}/", at, f"{at}//", f"unix://{daemon.state_dir}/headway.sock"):
            name = unique("form")
            run_script(SHELLS[0], self.CALLS, url, HEADWAY_SESSION=name)
            self.assertEqual(self.client(daemon).session(name)["tools"]["calls"], 5, url)

    def test_full_disk(self):
        disk = SmallDisk(48)
        daemon = SmallDiskDaemon(disk, {"storage.free_space_min": "6MiB", "storage.ballast": "4MiB"})
        self.addCleanup(daemon.close)
        daemon.start()
        disk.fill(leave=1 << 20, reserve=daemon.ballast)
        eventually(lambda: self.client(daemon).get("/readyz").status == 503)
        for shell in SHELLS:
            self.assertEqual(run_script(shell, self.CALLS, daemon.url), (0, self.SAID, b""))

    def test_ctrl_c_in_a_held_call(self):
        daemon = self.start({"approvals.require_tools": "deploy"})
        operator = self.client(daemon, token=daemon.operator_token())
        for shell in SHELLS:
            folder = Path(tempfile.mkdtemp(prefix="headway-sh-"))
            self.addCleanup(shutil.rmtree, folder)
            before = operator.get("/v1/approvals").json()["pending"]
            process = subprocess.Popen([shell, "-c", f". {SCRIPT}\nhw_start goal\nhw_tool deploy -- echo ran\n"], start_new_session=True,
                                       env=clean_environment(HEADWAY_URL=daemon.url, TMPDIR=str(folder)), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            eventually(lambda: operator.get("/v1/approvals").json()["pending"] == before + 1)
            os.killpg(process.pid, signal.SIGINT)
            out, _ = process.communicate(timeout=patient(60))
            self.assertEqual(out, b"")
            eventually(lambda: not list(folder.iterdir()), what="no files are left")

    def test_many_at_once(self):
        daemon = self.start()
        for shell in SHELLS:
            name = unique("many")
            text = "hw_start goal\nfor i in 1 2 3 4 5 6; do hw_tool bash -- : $i & done\nwait\nhw_end\n"
            self.assertEqual(run_script(shell, text, daemon.url, HEADWAY_SESSION=name)[0], 0)
            self.assertEqual(len(kinds(self.client(daemon).journal(name), "tool.finished")), 6)


if __name__ == "__main__":
    unittest.main()
